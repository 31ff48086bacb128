// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.ProgressListener;
import dev.espalier.support.NodeVerifier;

/**
 * Checks the invariants I1 to I11 of {@link BPlusStructure}, in one pass from left to right, and
 * along with it those of the tree's {@link LeafListener}. Built to survive any damage: it follows
 * no offset that it has not checked, and visits no line twice.
 */
final class BPlusVerifier extends NodeVerifier {
  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;

  private final LeafListener.Inspection leaves;

  /** The node last visited on each level, 0 for none. */
  private final long[] last;

  private long lastVisited;

  private BPlusVerifier(BPlusStructure tree, ProgressListener listener) {
    super(tree.memory, "I9", listener, tree.size);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.leaves = tree.listener.inspect(claims);
    this.last = new long[Math.max(tree.height, 1)];
  }

  static void verify(BPlusStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new BPlusVerifier(tree, listener).run();
  }

  private void run() {
    checkRange("I3", tree.height, 1, BPlusStructure.MAX_HEIGHT, "the height");
    visit(tree.root, tree.height - 1, Long.MIN_VALUE, Long.MAX_VALUE, true);
    for (int level = tree.height - 1; level > 0; level--) {
      long next = inner.next(nodes, last[level]);
      checkEqual("I7", next, 0, "the next of the last node of level %d", level);
    }
    leaves.end();
    checkEqual("I11", tree.lastLeaf, lastVisited, "the last leaf");
    checkTotals("I6", tree.size, "I10");
  }

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(long node, int level, long low, long high, boolean lastOfLevel) {
    claims.claim(node, level == 0 ? leaf.width : inner.width, level == 0 ? "leaf" : "inner node");
    if (level == 0) {
      visitLeaf(node, low, high, lastOfLevel);
    } else {
      visitInner(node, level, low, high, lastOfLevel);
    }
  }

  private void visitLeaf(long node, long low, long high, boolean lastOfLevel) {
    int count = leaf.count(nodes, node);
    boolean isRoot = tree.height == 1;
    checkCount(node, 0, count, leaf.capacity, isRoot ? 0 : 1);
    checkFill(node, 0, count, leaf.minimum, isRoot || lastOfLevel);
    checkKeys(node, node, 0, count, leaf.keySlots, low, high);
    leaves.visit(node);
    lastVisited = node;
    count(count);
  }

  private void visitInner(long node, int level, long low, long high, boolean lastOfLevel) {
    int count = inner.count(nodes, node);
    boolean isRoot = level == tree.height - 1;
    checkCount(node, level, count, inner.capacity, 1);
    checkFill(node, level, count, inner.minimum, isRoot || lastOfLevel);
    checkKeys(node, node, level, count, inner.keySlots, low, high);
    checkChain(node, level);
    long childLow = low;
    for (int i = 0; i < count; i++) {
      long separator = inner.key(nodes, node, i);
      checkKey(separator < high, "I2", node, level, i, separator, "not below its parent's bound");
      visit(inner.child(nodes, node, i), level - 1, childLow, separator, false);
      childLow = separator + 1;
    }
    visit(inner.child(nodes, node, count), level - 1, childLow, high, lastOfLevel);
  }

  private static void checkCount(long node, int level, int count, int capacity, int least) {
    checkRange("I4", count, least, capacity, "the count of the node @%d of level %d", node, level);
  }

  private static void checkFill(long node, int level, int count, int minimum, boolean exempt) {
    check(
        exempt || count >= minimum,
        "I5",
        "the node @%d of level %d has count %d, less than %d",
        node,
        level,
        count,
        minimum);
  }

  private void checkChain(long node, int level) {
    long before = last[level];
    check(
        inner.previous(nodes, node) == before && (before == 0 || inner.next(nodes, before) == node),
        "I7",
        "the nodes @%d and @%d of level %d are not chained to each other",
        before,
        node,
        level);
    last[level] = node;
  }
}
