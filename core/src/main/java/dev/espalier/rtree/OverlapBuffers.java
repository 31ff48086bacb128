// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.batch.VirtualNodes;
import dev.espalier.node.Rectangles;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The variable-size buffers of one tree's virtual nodes (buffering paper, 4.2), through which
 * queries go down to the leaves.
 */
final class OverlapBuffers implements AutoCloseable {
  /* Overview
   *
   * Virtual node number 0 is the root, number v + 1 the children of number v. For each v but the
   * last there is one set of buffers, for the children of the one node of number v that is being
   * divided: no two siblings have active child buffers at the same time, so the set is reused.
   *
   *   queries -> root -> | buffer | buffer | buffer | ...       set 0
   *                          |
   *                          v divide a child
   *                     | buffer | buffer | ...                 set 1, reused for the next child
   *
   * A query goes into the buffer of every child that it overlaps. A flush divides the buffers of a
   * set in turn, each followed at once by those below it (preorder). Of a buffer the last segment
   * is read first, because it is the one most likely to be cached.
   *
   * Deviation from the paper:
   *   D1  Memory is bounded. How many children a query overlaps is not known beforehand, so a set
   *       that finds no segment flushes what is below it, and goes on. Each set leaves a segment
   *       for every buffer of those below it, so that they can always go on.
   */

  /** Fewer, and segments would be found and linked more often than queries are copied. */
  private static final int LEAST_RECORDS = 8;

  /** A segment of 5 KiB: more would not make fewer links that count. */
  private static final int MOST_RECORDS = 128;

  /** Most buffers of a set: more would make it larger than any second-level cache. */
  static final int MOST_BUFFERS = 1 << 16;

  private final RTree tree;
  private final RTreeInner inner;
  private final VirtualNodes virtualNodes;
  private final int lastNode;

  /** The level of the topmost node of each virtual node. */
  private final int[] topLevels;

  /**
   * By virtual node and number of a child: where the child's buffer ends, and where the child is.
   */
  private final int[][] ends;

  private final long[][] places;

  /** The segments that each set leaves to those below. */
  private final int[] reserves;

  private final QuerySegments segments;
  private final Answers answers = new Answers();
  private MemorySegment nodes = MemorySegment.NULL;

  /** Passes on what one query finds, under the query's number. */
  private static final class Answers implements ValueVisitor {
    OverlapVisitor to = (query, value) -> true;
    int query;
    long found;
    boolean ended;

    @Override
    public boolean visit(long value) {
      found++;
      ended = !to.visit(query, value);
      return !ended;
    }
  }

  /**
   * Makes buffers for a tree as high as it is.
   *
   * @param capacity queries between two flushes, about
   * @throws IllegalArgumentException if the virtual nodes are not for a tree of this height, or one
   *     of them would have too many children
   */
  OverlapBuffers(RTree tree, VirtualNodes virtualNodes, int capacity) {
    this.tree = tree;
    this.inner = tree.tree.inner;
    this.virtualNodes = virtualNodes;
    if (virtualNodes.treeHeight() != tree.tree.height) {
      throw new IllegalArgumentException(
          "the virtual nodes "
              + virtualNodes
              + " are not for a tree of "
              + tree.tree.height
              + " levels");
    }
    this.lastNode = virtualNodes.buffers();
    this.topLevels = new int[lastNode + 1];
    this.ends = new int[lastNode][];
    this.places = new long[lastNode][];
    this.reserves = new int[lastNode];
    int buffers = 0;
    int below = 0;
    for (int v = lastNode; v >= 0; v--) {
      below += virtualNodes.heights().get(v);
      topLevels[v] = below - 1;
      if (v < lastNode) {
        int children = maxChildren(virtualNodes.heights().get(v));
        ends[v] = new int[children];
        places[v] = new long[children];
        reserves[v] = buffers;
        buffers += children;
      }
    }
    int records = segmentRecords(capacity, lastNode == 0 ? 1 : ends[0].length);
    // Queries at a border are in several buffers of a set, and sets below the first are nearly
    // empty.
    this.segments = new QuerySegments(records, 2 * (capacity / records) + 2 * buffers + 1);
  }

  private int maxChildren(int height) {
    long children = 1;
    for (int level = 0; level < height; level++) {
      children = Math.min(children * inner.capacity, Integer.MAX_VALUE);
    }
    if (children > MOST_BUFFERS) {
      throw new IllegalArgumentException(
          "virtual nodes of height "
              + height
              + " may have "
              + children
              + " children; the most is "
              + MOST_BUFFERS);
    }
    return (int) children;
  }

