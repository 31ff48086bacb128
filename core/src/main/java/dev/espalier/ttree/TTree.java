// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.batch.TreeLevels;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The T-tree (thesis 3.3): a balanced binary tree whose nodes hold several adjacent entries,
 * designed when memory was as fast as the processor. Two keys of a node decide whether a search
 * ends there or goes left or right. It is included for comparison.
 *
 * <p>Operations on one key take O(log n) time. The tree is as high as a binary tree (log2 of the
 * number of nodes), and each level costs a cache miss, so single lookups take about four times as
 * long as in a {@link dev.espalier.bplus.PbPlusTree}. {@link #getAll} overlaps the misses of many
 * lookups. A node of {@code w} lines holds {@code 4w - 2} entries.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class TTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of TTreeStructure.
   *
   *   Single lookups go down comparing with the least and the greatest key of each node, as the
   *   thesis says, then search the bounding node by halving.
   *
   *   Batched lookups. A group of probes goes down level by level; each stops at its bounding node.
   *   On all but the first levels, which are taken to be cached, the first lines of the nodes that
   *   the group goes to are fetched by one call, then the other key lines of the bounding nodes, then
   *   the lines of the values.
   *
   *   Buffered probes go down by Levels. A level is what a balanced tree of the root's height would
   *   have it: one less than the level above, however high the subtree is. To a node's two children
   *   all its probes are divided, also those whose keys it bounds, so that buffers are as many as
   *   subtrees. What goes left or right by that rule ends below the node that bounds it; those
   *   probes, half as many on each level further up, are looked up once more from the root.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "TTree",
          "thesis 3.3",
          TTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Width of a node in lines: the best value measured (docs/measurements/thesis-family.md). */
  private static final int DEFAULT_WIDTH = 8;

  /** Number of probes that descend together: their lines fit into the first-level cache. */
  private static final int GROUP = 64;

  /**
   * Levels from the root whose nodes, about 2^10, keep their first lines in the second-level cache.
   */
  private static final int CACHED_LEVELS = 10;

  /**
   * Marks a place of a probe, which is a multiple of the line size, as reached: the probe goes no
   * further.
   */
  private static final long REACHED = 1;

  final TTreeStructure tree;
  private final TTreeNode layout;

  private TTree(IndexOptions options, int width) {
    TTreeNode layout = new TTreeNode(width);
    TTreeStructure tree = new TTreeStructure(options, layout);
    super(VARIANT, tree, options);
    this.layout = layout;
    this.tree = tree;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with nodes of the default width. */
  public static TTree create(IndexOptions options) {
    return create(options, DEFAULT_WIDTH);
  }

  /**
   * Creates an empty tree.
   *
   * @param width width of a node, in cache lines, from 1 to {@link
   *     dev.espalier.memory.NodeMemory#MAX_LINES}
   */
  public static TTree create(IndexOptions options, int width) {
    return new TTree(options, width);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    long node = tree.findNode(key);
    int slot = tree.findSlot(node, key);
    return slot >= 0 ? layout.value(tree.nodes, node, slot) : defaultValue;
  }

  @Override
  public boolean containsKey(long key) {
    return tree.findSlot(tree.findNode(key), key) >= 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    long node = tree.findNode(key);
    int slot = tree.findSlot(node, key);
    if (slot >= 0) {
      value[0] = layout.value(tree.nodes, node, slot);
    }
    return slot >= 0;
  }

  /** The levels of the tree, and lookups in groups that start at any of them. */
  private final class Levels implements TreeLevels {

    @Override
    public int height() {
      return tree.height();
    }

    @Override
    public long root() {
      tree.checkOpen();
      return tree.root;
    }

    @Override
    public int maxChildren(int level) {
      return 2;
    }

    @Override
    public long changesAbove(int level) {
      return tree.levelChanges.above(level);
    }

    /** A probe without a node to go to stays where it is, and is marked. */
    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      MemorySegment nodes = tree.nodes;
      for (int i = 0; i < count; i++) {
        long node = places[i];
        slots[i] <<= 1;
        if ((node & REACHED) == 0) {
          long left = layout.child(nodes, node, LEFT);
          long right = layout.child(nodes, node, RIGHT);
          boolean goesRight = tree.goesRight(node, left, right, keys[i]);
          long next = goesRight ? right : left;
          places[i] = next == 0 ? node | REACHED : next;
          slots[i] += goesRight ? RIGHT : LEFT;
        }
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
      int depth = tree.height() - 1 - level;
      for (int done = 0; done < count; done += GROUP) {
        int group = Math.min(GROUP, count - done);
        long there = answerGroup(depth, keys, keysFrom + done, values, valuesFrom + done, group);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /**
   * Looks up at most {@link #GROUP} keys together. Until the answers are known, {@code values}
   * holds where each probe is: the offset of its node, then of its entry, 0 for none.
   *
   * @param depth levels above those nodes from which the probes begin
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      int depth, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    MemorySegment nodes = tree.nodes;
    findNodes(nodes, depth, keys, keysFrom, values, valuesFrom, count);
    Words.prefetchGroup(
        tree.base + CacheLine.BYTES, values, valuesFrom, count, layout.keyLines - 1);
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long node = values[valuesFrom + i] - REACHED;
      int slot = tree.findSlot(node, key);
      if (slot < 0 && depth > 0 && !layout.bounds(nodes, node, key)) {
        node = tree.findNode(key);
        slot = tree.findSlot(node, key);
      }
      values[valuesFrom + i] = slot < 0 ? 0 : node + ((long) slot << 3);
    }
    int valuesOffset = layout.valuesOffset;
    if (layout.width > 1) {
      Words.prefetchGroup(tree.base + valuesOffset, values, valuesFrom, count, 1);
    }
    long there = 0;
    for (int i = 0; i < count; i++) {
      long place = values[valuesFrom + i];
      values[valuesFrom + i] = place == 0 ? missingValue : getLong(nodes, place + valuesOffset);
      there |= place == 0 ? 0 : 1L << i;
    }
    return there;
  }

  /**
   * Takes a group of probes down to the nodes that bound their keys, or else to the last on the way
   * to where they belong. All places are marked as {@link #REACHED} then.
   */
  private void findNodes(
      MemorySegment nodes,
      int depth,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    for (int at = depth; at < depth + TTreeStructure.MAX_HEIGHT; at++) {
      int underWay = 0;
      for (int i = 0; i < count; i++) {
        long node = places[placesFrom + i];
        if ((node & REACHED) == 0) {
          long key = keys[keysFrom + i];
          int side = key < layout.least(nodes, node) ? LEFT : RIGHT;
          long next = layout.child(nodes, node, side);
          if (next == 0 || (side == RIGHT && key <= layout.greatest(nodes, node))) {
            places[placesFrom + i] = node | REACHED;
          } else {
            places[placesFrom + i] = next;
            underWay++;
          }
        }
      }
      if (underWay == 0) {
        return;
      }
      if (at + 1 >= CACHED_LEVELS) {
        Words.prefetchGroup(tree.base, places, placesFrom, count, 1);
      }
    }
    throw TTreeStructure.tooDeep();
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    long node = tree.findNode(key);
    int slot = tree.findSlot(node, key);
    if (slot < 0) {
      tree.insertAt(node, -1 - slot, key, value);
      return missingValue;
    }
    long previous = layout.value(tree.nodes, node, slot);
    layout.value(tree.nodes, node, slot, value);
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    long node = tree.findNode(key);
    int slot = tree.findSlot(node, key);
    if (slot >= 0) {
      return layout.value(tree.nodes, node, slot);
    }
    tree.insertAt(node, -1 - slot, key, value);
    return missingValue;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  /** Fetches the paths of a group of keys together, then puts one key after the other. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    long[] places = new long[Math.min(GROUP, count)];
    for (int done = 0; done < count; done += GROUP) {
      int group = Math.min(GROUP, count - done);
      Arrays.fill(places, 0, group, tree.root);
      findNodes(tree.nodes, 0, keys, keysFrom + done, places, 0, group);
      for (int i = done; i < done + group; i++) {
        put(keys[keysFrom + i], values[valuesFrom + i]);
      }
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    long node = tree.findNode(key);
    int slot = tree.findSlot(node, key);
    if (slot < 0) {
      return missingValue;
    }
    long previous = layout.value(tree.nodes, node, slot);
    tree.removeAt(node, slot);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }
}
