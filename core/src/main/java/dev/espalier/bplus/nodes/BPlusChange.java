// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.node.Keys;
import dev.espalier.support.ClosedRange;
import java.lang.foreign.MemorySegment;

/**
 * A change to a B+-tree: what its writer needs beside the tree. It begins with a descent to a leaf,
 * which notes the path; then it is committed, or abandoned when there is no memory for it. One that
 * turns out to have nothing to change needs no end. A tree has one change, for one writer at a
 * time.
 */
public final class BPlusChange {
  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;
  private final BPlusSplit split;
  private final BPlusMerge merge;
  private final BPlusCut cut;

  /** For each level from 1 on, the inner node on the way to the leaf, and the child taken there. */
  public final long[] pathNode = new long[BPlusStructure.MAX_HEIGHT];

  public final int[] pathSlot = new int[BPlusStructure.MAX_HEIGHT];

  /** Nodes for splits: inner nodes, and a leaf behind them. */
  private final long[] spares = new long[BPlusStructure.MAX_HEIGHT + 1];

  private int spareCount;

  /** Makes a change to a tree. */
  BPlusChange(BPlusStructure tree) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.split = new BPlusSplit(tree, this);
    this.merge = new BPlusMerge(tree, this);
    this.cut = new BPlusCut(tree, this, merge);
  }

  /**
   * Begins a change: goes down to the leaf where {@code key} is or belongs, and notes the path. The
   * trees have descents of their own that do the same.
   */
  private long begin(long key) {
    MemorySegment nodes = tree.nodes;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = Keys.lowerBound(nodes, node, inner.keySlots, key);
      pathNode[level] = node;
      pathSlot[level] = slot;
      node = inner.child(nodes, node, slot);
    }
    return node;
  }

  /** Ends a change after which the tree has {@code grown} entries more. */
  private void commit(int grown) {
    tree.size += grown;
    tree.modifications.changes++;
  }

  // ---------------------------------------------------------------- insert

  /**
   * Appends an entry to the last leaf, without a descent, if its key is above all others and there
   * is room. Otherwise changes nothing.
   *
   * @return whether the entry was appended
   */
  public boolean append(long key, long value) {
    MemorySegment nodes = tree.nodes;
    long last = tree.lastLeaf;
    int count = leaf.count(nodes, last);
    if (count <= 0 || count >= leaf.capacity || leaf.key(nodes, last, count - 1) >= key) {
      return false;
    }
    leaf.key(nodes, last, count, key);
    leaf.value(nodes, last, count, value);
    leaf.count(nodes, last, count + 1);
    commit(1);
    return true;
  }

  /**
   * Inserts an entry before {@code slot} of {@code node}, to which the path leads, and commits.
   *
   * @throws MemoryLimitException if a split finds no memory; nothing has changed then
   */
  public void insertAt(long node, int slot, long key, long value) {
    int count = tree.leafCount(node);
    if (count == leaf.capacity) {
      split.insertAt(node, slot, key, value);
    } else {
      leaf.insert(tree.nodes, node, slot, count, key, value);
    }
    commit(1);
  }

  /**
   * Allocates every node that a split of the path's leaf needs, before anything is changed.
   *
   * @throws MemoryLimitException if there is no memory for all; the change is abandoned
   */
  void reserve(long leafToSplit, int innerNodes) {
    spareCount = 0;
    try {
      tree.listener.splitting(leafToSplit);
      while (spareCount < innerNodes) {
        spares[spareCount] = tree.allocate(inner.width);
        spareCount++;
      }
      spares[spareCount] = tree.allocate(leaf.width);
      spareCount++;
    } catch (MemoryLimitException full) {
      abandon();
      throw full;
    }
  }

  /** Returns a node that was reserved: first the leaf, then inner nodes. */
  long spare() {
    return spares[--spareCount];
  }

  /** Gives back what was reserved, inner nodes only: for the leaf, which is last, nothing fails. */
  private void abandon() {
    while (spareCount > 0) {
      tree.memory.free(spare(), inner.width);
    }
    tree.listener.notSplit();
  }

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    long node = begin(key);
    int slot = Keys.lowerBound(tree.nodes, node, leaf.keySlots, key);
    if (tree.holds(node, slot, key)) {
      removeAt(node, slot);
    }
  }

  /** Removes the entry in {@code slot} of {@code node}, to which the path leads, and commits. */
  public void removeAt(long node, int slot) {
    int count = tree.leafCount(node);
    leaf.remove(tree.nodes, node, slot, count);
    if (count - 1 < leaf.minimum && tree.height > 1) {
      merge.refillLeaf();
    }
    commit(-1);
  }

  /**
   * Removes the entries of a range by whole nodes. Those who listen to the leaves do not hear of
   * it.
   *
   * @return how many there were
   */
  long removeRange(ClosedRange range) {
    return cut.remove(range.first(), range.last());
  }
}
