// SPDX-License-Identifier: Apache-2.0
package example;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import dev.espalier.join.IndexNestedLoopJoin;
import dev.espalier.join.JoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.OuterSource;
import dev.espalier.prefetch.Prefetch;

/** Makes an index, reads it, and joins with it, as the first program of a user might. */
public final class Consumer {

  private Consumer() {}

  public static void main(String[] args) {
    try (LongIndex orders = Indexes.create()) {
      for (long order = 1; order <= 100_000; order++) {
        orders.put(order, order * 10);
      }
      System.out.println("get: " + orders.get(4_000));
      System.out.println("join: " + join(orders));
    }
    System.out.println("prefetch: " + Prefetch.status().state());
    System.out.println("in a module: " + Consumer.class.getModule().isNamed());
  }

  private static String join(LongIndex orders) {
    OuterSource items = OuterSource.of(new long[] {7, 100_001, 9}, new long[] {1, 2, 3});
    StringBuilder rows = new StringBuilder();
    try (IndexNestedLoopJoin join = new IndexNestedLoopJoin(items, orders, JoinOptions.DEFAULT)) {
      join.open();
      while (join.next()) {
        JoinBatch batch = join.batch();
        for (int row = 0; row < batch.count(); row++) {
          rows.append(batch.outerPayload(row))
              .append("=")
              .append(batch.innerValue(row))
              .append(" ");
        }
      }
    }
    return rows.toString().trim();
  }
}
