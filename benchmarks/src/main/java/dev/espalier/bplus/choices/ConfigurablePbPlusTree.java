// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
import dev.espalier.bplus.nodes.BPlusChange;
import dev.espalier.bplus.nodes.BPlusLevels;
import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafListener;
import dev.espalier.bplus.nodes.LeafNode;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PbPlusTree} whose implementation choices can be made otherwise than they were: where
 * scans find the leaves ahead, what is prefetched, into which caches, and how nodes are searched
 * (thesis 3.6, chapters 5 and 6). For experiments that compare them. With the default choices it
 * does what {@link PbPlusTree} does, a little more slowly, for it asks at every node what was
 * chosen.
 */
public final class ConfigurablePbPlusTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of BPlusStructure, batches those of PbPlusTree.
   * Beyond them:
   *
   *   Operations on one key. Every node is fetched by a NodePrefetcher, then searched.
   *
   *   Range scans. Cursors step from leaf to leaf as ever, through the parents; only what runs ahead
   *   (ConfigurableCursor) follows the chosen array. A JumpPointerArray listens to the structure.
   */

  /** This tree, which is not in the catalogue: the pB+-tree there has what measured best. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "ConfigurablePbPlusTree",
          "thesis 3.6, chapter 5",
          options -> create(options, Geometry.DEFAULT, PbPlusChoices.DEFAULT),
          PbPlusTree.VARIANT.capabilities().toArray(Capability[]::new));

  /** As in PbPlusTree. */
  private static final int GROUP = 64;

  private static final int COMMON_WIDTH = 8;
  private static final int COMMON_INNER_SLOTS = new InnerNode(COMMON_WIDTH).keySlots;
  private static final int COMMON_LEAF_SLOTS = new LeafNode(COMMON_WIDTH).keySlots;

  final BPlusStructure tree;

  /** The jump-pointer array outside the tree, null where the leaves' parents are it. */
  final @Nullable JumpPointerArray pointers;

  private final int prefetchDistance;
  private final NodePrefetcher leafPrefetcher;
  private final NodePrefetcher innerPrefetcher;
  private final NodePrefetcher scanPrefetcher;
  private final NodeSearch search;
  private final Locality queryLocality;
  private final Locality insertLocality;
  private final Locality scanLocality;
  private final boolean ofCommonWidth;
  private final BPlusChange change;
  private final LeafNode leaf;
  private final InnerNode inner;

  private ConfigurablePbPlusTree(IndexOptions options, Geometry geometry, PbPlusChoices choices) {
    BPlusStructure tree =
        new BPlusStructure(
            options,
            new LeafNode(geometry.leafWidth()),
            new InnerNode(geometry.innerWidth()),
            nodes -> listener(nodes, choices.jumpPointers()));
    super(VARIANT, tree, options);
    this.tree = tree;
    this.pointers = tree.listener instanceof JumpPointerArray array ? array : null;
    this.prefetchDistance = geometry.prefetchDistance();
    this.change = tree.change;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.leafPrefetcher = NodePrefetcher.of(choices.searchPrefetch(), leaf);
    this.innerPrefetcher = NodePrefetcher.of(choices.searchPrefetch(), inner);
    this.scanPrefetcher = NodePrefetcher.of(choices.scanPrefetch(), leaf);
    this.search = choices.search();
    this.queryLocality = choices.localities().query();
    this.insertLocality = choices.localities().insert();
    this.scanLocality = choices.localities().scan();
    this.ofCommonWidth = leaf.width == COMMON_WIDTH && inner.width == COMMON_WIDTH;
    probesGoThrough(new Levels());
  }

  private static LeafListener listener(BPlusStructure tree, JumpPointers jumpPointers) {
    return switch (jumpPointers) {
      case JumpPointers.Internal() -> LeafListener.NONE;
      case JumpPointers.Flat() -> new FlatJumpPointers(tree);
      case JumpPointers.Chunked(int lines) -> new ChunkedJumpPointers(tree, lines);
    };
  }

  /** Makes an empty tree. */
  public static ConfigurablePbPlusTree create(
      IndexOptions options, Geometry geometry, PbPlusChoices choices) {
    return new ConfigurablePbPlusTree(options, geometry, choices);
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
    int slot = searchLeaf(nodes, node, key);
    return tree.holds(node, slot, key) ? leaf.value(nodes, node, slot) : defaultValue;
  }

  @Override
  public boolean containsKey(long key) {
    MemorySegment nodes = tree.nodes;
    long node = findLeaf(nodes, key);
    return tree.holds(node, searchLeaf(nodes, node, key), key);
  }

  private long findLeaf(MemorySegment nodes, long key) {
    long base = tree.base;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      innerPrefetcher.prefetch(nodes, base, node, queryLocality);
      node = inner.child(nodes, node, searchInner(nodes, node, key));
    }
    leafPrefetcher.prefetch(nodes, base, node, queryLocality);
    return node;
  }

  private int searchInner(MemorySegment nodes, long node, long key) {
    return switch (search) {
      case LINEAR -> Keys.lowerBoundLinear(nodes, node, inner.keySlots, key);
      case BINARY -> Keys.lowerBoundBinary(nodes, node, inner.count(nodes, node), key);
      case BINARY_BYTEWISE -> BytewiseSearch.lowerBound(nodes, node, inner.count(nodes, node), key);
      case SIMD -> searchInnerBySimd(nodes, node, key);
    };
  }

  private int searchLeaf(MemorySegment nodes, long node, long key) {
    return switch (search) {
      case LINEAR -> Keys.lowerBoundLinear(nodes, node, leaf.keySlots, key);
      case BINARY -> Keys.lowerBoundBinary(nodes, node, leaf.count(nodes, node), key);
      case BINARY_BYTEWISE -> BytewiseSearch.lowerBound(nodes, node, leaf.count(nodes, node), key);
      case SIMD -> searchLeafBySimd(nodes, node, key);
    };
  }

  /** As PbPlusTree.searchInner: with a constant where that is possible. */
  private int searchInnerBySimd(MemorySegment nodes, long node, long key) {
    return ofCommonWidth
        ? Keys.lowerBound(nodes, node, COMMON_INNER_SLOTS, key)
        : Keys.lowerBound(nodes, node, inner.keySlots, key);
  }

  private int searchLeafBySimd(MemorySegment nodes, long node, long key) {
    return ofCommonWidth
        ? Keys.lowerBound(nodes, node, COMMON_LEAF_SLOTS, key)
        : Keys.lowerBound(nodes, node, leaf.keySlots, key);
  }

  /** As PbPlusTree.Levels. */
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
        int slot = searchInnerBySimd(nodes, node, keys[i]);
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
      for (int done = 0; done < count; done += GROUP) {
        int group = Math.min(GROUP, count - done);
        long there = answerGroup(level, keys, keysFrom + done, values, valuesFrom + done, group);
        Bits.addGroup(found, foundFrom + done, there);
      }
    }
  }

  /** As PbPlusTree.answerGroup. */
  private long answerGroup(
      int level, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    MemorySegment nodes = tree.nodes;
    findLeaves(nodes, level, keys, keysFrom, values, valuesFrom, count);
    for (int i = 0; i < count; i++) {
      long node = values[valuesFrom + i];
      int slot = searchLeafBySimd(nodes, node, keys[keysFrom + i]);
      values[valuesFrom + i] = node + ((long) Math.min(slot, leaf.keySlots - 1) << 3);
    }
    Words.prefetchGroup(tree.base + leaf.valuesOffset, values, valuesFrom, count, 1);
    long there = 0;
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long place = values[valuesFrom + i];
      boolean isThere = getLong(nodes, place) == key && (key != Keys.PADDING || containsKey(key));
      values[valuesFrom + i] = isThere ? getLong(nodes, place + leaf.valuesOffset) : missingValue;
      there |= isThere ? 1L << i : 0;
    }
    return there;
  }

  /** As PbPlusTree.findLeaves. */
  private void findLeaves(
      MemorySegment nodes,
      int level,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    for (int at = level; at > 0; at--) {
      for (int i = 0; i < count; i++) {
        long node = places[placesFrom + i];
        int slot = searchInnerBySimd(nodes, node, keys[keysFrom + i]);
        places[placesFrom + i] = inner.child(nodes, node, slot);
      }
      if (at <= 2) {
        int lines = at == 1 ? leaf.keyLines : inner.keyLines;
        Words.prefetchGroup(tree.base, places, placesFrom, count, lines);
      }
    }
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (tree.holds(node, slot, key)) {
      long previous = leaf.value(nodes, node, slot);
      leaf.value(nodes, node, slot, value);
      return previous;
    }
    change.insertAt(node, slot, key, value);
    return missingValue;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (tree.holds(node, slot, key)) {
      return leaf.value(nodes, node, slot);
    }
    change.insertAt(node, slot, key, value);
    return missingValue;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  /** As PbPlusTree.putAll. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    long[] leaves = new long[Math.min(GROUP, count)];
    for (int done = 0; done < count; done += GROUP) {
      int group = Math.min(GROUP, count - done);
      Arrays.fill(leaves, 0, group, tree.root);
      findLeaves(tree.nodes, tree.height - 1, keys, keysFrom + done, leaves, 0, group);
      Words.prefetchGroup(tree.base + leaf.valuesOffset, leaves, 0, group, leaf.valueLines);
      for (int i = done; i < done + group; i++) {
        put(keys[keysFrom + i], values[valuesFrom + i]);
      }
    }
  }

  private long findPath(MemorySegment nodes, long key) {
    long base = tree.base;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      innerPrefetcher.prefetch(nodes, base, node, insertLocality);
      int slot = searchInner(nodes, node, key);
      change.pathNode[level] = node;
      change.pathSlot[level] = slot;
      node = inner.child(nodes, node, slot);
    }
    leafPrefetcher.prefetch(nodes, base, node, insertLocality);
    return node;
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    MemorySegment nodes = tree.nodes;
    long node = findPath(nodes, key);
    int slot = searchLeaf(nodes, node, key);
    if (!tree.holds(node, slot, key)) {
      return missingValue;
    }
    long previous = leaf.value(nodes, node, slot);
    change.removeAt(node, slot);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public LongCursor cursor() {
    tree.checkOpen();
    return new ConfigurableCursor(tree, pointers, prefetchDistance, scanPrefetcher, scanLocality);
  }
}
