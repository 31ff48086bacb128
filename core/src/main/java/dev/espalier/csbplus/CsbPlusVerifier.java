// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import dev.espalier.ProgressListener;
import dev.espalier.support.NodeVerifier;

/**
 * Checks the invariants I1 to I10 of {@link CsbPlusStructure}, in one pass from left to right.
 * Built to survive any damage: it follows no offset that it has not checked, and visits no line
 * twice.
 */
final class CsbPlusVerifier extends NodeVerifier {
  private final CsbPlusStructure tree;
  private final CsbLeafNode leaf;
  private final CsbInnerNode inner;

  private CsbPlusVerifier(CsbPlusStructure tree, ProgressListener listener) {
    super(tree.memory, "I9", listener, tree.size);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  static void verify(CsbPlusStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new CsbPlusVerifier(tree, listener).run();
  }

  private void run() {
    checkRange("I3", tree.height, 1, CsbPlusStructure.MAX_HEIGHT, "the height");
    checkRange("I7", tree.rootRoom, 1, inner.maxChildren, "the room for nodes at the root");
    claim(tree.root, tree.rootRoom, tree.height - 1);
    visit(tree.root, tree.height - 1, Long.MIN_VALUE, Long.MAX_VALUE, true, true);
    checkTotals("I6", tree.size, "I10");
  }

  /** Claims the lines where {@code room} nodes of a level would lie. */
  private void claim(long group, int room, int level) {
    claims.claim(group, room * tree.widthOf(level), "group of level " + level);
  }

  /** Visits a node whose keys are from {@code low} to {@code high}, both included. */
  private void visit(
      long node, int level, long low, long high, boolean lastOfLevel, boolean onlyChild) {
    if (level == 0) {
      visitLeaf(node, low, high, lastOfLevel || onlyChild);
    } else {
      visitInner(node, level, low, high, lastOfLevel);
    }
  }

  private void visitLeaf(long node, long low, long high, boolean mayBeUnderfull) {
    int count = leaf.count(nodes, node);
    checkCount(node, 0, "entries", count, tree.height == 1 ? 0 : 1, leaf.capacity);
    check(
        mayBeUnderfull || count >= leaf.minimum,
        "I5",
        "the leaf @%d has %d entries, less than %d",
        node,
        count,
        leaf.minimum);
    checkKeys(node, node, 0, count, leaf.keySlots, low, high);
    count(count);
  }

  private void visitInner(long node, int level, long low, long high, boolean lastOfLevel) {
    int children = inner.children(nodes, node);
    boolean isRoot = level == tree.height - 1;
    checkCount(node, level, "children", children, isRoot ? 2 : 1, inner.maxChildren);
    int separators = children - 1;
    checkKeys(node, node + inner.keysOffset, level, separators, inner.capacity, low, high);
    checkSegments(node, level);
    long childLow = low;
    for (int i = 0; i < children; i++) {
      boolean isLast = i == separators;
      long childHigh = isLast ? high : inner.key(nodes, node, i);
      checkKey(isLast || childHigh < high, "I2", node, level, i, childHigh, "not below its bound");
      visit(
          inner.child(nodes, node, i, tree.childBytes(level)),
          level - 1,
          childLow,
          childHigh,
          lastOfLevel && isLast,
          children == 1);
      childLow = childHigh + 1;
    }
  }

  private static void checkCount(
      long node, int level, String what, int count, int least, int most) {
    checkRange("I4", count, least, most, "%s of the node @%d of level %d", what, node, level);
  }

  /** I7, and I9 for the segments' places. */
  private void checkSegments(long node, int level) {
    boolean allBeforeUsed = true;
    for (int segment = 0; segment < inner.segments; segment++) {
      int size = inner.size(nodes, node, segment);
      int room = inner.room(nodes, node, segment);
      long group = inner.group(nodes, node, segment);
      boolean isUsed = size > 0;
      check(
          isUsed
              ? allBeforeUsed && room >= size && room <= inner.maxChildren
              : size == 0 && room == 0 && group == 0,
          "I7",
          "segment %d of the node @%d of level %d, @%d, has %d children and room for %d",
          segment,
          node,
          level,
          group,
          size,
          room);
      if (isUsed) {
        claim(group, room, level - 1);
      }
      allBeforeUsed = isUsed;
    }
  }
}
