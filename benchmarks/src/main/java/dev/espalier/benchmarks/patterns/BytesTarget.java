// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.patterns.PatternTarget;
import java.lang.foreign.MemorySegment;

/** Espalier's index of byte strings. */
final class BytesTarget implements PatternTarget {
  private final BytesIndex index;
  private final BytesCursor cursor;

  /** Takes an index, which is closed with this. */
  BytesTarget(BytesIndex index) {
    this.index = index;
    this.cursor = index.cursor();
  }

  @Override
  public long get(long key) {
    byte[] value = index.get(StringKeys.key(key));
    return value == null ? NONE : StringKeys.numberOfValue(value);
  }

  @Override
  public void put(long key, long value) {
    index.set(StringKeys.key(key), StringKeys.value(value));
  }

  @Override
  public void remove(long key) {
    index.delete(StringKeys.key(key));
  }

  @Override
  public long first() {
    return cursor.first() ? StringKeys.number(cursor.key()) : NONE;
  }

  @Override
  public long scan(long from, int count) {
    long sum = 0;
    boolean more = cursor.ceiling(MemorySegment.ofArray(StringKeys.key(from)));
    for (int left = count; left > 0 && more; left--) {
      sum += StringKeys.number(cursor.key());
      more = left > 1 && cursor.next();
    }
    return sum;
  }

  @Override
  public void removeRange(long from, long to) {
    index.removeRange(StringKeys.key(from), true, StringKeys.key(to), false);
  }

  @Override
  public void close() {
    index.close();
  }
}
