// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;

/**
 * The removal of a range of keys by whole nodes. The subtrees between the ways to the two ends of
 * the range go without a look at their entries; the nodes on the two ways are cut, and then brought
 * back to their minimum.
 */
final class BPlusCut {
  private final BPlusStructure tree;
  private final BPlusChange change;
  private final BPlusMerge merge;
  private final LeafNode leaf;
  private final InnerNode inner;

  private long removed;

  BPlusCut(BPlusStructure tree, BPlusChange change, BPlusMerge merge) {
    this.tree = tree;
    this.change = change;
    this.merge = merge;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  /**
   * Removes the entries with keys from {@code from} to {@code to}, both included. Allocates
   * nothing. O(log n) and the nodes that go.
   *
   * @return how many there were
   */
  long remove(long from, long to) {
    removed = 0;
    cut(tree.nodes, from, to);
    if (removed > 0) {
      tree.size -= removed;
      tree.modifications.changes++;
      tree.levelChanges.changedAll();
      if (tree.size == 0) {
        tree.clear();
      } else {
        refillWay(from);
        refillWay(to);
        tree.findLastLeaf();
      }
    }
    return removed;
  }

  /**
   * Cuts the range out of the nodes on the ways to its ends, which may leave them with nothing.
   * Below the node where the ways part, the separator between them stays a bound of both sides.
   */
  private void cut(MemorySegment nodes, long from, long to) {
    long left = tree.root;
    long right = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int leftSlot = Keys.lowerBound(nodes, left, inner.keySlots, from);
      int rightSlot = Keys.lowerBound(nodes, right, inner.keySlots, to);
      long leftChild = inner.child(nodes, left, leftSlot);
      long rightChild = inner.child(nodes, right, rightSlot);
      if (left != right) {
        cutEnd(nodes, left, leftSlot, level);
        cutChildren(nodes, right, 0, rightSlot, level);
        inner.link(nodes, left, right);
      } else if (leftSlot < rightSlot) {
        cutChildren(nodes, left, leftSlot + 1, rightSlot, level);
      }
      left = leftChild;
      right = rightChild;
    }
    cutLeaves(nodes, left, from, right, to);
  }

  /** Frees the children after {@code slot} of a node, and removes the separators before them. */
  private void cutEnd(MemorySegment nodes, long node, int slot, int level) {
    int count = tree.innerCount(node);
    free(nodes, node, slot + 1, count + 1, level);
    inner.count(nodes, node, slot);
    inner.clearKeys(nodes, node, slot);
  }

  /** Frees some children of a node, and removes the separators with their numbers. */
  private void cutChildren(MemorySegment nodes, long node, int start, int end, int level) {
    int count = tree.innerCount(node);
    free(nodes, node, start, end, level);
    inner.removeAll(nodes, node, start, end, count);
  }

  private void cutLeaves(MemorySegment nodes, long left, long from, long right, long to) {
    int leftCount = tree.leafCount(left);
    int rightCount = tree.leafCount(right);
    int start = Math.min(Keys.lowerBound(nodes, left, leaf.keySlots, from), leftCount);
    int end =
        to == Long.MAX_VALUE
            ? rightCount
            : Math.min(Keys.lowerBound(nodes, right, leaf.keySlots, to + 1), rightCount);
    if (left == right) {
      cutEntries(nodes, left, start, end, leftCount);
    } else {
      cutEntries(nodes, left, start, leftCount, leftCount);
      cutEntries(nodes, right, 0, end, rightCount);
    }
  }

  private void cutEntries(MemorySegment nodes, long node, int start, int end, int count) {
    if (start < end) {
      leaf.removeAll(nodes, node, start, end, count);
      removed += end - start;
    }
  }

  // ---------------------------------------------------------------- the nodes that go

  /** Frees some children of an inner node of {@code level}, with all below them. */
  private void free(MemorySegment nodes, long node, int start, int end, int level) {
    if (level == 1) {
      freeLeaves(nodes, node, start, end);
      return;
    }
    for (int i = start; i < end; i++) {
      long child = inner.child(nodes, node, i);
      free(nodes, child, 0, tree.innerCount(child) + 1, level - 1);
      tree.memory.free(child, inner.width);
    }
  }

  private void freeLeaves(MemorySegment nodes, long parent, int start, int end) {
    for (int i = start; i < end; i++) {
      Words.prefetch(tree.base + inner.child(nodes, parent, i) + leaf.countOffset, 1, Locality.T1);
    }
    for (int i = start; i < end; i++) {
      long child = inner.child(nodes, parent, i);
      removed += tree.leafCount(child);
      tree.memory.free(child, leaf.width);
    }
  }

  // ---------------------------------------------------------------- the nodes that stay

  /**
   * Brings all nodes on the way to a key back to their minimum. The way is begun anew after each
   * node that is refilled, since that may change the nodes above it.
   */
  private void refillWay(long key) {
    boolean isRefilled = true;
    while (isRefilled) {
      while (tree.height > 1 && tree.innerCount(tree.root) == 0) {
        merge.replaceRoot(tree.root);
      }
      isRefilled = refillFirst(tree.nodes, key);
    }
  }

  /**
   * Refills the first node on the way to a key that is below its minimum; its parent is not, so
   * there is a sibling. Returns false if there is none.
   */
  private boolean refillFirst(MemorySegment nodes, long key) {
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = Keys.lowerBound(nodes, node, inner.keySlots, key);
      change.pathNode[level] = node;
      change.pathSlot[level] = slot;
      node = inner.child(nodes, node, slot);
      if (level == 1 && tree.leafCount(node) < leaf.minimum) {
        merge.refillLeaf();
        return true;
      }
      if (level > 1 && tree.innerCount(node) < inner.minimum) {
        merge.refillInner(nodes, level - 1);
        return true;
      }
    }
    return false;
  }
}
