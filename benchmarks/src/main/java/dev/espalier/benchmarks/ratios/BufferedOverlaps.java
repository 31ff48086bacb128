// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.rtree.BufferedOverlap;
import dev.espalier.rtree.RTree;
import dev.espalier.rtree.RectangleSource;
import java.util.SplittableRandom;

/**
 * Overlap queries of an R-tree: a million unit rectangles, and queries of 2 by 2 that overlap two
 * of them on average.
 */
final class BufferedOverlaps implements AutoCloseable {
  private static final int RECTANGLES = 1_000_000;
  private static final double SIDE = Math.sqrt(4.5 * RECTANGLES);

  /** Enough of what takes long and does not depend on their number. */
  private static final int SINGLE = 1 << 20;

  private final RTree tree = RTree.create(IndexOptions.DEFAULT);
  private final BufferedOverlap buffered = BufferedOverlap.over(tree);
  private final double[] queries;
  private long sum;

  BufferedOverlaps(int count) {
    double[] rectangles = squares(new SplittableRandom(1), RECTANGLES, 1);
    long[] values = new long[RECTANGLES];
    tree.bulkload(RectangleSource.of(rectangles, values), 0.75, RECTANGLES, ProgressListener.NONE);
    queries = squares(new SplittableRandom(2), count, 2);
  }

  private static double[] squares(SplittableRandom random, int count, double side) {
    double[] squares = new double[4 * count];
    for (int at = 0; at < squares.length; at += 4) {
      squares[at] = random.nextDouble(SIDE);
      squares[at + 1] = random.nextDouble(SIDE);
      squares[at + 2] = squares[at] + side;
      squares[at + 3] = squares[at + 1] + side;
    }
    return squares;
  }

  void addTo(Rounds rounds) {
    int single = Math.min(SINGLE, queries.length / 4);
    rounds.add("overlapping", single, () -> oneByOne(single));
    rounds.add(
        "overlapAll",
        queries.length / 4,
        () ->
            sum +=
                buffered.overlapAll(
                    queries,
                    (query, value) -> {
                      sum += query ^ value;
                      return true;
                    }));
  }

  private void oneByOne(int count) {
    for (int at = 0; at < 4 * count; at += 4) {
      sum +=
          tree.overlapping(
              queries[at],
              queries[at + 1],
              queries[at + 2],
              queries[at + 3],
              value -> {
                sum += value;
                return true;
              });
    }
  }

  @Override
  public void close() {
    buffered.close();
    tree.close();
    if (sum == 0) {
      throw new IllegalStateException("no query found anything");
    }
  }
}
