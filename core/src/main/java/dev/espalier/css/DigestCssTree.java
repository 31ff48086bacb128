// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.batch.TreeLevels;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link CssTree} whose entries are pairs, with the value beside the key, and whose leaves are
 * lines of digests. The digests are 15 bits of a key for each of 28 lines of pairs but the last,
 * and lead a search to the line where its key is. The leaves take a thirtieth of the space of the
 * entries, and the levels above take an eighth of that. So a lookup waits for one line that is in
 * no cache, the line of the pair, and for a leaf, which may be cached.
 *
 * <p>Use it for data that is read much more often than it is changed, and read in batches. How fast
 * {@link #getAll} is, compared with a {@code CssTree} and with hash tables, is in
 * docs/measurements/digest-leaves.md. The tree takes 16.8 bytes per entry; a {@code CssTree} takes
 * 17.1. A scan copies the entries.
 *
 * <p>Lookups take O(log n) time. If keys lie so close together, and so far from another key in the
 * same leaf, that their digests are equal, looking them up takes up to 28 lines more.
 *
 * <p>Changes work as in {@code CssTree}: new keys go to a small sorted delta, which is merged into
 * the array by rebuilding everything. Lookups that find nothing in the array search the delta too.
 * An insert takes O(sqrt(n)) time amortized, and occasionally O(n). {@link #rebuild()} merges the
 * delta at once. {@link #bulkload} checks its fill factor, but always fills the array completely.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class DigestCssTree extends AbstractIndex {
  /* Overview
   *
   * CssTree plus digests in the leaves: docs/decisions/0029-leaves-of-digests.md. Parts, invariants
   * and deviations are those of CssStructure, the bytes of a leaf those of DigestLeaf.
   *
   *   directory  | root | level 1 | ... | leaves: base, shift, 27 digests each |
   *   array      | key value | key value | ...        28 lines of four pairs for each leaf
   *
   * Inner nodes, leaves and stretches of four pairs are lines, so the byte offset of a child within
   * its level is that of its parent * fan-out + slot * line, down to the pairs. A leaf's slot is the
   * first whose digest is not smaller than the key's, and the search goes on from its line of pairs
   * until a key is not smaller.
   *
   *   Batched lookups. As in CssTree, but the lines of the pairs take the place of those of keys and
   *   values: a group waits for memory once less.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "DigestCssTree",
          "thesis 3.4",
          DigestCssTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS);

  /** Number of probes that descend together: whole batches of the usual size. */
  private static final int GROUP = 256;

  /** Levels up to this size are not prefetched: they stay in a second-level cache. */
  private static final long CACHED_BYTES = 1 << 20;

  private static final int FAN_OUT = CssShape.DIGESTS.fanOut();

  /** The bytes of a pair as a power of two. */
  private static final int PAIR_SHIFT = 4;

  final CssStructure tree;

  private DigestCssTree(IndexOptions options) {
    Objects.requireNonNull(options, "options");
    CssStructure tree = new CssStructure(options, CssShape.DIGESTS);
    super(VARIANT, tree, options);
    this.tree = tree;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree. */
  public static DigestCssTree create(IndexOptions options) {
    return new DigestCssTree(options);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    EntryArray array = tree.array;
    CssDirectory directory = tree.directory;
    MemorySegment nodes = directory.nodes;
    long[] levelOffset = directory.levelOffset;
    int levels = directory.levels;
    long node = 0;
    for (int level = 0; level < levels; level++) {
      int slot = Keys.lowerBoundInLine(nodes, levelOffset[level] + node, key);
      node = node * FAN_OUT + ((long) slot << CacheLine.SHIFT);
    }
    int line = DigestLeaf.line(nodes, levelOffset[levels] + node, key);
    long end = array.count << PAIR_SHIFT;
    long at = findPair(array.memory, lineOfPairs(node, line), end, key);
    if (at < end && getLong(array.memory, at) == key) {
      return tree.removed.count == 0 || !tree.removed.contains(at >>> PAIR_SHIFT)
          ? getLong(array.memory, at + Long.BYTES)
          : defaultValue;
    }
    return tree.delta.count == 0 ? defaultValue : tree.getFromDelta(key, defaultValue);
  }

  @Override
  public boolean containsKey(long key) {
    return tree.contains(key);
  }

  @Override
  public boolean find(long key, long[] value) {
    return tree.find(key, value);
  }

  /** Returns the offset of a line of pairs of the leaf at an offset among the leaves. */
  private static long lineOfPairs(long leaf, int line) {
    return leaf * (DigestLeaf.SLOTS + 1) + ((long) line << CacheLine.SHIFT);
  }

  /**
   * Returns the first offset of a pair whose key is not smaller, from the line at {@code line} on,
   * or the end. All but a few keys are in that line, or nowhere.
   */
  private static long findPair(MemorySegment pairs, long line, long end, long key) {
    int slot = Keys.lowerBoundInPairs(pairs, line, key);
    long pair = line + ((long) slot << PAIR_SHIFT);
    return slot < EntryArray.PAIRS_PER_LINE ? pair : findPairBehind(pairs, pair, end, key);
  }

  /** As {@code findPair}, pair by pair, for keys whose digest is that of keys before them. */
  private static long findPairBehind(MemorySegment pairs, long from, long end, long key) {
    long pair = from;
    while (pair < end && getLong(pairs, pair) < key) {
      pair += 1L << PAIR_SHIFT;
    }
    return pair;
  }

  /**
   * The levels of the tree, and lookups in groups that start at any of them. A place is the offset
   * of a node or leaf in its level; what comes into the delta moves none.
   */
  private final class Levels implements TreeLevels {

    /** Many levels, each with a call to prefetch: two keys gain less than that costs. */
    @Override
    public int leastGroup() {
      return 3;
    }

    @Override
    public int height() {
      return tree.directory.levels + 1;
    }

    @Override
    public long root() {
      tree.checkOpen();
      return 0;
    }

    @Override
    public int maxChildren(int level) {
      return FAN_OUT;
    }

    @Override
    public long changesAbove(int level) {
      return tree.levelChanges.above(level);
    }

    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      CssDirectory directory = tree.directory;
      MemorySegment nodes = directory.nodes;
      long offset = directory.levelOffset[directory.levels - level];
      for (int i = 0; i < count; i++) {
        long node = places[i];
        int slot = Keys.lowerBoundInLine(nodes, offset + node, keys[i]);
        places[i] = node * FAN_OUT + ((long) slot << CacheLine.SHIFT);
        slots[i] = slots[i] * FAN_OUT + slot;
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
        findPairs(level, keys, keysFrom + done, values, valuesFrom + done, group);
        for (int i = done; i < done + group; i += Long.SIZE) {
          int some = Math.min(Long.SIZE, done + group - i);
          long there = readPairs(keys, keysFrom + i, values, valuesFrom + i, some);
          Bits.addGroup(found, foundFrom + i, there);
        }
      }
    }
  }

  /**
   * As {@code CssTree.findKeys}, but takes the probes from their nodes to the lines of pairs that
   * digests lead to, and prefetches those.
   */
  private void findPairs(
      int level, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    CssDirectory directory = tree.directory;
    MemorySegment nodes = directory.nodes;
    for (int above = directory.levels - level; above < directory.levels; above++) {
      long offset = directory.levelOffset[above];
      if (directory.levelBytes(above) > CACHED_BYTES) {
        Words.prefetchGroup(nodes.address() + offset, values, valuesFrom, count, 1);
      }
      searchLevel(nodes, offset, keys, keysFrom, values, valuesFrom, count);
    }
    long leaves = directory.levelOffset[directory.levels];
    Words.prefetchGroup(nodes.address() + leaves, values, valuesFrom, count, 1);
    searchLeaves(nodes, leaves, keys, keysFrom, values, valuesFrom, count);
    Words.prefetchGroup(tree.array.memory.address(), values, valuesFrom, count, 1);
  }

  /** Takes every probe of a group from its node at {@code level} to the child. */
  private static void searchLevel(
      MemorySegment nodes,
      long level,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    for (int i = 0; i < count; i++) {
      long node = places[placesFrom + i];
      int slot = Keys.lowerBoundInLine(nodes, level + node, keys[keysFrom + i]);
      places[placesFrom + i] = node * FAN_OUT + ((long) slot << CacheLine.SHIFT);
    }
  }

  /** Takes every probe of a group from its leaf to a line of pairs. */
  private static void searchLeaves(
      MemorySegment nodes,
      long leaves,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    for (int i = 0; i < count; i++) {
      long leaf = places[placesFrom + i];
      int line = DigestLeaf.line(nodes, leaves + leaf, keys[keysFrom + i]);
      places[placesFrom + i] = lineOfPairs(leaf, line);
    }
  }

  /** Reads the pairs of at most 64 probes; returns the keys that are there, as a bit set. */
  private long readPairs(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    EntryArray array = tree.array;
    MemorySegment memory = array.memory;
    long end = array.count << PAIR_SHIFT;
    boolean nothingRemoved = tree.removed.count == 0;
    long there = 0;
    long absent = 0; // from the array
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long at = findPair(memory, values[valuesFrom + i], end, key);
      if (at < end && getLong(memory, at) == key) {
        boolean isThere = nothingRemoved || !tree.removed.contains(at >>> PAIR_SHIFT);
        values[valuesFrom + i] = isThere ? getLong(memory, at + Long.BYTES) : missingValue;
        there |= isThere ? 1L << i : 0;
      } else {
        absent |= 1L << i;
      }
    }
    return absent == 0
        ? there
        : there | tree.readDelta(absent, keys, keysFrom, values, valuesFrom, missingValue);
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    return tree.put(key, value, true, missingValue);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    return tree.put(key, value, false, missingValue);
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

  /**
   * Merges the entries inserted since the last rebuild into the array, and closes the gaps left by
   * removed ones. O(n).
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; in that case, nothing has
   *     changed
   */
  public void rebuild() {
    tree.checkOpen();
    tree.rebuild();
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    return tree.remove(key, missingValue);
  }

  @Override
  public void delete(long key) {
    remove(key);
  }
}
