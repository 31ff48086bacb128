// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import dev.espalier.join.IndexNestedLoopJoin;
import dev.espalier.join.JoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.JoinType;
import dev.espalier.join.OuterSource;
import dev.espalier.join.ParallelJoin;
import java.util.concurrent.atomic.LongAdder;

class JoinExample {
  public static void main(String[] args) {
    try (LongIndex prices = Indexes.create()) {
      prices.put(17, 350);
      prices.put(4711, 1200);

      // The article of each item that was sold. Payloads are the numbers of the rows.
      OuterSource items = OuterSource.of(new long[] {17, 99, 4711, 17});

      JoinOptions left = JoinOptions.DEFAULT.withType(JoinType.LEFT);
      try (var join = new IndexNestedLoopJoin(items, prices, left)) {
        join.open();
        while (join.next()) {
          JoinBatch rows = join.batch();
          for (int row = 0; row < rows.count(); row++) {
            System.out.printf(
                "item %d, article %d: %s%n",
                rows.outerPayload(row),
                rows.key(row),
                rows.isMatched(row) ? rows.innerValue(row) : "no price");
          }
        }
      }

      // The same rows by two threads, each of which hands out batches of its own
      LongAdder sum = new LongAdder();
      ParallelJoin.run(
          items,
          prices,
          JoinOptions.DEFAULT,
          2,
          (thread, rows) -> {
            for (int row = 0; row < rows.count(); row++) {
              sum.add(rows.innerValue(row));
            }
          });
      System.out.println("sold for " + sum);
    }
  }
}
