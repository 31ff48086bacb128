// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.memory.HugePages;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Buffering with buffers of one size (buffering paper, 4.1): a full buffer is divided at once among
 * the buffers below it, so that answers come while probes are added.
 */
final class FixedBuffers implements ProbeBuffers {
  /* Overview
   *
   * There is a buffer for every virtual node but the root's. A buffer is one segment of the pool,
   * taken when it gets its first probe and given back when it is divided.
   *
   *   probes -> root -> | buffer | buffer FULL | ...
   *                                  |
   *                                  v divide, then go on above
   *                            | buffer | buffer | ...
   *
   * Of the probes and updates of one key, the older ones are further down; all is done so that none
   * overtakes another.
   *
   * Deviations from the paper:
   *   D1  An update waits among the probes, as in VariableBuffers.
   *   D2  After an update that changed nodes which have buffers, everything that waits is answered at
   *       once, led from the root: the paper flushes a node before it is changed, which only the
   *       tree can know.
   *   D3  There are fewer segments than virtual nodes. If all are taken and one more is needed, what
   *       waits below that child is answered, and the new probe too.
   */

  private final TreeLevels tree;
  private final VirtualNodes nodes;
  private final LeafVisits leaves;
  private final SegmentPool pool;
  private final Probes[] probes;

  /** Probes that go to no buffer. */
  private final Probes direct = new Probes();

  private final int lastNode;
  private final Node root;

  /** A virtual node that has children, with their buffers by the children's numbers. */
  private static final class Node {
    /** Where each child's buffer ends in the {@link SegmentPool}. */
    final int[] ends;

    /** Where each child is in the tree; valid if its buffer is not empty. */
    final long[] places;

    final @Nullable Node[] children;

    Node(int maxChildren) {
      ends = new int[maxChildren];
      places = new long[maxChildren];
      children = new Node[maxChildren];
    }
  }

  /**
   * Makes buffers.
   *
   * @param bufferProbes how many probes each holds, a power of two
   * @param capacity about the most probes that wait in all of them
   * @throws IllegalArgumentException if the virtual nodes are not for a tree of this height
   */
  FixedBuffers(
      TreeLevels tree,
      VirtualNodes nodes,
      int bufferProbes,
      int capacity,
      HugePages hugePages,
      AnswerSink sink) {
    this.tree = tree;
    this.nodes = nodes;
    this.lastNode = nodes.buffers();
    this.leaves = new LeafVisits(tree, nodes, sink);
    this.probes = new Probes[lastNode + 1];
    Arrays.setAll(probes, _ -> new Probes());
    this.root = new Node(lastNode == 0 ? 0 : nodes.maxChildren(0, tree));
    this.pool = new SegmentPool(bufferProbes, Math.ceilDiv(capacity, bufferProbes), hugePages);
  }

  @Override
  public void add(long key, long tag) {
    Probes top = probes[0];
    top.keys[top.count] = key;
    top.tags[top.count] = tag;
    if (++top.count == Probes.CAPACITY) {
      passTop();
    }
  }

  private void passTop() {
    pass(0, root, tree.root());
    probes[0].count = 0;
    if (leaves.placesAreVoid()) { // Then nothing waits any more.
      leaves.forgetPlaces();
    }
  }

  @Override
  public void flush() {
    passTop();
    if (lastNode > 0) {
      flushBelow(0, root);
    }
    leaves.forgetPlaces();
  }

  private void flushBelow(int v, Node node) {
    for (int slot = 0; slot < node.ends.length; slot++) {
      flushChild(v, node, slot);
    }
  }

  /** Answers everything that waits in a child's buffer and below it. */
  private void flushChild(int v, Node node, int slot) {
    if (node.ends[slot] != SegmentPool.EMPTY) {
      divideChild(v, node, slot);
    }
    Node child = node.children[slot];
    if (child != null) {
      flushBelow(v + 1, child);
    }
  }

  /** Passes the probes at hand through the node of number {@code v} at {@code place}. */
  private void pass(int v, @Nullable Node node, long place) {
    Probes some = probes[v];
    if (node == null || v == lastNode) {
      leaves.answer(some, 0, place);
      return;
    }
    if (!leaves.placesAreVoid()) {
      nodes.descend(v, tree, some, place);
      for (int i = 0; i < some.count; i++) {
        append(v, node, some, i);
        if (leaves.placesAreVoid()) {
          answerBelow(node);
          leaves.answerFromRoot(some, i + 1);
          return;
        }
      }
    } else {
      answerBelow(node);
      leaves.answerFromRoot(some, 0);
    }
  }

  /** Adds a probe to the buffer of a child, and divides the buffer if it is full then. */
  private void append(int v, Node node, Probes some, int i) {
    int slot = some.slots[i];
    int end = node.ends[slot];
    if (end == SegmentPool.EMPTY && pool.available() == 0) {
      flushChild(v, node, slot);
      direct.keys[0] = some.keys[i];
      direct.tags[0] = some.tags[i];
      direct.count = 1;
      leaves.answerFromRoot(direct, 0);
      return;
    }
    node.places[slot] = some.places[i];
    node.ends[slot] = pool.append(end, some.keys[i], some.tags[i]);
    if (pool.isFull(node.ends[slot])) {
      divideChild(v, node, slot);
    }
  }

  /** Empties the buffer of a child into those below, or to the end. */
  private void divideChild(int v, Node node, int slot) {
    int end = node.ends[slot];
    node.ends[slot] = SegmentPool.EMPTY;
    if (v + 1 < lastNode && node.children[slot] == null) {
      node.children[slot] = new Node(nodes.maxChildren(v + 1, tree));
    }
    int segment = pool.lastSegment(end);
    Probes some = probes[v + 1];
    for (int from = pool.begin(segment); from < end; from += Probes.CAPACITY) {
      some.count = Math.min(Probes.CAPACITY, end - from);
      pool.read(from, some.count, some.keys, some.tags);
      pass(v + 1, node.children[slot], node.places[slot]);
    }
    pool.release(segment);
  }

  /** Answers everything that waits below a node, led from the root, the oldest first. */
  private void answerBelow(Node node) {
    for (int slot = 0; slot < node.ends.length; slot++) {
      Node child = node.children[slot];
      if (child != null) {
        answerBelow(child);
      }
      int end = node.ends[slot];
      if (end != SegmentPool.EMPTY) {
        node.ends[slot] = SegmentPool.EMPTY;
        int segment = pool.lastSegment(end);
        for (int from = pool.begin(segment); from < end; from += Probes.CAPACITY) {
          direct.count = Math.min(Probes.CAPACITY, end - from);
          pool.read(from, direct.count, direct.keys, direct.tags);
          leaves.answerFromRoot(direct, 0);
        }
        pool.release(segment);
      }
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
