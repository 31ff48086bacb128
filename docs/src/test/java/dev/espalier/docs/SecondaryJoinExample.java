// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import dev.espalier.join.JoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.LongSecondaryIndex;
import dev.espalier.join.LongSecondaryIndexJoin;
import dev.espalier.join.OuterSource;

class SecondaryJoinExample {
  public static void main(String[] args) {
    long[] customers = {7, 5, 7, 9}; // the customer of each order
    long[] orders = {100, 101, 102, 103};
    try (LongSecondaryIndex ordersOf = LongSecondaryIndex.create()) {
      ordersOf.bulkload(customers, orders);
      ordersOf.add(5, 104);

      OuterSource chosen = OuterSource.of(new long[] {5, 6, 7});
      try (var join = new LongSecondaryIndexJoin(chosen, ordersOf, JoinOptions.DEFAULT)) {
        join.open();
        while (join.next()) {
          JoinBatch rows = join.batch();
          for (int row = 0; row < rows.count(); row++) {
            System.out.println("customer " + rows.key(row) + ", order " + rows.innerValue(row));
          }
        }
      }
    }
  }
}
