// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.batch.VirtualNodes;
import dev.espalier.model.CacheSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers many overlap queries over an {@link RTree} at once. Queries are buffered on their way
 * down, so that each part of the tree is in the cache for all queries that go there: Zhou and Ross,
 * "Buffering Accesses to Memory-Resident Index Structures", VLDB 2003. This is worthwhile if the
 * tree is larger than the second-level cache and the queries are not sorted by place.
 *
 * <p>Buffers take about 80 bytes of native memory for each query of a round, and are reused by the
 * next call. The tree may change between calls.
 *
 * <p><b>Threads.</b> An instance may be used by one thread at a time. Several threads may each use
 * an instance of their own over the same tree, as long as none of them changes the tree.
 */
public final class BufferedOverlap implements AutoCloseable {
  private final RTree tree;
  private final Choices choices;
  private @Nullable OverlapBuffers buffers;
  private boolean isClosed;

  /**
   * Options for buffering.
   *
   * @param capacity number of queries in a round; after each round all buffers are flushed
   * @param inOrder whether pairs are visited in the order of their queries; the pairs of a round
   *     are then kept on the Java heap, 20 bytes each
   * @param virtualNodes how the levels of the tree are grouped, or null to choose by the sizes of
   *     the tree and the caches (paper, 5.1)
   */
  public record Choices(int capacity, boolean inOrder, @Nullable VirtualNodes virtualNodes) {
    /** Rounds of a million queries, results in any order, and virtual nodes chosen by size. */
    public static final Choices DEFAULT = new Choices(1 << 20, false, null);

    private static final int MOST_QUERIES = 1 << 24;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if {@code capacity} is out of range
     */
    public Choices {
      if (capacity < 1 || capacity > MOST_QUERIES) {
        throw new IllegalArgumentException(
            "capacity is " + capacity + " queries; it must be from 1 to " + MOST_QUERIES);
      }
    }

    /** Returns these choices with another number of queries in a round. */
    public Choices withCapacity(int queries) {
      return new Choices(queries, inOrder, virtualNodes);
    }

    /** Returns these choices with results in the order of the queries. */
    public Choices withOrder() {
      return new Choices(capacity, true, virtualNodes);
    }

    /**
     * Returns these choices with the given virtual nodes, which must have the height of the tree.
     */
    public Choices withVirtualNodes(VirtualNodes nodes) {
      return new Choices(capacity, inOrder, nodes);
    }
  }

  private BufferedOverlap(RTree tree, Choices choices) {
    this.tree = tree;
    this.choices = choices;
  }

  /** Prepares buffered queries over a tree, with default choices. */
  public static BufferedOverlap over(RTree tree) {
    return over(tree, Choices.DEFAULT);
  }

  /** Prepares buffered queries over a tree. */
  public static BufferedOverlap over(RTree tree, Choices choices) {
    return new BufferedOverlap(
        Objects.requireNonNull(tree, "tree"), Objects.requireNonNull(choices, "choices"));
  }

  /**
   * Visits, for each query, the values of all rectangles that have a point in common with it: the
   * same pairs as {@link RTree#overlapping} for one query after the other. If the visitor throws,
   * the remaining pairs are not visited.
   *
   * @param queries least x, least y, greatest x, greatest y of each query in turn
   * @return the number of pairs visited
   * @throws IllegalArgumentException if {@code queries} does not have four coordinates for each
   *     query, or if some of them do not form a rectangle (in these cases, nothing is visited), or
   *     if the chosen virtual nodes do not have the height of the tree
   * @throws IllegalStateException if this object or the tree is closed
   * @throws dev.espalier.memory.MemoryLimitException if the system refuses memory for buffers
   */
  public long overlapAll(double[] queries, OverlapVisitor visitor) {
    Objects.requireNonNull(queries, "queries");
    Objects.requireNonNull(visitor, "visitor");
    checkOpen();
    check(queries);
    OverlapBuffers ready = prepare();
    int count = queries.length / 4;
    long found = 0;
    for (int from = 0, to; from < count; from = to) {
      to = Math.min(count - from, choices.capacity) + from;
      long inRound =
          choices.inOrder
              ? inOrder(ready, queries, from, to, visitor)
              : ready.overlap(queries, from, to, visitor);
      if (inRound < 0) {
        return found + (-1 - inRound);
      }
      found += inRound;
    }
    return found;
  }

