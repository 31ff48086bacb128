// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import dev.espalier.io.WriteBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Access to an index of byte strings, in memory or in a store. */
final class BytesIndexSession implements BoardSession {
  private final BytesIndex index;
  private final BytesCursor cursor;
  private final Coding coding;
  private final @Nullable BatchWriter writer;
  private final WriteBatch batch = new WriteBatch();
  private final MemorySegment key;
  private final MemorySegment value;

  // Kept, so that no object is made for a value.
  private final ValueReader reader = this::take;

  /** The word of the value that was shown last. */
  private long word;

  /** Makes one; without a writer, changes of several entries are made one by one. */
  BytesIndexSession(BytesIndex index, Coding coding, @Nullable BatchWriter writer) {
    this.index = index;
    this.cursor = index.cursor();
    this.coding = coding;
    this.writer = writer;
    Arena arena = Arena.ofAuto();
    key = arena.allocate(coding.keyBytes());
    value = arena.allocate(coding.valueBytes());
  }

  /** Takes the word of a value where that lies, or of a copy of one that comes in pieces. */
  private void take(MemorySegment piece, long from, long bytes, long position, long total) {
    if (total != coding.valueBytes()) {
      word = Word.TORN;
    } else if (bytes == total) {
      word = coding.word(piece.asSlice(from, bytes));
    } else {
      MemorySegment.copy(piece, from, value, position, bytes);
      word = position + bytes == total ? coding.word(value) : Word.TORN;
    }
  }

  @Override
  public long read(long entry) {
    coding.writeKey(entry, key);
    return index.get(key, reader) ? word : Word.ABSENT;
  }

  @Override
  public void write(long entry, long word) {
    coding.writeKey(entry, key);
    coding.writeValue(word, value);
    index.set(key, value);
  }

  @Override
  public void remove(long entry) {
    coding.writeKey(entry, key);
    index.delete(key);
  }

  @Override
  public void scan(long entry, int count, Visitor visitor) {
    coding.writeKey(entry, key);
    boolean more = cursor.ceiling(key);
    for (int left = count; more; more = left > 0 && cursor.next()) {
      cursor.value(reader);
      visitor.visit(coding.key(cursor.key()), word);
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
      batch.set(index, coding.keyArray(entries[i]), coding.valueArray(words[i]));
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
      batch.delete(index, coding.keyArray(entries[i]));
    }
    writer.write(batch);
  }
}
