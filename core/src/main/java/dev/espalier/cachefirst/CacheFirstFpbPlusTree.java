// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.batch.TreeLevels;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.model.MemoryTimes;
import dev.espalier.model.PageOptimizer;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.GroupPins;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The cache-first fpB+-tree (fpB+ 3.2): a prefetching B+-tree with nodes of a few lines, placed
 * into pages so that a search visits few of them. As far as there is room, parents share a page
 * with their children, and leaves with neighbouring leaves.
 *
 * <p>It is faster in the cache than {@link dev.espalier.paged.DiskOptimizedBPlusTree}, and an
 * insert moves half a node rather than half a page. But many leaf parents are in pages of their
 * own, so a search may visit one or two pages more. {@code get}, {@code put} and {@code remove}
 * visit one node on each level, or O(log n) lines. A full tree takes about 16.7 bytes per entry.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class CacheFirstFpbPlusTree extends AbstractIndex {
  /* Overview
   *
   * Structure, invariants and deviations are those of CacheFirstStructure. Search is that of the
   * pB+-tree, each node by one SIMD kernel whose loads do not wait for one another; without vectors
   * a node is prefetched whole, as in the paper. On the way down, the page of a child is compared with
   * that of its parent, and the store is asked only where they differ (fpB+ 3.2.2).
   *
   *   Batched lookups. A group of probes goes down together. On each level all children are found,
   *   then fetched by one group prefetch, then searched; on files the pages of a level are read by
   *   one wave.
   */

  /**
   * The shape of the nodes.
   *
   * @param width width of a node, in lines; a page must have room for 3 to 256 nodes
   */
  public record Geometry(int width) {
    /** Checks the width. */
    public Geometry {
      if (width < 1 || width > PageOptimizer.MAX_WIDTH) {
        throw new IllegalArgumentException(
            "width is " + width + " lines; it must be from 1 to " + PageOptimizer.MAX_WIDTH);
      }
    }

    /**
     * Returns the geometry that is best for a page size, according to the cost model (fpB+ 3.2.2).
     *
     * @param pageBytes size of a page, in bytes
     */
    public static Geometry forPages(int pageBytes, MemoryTimes times) {
      MemoryPageStore.checkPageBytes(pageBytes);
      int lines = (pageBytes - CacheFirstPage.HEADER_BYTES) / CacheLine.BYTES;
      return new Geometry(
          PageOptimizer.cacheFirst(
                  times,
                  lines,
                  width ->
                      CacheFirstPage.isPossible(pageBytes, width)
                          ? CacheFirstInner.capacity(width)
                          : 0,
                  CacheFirstLeaf::capacity)
              .width());
    }
  }

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "CacheFirstFpbPlusTree",
          "fpB+ 3.2, 3.3",
          CacheFirstFpbPlusTree::create,
          CacheFirstFpbPlusTree::open,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.JUMP_POINTERS,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /**
   * Number of probes that descend together; as in PbPlusTree, and as many reads as an SSD answers
   * at once.
   */
  private static final int GROUP = 64;

  /**
   * Whether a node is prefetched before it is searched, as in the paper. The loads of vector
   * kernels are so few that those of a whole node are under way at once without it.
   */
  private static final boolean PREFETCHES_NODES = !Keys.SIMD;

  /** Where pinning reads nothing. */
  private static final long[] NO_WAVES = {};

  final CacheFirstStructure tree;
  private final CacheFirstPage page;
  private final CacheFirstLeaf leaf;
  private final PageStore store;
  private final CacheFirstChange change;
  private final int keySlots;
  private final int childrenOffset;

  private CacheFirstFpbPlusTree(IndexOptions options, PageStore store, int width) {
    CacheFirstStructure tree = new CacheFirstStructure(store, width);
    super(VARIANT, tree, options);
    this.tree = tree;
    this.page = tree.page;
    this.leaf = tree.leaf;
    this.store = store;
    this.change = tree.change;
    this.keySlots = tree.inner.keySlots;
    this.childrenOffset = tree.inner.childrenOffset;
    probesGoThrough(new Levels());
  }

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static CacheFirstFpbPlusTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(CacheFirstStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, whatever its geometry is. If the store is empty, creates an empty
   * tree with the geometry for this machine and the page size.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree
   */
  public static CacheFirstFpbPlusTree open(IndexOptions options, PageStore store) {
    int width = CacheFirstStructure.widthIn(store);
    return open(
        options,
        store,
        width == 0
            ? Geometry.forPages(store.pageBytes(), MemoryTimes.ofThisMachine())
            : new Geometry(width));
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or one of another
   *     geometry, or if a page does not have room for 3 to 256 nodes
   */
  public static CacheFirstFpbPlusTree open(
      IndexOptions options, PageStore store, Geometry geometry) {
    CacheFirstPage.checkPossible(store.pageBytes(), geometry.width());
    return new CacheFirstFpbPlusTree(options, store, geometry.width());
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    MemorySegment pages = tree.pages;
    long node = pinLeaf(pages, key);
    Words.prefetch(tree.base + node + leaf.valuesOffset, leaf.valueLines, Locality.T0);
    int slot = findSlot(pages, node, key);
    long value = slot >= 0 ? leaf.value(pages, node, slot) : defaultValue;
    store.unpin(node, false);
    return value;
  }

  @Override
  public boolean containsKey(long key) {
    MemorySegment pages = tree.pages;
    long node = pinLeaf(pages, key);
    boolean found = findSlot(pages, node, key) >= 0;
    store.unpin(node, false);
    return found;
  }

  @Override
  public boolean find(long key, long[] value) {
    MemorySegment pages = tree.pages;
    long node = pinLeaf(pages, key);
    Words.prefetch(tree.base + node + leaf.valuesOffset, leaf.valueLines, Locality.T0);
    int slot = findSlot(pages, node, key);
    long there = slot >= 0 ? leaf.value(pages, node, slot) : missingValue;
    store.unpin(node, false);
    value[0] = there;
    return slot >= 0;
  }

  /** Returns the place of the leaf where {@code key} is or belongs; its page is pinned. */
  private long pinLeaf(MemorySegment pages, long key) {
    int node = tree.root();
    int number = page.pageOf(node);
    long at = store.pin(number);
    for (int level = tree.height() - 1; level > 0; level--) {
      prefetchNode(at + page.offsetOf(node));
      node = findChild(pages, at + page.offsetOf(node), key);
      int next = page.pageOf(node);
      if (next != number) {
        store.unpin(at, false);
        number = next;
        at = store.pin(number);
      }
    }
    prefetchNode(at + page.offsetOf(node));
    return at + page.offsetOf(node);
  }

  /** Asks for all lines of a node, where its search does not ask for its key lines at once. */
  private void prefetchNode(long node) {
    if (PREFETCHES_NODES) {
      Words.prefetch(tree.base + node, page.width, Locality.T0);
    }
  }

  private int findChild(MemorySegment pages, long node, long key) {
    int slot = Keys.lowerBoundRagged(pages, node, keySlots, key);
    return getInt(pages, node + childrenOffset + ((long) slot << 2));
  }

  /**
   * Returns the slot of a leaf that holds {@code key}, or if there is none, -1 - the slot where it
   * belongs. Reads the count only if the slot seems to hold it.
   */
  private int findSlot(MemorySegment pages, long node, long key) {
    int slot = Keys.lowerBoundRagged(pages, node, leaf.capacity, key);
    return slot < leaf.capacity
            && getLong(pages, node + ((long) slot << 3)) == key
            && slot < leaf.count(pages, node)
        ? slot
        : -1 - slot;
  }

  /** The levels of the tree, and lookups in groups that start at any of them. A place is a node. */
  private final class Levels implements TreeLevels {

    @Override
    public boolean readsPages() {
      return !store.pagesStay();
    }

    @Override
    public int height() {
      return tree.height();
    }

    @Override
    public long root() {
      tree.checkOpen();
      return tree.root();
    }

    @Override
    public int maxChildren(int level) {
      return tree.inner.capacity;
    }

    @Override
    public long changesAbove(int level) {
      return tree.levelChanges.above(level);
    }

    @Override
    public void descend(int level, long[] keys, long[] places, int[] slots, int count) {
      MemorySegment pages = tree.pages;
      int maxChildren = maxChildren(level);
      int number = 0;
      long at = 0;
      try {
        for (int i = 0; i < count; i++) {
          int node = (int) places[i];
          int next = page.pageOf(node);
          if (next != number) {
            if (number != 0) {
              number = 0;
              store.unpin(at, false);
            }
            at = store.pin(next);
            number = next;
          }
          long place = at + page.offsetOf(node);
          int slot = Keys.lowerBoundRagged(pages, place, keySlots, keys[i]);
          places[i] = getInt(pages, place + childrenOffset + ((long) slot << 2));
          slots[i] = slots[i] * maxChildren + slot;
        }
      } finally {
        if (number != 0) {
          store.unpin(at, false);
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
      int most = Math.min(GROUP, store.mostPins());
      long[] waves = tree.cursorsCopy ? new long[most] : NO_WAVES;
      GroupPins pins = new GroupPins(store, most);
      try {
        for (int done = 0; done < count; done += most) {
          int group = Math.min(most, count - done);
          long there =
              answerGroup(
                  level, keys, keysFrom + done, values, valuesFrom + done, group, waves, pins);
          Bits.addGroup(found, foundFrom + done, there);
        }
      } finally {
        pins.unpinAll();
      }
    }
  }

  /**
   * Looks up keys together. Until the answers are known, {@code values} holds where each probe is:
   * its node, that node's place, then the place of its key.
   *
   * @param waves room for the pages of a level where they are to be read by one wave, or empty
   * @param pins no pins; those that are left are given back
   * @return which keys are present, as a bit set
   */
  private long answerGroup(
      int level,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long[] waves,
      GroupPins pins) {
    MemorySegment pages = tree.pages;
    pinGroup(values, valuesFrom, count, waves, pins);
    for (int above = level; above > 0; above--) {
      for (int i = 0; i < count; i++) {
        long node = values[valuesFrom + i];
        values[valuesFrom + i] = findChild(pages, node, keys[keysFrom + i]);
      }
      pins.unpinAll();
      pinGroup(values, valuesFrom, count, waves, pins);
      int lines = above == 1 ? leaf.keyLines : page.width;
      Words.prefetchGroup(tree.base, values, valuesFrom, count, lines);
    }
    long found = findValues(pages, keys, keysFrom, values, valuesFrom, count);
    pins.unpinAll();
    return withoutPadding(found, keys, keysFrom, values, valuesFrom);
  }

  /** Pins the pages of nodes; the nodes' places are in {@code nodes} then. */
  private void pinGroup(long[] nodes, int from, int count, long[] waves, GroupPins pins) {
    if (waves.length == 0) {
      for (int i = from; i < from + count; i++) {
        int node = (int) nodes[i];
        nodes[i] = store.pin(page.pageOf(node)) + page.offsetOf(node);
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      waves[i] = page.pageOf((int) nodes[from + i]);
    }
    pins.pinAll(waves, 0, count);
    for (int i = 0; i < count; i++) {
      nodes[from + i] = waves[i] + page.offsetOf((int) nodes[from + i]);
    }
  }

  /**
   * Replaces the places of pinned leaves by the values of the keys sought there.
   *
   * @return which keys are present, padding among them, as a bit set
   */
  private long findValues(
      MemorySegment pages, long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    int capacity = leaf.capacity;
    for (int i = 0; i < count; i++) {
      long node = values[valuesFrom + i];
      int slot = Keys.lowerBoundRagged(pages, node, capacity, keys[keysFrom + i]);
      values[valuesFrom + i] = node + ((long) Math.min(slot, capacity - 1) << 3);
    }
    int valuesOffset = leaf.valuesOffset;
    Words.prefetchGroup(tree.base + valuesOffset, values, valuesFrom, count, 1);
    long there = 0;
    for (int i = 0; i < count; i++) {
      long key = keys[keysFrom + i];
      long place = values[valuesFrom + i];
      boolean isThere = getLong(pages, place) == key;
      long value = getLong(pages, place + valuesOffset);
      values[valuesFrom + i] = isThere ? value : missingValue;
      there |= isThere ? 1L << i : 0;
    }
    return there;
  }

  /** Takes back what was found of keys that are but padding; returns the rest. */
  private long withoutPadding(
      long found, long[] keys, int keysFrom, long[] values, int valuesFrom) {
    long there = found;
    for (long rest = found; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      if (keys[keysFrom + i] == Keys.PADDING && !containsKey(Keys.PADDING)) {
        values[valuesFrom + i] = missingValue;
        there &= ~(1L << i);
      }
    }
    return there;
  }

  // ---------------------------------------------------------------- insert and split

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
    long node = pinPath(pages, key);
    Words.prefetch(tree.base + node + leaf.valuesOffset, leaf.valueLines, Locality.WRITE);
    int slot = findSlot(pages, node, key);
    if (slot >= 0) {
      long previous = leaf.value(pages, node, slot);
      if (replaces) {
        leaf.value(pages, node, slot, value);
        change.commitInPlace();
      }
      store.unpin(node, replaces);
      return previous;
    }
    int count = countOfPinned(pages, node);
    if (count < leaf.capacity) {
      leaf.insert(pages, node, -1 - slot, count, key, value);
      store.unpin(node, true);
      change.commit(1);
    } else {
      store.unpin(node, false);
      tree.splits.insert(key, value);
    }
    return missingValue;
  }

  /** As {@link #pinLeaf}, but notes the path. */
  private long pinPath(MemorySegment pages, long key) {
    int[] path = change.path;
    int[] slots = change.slots;
    int node = tree.root();
    int number = page.pageOf(node);
    long at = store.pin(number);
    for (int level = tree.height() - 1; level > 0; level--) {
      long place = at + page.offsetOf(node);
      prefetchNode(place);
      int slot = Keys.lowerBoundRagged(pages, place, keySlots, key);
      path[level] = node;
      slots[level] = slot;
      node = getInt(pages, place + childrenOffset + ((long) slot << 2));
      int next = page.pageOf(node);
      if (next != number) {
        store.unpin(at, false);
        number = next;
        at = store.pin(number);
      }
    }
    path[0] = node;
    prefetchNode(at + page.offsetOf(node));
    return at + page.offsetOf(node);
  }

  /** Reads the count of a leaf, which is unpinned if that is damaged. */
  private int countOfPinned(MemorySegment pages, long node) {
    int count = leaf.count(pages, node);
    if (count < 0 || count > leaf.capacity) {
      store.unpin(node, false);
      throw CacheFirstStructure.torn("a leaf has count " + count + " of " + leaf.capacity);
    }
    return count;
  }

  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    change.begin();
    MemorySegment pages = tree.pages;
    long node = pinPath(pages, key);
    Words.prefetch(tree.base + node + leaf.valuesOffset, leaf.valueLines, Locality.WRITE);
    int slot = findSlot(pages, node, key);
    if (slot < 0) {
      store.unpin(node, false);
      return missingValue;
    }
    long previous = leaf.value(pages, node, slot);
    int count = countOfPinned(pages, node);
    leaf.remove(pages, node, slot, count);
    store.unpin(node, true);
    tree.removed(count - 1);
    return previous;
  }

  @Override
  public void delete(long key) {
    remove(key);
  }
}
