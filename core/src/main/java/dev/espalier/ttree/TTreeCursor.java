// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.support.LeafCursor;

/**
 * A cursor over the nodes in key order: after a node comes the first of its right subtree, or else
 * the nearest ancestor of whose left subtree it is part. What {@link LeafCursor} calls a leaf is
 * any node.
 */
final class TTreeCursor extends LeafCursor {
  private final TTreeStructure tree;
  private final TTreeNode layout;

  private long node;

  TTreeCursor(TTreeStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.layout = tree.layout;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    enterNode(tree.findNode(key));
    int found = tree.findSlot(node, key);
    slot = Math.min(found < 0 ? -1 - found : found, entries);
  }

  @Override
  protected void descendToLast() {
    enterNode(tree.outermost(tree.root, RIGHT));
  }

  private void enterNode(long entered) {
    node = entered;
    int count = Math.min(layout.count(tree.nodes, node), layout.capacity);
    enter(tree.nodes, node + TTreeNode.KEYS_OFFSET, node + layout.valuesOffset, count);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- delete

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  protected boolean enterNextLeaf() {
    return enterNeighbour(RIGHT);
  }

  @Override
  protected boolean enterPreviousLeaf() {
    return enterNeighbour(LEFT);
  }

  /** Enters the node after this one in the direction of a side, unless there is none. */
  private boolean enterNeighbour(int side) {
    long below = layout.child(tree.nodes, node, side);
    long neighbour = below != 0 ? tree.outermost(below, 1 - side) : ancestor(side);
    if (neighbour == 0) {
      return false;
    }
    enterNode(neighbour);
    return entries > 0;
  }

  /** Returns the nearest ancestor that lies on one side of the node, or 0. */
  private long ancestor(int side) {
    long from = node;
    for (int levels = 0; levels < TTreeStructure.MAX_HEIGHT; levels++) {
      long parent = layout.parent(tree.nodes, from);
      if (parent == 0 || layout.child(tree.nodes, parent, 1 - side) == from) {
        return parent;
      }
      from = parent;
    }
    throw TTreeStructure.tooDeep();
  }
}
