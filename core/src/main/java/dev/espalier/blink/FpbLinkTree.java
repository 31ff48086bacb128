// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntry;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.inpage.InPageSearch;
import dev.espalier.inpage.InPageTrees;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.model.MemoryTimes;
import dev.espalier.node.Keys;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.support.Wanted;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The disk-first fractal prefetching B+-tree for many threads: a {@link BLinkTree} with a small
 * prefetching B+-tree in each page, as a {@link dev.espalier.paged.DiskFirstFpbPlusTree} has it,
 * instead of one large array. Many threads may read and write one at once, without a lock around
 * it; what holds of a {@link BLinkTree} with many threads holds here. {@code withReadWriteLock} is
 * not needed.
 *
 * <p>Within a page, a search takes one memory latency for each of two or three small nodes, and an
 * insert moves part of a node rather than half a page; {@code getAll} overlaps the latencies of 64
 * lookups. With pages of 16 KiB and typical memory, a page holds 990 entries or 1332 children.
 * Ascending or descending keys, and streams of them side by side, leave full pages; pages that are
 * split in the middle are half full. A page leaves the tree when it has become empty; pages that
 * are not empty are never merged. Where inserts come to few places of a page, its entries are moved
 * together to make room for them, at most once for as many inserts as fill a quarter of a node.
 *
 * <p>Without native access, nothing is prefetched; without the vector module, nodes are searched by
 * scalar code. Results are the same.
 *
 * <p>After S. Chen, P. B. Gibbons, T. C. Mowry and G. Valentin, Fractal Prefetching B+-Trees,
 * SIGMOD 2002, and P. L. Lehman and S. B. Yao, Efficient Locking for Concurrent Operations on
 * B-Trees, ACM TODS 6(4), 1981.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class FpbLinkTree extends LinkedIndex {
  /* Overview
   *
   * Structure, invariants I1 to I8 and deviations are those of BLinkStructure, what is in a page is
   * LinkedInPageFormat's. Here are the searches of one key.
   *
   *   Single lookups. Where a page's in-page root lies follows from the page's number, so that its
   *   lines and the page's header are fetched together. What was read counts once the version of the
   *   page has been looked at again.
   *
   *   Batched lookups are FpbLinkBatch's.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "FpbLinkTree",
          "fpB+ 3.1",
          FpbLinkTree::create,
          FpbLinkTree::open,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.UPDATE_IN_PLACE);

  /** What {@link #nearestToTheLeft} says if a cursor has to find the way. */
  private static final int HAS_CHANGED = -1;

  private final LinkedInPageFormat format;
  private final PageStore store;
  private final Latches latches;
  private final Epochs epochs;

  // What hot paths need of the format.
  final int levels;
  private final int mostLeaves;
  private final int leafWidth;
  private final int innerSlots;
  private final int innerChildrenOffset;
  private final int lastInnerLine;
  private final int lastLeafLine;
  private final int leafSlots;
  private final int valuesOffset;
  private final int valueLines;
  private final int pageSlots;
  private final int pagesOffset;

  private FpbLinkTree(IndexOptions options, PageStore store, Geometry geometry) {
    LinkedInPageFormat format =
        new LinkedInPageFormat(store.pageBytes(), geometry.innerWidth(), geometry.leafWidth());
    BLinkStructure tree = new BLinkStructure(store, format);
    super(VARIANT, tree, options);
    this.format = format;
    this.store = store;
    this.latches = tree.latches;
    this.epochs = tree.epochs;
    probesGoThrough(new FpbLinkBatch(this, format));
    this.levels = format.trees.levels;
    this.mostLeaves = format.trees.mostLeaves;
    this.leafWidth = geometry.leafWidth();
    this.innerSlots = format.inner.keySlots;
    this.innerChildrenOffset = format.inner.childrenOffset;
    this.lastInnerLine = format.lastInnerLine;
    this.lastLeafLine = format.lastLeafLine;
    this.leafSlots = format.valueLeaf.keySlots;
    this.valuesOffset = format.valueLeaf.payloadsOffset;
    this.valueLines = format.valueLeaf.payloadLines;
    this.pageSlots = format.childLeaf.keySlots;
    this.pagesOffset = format.childLeaf.payloadsOffset;
  }

  /** Creates an empty tree with pages of 16 KiB in memory. */
  public static FpbLinkTree create(IndexOptions options) {
    return open(options, options.pagesBesideReaders(BLinkStructure.DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the tree in a store, whatever its geometry is. If the store is empty, creates an empty
   * tree with the geometry for this machine.
   *
   * @param options the options; memory limit and huge pages are those of the store
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree
   */
  public static FpbLinkTree open(IndexOptions options, PageStore store) {
    long stamp = store.meta()[BLinkStructure.STAMP];
    Geometry geometry =
        LinkedInPageFormat.isStamp(stamp)
            ? new Geometry(InPageTrees.innerWidth(stamp), InPageTrees.leafWidth(stamp))
            : Geometry.forPages(store.pageBytes(), MemoryTimes.ofThisMachine());
    return open(options, store, geometry);
  }

  /**
   * Opens the tree in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; memory limit and huge pages are those of the store
   * @param store the store, owned by the tree from now on: closing the tree closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or one of another
   *     geometry, or if a page has no room for such nodes
   */
  public static FpbLinkTree open(IndexOptions options, PageStore store, Geometry geometry) {
    return new FpbLinkTree(options, store, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return look(key, defaultValue, null);
  }

  @Override
  public boolean containsKey(long key) {
    return look(key, 0, Wanted.PRESENCE) != 0;
  }

  @Override
  public boolean find(long key, long[] value) {
    Objects.checkIndex(0, value.length);
    return look(key, 0, value) != 0;
  }

  /**
   * Returns the value of a key, or the default value.
   *
   * @param wanted what is {@linkplain Wanted asked for}
   */
  private long look(long key, long defaultValue, long @Nullable [] wanted) {
    int operation = epochs.enter();
    try {
      int page = tree.rootPage();
      long look = store.look(page);
      int looks = 0;
      for (int hops = 0; ; hops++) {
        long at = tree.begin(page, look);
        MemorySegment pages = tree.pages;
        long value = defaultValue;
        boolean isThere = false;
        long version;
        int next;
        do {
          version = latches.version(page);
          if (LinkedPage.hasLeft(pages, at)) {
            next = LinkedPage.GONE;
          } else if (key > LinkedPage.high(pages, at)) {
            next = LinkedPage.right(pages, at);
          } else {
            long leaf = findLeaf(pages, at, at + rootOffset(page), key);
            if (LinkedPage.level(pages, at) != 0) {
              next = child(pages, leaf, key);
            } else {
              prefetchValues(leaf);
              int found = InPageSearch.values(pages, leaf, leafSlots, key);
              int slot = Math.min(found, leafSlots - 1); // In a torn page, all keys may be less.
              isThere = holds(pages, leaf, slot, key);
              value = isThere ? value(pages, leaf, slot) : defaultValue;
              next = LinkedPage.HERE;
            }
          }
        } while (!latches.isStill(page, version));
        if (!tree.end(look, at)) {
          look = BLinkStructure.PINNED;
          continue;
        }
        looks += look < 0 ? 0 : 1;
        if (next == LinkedPage.HERE) {
          store.noteLooks(looks);
          return isThere ? Wanted.answer(value, wanted) : value;
        }
        page = next == LinkedPage.GONE ? tree.rootPage() : next;
        BLinkStructure.checkHops(hops, page);
        look = store.look(page);
      }
    } finally {
      epochs.exit(operation);
    }
  }

  // ---------------------------------------------------------------- neighbours

  /**
   * As {@link #look}. If the page of the key has no entry on that side, goes on to the right or the
   * left; a cursor finds the way to the left where pages change meanwhile.
   */
  @Override
  protected long nearest(long key, boolean upwards, @Nullable LongEntry entry) {
    int operation = epochs.enter();
    try {
      int page = tree.rootPage();
      long look = store.look(page);
      int looks = 0;
      long from = key;
      for (int hops = 0; ; hops++) {
        long at = tree.begin(page, look);
        MemorySegment pages = tree.pages;
        boolean isLeaf;
        long nearest = 0;
        long value = 0;
        long place;
        long high;
        long version;
        int next;
        do {
          version = latches.version(page);
          isLeaf = false;
          place = 0;
          high = LinkedPage.high(pages, at);
          if (LinkedPage.hasLeft(pages, at)) {
            next = LinkedPage.GONE;
          } else if (from > high) {
            next = LinkedPage.right(pages, at);
          } else {
            long leaf = findLeaf(pages, at, at + rootOffset(page), from);
            isLeaf = LinkedPage.level(pages, at) == 0;
            if (isLeaf) {
              prefetchValues(leaf);
              place =
                  InPageSearch.nearest(
                      pages, at, leaf, format.valueLeaf, lastLeafLine, from, upwards);
              nearest = place == 0 ? 0 : getLong(pages, place);
              value = place == 0 ? 0 : getLong(pages, place + valuesOffset);
              next = upwards ? LinkedPage.right(pages, at) : LinkedPage.left(pages, at);
            } else {
              next = child(pages, leaf, from);
            }
          }
        } while (!latches.isStill(page, version));
        if (!tree.end(look, at)) {
          look = BLinkStructure.PINNED;
          continue;
        }
        looks += look < 0 ? 0 : 1;
        if (isLeaf) {
          if (place != 0) {
            store.noteLooks(looks);
            return found(nearest, value, entry);
          }
          if (next == 0) {
            return none(entry);
          }
          if (!upwards) {
            LongEntry into = entry == null ? new LongEntry() : entry;
            int answer = nearestToTheLeft(page, version, next, from, into);
            if (answer == HAS_CHANGED) {
              break;
            }
            return answer == 0 ? none(entry) : found(into.key(), into.value(), entry);
          }
          from = high + 1;
        }
        page = next == LinkedPage.GONE ? tree.rootPage() : next;
        BLinkStructure.checkHops(hops, page);
        look = store.look(page);
      }
    } finally {
      epochs.exit(operation);
    }
    return super.nearest(key, false, entry);
  }

  /**
   * Finds the last entry in the leaf pages to the left of one that has none up to a key; within an
   * operation.
   *
   * @param page where the way begins, with the version that it had
   * @param left its left neighbour then, or one of which that was split
   * @return 1 if there is one, 0 if not, or {@link #HAS_CHANGED}
   */
  private int nearestToTheLeft(int page, long version, int left, long key, LongEntry entry) {
    int origin = page;
    long originVersion = version;
    int number = left;
    for (int hops = 0; ; hops++) {
      BLinkStructure.checkHops(hops, number);
      long at = store.pin(number);
      long seen;
      boolean hasLeft;
      long high;
      int right;
      int further;
      long place;
      try {
        MemorySegment pages = tree.pages;
        do {
          seen = latches.version(number);
          hasLeft = LinkedPage.hasLeft(pages, at);
          high = LinkedPage.high(pages, at);
          right = LinkedPage.right(pages, at);
          further = LinkedPage.left(pages, at);
          long bound = Math.min(key, high);
          long leaf = findLeaf(pages, at, at + rootOffset(number), bound);
          place =
              InPageSearch.nearest(pages, at, leaf, format.valueLeaf, lastLeafLine, bound, false);
          if (place != 0) {
            entry.set(getLong(pages, place), getLong(pages, place + valuesOffset));
          }
        } while (!latches.isStill(number, seen));
      } finally {
        store.unpin(at, false);
      }
      if (hasLeft || key <= high || !latches.isStill(origin, originVersion)) {
        return HAS_CHANGED;
      }
      if (right != origin) {
        number = right; // The link to the left lags behind a split.
      } else if (place != 0 || further == 0) {
        return place != 0 ? 1 : 0;
      } else {
        origin = number;
        originVersion = seen;
        number = further;
      }
    }
  }

  /** Returns where in the page of a number the in-page root lies. */
  long rootOffset(int number) {
    return (long) InPageTrees.rootLine(number, leafWidth, mostLeaves) << CacheLine.SHIFT;
  }

  /** Returns the in-page leaf of a page where a key is or belongs, or any in a torn page. */
  long findLeaf(MemorySegment pages, long page, long root, long key) {
    long node = root;
    for (int level = levels - 1; level > 0; level--) {
      node = page + childOffset(pages, node, key, level);
    }
    return node;
  }

  /** Returns where in its page the child of an in-page inner node of a level lies. */
  long childOffset(MemorySegment pages, long node, long key, int level) {
    int slot = InPageSearch.inner(pages, node, innerSlots, key);
    int line = getUnsignedShort(pages, node + innerChildrenOffset + ((long) slot << 1));
    return (long) Math.min(line, level > 1 ? lastInnerLine : lastLeafLine) << CacheLine.SHIFT;
  }

  /** Returns the number of an inner page's child, by an in-page leaf. */
  int child(MemorySegment pages, long leaf, long key) {
    int slot = Math.min(InPageSearch.children(pages, leaf, pageSlots, key), pageSlots - 1);
    return getInt(pages, leaf + pagesOffset + ((long) slot << 2));
  }

  /** Tells whether the slot found for a key holds it, or is it only padding. */
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
}
