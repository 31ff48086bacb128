// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.ProgressListener;
import dev.espalier.support.NodeVerifier;

/**
 * Checks the invariants I1 to I10 of {@link TTreeStructure}, in one pass in key order. Built to
 * survive any damage: it follows no offset that it has not checked, visits no line twice, and goes
 * no deeper than heights, which it checks on the way down, allow.
 */
final class TTreeVerifier extends NodeVerifier {
  private final TTreeStructure tree;
  private final TTreeNode layout;

  private TTreeVerifier(TTreeStructure tree, ProgressListener listener) {
    super(tree.memory, "I9", listener, tree.size);
    this.tree = tree;
    this.layout = tree.layout;
  }

  static void verify(TTreeStructure tree, ProgressListener listener) {
    tree.checkOpen();
    new TTreeVerifier(tree, listener).run();
  }

  private void run() {
    visit(tree.root, 0, TTreeStructure.MAX_HEIGHT, Long.MIN_VALUE, Long.MAX_VALUE);
    checkTotals("I6", tree.size, "I10");
  }

  /**
   * Visits a subtree whose keys are from {@code low} to {@code high}, both included, and whose
   * height is {@code mostHeight} at most. Returns its height.
   */
  private int visit(long node, long parent, int mostHeight, long low, long high) {
    claims.claim(node, layout.width, "node");
    int height = layout.height(nodes, node);
    checkRange("I3", height, 1, mostHeight, "the height of the node @%d", node);
    checkEqual("I7", layout.parent(nodes, node), parent, "the parent of the node @%d", node);
    long left = layout.child(nodes, node, LEFT);
    long right = layout.child(nodes, node, RIGHT);
    int count = layout.count(nodes, node);
    checkCount(node, count, left, right);
    checkKeys(node, count, low, high);
    count(count);
    int leftHeight = 0;
    int rightHeight = 0;
    if (left != 0) {
      long least = layout.key(nodes, node, 0);
      check(least > low, "I2", "the node @%d leaves no key for its left subtree", node);
      leftHeight = visit(left, node, height - 1, low, least - 1);
    }
    if (right != 0) {
      long greatest = layout.key(nodes, node, count - 1);
      check(greatest < high, "I2", "the node @%d leaves no key for its right subtree", node);
      rightHeight = visit(right, node, height - 1, greatest + 1, high);
    }
    check(
        height == 1 + Math.max(leftHeight, rightHeight) && Math.abs(leftHeight - rightHeight) <= 1,
        "I3",
        "the node @%d of height %d has children of heights %d and %d",
        node,
        height,
        leftHeight,
        rightHeight);
    return height;
  }

  private void checkCount(long node, int count, long left, long right) {
    boolean isOnlyNode = node == tree.root && left == 0 && right == 0;
    checkRange("I4", count, isOnlyNode ? 0 : 1, layout.capacity, "the count of the node @%d", node);
    check(
        left == 0 || right == 0 || count >= layout.minimum,
        "I5",
        "the internal node @%d has count %d, less than %d",
        node,
        count,
        layout.minimum);
  }

  private void checkKeys(long node, int count, long low, long high) {
    for (int i = 0; i < count; i++) {
      long key = layout.key(nodes, node, i);
      boolean ascends = i == 0 || layout.key(nodes, node, i - 1) < key;
      checkKey(ascends, "I1", node, i, key, "not above its predecessor");
      checkKey(key >= low && key <= high, "I2", node, i, key, "outside its ancestors' bounds");
    }
    if (count > 0) {
      long greatest = layout.greatest(nodes, node);
      boolean repeats = layout.key(nodes, node, count - 1) == greatest;
      checkKey(repeats, "I8", node, count - 1, greatest, "in the header, but not the last in use");
    }
  }

  private static void checkKey(
      boolean holds, String invariant, long node, int slot, long key, String wrong) {
    check(holds, invariant, "in the node @%d, key %d of slot %d is %s", node, key, slot, wrong);
  }
}
