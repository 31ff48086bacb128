// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.bplus.nodes.BPlusChange;
import dev.espalier.bplus.nodes.BPlusLevels;
import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The plain B+-tree (thesis 3.2), with small nodes, binary search and no prefetching: the baseline
 * for the other trees. {@link PbPlusTree} is faster at everything.
 *
 * <p>Nodes are a few cache lines wide. With the default width of 4, a leaf holds 15 entries and an
 * inner node 16 separators. {@code get}, {@code put} and {@code remove} take O(log n) key
 * comparisons, each with a memory access that depends on the one before. A full tree takes about
 * 18.1 bytes per entry.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class BPlusTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of BPlusStructure. Search is the textbook's: in
   * every node a binary search over the keys in use, each of whose loads waits for the one before.
   * Seeks of cursors, which are not what this baseline is for, use the kernels of the pB+-tree.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "BPlusTree",
          "thesis 3.2",
          BPlusTree::create,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Width of a node in lines: a few, as in the baselines of the papers. */
  private static final int DEFAULT_WIDTH = 4;

  final BPlusStructure tree;
  private final BPlusChange change;
  private final LeafNode leaf;
  private final InnerNode inner;

  private BPlusTree(IndexOptions options, BPlusStructure tree) {
    super(VARIANT, tree, options);
    this.tree = tree;
    this.change = tree.change;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with nodes of the default width. */
  public static BPlusTree create(IndexOptions options) {
    return create(options, DEFAULT_WIDTH);
  }

  /**
   * Creates an empty tree.
   *
   * @param width width of a node, in cache lines, from 1 to {@link
   *     dev.espalier.memory.NodeMemory#MAX_LINES}
   */
  public static BPlusTree create(IndexOptions options, int width) {
    LeafNode.checkWidth("width", width);
    return new BPlusTree(
        options, new BPlusStructure(options, new LeafNode(width), new InnerNode(width)));
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    int slot = findSlot(nodes, node, key);
    return slot >= 0 ? leaf.value(nodes, node, slot) : defaultValue;
  }

  @Override
  public boolean containsKey(long key) {
    MemorySegment nodes = tree.nodes;
    return findSlot(nodes, findLeaf(nodes, key), key) >= 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    int slot = findSlot(nodes, node, key);
    if (slot >= 0) {
      value[0] = leaf.value(nodes, node, slot);
    }
    return slot >= 0;
  }

  private long findLeaf(MemorySegment nodes, long key) {
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      node = inner.child(nodes, node, findChild(nodes, node, key));
    }
    return node;
  }

  private int findChild(MemorySegment nodes, long node, long key) {
    return Keys.lowerBoundBinary(nodes, node, inner.count(nodes, node), key);
  }

  /**
   * Returns the slot that holds {@code key}, or if there is none, -1 - the slot where it belongs.
   */
  private int findSlot(MemorySegment nodes, long node, long key) {
    int count = leaf.count(nodes, node);
    int slot = Keys.lowerBoundBinary(nodes, node, count, key);
    return slot < count && leaf.key(nodes, node, slot) == key ? slot : -1 - slot;
  }

  /**
   * The tree's levels. There is no prefetching, but as probes go down level by level, the processor
   * goes on with the next ones while it waits for a node.
   */
  private final class Levels extends BPlusLevels {

    Levels() {
      super(tree);
    }

    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      MemorySegment nodes = tree.nodes;
      int maxChildren = maxChildren(level);
      for (int i = 0; i < count; i++) {
        long node = places[i];
        int slot = findChild(nodes, node, keys[i]);
        places[i] = inner.child(nodes, node, slot);
        slots[i] = slots[i] * maxChildren + slot;
      }
    }

    @Override
    public void answer(
        int level,
        long[] keys,
        int keysFrom,
        long[] values,
        int valuesFrom,
        int count,
        long @Nullable [] found,
        int foundFrom) {
      MemorySegment nodes = tree.nodes;
      for (int above = level; above > 0; above--) {
        for (int i = 0; i < count; i++) {
          long node = values[valuesFrom + i];
          int slot = findChild(nodes, node, keys[keysFrom + i]);
          values[valuesFrom + i] = inner.child(nodes, node, slot);
        }
      }
      for (int done = 0; done < count; done += Long.SIZE) {
        int some = Math.min(Long.SIZE, count - done);
        long there = readValues(nodes, keys, keysFrom + done, values, valuesFrom + done, some);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /** Answers at most 64 probes in their leaves; returns the keys that are there, as a bit set. */
  private long readValues(
      MemorySegment nodes, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    long there = 0;
    for (int i = 0; i < count; i++) {
      long node = values[valuesFrom + i];
      int slot = findSlot(nodes, node, keys[keysFrom + i]);
      values[valuesFrom + i] = slot >= 0 ? leaf.value(nodes, node, slot) : missingValue;
      there |= slot >= 0 ? 1L << i : 0;
    }
    return there;
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    if (change.append(key, value)) {
      return missingValue;
    }
    long node = findPath(key);
    int slot = findSlot(tree.nodes, node, key);
    if (slot < 0) {
      change.insertAt(node, -1 - slot, key, value);
      return missingValue;
    }
    long previous = leaf.value(tree.nodes, node, slot);
    leaf.value(tree.nodes, node, slot, value);
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    long node = findPath(key);
    int slot = findSlot(tree.nodes, node, key);
    if (slot >= 0) {
      return leaf.value(tree.nodes, node, slot);
    }
    change.insertAt(node, -1 - slot, key, value);
    return missingValue;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  /** Descends to the leaf of {@code key}, noting the path. */
  private long findPath(long key) {
    MemorySegment nodes = tree.nodes;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int slot = Keys.lowerBoundBinary(nodes, node, inner.count(nodes, node), key);
      change.pathNode[level] = node;
      change.pathSlot[level] = slot;
      node = inner.child(nodes, node, slot);
    }
    return node;
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    long node = findPath(key);
    int slot = findSlot(tree.nodes, node, key);
    if (slot < 0) {
      return missingValue;
    }
    long previous = leaf.value(tree.nodes, node, slot);
    change.removeAt(node, slot);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  /**
   * Removes the entries of a range by whole nodes. O(log n), and one line of each leaf that goes.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
