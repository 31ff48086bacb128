// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.memory.TracedBytes;
import java.util.stream.LongStream;

/** Prints the bytes of a range that leaves trees, and what a trace sees of it. */
public final class TracedRanges {
  /** Key and value. */
  private static final int ENTRY_BYTES = 16;

  private static final int ENTRIES = 100_000;

  private TracedRanges() {}

  public static void main(String[] args) {
    print(PbPlusTree.create(IndexOptions.DEFAULT, PbPlusTree.Geometry.DEFAULT));
    print(ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, ConcurrentPbPlusTree.Geometry.DEFAULT));
    print(BLinkTree.create(IndexOptions.DEFAULT));
    print(FpbLinkTree.create(IndexOptions.DEFAULT));
  }

  private static void print(LongIndex index) {
    try (index) {
      long[] keys = LongStream.range(0, ENTRIES).toArray();
      index.bulkload(keys, keys);
      TracedBytes.print(
          index.variant().name(),
          () -> index.removeRange(100, true, ENTRIES - 100, false),
          () -> (long) ENTRY_BYTES * (ENTRIES - index.size()));
    }
  }
}
