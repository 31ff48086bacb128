// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import dev.espalier.LongIndex;
import dev.espalier.family.Indexes;
import dev.espalier.join.AsOfJoin;
import dev.espalier.join.BandJoin;
import dev.espalier.join.BatchJoin;
import dev.espalier.join.IntervalSource;
import dev.espalier.join.JoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.JoinType;
import dev.espalier.join.OuterSource;

class SeriesJoinExample {
  public static void main(String[] args) {
    try (LongIndex quotes = Indexes.create()) {
      quotes.put(1000, 50); // at time 1000 the price was 50
      quotes.put(1010, 51);
      quotes.put(1200, 48);

      OuterSource trades = OuterSource.of(new long[] {1009, 1010, 1150, 1205});

      // The latest quote at or before each trade, and no more than 100 before it
      JoinOptions left = JoinOptions.DEFAULT.withType(JoinType.LEFT);
      try (var join = new AsOfJoin(trades, quotes, 100, left)) {
        print("quote", join);
      }

      // All quotes from 10 before each trade to the trade itself
      IntervalSource before = IntervalSource.around(trades, 10, 0);
      try (var join = new BandJoin(before, quotes, JoinOptions.DEFAULT)) {
        print("near", join);
      }
    }
  }

  private static void print(String what, BatchJoin<JoinBatch> join) {
    join.open();
    while (join.next()) {
      JoinBatch rows = join.batch();
      for (int row = 0; row < rows.count(); row++) {
        System.out.printf(
            "trade %d, %s: %s%n",
            rows.outerPayload(row),
            what,
            rows.isMatched(row) ? rows.innerValue(row) + " at " + rows.innerKey(row) : "none");
      }
    }
  }
}
