// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.batch.TreeLevels;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.pma.PackedMemoryArray.Geometry;
import dev.espalier.pma.PmaStructure.Directory;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cache-oblivious B-tree of Bender, Duan, Iacono and Wu: a {@link PackedMemoryArray} with a
 * static binary search tree in van Emde Boas order over its segments. Each block of memory, be it a
 * line, a page or a huge page, holds a subtree with about as many nodes as fit, so a search touches
 * O(log_B n) blocks of any size B without knowing it.
 *
 * <p>A lookup takes O(log n) comparisons. An insert or remove takes a lookup, moves entries as in
 * the packed memory array, and updates the separators of rebalanced windows. A scan reads one
 * array. {@link #getAll} overlaps the cache misses of many lookups.
 *
 * <p>It takes as much memory as the array; with segments of the default size, the index adds less
 * than a hundredth.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class CacheObliviousBTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of PmaStructure, the order of the nodes that of
   * VebLayout. As PackedMemoryArray, but with VebIndex in place of the search over first keys.
   *
   *   A search keeps the number of its node, level by level: the children of node i are 2i and 2i + 1.
   *   Where a node is follows from its number and depth. Below the lowest nodes a number stands for a
   *   segment.
   *
   *   Batched lookups. A group of probes goes down level by level. From the depth on where the index
   *   has outgrown the second-level cache, each probe's next node is fetched when its number is known.
   *   In the segments it goes on as in the packed memory array.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "CacheObliviousBTree",
          "Bender et al. 2004",
          CacheObliviousBTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Number of probes that descend together: their lines fit into the first-level cache. */
  private static final int GROUP = 64;

  /**
   * Levels from the root whose nodes, 2^16 longs in van Emde Boas order, are taken to be cached.
   */
  private static final int CACHED_LEVELS = 16;

  final PmaStructure tree;

  private CacheObliviousBTree(IndexOptions options, Geometry geometry) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(geometry, "geometry");
    PmaStructure tree = new PmaStructure(options, geometry, Directory.VAN_EMDE_BOAS);
    super(VARIANT, tree, options);
    this.tree = tree;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with the default geometry. */
  public static CacheObliviousBTree create(IndexOptions options) {
    return create(options, Geometry.DEFAULT);
  }

  /** Creates an empty tree. */
  public static CacheObliviousBTree create(IndexOptions options, Geometry geometry) {
    return new CacheObliviousBTree(options, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    SegmentColumns columns = tree.columns;
    long at = SegmentSearch.find(columns, findSegment(columns, key), key);
    return at < 0 ? defaultValue : getLong(columns.memory, columns.valuesOffset + at);
  }

  @Override
  public boolean containsKey(long key) {
    SegmentColumns columns = tree.columns;
    return SegmentSearch.find(columns, findSegment(columns, key), key) >= 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    SegmentColumns columns = tree.columns;
    long at = SegmentSearch.find(columns, findSegment(columns, key), key);
    if (at >= 0) {
      value[0] = getLong(columns.memory, columns.valuesOffset + at);
    }
    return at >= 0;
  }

  /** Returns the offset of the segment where {@code key} is or belongs. */
  private long findSegment(SegmentColumns columns, long key) {
    VebIndex index = Objects.requireNonNull(tree.index);
    VebLayout layout = index.layout;
    MemorySegment memory = columns.memory;
    long nodes = columns.indexOffset;
    long node = 1;
    for (int depth = 0; depth < layout.height; depth++) {
      long separator = getLong(memory, nodes + (layout.position(node, depth) << 3));
      node = 2 * node + (key >= separator ? 1 : 0);
    }
    return (long) index.segment(node) << columns.shift;
  }

  /**
   * The levels of the index and the segments, and lookups in groups that begin at any of them. A
   * place is the number of a node.
   */
  private final class Levels implements TreeLevels {

    @Override
    public int height() {
      return tree.calibrator.levels;
    }

    @Override
    public long root() {
      tree.checkOpen();
      return 1;
    }

    @Override
    public int maxChildren(int level) {
      return 2;
    }

    @Override
    public long changesAbove(int level) {
      return tree.levelChanges.above(level);
    }

    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      VebIndex index = Objects.requireNonNull(tree.index);
      VebLayout layout = index.layout;
      SegmentColumns columns = tree.columns;
      int depth = layout.height - level;
      for (int i = 0; i < count; i++) {
        int right = keys[i] >= index.separator(columns, places[i], depth) ? 1 : 0;
        places[i] = 2 * places[i] + right;
        slots[i] = 2 * slots[i] + right;
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

  /**
   * Looks up at most {@link #GROUP} keys together. Until the answers are known, {@code values}
   * holds where each probe is: the number of its node, then the offset of its segment.
   *
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      int level, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    VebIndex index = Objects.requireNonNull(tree.index);
    SegmentColumns columns = tree.columns;
    for (int at = level; at > 0; at--) {
      searchLevel(index, columns, at, keys, keysFrom, values, valuesFrom, count);
    }
    for (int i = valuesFrom; i < valuesFrom + count; i++) {
      values[i] = (long) index.segment(values[i]) << columns.shift;
    }
    return SegmentSearch.answer(columns, keys, keysFrom, values, valuesFrom, count, missingValue);
  }

  /** Takes every probe of a group from its node to the child. */
  private static void searchLevel(
      VebIndex index,
      SegmentColumns columns,
      int level,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    VebLayout layout = index.layout;
    MemorySegment memory = columns.memory;
    long nodes = columns.indexOffset;
    int depth = layout.height - level;
    boolean prefetches = level > 1 && depth + 1 >= CACHED_LEVELS;
    for (int i = 0; i < count; i++) {
      long node = places[placesFrom + i];
      long separator = getLong(memory, nodes + (layout.position(node, depth) << 3));
      long child = 2 * node + (keys[keysFrom + i] >= separator ? 1 : 0);
      places[placesFrom + i] = child;
      if (prefetches) {
        long next = nodes + (layout.position(child, depth + 1) << 3);
        Words.prefetch(memory.address() + next, 1, Locality.T0);
      }
    }
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      tree.insertAt(segment, slot, key, value);
      return missingValue;
    }
    return tree.replace(segment, slot, value);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      tree.insertAt(segment, slot, key, value);
      return missingValue;
    }
    return columns.value(columns.slot(segment) + slot);
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

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    SegmentColumns columns = tree.columns;
    int segment = (int) (findSegment(columns, key) >> columns.shift);
    int slot = tree.lowerBound(segment, key);
    if (!tree.holds(segment, slot, key)) {
      return missingValue;
    }
    long previous = columns.value(columns.slot(segment) + slot);
    tree.removeAt(segment, slot);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  // ---------------------------------------------------------------- inspect

  /** Returns how much work rebalancing has done since the array was created. */
  public RebalanceCounts rebalanceCounts() {
    tree.checkOpen();
    return RebalanceCounts.of(tree);
  }
}
