// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.IndexOptions;
import dev.espalier.memory.TracedBytes;
import java.util.stream.LongStream;

/** Prints the bytes of entries that are put in ascending order, and what a trace sees of it. */
public final class TracedAppends {
  /** Key and value. */
  private static final int ENTRY_BYTES = 16;

  private static final int ENTRIES = 100_000;

  private TracedAppends() {}

  public static void main(String[] args) {
    try (ConcurrentPbPlusTree tree =
        ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, ConcurrentPbPlusTree.Geometry.DEFAULT)) {
      long[] keys = LongStream.range(0, ENTRIES).toArray();
      tree.bulkload(keys, keys);
      TracedBytes.print(
          "Appends",
          () -> {
            for (long key = ENTRIES; key < 2 * ENTRIES; key++) {
              tree.put(key, key);
            }
          },
          () -> (long) ENTRY_BYTES * (tree.size() - ENTRIES));
    }
  }
}