  private static long inOrder(
      OverlapBuffers buffers, double[] queries, int from, int to, OverlapVisitor visitor) {
    OrderedOverlaps ordered = new OrderedOverlaps(from, to - from);
    buffers.overlap(queries, from, to, ordered);
    return ordered.giveTo(visitor);
  }

  private void checkOpen() {
    if (isClosed) {
      throw new IllegalStateException("the buffers are closed");
    }
    tree.tree.checkOpen();
  }

  private static void check(double[] queries) {
    if (queries.length % 4 != 0) {
      throw new IllegalArgumentException(
          "queries.length is " + queries.length + "; it must be four for each query");
    }
    for (int i = 0; i < queries.length; i += 4) {
      Rectangle.check(queries[i], queries[i + 1], queries[i + 2], queries[i + 3]);
    }
  }

  /** Returns buffers for the tree as high as it is now. */
  private OverlapBuffers prepare() {
    OverlapBuffers present = buffers;
    if (present != null && present.fit()) {
      return present;
    }
    VirtualNodes nodes =
        choices.virtualNodes == null
            ? suitableNodes(tree.tree, CacheSizes.ofThisMachine().secondLevelBytes())
            : choices.virtualNodes;
    OverlapBuffers made = new OverlapBuffers(tree, nodes, choices.capacity);
    if (present != null) {
      present.close();
    }
    buffers = made;
    return made;
  }

  /**
   * Groups a tree's levels by the sizes (paper, 5.1): the leaves' virtual nodes as high as they fit
   * into the cache; those above as high as they fit with a line for each child's buffer.
   */
  static VirtualNodes suitableNodes(RTreeStructure tree, long cacheBytes) {
    double fanOut = Math.max(Math.pow((double) tree.size, 1.0 / tree.height), 2);
    double nodeBytes = Math.min(fanOut / tree.inner.capacity, 1) * tree.inner.bytes;
    int left = tree.height;
    int leafHeight = 1;
    while (leafHeight < left && subtreeBytes(fanOut, nodeBytes, leafHeight + 1) < cacheBytes) {
      leafHeight++;
    }
    left -= leafHeight;
    int most = mostInnerHeight(tree.inner, fanOut, nodeBytes, cacheBytes);
    int groups = (left + most - 1) / most;
    List<Integer> heights = new ArrayList<>();
    for (int i = 0; i < groups; i++) {
      heights.add((left * (i + 1)) / groups - left * i / groups);
    }
    heights.add(leafHeight);
    return new VirtualNodes(heights);
  }

  private static int mostInnerHeight(
      RTreeInner inner, double fanOut, double nodeBytes, long cacheBytes) {
    int height = 1;
    while (Math.pow(inner.capacity, height + 1) <= OverlapBuffers.MOST_BUFFERS
        && subtreeBytes(fanOut, nodeBytes, height + 1) + 64 * Math.pow(fanOut, height + 1)
            < cacheBytes) {
      height++;
    }
    return height;
  }

  private static double subtreeBytes(double fanOut, double nodeBytes, int height) {
    return (Math.pow(fanOut, height) - 1) / (fanOut - 1) * nodeBytes;
  }

  /** Returns the most bytes of native memory that held queries during the last call. */
  public long usedBytes() {
    checkOpen();
    return buffers == null ? 0 : buffers.usedBytes();
  }

  /** Frees the buffers; the tree stays open. A second call does nothing. */
  @Override
  public void close() {
    isClosed = true;
    if (buffers != null) {
      buffers.close();
      buffers = null;
    }
  }
}
