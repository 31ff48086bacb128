// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

/**
 * Keeps a T-tree balanced: the rotations of the AVL tree, and what a T-tree needs besides, filling
 * a node that a rotation has made internal.
 */
final class TTreeBalance {
  /* Overview
   *
   * A node is too high on a side if its child there is two levels higher than the other. If the
   * outer grandchild of that side is at least as high as the inner one, the child comes up:
   *
   *          a                b
   *         / \              / \
   *        b   3    LL      c   a          RR is the mirror image.
   *       / \      ---->   /|  / \
   *      c   2            0 1 2   3
   *
   * else the inner grandchild does, by a rotation at b and one at a:
   *
   *          a                c
   *         / \              / \
   *        b   3    LR      b   a          RL is the mirror image.
   *       / \      ---->   /|  / \
   *      0   c            0 1 2   3
   *
   * Only the node that comes up can become internal by that. Where it was a half-leaf, or a leaf with
   * the one entry that the insert gave it, it may be below the minimum and borrows from its left
   * subtree. That may empty a leaf, and balancing begins again where the leaf was.
   */

  /** Steps up, more than any balancing takes: a torn tree may have a circle of parents. */
  private static final int MAX_STEPS = 4 * TTreeStructure.MAX_HEIGHT;

  private final TTreeStructure tree;
  private final TTreeNode layout;

  TTreeBalance(TTreeStructure tree) {
    this.tree = tree;
    this.layout = tree.layout;
  }

  /** Balances {@code from}, whose children have changed, and all nodes above it. */
  void goUp(long from) {
    int height = tree.height();
    long node = from;
    for (int steps = 0; node != 0; steps++) {
      if (steps == MAX_STEPS) {
        throw TTreeStructure.tooDeep();
      }
      long top = balance(node);
      long changed = tree.mend(top);
      node = changed != 0 ? changed : layout.parent(tree.nodes, top);
    }
    if (tree.height() != height) {
      tree.levelChanges.changedAll(); // levels are numbered from the height down
    }
  }

  /** Sets a node's height, or rotates if it is too high on one side; returns the node on top. */
  private long balance(long node) {
    int left = childHeight(node, LEFT);
    int right = childHeight(node, RIGHT);
    if (Math.abs(left - right) <= 1) {
      layout.height(tree.nodes, node, 1 + Math.max(left, right));
      return node;
    }
    int side = left > right ? LEFT : RIGHT;
    long high = layout.child(tree.nodes, node, side);
    if (childHeight(high, side) < childHeight(high, 1 - side)) {
      rotate(high, 1 - side);
    }
    return rotate(node, side);
  }

  /** Brings the child on one side up, in place of the node, which becomes its other child. */
  private long rotate(long node, int side) {
    long up = layout.child(tree.nodes, node, side);
    long inner = layout.child(tree.nodes, up, 1 - side);
    tree.replaceChild(layout.parent(tree.nodes, node), node, up);
    layout.child(tree.nodes, node, side, inner);
    if (inner != 0) {
      layout.parent(tree.nodes, inner, node);
    }
    layout.child(tree.nodes, up, 1 - side, node);
    layout.parent(tree.nodes, node, up);
    setHeight(node);
    setHeight(up);
    return up;
  }

  private void setHeight(long node) {
    int height = 1 + Math.max(childHeight(node, LEFT), childHeight(node, RIGHT));
    layout.height(tree.nodes, node, height);
  }

  private int childHeight(long node, int side) {
    return layout.height(tree.nodes, layout.child(tree.nodes, node, side));
  }
}
