// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An entry that was removed, for whoever is to read it. */
final class TakenEntry implements BytesEntrySource {
  /** More than threads that put the same key again and again make likely. */
  private static final int MOST_REPEATED = 1000;

  final byte[] keyBytes;
  final byte[] bytes;

  private TakenEntry(byte[] keyBytes, byte[] bytes) {
    this.keyBytes = keyBytes;
    this.bytes = bytes;
  }

  /**
   * Removes the entry that a move goes to, and shows it: another one if someone else removes it
   * first.
   *
   * @return whether there was one
   * @throws ConcurrentModificationException if an entry is shown again and again that is not there
   */
  static boolean poll(
      BytesNavigable entries, Predicate<BytesCursor> move, BytesEntryReader reader) {
    TakenEntry taken = take(entries, move);
    if (taken == null) {
      return false;
    }
    reader.read(taken);
    return true;
  }

  /** Removes an entry as {@link #poll} does, and returns it; null if there was none. */
  static @Nullable TakenEntry take(BytesNavigable entries, Predicate<BytesCursor> move) {
    BytesCursor cursor = entries.cursor();
    cursor.expectValues(BytesCursor.Expected.NONE);
    byte[] before = {};
    for (int repeated = 0; move.test(cursor); ) {
      byte[] key = cursor.keyArray();
      byte[] value = entries.remove(key);
      if (value != null) {
        return new TakenEntry(key, value);
      }
      repeated = Arrays.equals(key, before) ? repeated + 1 : 0;
      if (repeated == MOST_REPEATED) {
        throw new ConcurrentModificationException("an entry is shown, but not found");
      }
      before = key;
    }
    return null;
  }

  @Override
  public boolean next() {
    return false;
  }

  @Override
  public MemorySegment key() {
    return MemorySegment.ofArray(keyBytes).asReadOnly();
  }

  @Override
  public void value(ValueReader reader) {
    reader.read(MemorySegment.ofArray(bytes).asReadOnly(), 0, bytes.length, 0, bytes.length);
  }

  @Override
  public long valueBytes() {
    return bytes.length;
  }
}
