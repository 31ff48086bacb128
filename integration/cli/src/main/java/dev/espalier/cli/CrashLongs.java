// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.io.WriteBatch;
import java.util.OptionalLong;

/** An index of longs in a crash test. */
record CrashLongs(LongIndex index) implements CrashIndex {
  @Override
  public void set(long key, long value) {
    index.set(key, value);
  }

  @Override
  public void delete(long key) {
    index.delete(key);
  }

  @Override
  public OptionalLong get(long key) {
    return index.containsKey(key) ? OptionalLong.of(index.get(key)) : OptionalLong.empty();
  }

  @Override
  public void addSet(WriteBatch batch, long key, long value) {
    batch.set(index, key, value);
  }

  @Override
  public void addDelete(WriteBatch batch, long key) {
    batch.delete(index, key);
  }

  @Override
  public void forEach(Entry entries) {
    LongCursor cursor = index.cursor();
    while (cursor.next()) {
      entries.accept(cursor.key(), cursor.value());
    }
  }
}
