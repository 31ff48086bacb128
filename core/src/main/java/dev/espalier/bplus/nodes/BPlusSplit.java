// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import java.lang.foreign.MemorySegment;

/** The splits of a change: of a full leaf, and of the full nodes above it, along the path. */
final class BPlusSplit {
  private final BPlusStructure tree;
  private final BPlusChange change;
  private final LeafNode leaf;
  private final InnerNode inner;

  /** The separators and children of a full node with one more. */
  private final long[] keys;

  private final int[] children;

  BPlusSplit(BPlusStructure tree, BPlusChange change) {
    this.tree = tree;
    this.change = change;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.keys = new long[inner.capacity + 1];
    this.children = new int[inner.capacity + 2];
  }

  /** Inserts an entry before {@code slot} of a full leaf, to which the path leads. */
  void insertAt(long left, int slot, long key, long value) {
    change.reserve(left, innerNodesNeeded());
    MemorySegment nodes = tree.nodes;
    long right = change.spare();
    leaf.initialize(nodes, right);
    int capacity = leaf.capacity;
    int kept = isAtRightEdge(slot) ? capacity : (capacity + 1) / 2;
    if (slot < kept) {
      moveEntries(nodes, left, kept - 1, right);
      leaf.insert(nodes, left, slot, kept - 1, key, value);
    } else {
      moveEntries(nodes, left, kept, right);
      leaf.insert(nodes, right, slot - kept, capacity - kept, key, value);
    }
    tree.listener.split(left, right);
    if (left == tree.lastLeaf) {
      tree.lastLeaf = right;
    }
    addToParent(left, leaf.key(nodes, left, kept - 1), right);
  }

  /** Counts the full nodes right above the leaf, and a new root if all are full. */
  private int innerNodesNeeded() {
    int level = 1;
    while (level < tree.height
        && inner.count(tree.nodes, change.pathNode[level]) == inner.capacity) {
      level++;
    }
    return level == tree.height ? level : level - 1;
  }

  /** Tells whether the path leads to the very last slot of the tree. */
  private boolean isAtRightEdge(int slot) {
    if (slot < leaf.capacity) {
      return false;
    }
    for (int level = 1; level < tree.height; level++) {
      if (change.pathSlot[level] < inner.count(tree.nodes, change.pathNode[level])) {
        return false;
      }
    }
    return true;
  }

  /** Moves a full leaf's entries from slot {@code from} on to an empty leaf. */
  private void moveEntries(MemorySegment nodes, long left, int from, long right) {
    for (int i = from; i < leaf.capacity; i++) {
      leaf.copyEntry(nodes, left, i, right, i - from);
    }
    leaf.count(nodes, right, leaf.capacity - from);
    leaf.clearKeys(nodes, left, from);
    leaf.count(nodes, left, from);
  }

  /**
   * Makes {@code right} the sibling after {@code left}, which the path leads to, level by level.
   */
  private void addToParent(long left, long separator, long right) {
    MemorySegment nodes = tree.nodes;
    long leftNode = left;
    long rightNode = right;
    long up = separator;
    for (int level = 1; ; level++) {
      tree.levelChanges.changed(level);
      if (level == tree.height) {
        growRoot(nodes, leftNode, up, rightNode);
        return;
      }
      long node = change.pathNode[level];
      int slot = change.pathSlot[level];
      int count = tree.innerCount(node);
      if (count < inner.capacity) {
        inner.insert(nodes, node, slot, count, up, rightNode);
        return;
      }
      long sibling = change.spare();
      up = splitInner(nodes, node, slot, up, rightNode, sibling);
      leftNode = node;
      rightNode = sibling;
    }
  }

  private void growRoot(MemorySegment nodes, long left, long separator, long right) {
    long root = change.spare();
    inner.initialize(nodes, root);
    inner.key(nodes, root, 0, separator);
    inner.child(nodes, root, 0, left);
    inner.child(nodes, root, 1, right);
    inner.count(nodes, root, 1);
    tree.root = root;
    tree.height++;
  }

  /** Splits a full node that gets one child more; returns the separator between the halves. */
  private long splitInner(
      MemorySegment nodes, long node, int slot, long separator, long child, long sibling) {
    int count = inner.capacity;
    for (int i = 0, from = 0; i <= count; i++) {
      keys[i] = i == slot ? separator : inner.key(nodes, node, from++);
    }
    for (int i = 0, from = 0; i <= count + 1; i++) {
      children[i] = i == slot + 1 ? InnerNode.toLine(child) : inner.childLine(nodes, node, from++);
    }
    boolean atEdge = slot == count && inner.next(nodes, node) == 0;
    int kept = atEdge ? count - 1 : count / 2;
    inner.initialize(nodes, sibling);
    store(nodes, node, 0, kept);
    store(nodes, sibling, kept + 1, count - kept);
    inner.link(nodes, sibling, inner.next(nodes, node));
    inner.link(nodes, node, sibling);
    return keys[kept];
  }

  /** Gives a node {@code count} of the separators, from {@code from} on, and one child more. */
  private void store(MemorySegment nodes, long node, int from, int count) {
    for (int i = 0; i < count; i++) {
      inner.key(nodes, node, i, keys[from + i]);
    }
    for (int i = 0; i <= count; i++) {
      inner.childLine(nodes, node, i, children[from + i]);
    }
    inner.clearKeys(nodes, node, count);
    inner.count(nodes, node, count);
  }
}
