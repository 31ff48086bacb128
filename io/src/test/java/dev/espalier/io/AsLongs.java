// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.prefix.LongsInByteStrings;
import java.util.TreeMap;

/**
 * Indexes of stores and transactions as ones of longs, also if they have byte strings, so that the
 * same is asked of both.
 */
final class AsLongs {
  private static final int LONG_KEY = 60;

  private AsLongs() {}

  /** Returns an index of a store, whose options name the tree unless it is of byte strings. */
  static LongIndex of(IndexStore store, String tree, String name) {
    return tree.equals(StoreBytesIndex.KIND)
        ? new LongsInByteStrings(store.bytesIndex(name), 0, LONG_KEY)
        : store.index(name);
  }

  /** Returns an index of a transaction. */
  static LongIndex of(Transaction transaction, String tree, String name) {
    return tree.equals(StoreBytesIndex.KIND)
        ? new LongsInByteStrings(transaction.bytesIndex(name), 0, LONG_KEY)
        : transaction.index(name);
  }

  static void set(WriteBatch batch, LongIndex index, long key, long value) {
    if (index instanceof LongsInByteStrings strings) {
      batch.set(strings.index, strings.key(key), LongsInByteStrings.value(value));
    } else {
      batch.set(index, key, value);
    }
  }

  static void delete(WriteBatch batch, LongIndex index, long key) {
    if (index instanceof LongsInByteStrings strings) {
      batch.delete(strings.index, strings.key(key));
    } else {
      batch.delete(index, key);
    }
  }

  /** Returns all entries. */
  static TreeMap<Long, Long> entries(LongIndex index) {
    TreeMap<Long, Long> entries = new TreeMap<>();
    LongCursor cursor = index.cursor();
    while (cursor.next()) {
      entries.put(cursor.key(), cursor.value());
    }
    return entries;
  }
}
