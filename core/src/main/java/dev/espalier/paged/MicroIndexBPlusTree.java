// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.prefetch;
import static dev.espalier.memory.Words.prefetchGroup;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.model.MemoryTimes;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.GroupPins;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;

/**
 * The disk-optimized B+-tree with a micro-index in each page (fpB+ sections 3 and 4.1): a {@link
 * DiskOptimizedBPlusTree} whose pages have a small array in front of the keys, which holds the
 * first key of each sub-array of keys. A search reads the micro-index and one sub-array, the lines
 * of each in parallel, instead of one line for each step of a binary search. Inserts and removals
 * still move half a page.
 *
 * <p>A page of 16 KiB holds 1000 entries or 1336 children. {@code get}, {@code put} and {@code
 * remove} visit one page on each level, and search two arrays of a few lines in each; the latter
 * two also move up to a page of memory. {@code getAll} overlaps the cache misses of 64 lookups. A
 * full tree takes about 16.4 bytes per entry.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class MicroIndexBPlusTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of PagedStructure, the page is that of
   * MicroIndexFormat. Beyond them:
   *
   *   Search. In an inner page the sub-array before the first one that begins with a key not below
   *   the one sought; all of its keys may be below it, and then the next sub-array's first key is the
   *   one. In a leaf page the last sub-array that begins with a key not above the one sought: no other
   *   can hold it. The kernels of Keys read whole lines, whose loads do not wait for one another.
   *
   *   Prefetch (fpB+ 4.1). A micro-index, a sub-array of keys and the payloads that belong to it are
   *   each fetched as a whole, the last two at once.
   *     D5  Where the kernels are vectors, their loads fetch the keys as fast as prefetches would; the
   *         micro-index, the keys and the children are then not prefetched, for the reason given in
   *         PbPlusTree as D5. The values of a leaf's sub-array always are.
   *
   *   Updates are those of a sorted array, after which the part of the micro-index is set right whose
   *   sub-arrays have moved (fpB+ 4.1).
   *
   *   Batched lookups. A group of probes goes down level by level. In the leaves' parents and in the
   *   leaves the micro-indices of the group's pages are prefetched by one call, then their sub-arrays,
   *   and last the one line of each leaf page that holds the value. Pages further up are few, and
   *   taken to be cached.
   *
   * Invariants of a page, checked by MicroIndexFormat:
   *   I9  Entry i of the micro-index is the first key of sub-array i; the entries behind the
   *       sub-arrays in use are padding.
   *   I10 Behind the last key, its sub-array is padding; in an empty page the first sub-array.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "MicroIndexBPlusTree",
          "fpB+ 3, 4.1",
          MicroIndexBPlusTree::create,
          MicroIndexBPlusTree::open,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.JUMP_POINTERS,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Number of probes that descend together: as many reads as an SSD answers at once. */
  private static final int GROUP = 64;

  /** Whether key lines are prefetched by calls, as the kernels' own loads do not overlap enough. */
  private static final boolean PREFETCHES_KEYS = !Keys.SIMD;

  final PagedStructure tree;
  private final MicroIndexFormat format;
  private final PageStore store;
  private final PagedChange change;

  private MicroIndexBPlusTree(IndexOptions options, PageStore store, int subArrayLines) {
    MicroIndexFormat microIndices = new MicroIndexFormat(store.pageBytes(), subArrayLines);
    PagedStructure tree = new PagedStructure(store, microIndices);
    super(VARIANT, tree, options);
    this.tree = tree;
    this.format = microIndices;
    this.store = store;
    this.change = tree.change;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static MicroIndexBPlusTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(PagedStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, whatever its sub-arrays are. If the store is empty, creates an empty
   * tree with the best sub-arrays for this machine.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree
   */
  public static MicroIndexBPlusTree open(IndexOptions options, PageStore store) {
    int made = MicroIndexFormat.subArrayLinesOf(store.meta()[PagedStructure.STAMP]);
    return open(
        options,
        store,
        made > 0 ? made : bestSubArrayLines(store.pageBytes(), MemoryTimes.ofThisMachine()));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @param subArrayLines width of a sub-array of keys, in cache lines, from 1 to 32, and at most
   *     that of a page
   * @throws IllegalArgumentException if the store holds another kind of tree, or one with other
   *     sub-arrays
   */
  public static MicroIndexBPlusTree open(IndexOptions options, PageStore store, int subArrayLines) {
    return new MicroIndexBPlusTree(options, store, subArrayLines);
  }

  /**
   * Returns the width of a sub-array, in cache lines, that is best for a page size, according to
   * the cost model (fpB+ 4.1).
   *
   * @param pageBytes size of a page, in bytes
   */
  public static int bestSubArrayLines(int pageBytes, MemoryTimes times) {
    return MicroIndexFormat.bestSubArrayLines(times, pageBytes);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    MemorySegment pages = tree.pages;
    long page = store.pin(findLeaf(pages, key));
    try {
      int slot = findSlot(pages, page, key);
      return slot >= 0 ? value(pages, page, slot) : defaultValue;
    } finally {
      store.unpin(page, false);
    }
  }

  @Override
  public boolean containsKey(long key) {
    MemorySegment pages = tree.pages;
    long page = store.pin(findLeaf(pages, key));
    try {
      return findSlot(pages, page, key) >= 0;
    } finally {
      store.unpin(page, false);
    }
  }

  @Override
  public boolean find(long key, long[] value) {
    MemorySegment pages = tree.pages;
    long page = store.pin(findLeaf(pages, key));
    try {
      int slot = findSlot(pages, page, key);
      value[0] = slot >= 0 ? value(pages, page, slot) : missingValue;
      return slot >= 0;
    } finally {
      store.unpin(page, false);
    }
  }

  /** Returns the number of the leaf page where {@code key} is or belongs. */
  private int findLeaf(MemorySegment pages, long key) {
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = store.pin(number);
      try {
        number = findChild(pages, page, key);
      } finally {
        store.unpin(page, false);
      }
    }
    return number;
  }

  private int findChild(MemorySegment pages, long page, long key) {
    if (PREFETCHES_KEYS) {
      prefetchIndex(page, format.indexSlots);
    }
    int first = findInnerSubArray(pages, page, key);
    if (PREFETCHES_KEYS) {
      prefetchKeys(page, first);
      prefetch(
          tree.base + page + format.childrenOffset + ((long) first << 2),
          1 + format.subArrayLines / 2, // half a line for each line of keys, off the lines' bounds
          Locality.T0);
    }
    return childIn(pages, page, first, key);
  }

  /** Returns the first slot of the sub-array to search in an inner page. */
  private int findInnerSubArray(MemorySegment pages, long page, long key) {
    int smaller =
        Keys.lowerBound(pages, page + MicroIndexFormat.INDEX_OFFSET, format.indexSlots, key);
    return Math.max(smaller - 1, 0) * format.subArraySlots;
  }

  private int childIn(MemorySegment pages, long page, int first, long key) {
    return child(pages, page, findChildSlot(pages, page, first, key));
  }

  private int findChildSlot(MemorySegment pages, long page, int first, long key) {
    int slots = Math.min(format.subArraySlots, format.innerCapacity - first);
    return first + lowerBound(pages, page, first, slots, key);
  }

  private int child(MemorySegment pages, long page, int slot) {
    return getInt(pages, page + format.childrenOffset + ((long) slot << 2));
  }

  private int lowerBound(MemorySegment pages, long page, int first, int slots, long key) {
    return Keys.lowerBound(pages, page + format.keysOffset + ((long) first << 3), slots, key);
  }

  /**
   * Returns the slot of a leaf page that holds {@code key}, or if there is none, -1 - the slot
   * where it belongs.
   */
  private int findSlot(MemorySegment pages, long page, long key) {
    if (key == Keys.PADDING) {
      return findPaddingKey(pages, page);
    }
    if (PREFETCHES_KEYS) {
      prefetchIndex(page, format.leafIndexSlots);
    }
    int first = findLeafSubArray(pages, page, key);
    if (PREFETCHES_KEYS) {
      prefetchKeys(page, first);
    }
    prefetch(
        tree.base + page + format.valuesOffset + ((long) first << 3),
        format.subArrayLines,
        Locality.T0);
    int slots = leafSlots(first);
    int slot = lowerBound(pages, page, first, slots, key);
    return slot < slots && key(pages, page, first + slot) == key ? first + slot : -1 - first - slot;
  }

  /** Returns the first slot of the sub-array of a leaf page where a key is that is no padding. */
  private int findLeafSubArray(MemorySegment pages, long page, long key) {
    int notAbove =
        Keys.lowerBound(
            pages, page + MicroIndexFormat.INDEX_OFFSET, format.leafIndexSlots, key + 1);
    return Math.max(notAbove - 1, 0) * format.subArraySlots;
  }

  private int leafSlots(int first) {
    return Math.min(format.subArraySlots, format.leafCapacity - first);
  }

  /** As {@link #findSlot} for the key that can't be told from padding: it can only be the last. */
  private int findPaddingKey(MemorySegment pages, long page) {
    int count = PageHeader.count(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + format.keysOffset, count, Keys.PADDING);
    return slot < count ? slot : -1 - slot;
  }

  private void prefetchIndex(long page, int slots) {
    prefetch(
        tree.base + page + MicroIndexFormat.INDEX_OFFSET, slots / CacheLine.LONGS, Locality.T0);
  }

  private void prefetchKeys(long page, int first) {
    prefetch(
        tree.base + page + format.keysOffset + ((long) first << 3),
        format.subArrayLines,
        Locality.T0);
  }

  private long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + format.keysOffset + ((long) slot << 3));
  }

  private long value(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + format.valuesOffset + ((long) slot << 3));
  }

  private void value(MemorySegment pages, long page, int slot, long value) {
    putLong(pages, page + format.valuesOffset + ((long) slot << 3), value);
  }

  /** The levels of the tree, and lookups in groups that start at any of them. */
  private final class Levels extends PagedLevels {

    Levels() {
      super(tree, GROUP);
    }

    @Override
    public int maxChildren(int level) {
      return format.innerCapacity;
    }

    @Override
    void divide(
        int level,
        long page,
        int number,
        long[] keys,
        long[] places,
        int[] slots,
        int from,
        int to) {
      MemorySegment pages = tree.pages;
      int maxChildren = maxChildren(level);
      for (int i = from; i < to; i++) {
        long key = keys[i];
        int slot = findChildSlot(pages, page, findInnerSubArray(pages, page, key), key);
        places[i] = child(pages, page, slot);
        slots[i] = slots[i] * maxChildren + slot;
      }
    }

    @Override
    long answerGroup(
        int level,
        long[] keys,
        int keysFrom,
        long[] values,
        int valuesFrom,
        int count,
        GroupPins pins) {
      return lookUpGroup(level, keys, keysFrom, values, valuesFrom, count, pins);
    }
  }

  /**
   * Looks up keys together. Until the answers are known, {@code values} holds where each probe is:
   * the number of its page, the page's place, then in the page the place of its slot were the keys
   * at the page's start.
   *
   * @return which keys are present, as a bit set
   */
  private long lookUpGroup(
      int level,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      GroupPins pins) {
    MemorySegment pages = tree.pages;
    findLeaves(pages, level, keys, keysFrom, values, valuesFrom, count, pins);
    pins.pinAll(values, valuesFrom, count);
    prefetchIndices(values, valuesFrom, count, format.leafIndexSlots);
    for (int i = 0; i < count; i++) {
      long page = values[valuesFrom + i];
      long first = findLeafSubArray(pages, page, keys[keysFrom + i]);
      values[valuesFrom + i] = page + (first << 3);
    }
    prefetchGroup(tree.base + format.keysOffset, values, valuesFrom, count, format.subArrayLines);
    for (int i = 0; i < count; i++) {
      long place = values[valuesFrom + i];
      int slots = leafSlots(slotOf(place));
      int slot = Keys.lowerBound(pages, place + format.keysOffset, slots, keys[keysFrom + i]);
      values[valuesFrom + i] = place + ((long) Math.min(slot, slots - 1) << 3);
    }
    prefetchGroup(tree.base + format.valuesOffset, values, valuesFrom, count, 1);
    long there = 0;
    long padding = 0;
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long place = values[valuesFrom + i];
      boolean isThere = getLong(pages, place + format.keysOffset) == key;
      values[valuesFrom + i] = isThere ? getLong(pages, place + format.valuesOffset) : missingValue;
      there |= isThere ? 1L << i : 0;
      padding |= key == Keys.PADDING ? 1L << i : 0;
    }
    pins.unpinAll();
    return padding == 0 ? there : lookUpPadding(there, padding, values, valuesFrom);
  }

  /** Looks up the key that is padding as well; returns which keys are present. */
  private long lookUpPadding(long there, long padding, long[] values, int valuesFrom) {
    long value = get(Keys.PADDING);
    for (long rest = padding; rest != 0; rest &= rest - 1) {
      values[valuesFrom + Long.numberOfTrailingZeros(rest)] = value;
    }
    return containsKey(Keys.PADDING) ? there | padding : there & ~padding;
  }

  /**
   * Takes a group of probes from pages of {@code level} down to the numbers of their leaf pages.
   */
  private void findLeaves(
      MemorySegment pages,
      int level,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      int count,
      GroupPins pins) {
    for (int at = level; at > 1; at--) {
      pins.pinAll(places, placesFrom, count);
      for (int i = 0; i < count; i++) {
        long page = places[placesFrom + i];
        long key = keys[keysFrom + i];
        places[placesFrom + i] = childIn(pages, page, findInnerSubArray(pages, page, key), key);
      }
      pins.unpinAll();
    }
    if (level > 0) {
      findLeavesFromParents(pages, keys, keysFrom, places, placesFrom, count, pins);
    }
  }

  private void findLeavesFromParents(
      MemorySegment pages,
      long[] keys,
      int keysFrom,
      long[] leaves,
      int leavesFrom,
      int count,
      GroupPins pins) {
    pins.pinAll(leaves, leavesFrom, count);
    prefetchIndices(leaves, leavesFrom, count, format.indexSlots);
    for (int i = 0; i < count; i++) {
      long page = leaves[leavesFrom + i];
      long first = findInnerSubArray(pages, page, keys[keysFrom + i]);
      leaves[leavesFrom + i] = page + (first << 3);
    }
    prefetchGroup(tree.base + format.keysOffset, leaves, leavesFrom, count, format.subArrayLines);
    for (int i = 0; i < count; i++) {
      long place = leaves[leavesFrom + i];
      int first = slotOf(place);
      long page = place - ((long) first << 3);
      leaves[leavesFrom + i] = childIn(pages, page, first, keys[keysFrom + i]);
    }
    pins.unpinAll();
  }

  private void prefetchIndices(long[] places, int from, int count, int slots) {
    prefetchGroup(
        tree.base + MicroIndexFormat.INDEX_OFFSET, places, from, count, slots / CacheLine.LONGS);
  }

  /** Returns the slot that a place in a group stands for: pages are at multiples of their size. */
  private int slotOf(long place) {
    return (int) (place & (format.pageBytes - 1)) >>> 3;
  }

  // ---------------------------------------------------------------- insert

  @Override
  public long put(long key, long value) {
    return put(key, value, true);
  }

  @Override
  public long putIfAbsent(long key, long value) {
    return put(key, value, false);
  }

  private long put(long key, long value, boolean replaces) {
    change.begin();
    MemorySegment pages = tree.pages;
    long page = store.pin(findPath(pages, key));
    boolean changed = false;
    try {
      int slot = findSlot(pages, page, key);
      if (slot >= 0) {
        long previous = value(pages, page, slot);
        if (replaces) {
          changed = true;
          value(pages, page, slot, value);
          change.commitInPlace();
        }
        return previous;
      }
      int count = PageHeader.checkedCount(pages, page, format.leafCapacity);
      if (count < format.leafCapacity) {
        changed = true;
        format.insertAt(pages, page, -1 - slot, count, key, value);
      }
    } finally {
      store.unpin(page, changed);
    }
    if (changed) {
      change.commit(1);
    } else {
      tree.insert(key, value);
    }
    return missingValue;
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  /** Rebuilds a page once for many ascending keys that belong in it, and puts others one by one. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    tree.ascendingPuts.putAll(keys, keysFrom, values, valuesFrom, count, this::putGroup);
  }

  /** Puts the entries of the next group, and returns how many. */
  private int putGroup(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    int group = Math.min(count, GROUP);
    for (int i = 0; i < group; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
    return group;
  }

  /** As {@link #findLeaf}, but notes the path. */
  private int findPath(MemorySegment pages, long key) {
    int[] path = change.path;
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      path[level] = number;
      long page = store.pin(number);
      try {
        number = findChild(pages, page, key);
      } finally {
        store.unpin(page, false);
      }
    }
    path[0] = number;
    return number;
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    change.begin();
    MemorySegment pages = tree.pages;
    long page = store.pin(findPath(pages, key));
    boolean changed = false;
    long previous;
    int count;
    try {
      int slot = findSlot(pages, page, key);
      if (slot < 0) {
        return missingValue;
      }
      previous = value(pages, page, slot);
      changed = true;
      format.remove(change.scratch, pages, page, slot);
      count = PageHeader.count(pages, page);
    } finally {
      store.unpin(page, changed);
    }
    tree.removed(key, count);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }

  /** Removes the entries of a range by whole pages. O(log n) for each page that holds some. */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
