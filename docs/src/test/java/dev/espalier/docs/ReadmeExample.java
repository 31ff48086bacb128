// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import java.util.Arrays;

class ReadmeExample {
  public static void main(String[] args) {
    try (LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT)) {
      for (long order = 1; order <= 1_000_000; order++) {
        index.put(order * 4, order);
      }
      System.out.println(index.get(4_000) + ", " + (index.get(4_001) == index.missingValue()));

      long[] keys = {40, 8, 9, 4_000_000};
      long[] values = new long[keys.length];
      index.getAll(keys, values); // faster per key than get: cache misses overlap
      System.out.println(Arrays.toString(values));

      LongCursor cursor = index.cursor();
      for (boolean found = cursor.ceiling(37); found && cursor.key() <= 50; found = cursor.next()) {
        System.out.println(cursor.key() + " -> " + cursor.value());
      }
      System.out.println(index.asMap().headMap(100L).lastEntry());
    }
  }
}
