// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntry;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.inpage.InPageInnerNode;
import dev.espalier.inpage.InPageLeaf;
import dev.espalier.inpage.InPageSearch;
import dev.espalier.inpage.InPageTrees;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.model.DiskFirstWidths;
import dev.espalier.model.MemoryTimes;
import dev.espalier.model.PageOptimizer;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.support.GroupPins;
import dev.espalier.tree.AbstractIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The disk-first fractal prefetching B+-tree, or fpB+-tree (fpB+ 3.1): a {@link
 * DiskOptimizedBPlusTree} with a small prefetching B+-tree in each page instead of one large array.
 * It has as many pages as that tree, or a few percent more. Within a page, a search takes one
 * memory latency for each of two or three small nodes, and an insert moves part of a node rather
 * than half a page.
 *
 * <p>This is the tree to use if an index may be larger than memory. With pages of 16 KiB and
 * typical memory, a page has a root of 3 lines and up to 18 leaves of 14 lines, which hold 990
 * entries or 1332 children. Operations on one key take O(log n) time; {@code getAll} overlaps the
 * latencies of 64 lookups. A full tree takes about 16.6 bytes per entry. Ascending or descending
 * keys, and streams of them side by side, leave full pages behind.
 *
 * <p>Without native access, nothing is prefetched; without the vector module, nodes are searched by
 * scalar code. Results are the same.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class DiskFirstFpbPlusTree extends AbstractIndex {
  /* Overview
   *
   * The pages' tree, its invariants I1 to I8 and deviations are those of PagedStructure; what is in a
   * page, I9 to I15, is InPageTreeFormat's. Beyond them:
   *
   *   Single lookups. In-page nodes are searched over all their key slots, whose loads wait neither
   *   for a count nor for one another: as in PbPlusTree they are the prefetch of a node's keys, and
   *   only the lines of a leaf's values are asked for before its keys are searched. Scalar kernels
   *   have fewer loads under way; for them a node is prefetched whole, as in the paper. Where a page's
   *   in-page root lies follows from the page's number, and how many levels there are from the
   *   format, so the page header is not read.
   *
   *   Batched lookups and D8 are DiskFirstLevels'.
   *
   *   Range scans (fpB+ 3.3). Leaf pages are asked for ahead as PagedCursor does, and the lines of
   *   in-page leaves by InPageTreeCursor.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "DiskFirstFpbPlusTree",
          "fpB+ 3.1, 3.3",
          DiskFirstFpbPlusTree::create,
          DiskFirstFpbPlusTree::open,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.JUMP_POINTERS,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /**
   * Whether a node is prefetched before it is searched, as in the paper. The loads of vector
   * kernels are so few that those of a whole node are under way at once without it.
   */
  private static final boolean PREFETCHES_NODES = !Keys.SIMD;

  final PagedStructure tree;
  private final InPageTreeFormat format;
  private final PageStore store;
  private final PagedChange change;
  private final DiskFirstLevels groups;

  // What hot paths need of the format.
  private final int levels;
  private final int mostLeaves;
  private final int leafWidth;
  private final int innerSlots;
  private final int innerChildrenOffset;
  private final int leafSlots;
  private final int valuesOffset;
  private final int valueLines;
  private final int lastLeafLine;
  private final int pageSlots;
  private final int pagesOffset;

  /**
   * The widths of the nodes within pages.
   *
   * @param innerWidth width of an in-page inner node, in cache lines; w in the paper
   * @param leafWidth width of an in-page leaf, in cache lines, at most that of a page without its
   *     header; x in the paper
   */
  public record Geometry(int innerWidth, int leafWidth) {
    /** What was found to be best, which takes half a millisecond: a program may make many trees. */
    private static final Map<List<Object>, Geometry> KNOWN = new ConcurrentHashMap<>();

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      InPageTrees.checkWidth("innerWidth", innerWidth);
      InPageTrees.checkWidth("leafWidth", leafWidth);
    }

    /**
     * Returns the geometry that is best for a page size, according to the cost model (fpB+ 3.1.1).
     *
     * @param pageBytes size of a page, in bytes
     */
    public static Geometry forPages(int pageBytes, MemoryTimes times) {
      MemoryPageStore.checkPageBytes(pageBytes);
      return KNOWN.computeIfAbsent(List.of(pageBytes, times), _ -> best(pageBytes, times));
    }

    private static Geometry best(int pageBytes, MemoryTimes times) {
      DiskFirstWidths widths =
          PageOptimizer.diskFirst(
              times,
              InPageTrees.linesOfNodes(pageBytes),
              InPageInnerNode::capacity,
              InPageLeaf::capacityOfValues);
      return new Geometry(widths.innerWidth(), widths.leafWidth());
    }
  }

  private DiskFirstFpbPlusTree(IndexOptions options, PageStore store, Geometry geometry) {
    InPageTreeFormat inPageTrees =
        new InPageTreeFormat(store.pageBytes(), geometry.innerWidth, geometry.leafWidth);
    PagedStructure tree = new PagedStructure(store, inPageTrees);
    super(VARIANT, tree, options);
    this.tree = tree;
    this.format = inPageTrees;
    this.store = store;
    this.change = tree.change;
    this.groups = new DiskFirstLevels(this, inPageTrees);
    probesGoThrough(groups);
    this.levels = format.levels;
    this.mostLeaves = format.mostLeaves;
    this.leafWidth = geometry.leafWidth;
    this.innerSlots = format.inner.keySlots;
    this.innerChildrenOffset = format.inner.childrenOffset;
    this.leafSlots = format.valueLeaf.keySlots;
    this.valuesOffset = format.valueLeaf.payloadsOffset;
    this.valueLines = format.valueLeaf.payloadLines;
    this.lastLeafLine = format.pageLines - geometry.leafWidth;
    this.pageSlots = format.childLeaf.keySlots;
    this.pagesOffset = format.childLeaf.payloadsOffset;
  }

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static DiskFirstFpbPlusTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(PagedStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, whatever its geometry is. If the store is empty, creates an empty
   * tree with the geometry for this machine.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree
   */
  public static DiskFirstFpbPlusTree open(IndexOptions options, PageStore store) {
    long stamp = store.meta()[PagedStructure.STAMP];
    Geometry geometry =
        InPageTreeFormat.isStamp(stamp)
            ? new Geometry(InPageTrees.innerWidth(stamp), InPageTrees.leafWidth(stamp))
            : Geometry.forPages(store.pageBytes(), MemoryTimes.ofThisMachine());
    return open(options, store, geometry);
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or one of another
   *     geometry, or if a page has no room for such nodes
   */
  public static DiskFirstFpbPlusTree open(
      IndexOptions options, PageStore store, Geometry geometry) {
    return new DiskFirstFpbPlusTree(options, store, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    MemorySegment pages = tree.pages;
    int number = findLeafPage(pages, key);
    long page = store.pin(number);
    try {
      long leaf = findLeaf(pages, page, page + rootOffset(number), key);
      prefetchValues(leaf);
      int slot = InPageSearch.values(pages, leaf, leafSlots, key);
      return holds(pages, leaf, slot, key) ? value(pages, leaf, slot) : defaultValue;
    } finally {
      store.unpin(page, false);
    }
  }

  @Override
  public boolean containsKey(long key) {
    MemorySegment pages = tree.pages;
    int number = findLeafPage(pages, key);
    long page = store.pin(number);
    try {
      long leaf = findLeaf(pages, page, page + rootOffset(number), key);
      return holds(pages, leaf, InPageSearch.values(pages, leaf, leafSlots, key), key);
    } finally {
      store.unpin(page, false);
    }
  }

  @Override
  public boolean find(long key, long[] value) {
    MemorySegment pages = tree.pages;
    int number = findLeafPage(pages, key);
    long page = store.pin(number);
    try {
      long leaf = findLeaf(pages, page, page + rootOffset(number), key);
      prefetchValues(leaf);
      int slot = InPageSearch.values(pages, leaf, leafSlots, key);
      boolean found = holds(pages, leaf, slot, key);
      value[0] = found ? value(pages, leaf, slot) : missingValue;
      return found;
    } finally {
      store.unpin(page, false);
    }
  }

  /** If the page of the key has no entry on that side, looks for one beside it. */
  @Override
  protected long nearest(long key, boolean upwards, @Nullable LongEntry entry) {
    MemorySegment pages = tree.pages;
    long from = key;
    while (true) {
      int number = findLeafPage(pages, from);
      long page = store.pin(number);
      try {
        long leaf = findLeaf(pages, page, page + rootOffset(number), from);
        prefetchValues(leaf);
        long place =
            InPageSearch.nearest(pages, page, leaf, format.valueLeaf, lastLeafLine, from, upwards);
        if (place != 0) {
          return found(getLong(pages, place), getLong(pages, place + valuesOffset), entry);
        }
      } finally {
        store.unpin(page, false);
      }
      long bound = tree.boundOfLeaf(from, upwards);
      boolean isAtEnd = upwards ? bound == Long.MAX_VALUE || bound < from : bound >= from;
      if (isAtEnd) {
        return none(entry);
      }
      from = upwards ? bound + 1 : bound;
    }
  }

  /** Returns the number of the leaf page where {@code key} is or belongs. */
  private int findLeafPage(MemorySegment pages, long key) {
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      long page = store.pin(number);
      try {
        number = findChild(pages, page, page + rootOffset(number), key);
      } finally {
        store.unpin(page, false);
      }
    }
    return number;
  }

  /** Returns where in the page of a number the in-page root lies. */
  long rootOffset(int number) {
    return (long) InPageTrees.rootLine(number, leafWidth, mostLeaves) << CacheLine.SHIFT;
  }

  /** Returns the number of an inner page's child. */
  int findChild(MemorySegment pages, long page, long root, long key) {
    long leaf = findLeaf(pages, page, root, key);
    int slot = InPageSearch.children(pages, leaf, pageSlots, key);
    return getInt(pages, leaf + pagesOffset + ((long) slot << 2));
  }

  /** Returns the in-page leaf of a page where {@code key} is or belongs. */
  private long findLeaf(MemorySegment pages, long page, long root, long key) {
    long node = root;
    for (int level = levels - 1; level > 0; level--) {
      prefetch(node, format.inner.width);
      node = page + childOffset(pages, node, key);
    }
    prefetch(node, leafWidth);
    return node;
  }

  /** Asks for all lines of a node, where its search does not ask for its key lines at once. */
  private void prefetch(long node, int lines) {
    if (PREFETCHES_NODES) {
      Words.prefetch(tree.base + node, lines, Locality.T0);
    }
  }

  /** Returns where in its page the child of an in-page inner node lies. */
  long childOffset(MemorySegment pages, long node, long key) {
    return childOffsetAt(pages, node, InPageSearch.inner(pages, node, innerSlots, key));
  }

  private long childOffsetAt(MemorySegment pages, long node, int slot) {
    int line = getUnsignedShort(pages, node + innerChildrenOffset + ((long) slot << 1));
    return (long) line << CacheLine.SHIFT;
  }

  /** Tells whether the slot found for {@code key} holds it, or is it only padding. */
  private boolean holds(MemorySegment pages, long leaf, int slot, long key) {
    return getLong(pages, leaf + ((long) slot << 3)) == key
        && (key != Keys.PADDING || slot < format.valueLeaf.count(pages, leaf));
  }

  private long value(MemorySegment pages, long leaf, int slot) {
    return getLong(pages, leaf + valuesOffset + ((long) slot << 3));
  }

  /** Asks for the lines that hold an in-page leaf's values and count. */
  private void prefetchValues(long leaf) {
    Words.prefetch(tree.base + leaf + valuesOffset, valueLines, Locality.T0);
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
    int number = findPath(pages, key);
    long page = store.pin(number);
    boolean changed = false;
    try {
      long leaf = findPathInPage(pages, page, page + rootOffset(number), key);
      prefetchValues(leaf);
      format.checkWritten(page, leaf);
      int slot = InPageSearch.values(pages, leaf, leafSlots, key);
      if (holds(pages, leaf, slot, key)) {
        long previous = value(pages, leaf, slot);
        if (replaces) {
          changed = true;
          putLong(pages, leaf + valuesOffset + ((long) slot << 3), value);
          change.commitInPlace();
        }
        return previous;
      }
      int count = format.valueLeaf.checkedCount(pages, leaf);
      int place = Math.min(slot, count);
      if (count < format.valueLeaf.capacity) {
        changed = true;
        insertAt(pages, leaf, place, count, key, value);
        int total = PageHeader.checkedCount(pages, page, format.leafCapacity);
        PageHeader.count(pages, page, total + 1);
        InPageTreeFormat.HEADER.noteInsert(pages, page, key);
      } else {
        changed = true; // even if what the page says ends it halfway
        changed = insertIntoFull(page, leaf, place, key, value);
      }
    } finally {
      store.unpin(page, changed);
    }
    tree.finishInsert(changed, key, value);
    return missingValue;
  }

  /** As InPageLeaf.insertAt, but for values only. */
  private void insertAt(MemorySegment pages, long leaf, int slot, int count, long key, long value) {
    Slots.openGap(pages, leaf, slot, count);
    Slots.openGap(pages, leaf + valuesOffset, slot, count);
    putLong(pages, leaf + ((long) slot << 3), key);
    putLong(pages, leaf + valuesOffset + ((long) slot << 3), value);
    format.valueLeaf.count(pages, leaf, count + 1);
  }

  @Override
  public void set(long key, long value) {
    put(key, value);
  }

  /** Inserts where the in-page leaf is full to which the noted way leads, if the page has room. */
  private boolean insertIntoFull(long page, long leaf, int slot, long key, long value) {
    int line = (int) (leaf - page) >> CacheLine.SHIFT;
    return format.insertIntoFull(change.scratch, tree.pages, page, line, slot, key, value);
  }

  /**
   * Rebuilds a page once for many ascending keys that belong in it. For other keys, fetches the
   * in-page leaves of a group together, and then puts one key after the other.
   */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    long[] leaves = new long[Math.min(count, Math.min(DiskFirstLevels.GROUP, store.mostPins()))];
    GroupPins pins = new GroupPins(store, leaves.length);
    tree.ascendingPuts.putAll(
        keys,
        keysFrom,
        values,
        valuesFrom,
        count,
        (groupKeys, from, groupValues, groupFrom, left) ->
            putGroup(groupKeys, from, groupValues, groupFrom, left, leaves, pins));
  }

  /** Puts the entries of the next group, whose leaves it notes, and returns how many. */
  private int putGroup(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long[] leaves,
      GroupPins pins) {
    int group = Math.min(count, leaves.length);
    Arrays.fill(leaves, 0, group, tree.root());
    try {
      groups.findLeaves(tree.pages, tree.height() - 1, keys, keysFrom, leaves, 0, group, pins);
      Words.prefetchGroup(tree.base, leaves, 0, group, format.valueLeaf.keyLines);
      Words.prefetchGroup(tree.base + valuesOffset, leaves, 0, group, valueLines);
    } finally {
      pins.unpinAll();
    }
    for (int i = 0; i < group; i++) {
      put(keys[keysFrom + i], values[valuesFrom + i]);
    }
    return group;
  }

  /** As {@link #findLeafPage}, but notes the path. */
  private int findPath(MemorySegment pages, long key) {
    int[] path = change.path;
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      path[level] = number;
      long page = store.pin(number);
      try {
        number = findChild(pages, page, page + rootOffset(number), key);
      } finally {
        store.unpin(page, false);
      }
    }
    path[0] = number;
    return number;
  }

  /** As {@link #findLeaf}, but notes the way, for a leaf that has to be split. */
  private long findPathInPage(MemorySegment pages, long page, long root, long key) {
    int[] lines = change.scratch.lines;
    int[] slots = change.scratch.slots;
    long node = root;
    for (int level = levels - 1; level > 0; level--) {
      prefetch(node, format.inner.width);
      int slot = InPageSearch.inner(pages, node, innerSlots, key);
      lines[level] = (int) (node - page) >> CacheLine.SHIFT;
      slots[level] = slot;
      node = page + childOffsetAt(pages, node, slot);
    }
    prefetch(node, leafWidth);
    return node;
  }

  // ---------------------------------------------------------------- delete

  @Override
  public long remove(long key) {
    change.begin();
    MemorySegment pages = tree.pages;
    int number = findPath(pages, key);
    long page = store.pin(number);
    boolean changed = false;
    long previous;
    int total;
    try {
      long leaf = findLeaf(pages, page, page + rootOffset(number), key);
      prefetchValues(leaf);
      int slot = InPageSearch.values(pages, leaf, leafSlots, key);
      if (!holds(pages, leaf, slot, key)) {
        return missingValue;
      }
      previous = value(pages, leaf, slot);
      format.checkWritten(page, leaf);
      int count = format.valueLeaf.checkedCount(pages, leaf);
      total = PageHeader.checkedCount(pages, page, format.leafCapacity);
      changed = true;
      format.valueLeaf.removeAt(pages, leaf, slot, count);
      PageHeader.count(pages, page, total - 1);
    } finally {
      store.unpin(page, changed);
    }
    tree.removed(key, total - 1);
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
