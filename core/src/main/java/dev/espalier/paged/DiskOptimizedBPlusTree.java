// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.GroupPins;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;

/**
 * The disk-optimized B+-tree (fpB+ section 3): each node is a page, and each page one large sorted
 * array with binary search. A lookup visits as few pages as possible, but has many cache misses
 * within each, and an insert moves half a page. This is the baseline for the fpB+-trees.
 *
 * <p>A page of 16 KiB holds 1020 entries or 1360 children. {@code get}, {@code put} and {@code
 * remove} visit one page on each level and take O(log n) key comparisons; the latter two also move
 * up to a page of memory. A full tree takes about 16.1 bytes per entry.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class DiskOptimizedBPlusTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of PagedStructure, the page is that of
   * SortedArrayFormat. Search is the textbook's: in every page a binary search over the keys in use,
   * each of whose loads waits for the one before.
   *
   *   Batched lookups. A group of probes goes down together, so that on each level all its pages are
   *   pinned by one call, which on files is one wave of reads. Their searches come one after another.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "DiskOptimizedBPlusTree",
          "fpB+ 3",
          DiskOptimizedBPlusTree::create,
          DiskOptimizedBPlusTree::open,
          Capability.JUMP_POINTERS,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** Number of probes that descend together: as many reads as an SSD answers at once. */
  private static final int GROUP = 64;

  final PagedStructure tree;
  private final SortedArrayFormat format;
  private final PageStore store;
  private final PagedChange change;

  private DiskOptimizedBPlusTree(IndexOptions options, PageStore store) {
    SortedArrayFormat sortedArrays = new SortedArrayFormat(store.pageBytes());
    PagedStructure tree = new PagedStructure(store, sortedArrays);
    super(VARIANT, tree, options);
    this.tree = tree;
    this.format = sortedArrays;
    this.store = store;
    this.change = tree.change;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static DiskOptimizedBPlusTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(PagedStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree
   */
  public static DiskOptimizedBPlusTree open(IndexOptions options, PageStore store) {
    return new DiskOptimizedBPlusTree(options, store);
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
    return child(pages, page, findChildSlot(pages, page, key));
  }

  private int findChildSlot(MemorySegment pages, long page, long key) {
    return Keys.lowerBoundBinary(
        pages, page + format.keysOffset, PageHeader.count(pages, page), key);
  }

  private int child(MemorySegment pages, long page, int slot) {
    return getInt(pages, page + format.childrenOffset + ((long) slot << 2));
  }

  /**
   * Returns the slot of a leaf page that holds {@code key}, or if there is none, -1 - the slot
   * where it belongs.
   */
  private int findSlot(MemorySegment pages, long page, long key) {
    int count = PageHeader.count(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + format.keysOffset, count, key);
    return slot < count && getLong(pages, page + format.keysOffset + ((long) slot << 3)) == key
        ? slot
        : -1 - slot;
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
        int slot = findChildSlot(pages, page, keys[i]);
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
   * the number of its page, then the page's place.
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
    for (int at = level; at > 0; at--) {
      pins.pinAll(values, valuesFrom, count);
      for (int i = 0; i < count; i++) {
        long page = values[valuesFrom + i];
        values[valuesFrom + i] = findChild(pages, page, keys[keysFrom + i]);
      }
      pins.unpinAll();
    }
    pins.pinAll(values, valuesFrom, count);
    long there = 0;
    for (int i = 0; i < count; i++) {
      long page = values[valuesFrom + i];
      int slot = findSlot(pages, page, keys[keysFrom + i]);
      values[valuesFrom + i] = slot >= 0 ? value(pages, page, slot) : missingValue;
      there |= slot >= 0 ? 1L << i : 0;
    }
    pins.unpinAll();
    return there;
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
        insertAt(pages, page, -1 - slot, count, key, value);
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

  private void insertAt(MemorySegment pages, long page, int slot, int count, long key, long value) {
    Slots.openGap(pages, page + format.keysOffset, slot, count);
    Slots.openGap(pages, page + format.valuesOffset, slot, count);
    putLong(pages, page + format.keysOffset + ((long) slot << 3), key);
    value(pages, page, slot, value);
    PageHeader.count(pages, page, count + 1);
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
