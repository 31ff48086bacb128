// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntry;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.batch.TreeLevels;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.NodeMemory;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cache-sensitive search tree, or CSS-tree (thesis 3.4): a sorted array with a directory above
 * it that has no pointers. The place of a node is computed from the place of its parent, so nodes
 * hold nothing but separators, as many per line as possible.
 *
 * <p>Use it for data that is read much more often than it is changed: {@link #getAll} is faster
 * than in any tree but {@link DigestCssTree}, and a scan reads one array. The tree takes 17.1 bytes
 * per entry. Lookups take O(log n) time. New keys go to a small sorted delta, which is merged into
 * the array by rebuilding everything: an insert takes O(sqrt(n)) time amortized, and occasionally
 * O(n). Overwriting a value takes as long as a lookup. So does removing a key, except that
 * everything is rebuilt whenever a quarter of the array has been removed.
 *
 * <p>While there is a delta, a lookup that finds nothing in the array searches the delta too.
 * {@link #rebuild()} merges the delta at once. {@link #bulkload} checks its fill factor, but always
 * fills the array completely.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class CssTree extends AbstractIndex {
  /* Overview
   *
   * Parts, invariants and deviations are those of CssStructure. Search (thesis 3.4, "Tree
   * Operations"): in each node a lowerBound; the child's number is node * fanOut + slot. Hot loops
   * keep the byte offset of the node within its level instead of its number: a child's is then
   * offset * fanOut + slot * (bytes of a node), and the last one found is the leaf's in the array.
   *
   *   Batched lookups. A group of probes goes down level by level. Before a level that is larger than
   *   the cache is searched, the nodes of the whole group are prefetched by one call; so are the
   *   leaves, and last the lines of the values.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inMemory(
          "CssTree",
          "thesis 3.4",
          CssTree::create,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS);

  /** Number of probes that descend together: docs/measurements/thesis-family.md. */
  private static final int GROUP = 128;

  /** Levels up to this size are not prefetched: they stay in a second-level cache. */
  private static final long CACHED_BYTES = 1 << 20;

  final CssStructure tree;
  private final int width;
  private final int nodeBytes;
  private final int fanOut;

  /** How many slots of an inner node are used. */
  public enum Form {
    /** All key slots hold separators; the fan-out is the number of slots plus one. */
    FULL,
    /** One key slot is left unused, so that the fan-out is a power of two if the width is. */
    LEVEL
  }

  /**
   * The proportions of the tree.
   *
   * @param form whether the tree is a full or a level CSS-tree
   * @param width width of inner nodes and leaves, in cache lines
   */
  public record Geometry(Form form, int width) {
    /**
     * A full CSS-tree with nodes of one line: the fastest measured
     * (docs/measurements/thesis-family.md).
     */
    public static final Geometry DEFAULT = new Geometry(Form.FULL, 1);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      Objects.requireNonNull(form, "form");
      if (width < 1 || width > NodeMemory.MAX_LINES) {
        throw new IllegalArgumentException(
            "width is " + width + " lines; it must be from 1 to " + NodeMemory.MAX_LINES);
      }
    }
  }

  private CssTree(IndexOptions options, Geometry geometry) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(geometry, "geometry");
    CssStructure tree = new CssStructure(options, CssShape.of(geometry));
    super(VARIANT, tree, options);
    this.tree = tree;
    this.width = geometry.width;
    this.nodeBytes = geometry.width << CacheLine.SHIFT;
    this.fanOut = tree.directory.fanOut;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with default options, as {@link #create(IndexOptions)} does. */
  public static CssTree create() {
    return create(IndexOptions.DEFAULT);
  }

  /** Creates an empty tree with the default geometry. */
  public static CssTree create(IndexOptions options) {
    return create(options, Geometry.DEFAULT);
  }

  /** Creates an empty tree. */
  public static CssTree create(IndexOptions options, Geometry geometry) {
    return new CssTree(options, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    EntryArray array = tree.array;
    long leaf = findLeaf(key);
    prefetchValues(array, leaf);
    long at = leaf + ((long) searchNode(array.memory, leaf, key) << 3);
    if (holds(array, at, key)) {
      return tree.removed.count == 0 || !tree.removed.contains(at >>> 3)
          ? getLong(array.memory, array.valuesOffset + at)
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

  @Override
  protected long nearest(long key, boolean upwards, @Nullable LongEntry entry) {
    EntryArray array = tree.array;
    long leaf = findLeaf(key);
    prefetchValues(array, leaf);
    long at = leaf + ((long) searchNode(array.memory, leaf, key) << 3);
    if (tree.removed.count != 0 || tree.delta.count != 0) {
      return nearestOfBoth(at >>> 3, key, upwards, entry);
    }
    if (!upwards && !holds(array, at, key)) {
      at -= Long.BYTES;
    }
    return at >= 0 && at >>> 3 < array.count
        ? found(getLong(array.memory, at), getLong(array.memory, array.valuesOffset + at), entry)
        : none(entry);
  }

  /**
   * Finds the entry nearest to a key in what has changed since it was built.
   *
   * @param slot where the key is in the array or belongs
   */
  private long nearestOfBoth(long slot, long key, boolean upwards, @Nullable LongEntry entry) {
    EntryArray array = tree.array;
    EntryArray delta = tree.delta;
    long inArray;
    long inDelta = delta.lowerBound(key);
    if (upwards) {
      inArray = tree.removed.next(Math.min(slot, array.count), array.count, false);
    } else {
      long last = tree.arrayHolds(slot, key) ? slot : Math.min(slot, array.count) - 1;
      inArray = tree.removed.previous(last + 1, 0, false);
      inDelta -= tree.deltaHolds(inDelta, key) ? 0 : 1;
    }
    boolean isInArray = inArray >= 0 && inArray < array.count;
    if (inDelta >= 0 && inDelta < delta.count) {
      boolean deltaIsNearer = !isInArray || upwards == (delta.key(inDelta) < array.key(inArray));
      if (deltaIsNearer) {
        return found(delta.key(inDelta), delta.value(inDelta), entry);
      }
    }
    return isInArray ? found(array.key(inArray), array.value(inArray), entry) : none(entry);
  }

  /** Returns the byte offset, in the array's keys, of the leaf where {@code key} is or belongs. */
  private long findLeaf(long key) {
    CssDirectory directory = tree.directory;
    MemorySegment nodes = directory.nodes;
    long[] levelOffset = directory.levelOffset;
    long node = 0;
    for (int level = 0; level < directory.levels; level++) {
      int slot = searchNode(nodes, levelOffset[level] + node, key);
      node = node * fanOut + (long) slot * nodeBytes;
    }
    return node;
  }

  /**
   * Searches a node. Nodes of one line have a kernel of their own, which is small enough that the
   * JIT inlines it always; the general one it does not once other trees' searches are compiled.
   */
  private int searchNode(MemorySegment nodes, long offset, long key) {
    return width == 1
        ? Keys.lowerBoundInLine(nodes, offset, key)
        : Keys.lowerBound(nodes, offset, width * CacheLine.LONGS, key);
  }

  /** Tells whether the key at an offset found for {@code key} is that key, not padding. */
  private static boolean holds(EntryArray array, long at, long key) {
    return getLong(array.memory, at) == key && (key != Keys.PADDING || at >>> 3 < array.count);
  }

  /** Asks for the values of a leaf, which are as many lines as its keys. */
  private void prefetchValues(EntryArray array, long leaf) {
    Words.prefetch(array.memory.address() + array.valuesOffset + leaf, width, Locality.T0);
  }

  /**
   * The levels of the tree, and lookups in groups that start at any of them. A place is the offset
   * of a node in its level, of a leaf in the array; what comes into the delta moves none.
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
      return fanOut;
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
        int slot = searchNode(nodes, offset + node, keys[i]);
        places[i] = node * fanOut + (long) slot * nodeBytes;
        slots[i] = slots[i] * fanOut + slot;
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
        findKeys(level, keys, keysFrom + done, values, valuesFrom + done, group);
        for (int i = done; i < done + group; i += Long.SIZE) {
          int some = Math.min(Long.SIZE, done + group - i);
          long there = readValues(keys, keysFrom + i, values, valuesFrom + i, some);
          Bits.addGroup(found, foundFrom + i, there);
        }
      }
    }
  }

  /**
   * Takes at most {@link #GROUP} probes together from their nodes to their keys, whose values it
   * prefetches. {@code values} holds where each probe is: the offset of its node in its level, then
   * of its key in the array.
   */
  private void findKeys(
      int level, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    CssDirectory directory = tree.directory;
    MemorySegment nodes = directory.nodes;
    for (int above = directory.levels - level; above < directory.levels; above++) {
      long offset = directory.levelOffset[above];
      if (directory.levelBytes(above) > CACHED_BYTES) {
        Words.prefetchGroup(nodes.address() + offset, values, valuesFrom, count, width);
      }
      searchLevel(nodes, offset, keys, keysFrom, values, valuesFrom, count);
    }
    EntryArray array = tree.array;
    long address = array.memory.address();
    Words.prefetchGroup(address, values, valuesFrom, count, width);
    searchLeaves(array.memory, keys, keysFrom, values, valuesFrom, count);
    Words.prefetchGroup(address + array.valuesOffset, values, valuesFrom, count, 1);
  }

  /** Takes every probe of a group from its node at {@code level} to the child. */
  private void searchLevel(
      MemorySegment nodes,
      long level,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count) {
    for (int i = 0; i < count; i++) {
      long node = places[placesFrom + i];
      int slot = searchNode(nodes, level + node, keys[keysFrom + i]);
      places[placesFrom + i] = node * fanOut + (long) slot * nodeBytes;
    }
  }

  /** Takes every probe of a group from its leaf to the key. */
  private void searchLeaves(
      MemorySegment array, long[] keys, int keysFrom, long[] places, int placesFrom, int count) {
    for (int i = 0; i < count; i++) {
      long leaf = places[placesFrom + i];
      int slot = searchNode(array, leaf, keys[keysFrom + i]);
      places[placesFrom + i] = leaf + ((long) slot << 3);
    }
  }

  /** Reads the values of at most 64 probes; returns the keys that are there, as a bit set. */
  private long readValues(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    EntryArray array = tree.array;
    MemorySegment memory = array.memory;
    long valuesOffset = array.valuesOffset;
    boolean unchanged = tree.removed.count == 0 && tree.delta.count == 0;
    long there = 0;
    long absent = 0; // from the array
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long at = values[valuesFrom + i];
      if (unchanged && key != Keys.PADDING) {
        boolean isThere = getLong(memory, at) == key;
        values[valuesFrom + i] = isThere ? getLong(memory, valuesOffset + at) : missingValue;
        there |= isThere ? 1L << i : 0;
      } else if (holds(array, at, key)) {
        boolean isThere = !tree.removed.contains(at >>> 3);
        values[valuesFrom + i] = isThere ? getLong(memory, valuesOffset + at) : missingValue;
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
