// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.ProgressListener;
import dev.espalier.support.NodeVerifier;

/**
 * Checks the invariants that {@link ConcurrentStructure} lists, while nobody writes, in one pass
 * from left to right. Built to survive any damage: it follows no offset that it has not checked,
 * and visits no line twice.
 */
final class ConcurrentVerifier extends NodeVerifier {
  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  private final int top;

  private long lastLeaf;
  private long lastLeafFrom;

  private ConcurrentVerifier(ConcurrentStructure tree, ProgressListener listener) {
    super(tree.pool.memory(), "I9", listener, tree.size());
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.top = ConcurrentStructure.levelOf(getLong(nodes, ConcurrentStructure.ROOT));
  }

  static void verify(ConcurrentStructure tree, ProgressListener listener) {
    new ConcurrentVerifier(tree, listener).run();
  }

  private void run() {
    checkRange("I3", top, 0, ConcurrentStructure.MAX_HEIGHT - 1, "the level of the root");
    long root = ConcurrentStructure.nodeOf(getLong(nodes, ConcurrentStructure.ROOT));
    long changes = getLong(nodes, ConcurrentStructure.CHANGES);
    check(
        Versions.noneSince(nodes, ConcurrentStructure.CHANGES, changes),
        "I7",
        "changes of inner nodes are under way: their count is %x",
        changes);
    visit(root, top, Long.MIN_VALUE, Long.MAX_VALUE, true);
    checkEqual("I11", getLong(nodes, ConcurrentStructure.LAST_LEAF), lastLeaf, "the last leaf");
    long from = getLong(nodes, ConcurrentStructure.LAST_LEAF_FROM);
    checkRange("I11", from, lastLeafFrom, Long.MAX_VALUE, "the key from which on it is the last");
    checkEqual("I6", entries(), tree.size.sum(), "the number of entries");
    checkEqual("I10", claims.bytes(), tree.pool.usedBytes(), "the size of all nodes");
  }

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(long node, int level, long low, long high, boolean isLast) {
    claims.claim(node, level == 0 ? leaf.width : inner.width, level == 0 ? "leaf" : "inner node");
    long word = getLong(nodes, node);
    check(Versions.isAtRest(word), "I7", "the node @%d of level %d has word %x", node, level, word);
    if (level == 0) {
      visitLeaf(node, low, high, isLast);
    } else {
      visitInner(node, level, low, high, isLast);
    }
  }

  private void visitLeaf(long node, long low, long high, boolean isLast) {
    int count = leaf.count(nodes, node);
    checkCount(node, 0, count, leaf.capacity, top == 0 || tree.hasThinNodes ? 0 : 1);
    checkFill(node, 0, count, leaf.minimum, isLast);
    checkKeys(node, node + VersionedLeaf.KEYS_OFFSET, 0, count, leaf.keySlots, low, high);
    lastLeaf = node;
    lastLeafFrom = low;
    count(count);
  }

  private void visitInner(long node, int level, long low, long high, boolean isLast) {
    int count = inner.count(nodes, node);
    checkCount(node, level, count, inner.capacity, tree.hasThinNodes ? 0 : 1);
    checkFill(node, level, count, inner.minimum, isLast);
    checkKeys(node, node + VersionedInner.KEYS_OFFSET, level, count, inner.keySlots, low, high);
    long childLow = low;
    for (int i = 0; i < count; i++) {
      long separator = inner.key(nodes, node, i);
      checkKey(separator < high, "I2", node, level, i, separator, "not below its parent's bound");
      visit(inner.child(nodes, node, i), level - 1, childLow, separator, false);
      childLow = separator + 1;
    }
    visit(inner.child(nodes, node, count), level - 1, childLow, high, isLast);
  }

  private static void checkCount(long node, int level, int count, int capacity, int least) {
    checkRange("I4", count, least, capacity, "the count of the node @%d of level %d", node, level);
  }

  /** Checks how full a node is that is not exempt as the last of its level, as the root is. */
  private void checkFill(long node, int level, int count, int minimum, boolean isLast) {
    check(
        isLast || count >= minimum || tree.hasThinNodes,
        "I5",
        "the node @%d of level %d has count %d, less than %d",
        node,
        level,
        count,
        minimum);
  }
}