  /**
   * Returns how many records a segment has: a quarter of what one of the root's children is given,
   * so that the segments that are not full cost little.
   */
  private static int segmentRecords(int capacity, int buffers) {
    int expected = Math.clamp(capacity / buffers / 4, LEAST_RECORDS, MOST_RECORDS);
    return Integer.highestOneBit(expected);
  }

  /** Tells whether the tree has still the height that the buffers were made for. */
  boolean fit() {
    return virtualNodes.treeHeight() == tree.tree.height;
  }

  /** Returns the bytes of memory that hold queries. */
  long usedBytes() {
    return segments.usedBytes();
  }

  /**
   * Answers the queries {@code from} to before {@code to}; forgets them if the visitor throws.
   * Returns how many pairs were visited; -1 - how many if the visitor has ended it.
   */
  long overlap(double[] queries, int from, int to, OverlapVisitor visitor) {
    nodes = tree.tree.nodes;
    answers.to = visitor;
    answers.found = 0;
    answers.ended = false;
    boolean done = false;
    try {
      long root = tree.tree.root;
      for (int query = from; query < to && !answers.ended; query++) {
        pass(
            0,
            root,
            queries[4 * query],
            queries[4 * query + 1],
            queries[4 * query + 2],
            queries[4 * query + 3],
            query);
      }
      flushBelow(0);
      done = !answers.ended;
    } finally {
      if (!done) {
        forget();
      }
    }
    return answers.ended ? -1 - answers.found : answers.found;
  }

  private void forget() {
    for (int[] set : ends) {
      Arrays.fill(set, QuerySegments.EMPTY);
    }
    segments.reset();
  }

  /** Flushes the children of the virtual node of number {@code v} that was divided last. */
  private void flushBelow(int v) {
    if (v == lastNode) {
      return;
    }
    int[] set = ends[v];
    for (int number = 0; number < set.length; number++) {
      int end = set[number];
      if (end != QuerySegments.EMPTY) {
        set[number] = QuerySegments.EMPTY;
        passBuffer(v + 1, places[v][number], end);
        flushBelow(v + 1);
        if (answers.ended) {
          return;
        }
      }
    }
  }

  /** Passes all queries of a buffer through its virtual node, and releases its segments. */
  private void passBuffer(int v, long node, int end) {
    int last = segments.lastSegment(end);
    int segment = segments.nextSegment(last);
    passSegment(v, node, last, end);
    while (segment != last) {
      int next = segments.nextSegment(segment);
      passSegment(v, node, segment, end);
      segments.release(segment);
      segment = next;
    }
    segments.release(last);
  }

  private void passSegment(int v, long node, int segment, int end) {
    for (int at = segments.begin(segment), to = segments.end(segment, end);
        at < to && !answers.ended;
        at++) {
      pass(
          v,
          node,
          segments.minX(at),
          segments.minY(at),
          segments.maxX(at),
          segments.maxY(at),
          segments.query(at));
    }
  }

  /** Passes a query through a virtual node: into its children's buffers, or to the end. */
  private void pass(
      int v, long node, double minX, double minY, double maxX, double maxY, int query) {
    if (v == lastNode) {
      answers.query = query;
      tree.reachingBelow(nodes, node, topLevels[v], maxX, maxY, minX, minY, answers);
    } else {
      divide(v, node, topLevels[v], 0, minX, minY, maxX, maxY, query);
    }
  }

  /**
   * Passes a query from a node within the virtual node of number {@code v} on.
   *
   * @param number of the node within its virtual node, made of the slots that lead to it
   */
  private void divide(
      int v,
      long node,
      int level,
      int number,
      double minX,
      double minY,
      double maxX,
      double maxY,
      int query) {
    for (int first = 0; first < inner.slots; first += Rectangles.MOST) {
      long found = inner.reaching(nodes, node, first, maxX, maxY, minX, minY);
      while (found != 0) {
        int slot = first + Long.numberOfTrailingZeros(found);
        found &= found - 1;
        long child = inner.child(nodes, node, slot);
        int childNumber = number * inner.capacity + slot;
        if (level - 1 > topLevels[v + 1]) {
          divide(v, child, level - 1, childNumber, minX, minY, maxX, maxY, query);
        } else {
          append(v, childNumber, child, minX, minY, maxX, maxY, query);
        }
      }
    }
  }

  /** Adds a query to the buffer of a child. */
  private void append(
      int v,
      int number,
      long child,
      double minX,
      double minY,
      double maxX,
      double maxY,
      int query) {
    int[] set = ends[v];
    int at = set[number];
    if (segments.isFull(at)) {
      if (segments.available() <= reserves[v]) {
        flushBelow(v);
      }
      at = segments.extend(set[number]);
      places[v][number] = child;
    }
    segments.write(at, minX, minY, maxX, maxY, query);
    set[number] = at + 1;
  }

  @Override
  public void close() {
    segments.close();
  }
}
