// SPDX-License-Identifier: Apache-2.0
package dev.espalier.patterns;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;

/** An index of Espalier's, written blindly, as whoever does not need the old value writes it. */
public final class IndexTarget implements PatternTarget {
  private final LongIndex index;
  private final LongCursor cursor;

  /** Takes an index, which is closed with this. */
  public IndexTarget(LongIndex index) {
    this.index = index;
    this.cursor = index.cursor();
  }

  /** Returns the index. */
  public LongIndex index() {
    return index;
  }

  @Override
  public long get(long key) {
    return index.getOrDefault(key, NONE);
  }

  @Override
  public void put(long key, long value) {
    index.set(key, value);
  }

  @Override
  public void remove(long key) {
    index.delete(key);
  }

  @Override
  public long first() {
    return cursor.first() ? cursor.key() : NONE;
  }

  @Override
  public long scan(long from, int count) {
    long sum = 0;
    boolean more = cursor.ceiling(from);
    for (int left = count; left > 0 && more; left--) {
      sum += cursor.key();
      more = left > 1 && cursor.next();
    }
    return sum;
  }

  @Override
  public void removeRange(long from, long to) {
    index.removeRange(from, true, to, false);
  }

  @Override
  public void close() {
    index.close();
  }
}
