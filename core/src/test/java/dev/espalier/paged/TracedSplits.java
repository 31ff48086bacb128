// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.IndexOptions;
import dev.espalier.memory.TracedBytes;
import java.util.stream.LongStream;

/** Prints what must move when a full leaf page is split, and what a trace sees of it. */
public final class TracedSplits {
  /** Key and value. */
  private static final int ENTRY_BYTES = 16;

  private TracedSplits() {}

  public static void main(String[] args) {
    try (DiskOptimizedBPlusTree tree = DiskOptimizedBPlusTree.create(IndexOptions.DEFAULT)) {
      int full = tree.tree.format.leafCapacity;
      long[] keys = LongStream.range(0, full).map(i -> 2 * i).toArray();
      tree.bulkload(keys, keys);
      // One entry goes to the end of the upper half, so that the insert moves none.
      TracedBytes.print(
          "Split", () -> tree.put(2L * full - 3, 0), () -> (long) ENTRY_BYTES * (full / 2));
    }
  }
}
