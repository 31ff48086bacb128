// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.batch.VirtualNodes;
import dev.espalier.rtree.BufferedOverlap;
import dev.espalier.rtree.RTree;
import dev.espalier.rtree.RectangleSource;
import java.util.Collections;
import java.util.Random;

/**
 * An R-tree of unit squares at random places, probed by squares of twice that width. The plane is
 * so large that a query overlaps one of them on average; the paper does not say how large its own
 * is.
 */
final class BuiltRTree implements BuiltIndex {
  /** Table 2: a million rectangles beside five million keys. */
  private static final int KEYS_PER_RECTANGLE = 5;

  private static final int SEED = 11;
  private static final int QUERY_SEED = 13;
  private static final double QUERY_WIDTH = 2;

  private final RTree tree;
  private final double[] queries;

  private BuiltRTree(RTree tree, double[] queries) {
    this.tree = tree;
    this.queries = queries;
  }

  static int rectangles(int keys) {
    return Math.max(keys / KEYS_PER_RECTANGLE, 1);
  }

  /** Builds the tree that belongs to trees of so many keys. */
  static BuiltRTree of(int keys) {
    int count = rectangles(keys);
    RTree tree =
        RTree.create(
            IndexOptions.DEFAULT, new RTree.Geometry(PaperIndex.WIDE_LINES, PaperIndex.WIDE_LINES));
    try {
      long[] values = new long[count];
      for (int i = 0; i < count; i++) {
        values[i] = i;
      }
      tree.bulkload(
          RectangleSource.of(squares(count, 1, SEED), values),
          PaperIndex.FILL_FACTOR,
          count,
          ProgressListener.NONE);
      return new BuiltRTree(tree, squares(count, QUERY_WIDTH, QUERY_SEED));
    } catch (RuntimeException | Error failed) {
      tree.close();
      throw failed;
    }
  }

  /** A unit square overlaps a query if its corner is in a square of three times its width. */
  private static double[] squares(int count, double width, int seed) {
    double plane = (1 + QUERY_WIDTH) * Math.sqrt(count);
    Random random = new Random(seed);
    double[] squares = new double[4 * count];
    for (int i = 0; i < squares.length; i += 4) {
      squares[i] = random.nextDouble() * plane;
      squares[i + 1] = random.nextDouble() * plane;
      squares[i + 2] = squares[i] + width;
      squares[i + 3] = squares[i + 1] + width;
    }
    return squares;
  }

  @Override
  public Probing prepare(ProbeSetting setting) {
    return switch (setting.method()) {
      case UNBUFFERED -> this::single;
      case VARIABLE -> new Buffered();
      default -> throw new IllegalArgumentException("an R-tree has no " + setting);
    };
  }

  private long single() {
    long[] sum = new long[1];
    for (int i = 0; i < queries.length; i += 4) {
      tree.overlapping(
          queries[i],
          queries[i + 1],
          queries[i + 2],
          queries[i + 3],
          value -> {
            sum[0] += value;
            return true;
          });
    }
    return sum[0];
  }

  /** Those found one by one: there is no formula for them. */
  @Override
  public long answer(ProbeSetting setting) {
    return single();
  }

  @Override
  public void close() {
    tree.close();
  }

  /** All queries in one round, each node a virtual node, as in the paper. */
  private final class Buffered implements Probing {
    private final VirtualNodes nodes =
        new VirtualNodes(Collections.nCopies(tree.statistics().height(), 1));
    private final BufferedOverlap access =
        BufferedOverlap.over(
            tree,
            BufferedOverlap.Choices.DEFAULT
                .withCapacity(queries.length / 4)
                .withVirtualNodes(nodes));

    @Override
    public String way() {
      return nodes.toString();
    }

    @Override
    public long run() {
      long[] sum = new long[1];
      access.overlapAll(
          queries,
          (_, value) -> {
            sum[0] += value;
            return true;
          });
      return sum[0];
    }

    @Override
    public void close() {
      access.close();
    }
  }
}
