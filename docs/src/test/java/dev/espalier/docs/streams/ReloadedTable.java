// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.streams;

import dev.espalier.LongIndex;
import dev.espalier.concurrent.SwappableIndex;
import dev.espalier.css.CssTree;
import java.util.Arrays;
import java.util.stream.LongStream;

class ReloadedTable {
  /** Loads a version of the table. It is read only, so the tree for lookups will do. */
  private static LongIndex load(long version) {
    LongIndex table = CssTree.create();
    long[] keys = LongStream.range(0, 100_000).toArray();
    table.bulkload(keys, LongStream.of(keys).map(key -> key + version).toArray());
    return table;
  }

  private static long[] lookUp(SwappableIndex<LongIndex> prices, long... keys) {
    long[] values = new long[keys.length];
    try (SwappableIndex.Lease<LongIndex> lease = prices.lease()) { // one for a whole batch
      lease.index().getAll(keys, values);
    }
    return values;
  }

  public static void main(String[] args) {
    LongIndex monday = load(1_000_000);
    try (SwappableIndex<LongIndex> prices = SwappableIndex.of(monday)) {
      System.out.println(Arrays.toString(lookUp(prices, 1, 2)));
      try (SwappableIndex.Lease<LongIndex> slow = prices.lease()) {
        prices.swap(load(2_000_000)); // readers wait for nothing
        System.out.println(Arrays.toString(lookUp(prices, 1, 2)));
        System.out.println(slow.index().get(1) + ", " + monday.isClosed());
      }
      System.out.println(monday.isClosed()); // its last reader has left
    }
  }
}
