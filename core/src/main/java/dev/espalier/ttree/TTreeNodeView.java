// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import java.util.Objects;

/**
 * A node of a structure, for inspection. Its level is its subtree's height less one. Who looks at
 * all children comes to an end on any damage: a child that has another parent, or is no less high,
 * is refused.
 */
record TTreeNodeView(TTreeStructure tree, long offset, int level) implements NodeView {

  static TTreeNodeView ofRoot(TTreeStructure tree) {
    int height = tree.layout.height(tree.nodes, tree.root);
    if (height < 1 || height > TTreeStructure.MAX_HEIGHT) {
      throw new InvariantViolationException("I3", "the height is " + height);
    }
    return new TTreeNodeView(tree, tree.root, height - 1);
  }

  @Override
  public long bytes() {
    return tree.layout.bytes;
  }

  @Override
  public boolean holdsEntries() {
    return true;
  }

  @Override
  public int count() {
    int count = tree.layout.count(tree.nodes, offset);
    if (count < 0 || count > capacity()) {
      throw new InvariantViolationException(
          "I4", "the node @%d has count %d of %d".formatted(offset, count, capacity()));
    }
    return count;
  }

  @Override
  public int capacity() {
    return tree.layout.capacity;
  }

  @Override
  public long key(int i) {
    Objects.checkIndex(i, count());
    return tree.layout.key(tree.nodes, offset, i);
  }

  @Override
  public long value(int i) {
    Objects.checkIndex(i, count());
    return tree.layout.value(tree.nodes, offset, i);
  }

  @Override
  public int children() {
    return (childOffset(LEFT) == 0 ? 0 : 1) + (childOffset(RIGHT) == 0 ? 0 : 1);
  }

  /** Returns the left child, or for 1 and where there is no left child, the right one. */
  @Override
  public NodeView child(int i) {
    Objects.checkIndex(i, children());
    long left = childOffset(LEFT);
    long right = childOffset(RIGHT);
    long child = i == 0 && left != 0 ? left : right;
    int height = tree.layout.height(tree.nodes, child);
    if (left == right || tree.layout.parent(tree.nodes, child) != offset) {
      throw new InvariantViolationException(
          "I7", "the node @%d is not the parent of its child @%d alone".formatted(offset, child));
    }
    if (height < 1 || height > level) {
      throw new InvariantViolationException(
          "I3", "the node @%d of height %d is below height %d".formatted(child, height, level + 1));
    }
    return new TTreeNodeView(tree, child, height - 1);
  }

  private long childOffset(int side) {
    return tree.layout.child(tree.nodes, offset, side);
  }
}
