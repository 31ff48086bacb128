// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.ProgressListener;
import dev.espalier.support.NodeVerifier;

/**
 * Checks the invariants I1 to I9 of {@link RTreeStructure}, in one pass. Built to survive any
 * damage: it follows no offset that it has not checked, and visits no line twice.
 */
final class RTreeVerifier extends NodeVerifier {
  private final RTreeStructure tree;

  private RTreeVerifier(RTreeStructure tree, ProgressListener listener) {
    super(tree.memory, "I8", listener, tree.size);
    this.tree = tree;
  }

  static void verify(RTreeStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new RTreeVerifier(tree, listener).run();
  }

  private void run() {
    checkRange("I3", tree.height, 1, RTreeStructure.MAX_HEIGHT, "the height");
    visit(tree.root, tree.height - 1);
    checkTotals("I6", tree.size, "I9");
  }

  /** Visits a node and what is below it; returns the bounds of its rectangles. */
  private Bounds visit(long node, int level) {
    RTreeNode layout = tree.layout(level);
    claims.claim(node, layout.width, "node");
    int count = layout.count(nodes, node);
    checkCount(layout, node, level, count);
    Bounds bounds = new Bounds();
    bounds.reset();
    for (int slot = 0; slot < layout.slots; slot++) {
      if (slot < count) {
        checkRectangle(layout, node, level, slot);
        bounds.add(layout, nodes, node, slot);
      } else {
        checkPadding(layout, node, level, slot);
      }
    }
    if (level == 0) {
      count(count);
    } else {
      visitChildren(node, level, count);
    }
    return bounds;
  }

  private void visitChildren(long node, int level, int count) {
    RTreeInner inner = tree.inner;
    for (int slot = 0; slot < count; slot++) {
      long child = inner.child(nodes, node, slot);
      Bounds below = visit(child, level - 1);
      check(
          inner.isAt(nodes, node, slot, below.minX, below.minY, below.maxX, below.maxY),
          "I2",
          "the node @%d of level %d has another rectangle for its child @%d than that has itself",
          node,
          level,
          child);
    }
  }

  private void checkCount(RTreeNode layout, long node, int level, int count) {
    boolean isRoot = level == tree.height - 1;
    int least = level > 0 ? 2 : isRoot ? 0 : 1;
    checkRange(
        "I4", count, least, layout.capacity, "the count of the node @%d of level %d", node, level);
    check(
        isRoot || count >= layout.minimum,
        "I5",
        "the node @%d of level %d has count %d, less than %d",
        node,
        level,
        count,
        layout.minimum);
  }

  private void checkRectangle(RTreeNode layout, long node, int level, int slot) {
    double minX = layout.minX(nodes, node, slot);
    double minY = layout.minY(nodes, node, slot);
    double maxX = layout.maxX(nodes, node, slot);
    double maxY = layout.maxY(nodes, node, slot);
    check(
        minX <= maxX && minY <= maxY,
        "I1",
        "in the node @%d of level %d, slot %d has no rectangle: x from %s to %s, y from %s to %s",
        node,
        level,
        slot,
        minX,
        maxX,
        minY,
        maxY);
  }

  private void checkPadding(RTreeNode layout, long node, int level, int slot) {
    check(
        Double.isNaN(layout.minX(nodes, node, slot))
            && Double.isNaN(layout.minY(nodes, node, slot))
            && Double.isNaN(layout.maxX(nodes, node, slot))
            && Double.isNaN(layout.maxY(nodes, node, slot)),
        "I7",
        "in the node @%d of level %d, the unused slot %d is not padded",
        node,
        level,
        slot);
  }
}
