// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;

class ReadmeExample {
  public static void main(String[] args) {
    long[] values = new long[2];
    // Shown:
    try (LongIndex index = Indexes.create()) {
      index.put(42, 4200);
      System.out.println(index.get(42)); // 4200
      index.getAll(new long[] {42, 43}, values); // a batch: cache misses overlap
      System.out.println(index.asMap().headMap(100L)); // {42=4200}
    }
  }
}
