// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.memory.HugePages;
import java.util.Arrays;

/**
 * Buffering with buffers that grow as needed (buffering paper, 4.2): all probes that were added
 * wait below the root until the flush, which loads every node of the tree once.
 */
final class VariableBuffers implements ProbeBuffers {
  /* Overview
   *
   * Virtual node number 0 is the root, number v + 1 the children of number v. For each v but the
   * last there is one set of buffers, for the children of the one node of number v that is being
   * divided: no two siblings have active child buffers at the same time, so the set is reused.
   *
   *   probes -> root -> | buffer | buffer | buffer | ...        table 0
   *                          |
   *                          v divide a child
   *                     | buffer | buffer | ...                 table 1, reused for the next child
   *
   * A flush divides the buffers of a table in turn, each followed at once by those below it
   * (preorder). A segment is released as soon as its records have been read, so that what is written
   * below goes where the cache still is. Of a buffer the last segment is read first, because it is
   * the one most likely to be cached; unless updates are among the probes, which then keep the
   * order in which they came (4.4).
   *
   * Deviation from the paper:
   *   D1  An update waits among the probes, instead of flushing all below a child of the root at
   *       once. Probes and updates of one key are always in the same buffer, and leave it in the
   *       order in which they came, which is all that a probe of one key can see.
   *   D2  After an update that changed nodes which have buffers, the probes that still wait are led
   *       from the root again when their turn comes.
   */

  /** With fewer, segments would be found and linked more often than probes are copied. */
  private static final int LEAST_RECORDS = 8;

  private final TreeLevels tree;
  private final VirtualNodes nodes;
  private final LeafVisits leaves;
  private final SegmentPool pool;
  private final BufferTable[] tables;
  private final Probes[] probes;
  private final int lastNode;
  private boolean hasOperations;

  /**
   * Makes buffers.
   *
   * @param capacity the most probes between two flushes
   * @throws IllegalArgumentException if the virtual nodes are not for a tree of this height
   */
  VariableBuffers(
      TreeLevels tree, VirtualNodes nodes, int capacity, HugePages hugePages, AnswerSink sink) {
    this.tree = tree;
    this.nodes = nodes;
    this.lastNode = nodes.buffers();
    this.leaves = new LeafVisits(tree, nodes, sink);
    this.tables = new BufferTable[lastNode];
    this.probes = new Probes[lastNode + 1];
    int buffers = 0;
    for (int v = 0; v < lastNode; v++) {
      tables[v] = new BufferTable(nodes.maxChildren(v, tree));
      buffers += tables[v].ends.length;
    }
    Arrays.setAll(probes, _ -> new Probes());
    int records = segmentRecords(capacity, lastNode == 0 ? 1 : tables[0].ends.length);
    this.pool = new SegmentPool(records, capacity / records + buffers + 1, hugePages);
  }

  /**
   * Returns how many records a segment has: a quarter of what one of the root's children is given,
   * so that the segments that are not full cost little.
   */
  private static int segmentRecords(int capacity, int buffers) {
    int expected = Math.clamp(capacity / buffers / 4, LEAST_RECORDS, Probes.CAPACITY);
    return Integer.highestOneBit(expected);
  }

  @Override
  public void add(long key, long tag) {
    Probes root = probes[0];
    root.keys[root.count] = key;
    root.tags[root.count] = tag;
    hasOperations |= tag < 0;
    if (++root.count == Probes.CAPACITY) {
      pass(0, tree.root());
      root.count = 0;
    }
  }

  @Override
  public void flush() {
    pass(0, tree.root());
    probes[0].count = 0;
    flushBelow(0);
    hasOperations = false;
    leaves.forgetPlaces();
  }

  /** Flushes the children of the node of number {@code v} that was divided last. */
  private void flushBelow(int v) {
    if (v == lastNode) {
      return;
    }
    BufferTable table = tables[v];
    for (int slot = 0; slot < table.ends.length; slot++) {
      int end = table.ends[slot];
      if (end != SegmentPool.EMPTY) {
        table.ends[slot] = SegmentPool.EMPTY;
        passBuffer(v + 1, table.places[slot], end);
        flushBelow(v + 1);
      }
    }
  }

  /** Passes all probes of a buffer through its node, and releases its segments. */
  private void passBuffer(int v, long place, int end) {
    int last = pool.lastSegment(end);
    int segment = pool.nextSegment(last);
    if (!hasOperations) {
      passSegment(v, place, last, end);
    }
    while (segment != last) {
      int next = pool.nextSegment(segment);
      passSegment(v, place, segment, end);
      pool.release(segment);
      segment = next;
    }
    if (hasOperations) {
      passSegment(v, place, last, end);
    }
    pool.release(last);
  }

  private void passSegment(int v, long place, int segment, int end) {
    Probes some = probes[v];
    int from = pool.begin(segment);
    some.count = pool.end(segment, end) - from;
    pool.read(from, some.count, some.keys, some.tags);
    pass(v, place);
  }

  /**
   * Passes probes through the node at {@code place}: into its children's buffers, or to the end.
   */
  private void pass(int v, long place) {
    Probes some = probes[v];
    if (v == lastNode) {
      leaves.answer(some, 0, place);
    } else if (leaves.placesAreVoid()) {
      flushBelow(v);
      leaves.answerFromRoot(some, 0);
    } else {
      divide(v, some, place);
    }
  }

  private void divide(int v, Probes some, long place) {
    nodes.descend(v, tree, some, place);
    int[] ends = tables[v].ends;
    long[] places = tables[v].places;
    for (int i = 0; i < some.count; i++) {
      int slot = some.slots[i];
      places[slot] = some.places[i];
      ends[slot] = pool.append(ends[slot], some.keys[i], some.tags[i]);
    }
  }

  @Override
  public boolean isOutdated() {
    return leaves.isOutdated();
  }

  @Override
  public long usedBytes() {
    return pool.usedBytes();
  }

  @Override
  public void close() {
    pool.close();
  }
}
