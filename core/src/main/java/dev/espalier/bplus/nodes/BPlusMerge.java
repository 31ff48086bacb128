// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The merges of a change: a node below its minimum, and those above it along the path, merge with a
 * sibling or take from it.
 */
final class BPlusMerge {
  private final BPlusStructure tree;
  private final BPlusChange change;
  private final LeafNode leaf;
  private final InnerNode inner;

  BPlusMerge(BPlusStructure tree, BPlusChange change) {
    this.tree = tree;
    this.change = change;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  /**
   * Brings the path's leaf back to its minimum, with the help of a sibling under the same parent.
   */
  void refillLeaf() {
    MemorySegment nodes = tree.nodes;
    tree.levelChanges.changed(1);
    long parent = change.pathNode[1];
    int leftSlot = Math.max(change.pathSlot[1] - 1, 0);
    long left = inner.child(nodes, parent, leftSlot);
    long right = inner.child(nodes, parent, leftSlot + 1);
    int leftCount = tree.leafCount(left);
    int rightCount = tree.leafCount(right);
    if (leftCount + rightCount <= leaf.capacity) {
      mergeLeaves(nodes, left, leftCount, right, rightCount);
      removeChild(nodes, 1, parent, leftSlot);
    } else {
      redistributeLeaves(nodes, left, leftCount, right, rightCount);
      inner.key(nodes, parent, leftSlot, leaf.key(nodes, left, leaf.count(nodes, left) - 1));
    }
  }

  private void mergeLeaves(
      MemorySegment nodes, long left, int leftCount, long right, int rightCount) {
    for (int i = 0; i < rightCount; i++) {
      leaf.copyEntry(nodes, right, i, left, leftCount + i);
    }
    leaf.count(nodes, left, leftCount + rightCount);
    tree.listener.merged(left, right);
    if (right == tree.lastLeaf) {
      tree.lastLeaf = left;
    }
    tree.memory.free(right, leaf.width);
  }

  private void redistributeLeaves(
      MemorySegment nodes, long left, int leftCount, long right, int rightCount) {
    int newLeft = (leftCount + rightCount) / 2;
    int newRight = leftCount + rightCount - newLeft;
    if (newLeft < leftCount) {
      int moved = leftCount - newLeft;
      for (int i = rightCount - 1; i >= 0; i--) {
        leaf.copyEntry(nodes, right, i, right, i + moved);
      }
      for (int i = 0; i < moved; i++) {
        leaf.copyEntry(nodes, left, newLeft + i, right, i);
      }
      leaf.clearKeys(nodes, left, newLeft);
    } else {
      int moved = newLeft - leftCount;
      for (int i = 0; i < moved; i++) {
        leaf.copyEntry(nodes, right, i, left, leftCount + i);
      }
      for (int i = 0; i < newRight; i++) {
        leaf.copyEntry(nodes, right, i + moved, right, i);
      }
      leaf.clearKeys(nodes, right, newRight);
    }
    leaf.count(nodes, left, newLeft);
    leaf.count(nodes, right, newRight);
  }

  /**
   * Removes separator {@code slot} and the child after it from the path's node on {@code level}.
   */
  private void removeChild(MemorySegment nodes, int level, long node, int slot) {
    tree.levelChanges.changed(level);
    int count = tree.innerCount(node);
    inner.remove(nodes, node, slot, count);
    if (level < tree.height - 1) {
      if (count - 1 < inner.minimum) {
        refillInner(nodes, level);
      }
    } else if (count == 1) {
      replaceRoot(node);
    }
  }

  /** Makes the only child of the root the root, and frees the former. */
  void replaceRoot(long root) {
    tree.levelChanges.changed(tree.height);
    tree.root = inner.child(tree.nodes, root, 0);
    tree.height--;
    tree.memory.free(root, inner.width);
  }

  /**
   * Brings the path's node on {@code level} back to its minimum, with the help of a sibling under
   * the same parent.
   */
  void refillInner(MemorySegment nodes, int level) {
    long parent = change.pathNode[level + 1];
    int leftSlot = Math.max(change.pathSlot[level + 1] - 1, 0);
    long left = inner.child(nodes, parent, leftSlot);
    long right = inner.child(nodes, parent, leftSlot + 1);
    int leftCount = tree.innerCount(left);
    int rightCount = tree.innerCount(right);
    long separator = inner.key(nodes, parent, leftSlot);
    if (leftCount + 1 + rightCount <= inner.capacity) {
      inner.key(nodes, left, leftCount, separator);
      for (int i = 0; i < rightCount; i++) {
        inner.key(nodes, left, leftCount + 1 + i, inner.key(nodes, right, i));
      }
      for (int i = 0; i <= rightCount; i++) {
        inner.copyChild(nodes, right, i, left, leftCount + 1 + i);
      }
      inner.count(nodes, left, leftCount + 1 + rightCount);
      inner.link(nodes, left, inner.next(nodes, right));
      tree.memory.free(right, inner.width);
      removeChild(nodes, level + 1, parent, leftSlot);
    } else {
      tree.levelChanges.changed(level + 1);
      long between = shareChildren(nodes, left, leftCount, separator, right, rightCount);
      inner.key(nodes, parent, leftSlot, between);
    }
  }

  /** Gives two siblings the same number of children; returns the new separator between them. */
  private long shareChildren(
      MemorySegment nodes, long left, int leftCount, long separator, long right, int rightCount) {
    int newLeft = (leftCount + rightCount) / 2;
    long up = separator;
    int from = leftCount;
    int to = rightCount;
    while (from < newLeft) {
      inner.key(nodes, left, from, up);
      inner.copyChild(nodes, right, 0, left, from + 1);
      up = inner.key(nodes, right, 0);
      Slots.closeGap(nodes, right, 0, to);
      for (int i = 0; i < to; i++) {
        inner.copyChild(nodes, right, i + 1, right, i);
      }
      from++;
      to--;
    }
    while (from > newLeft) {
      Slots.openGap(nodes, right, 0, to);
      for (int i = to; i >= 0; i--) {
        inner.copyChild(nodes, right, i, right, i + 1);
      }
      inner.key(nodes, right, 0, up);
      inner.copyChild(nodes, left, from, right, 0);
      up = inner.key(nodes, left, from - 1);
      from--;
      to++;
    }
    inner.count(nodes, left, from);
    inner.count(nodes, right, to);
    inner.clearKeys(nodes, left, from);
    inner.clearKeys(nodes, right, to);
    return up;
  }
}
