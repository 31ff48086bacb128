// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.io.WriteBatch;
import org.jspecify.annotations.Nullable;

/** Access to an index of longs, in memory or in a store. */
final class LongIndexSession implements BoardSession {
  private final LongIndex index;
  private final LongCursor cursor;
  private final @Nullable BatchWriter writer;
  private final WriteBatch batch = new WriteBatch();

  /** Makes one; without a writer, changes of several entries are made one by one. */
  LongIndexSession(LongIndex index, @Nullable BatchWriter writer) {
    this.index = index;
    this.cursor = index.cursor();
    this.writer = writer;
  }

  @Override
  public long read(long entry) {
    return index.getOrDefault(Setting.key(entry), Word.ABSENT);
  }

  @Override
  public void write(long entry, long word) {
    index.set(Setting.key(entry), word);
  }

  @Override
  public void remove(long entry) {
    index.delete(Setting.key(entry));
  }

  @Override
  public void scan(long entry, int count, Visitor visitor) {
    boolean more = cursor.ceiling(Setting.key(entry));
    for (int left = count; more; more = left > 0 && cursor.next()) {
      visitor.visit(cursor.key(), cursor.value());
      left--;
    }
  }

  @Override
  public void writeTogether(long[] entries, long[] words, int count) {
    if (writer == null) {
      for (int i = 0; i < count; i++) {
        write(entries[i], words[i]);
      }
      return;
    }
    batch.clear();
    for (int i = 0; i < count; i++) {
      batch.set(index, Setting.key(entries[i]), words[i]);
    }
    writer.write(batch);
  }

  @Override
  public void removeTogether(long[] entries, int count) {
    if (writer == null) {
      for (int i = 0; i < count; i++) {
        remove(entries[i]);
      }
      return;
    }
    batch.clear();
    for (int i = 0; i < count; i++) {
      batch.delete(index, Setting.key(entries[i]));
    }
    writer.write(batch);
  }
}
