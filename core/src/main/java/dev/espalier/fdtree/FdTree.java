// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Bits;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import dev.espalier.tree.OneStoreLevel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The FD-tree: a small tree at the head, which takes all changes, above sorted runs, each {@code
 * ratio} times as large as the one before. A full head is merged into the runs in sequential
 * passes. Fences, which are keys that a run takes from the next one, lead a search to one page of
 * each run.
 *
 * <p>It is made for flash that writes at random far more slowly than in sequence. Its merges pay
 * off where most operations are {@link #set} and {@link #delete} and the data outgrows memory:
 * these operations take O(ratio / B) page writes for each run, with B entries in a page. A lookup
 * reads a page of each run; where lookups dominate, or the device writes at random as fast as in
 * sequence, a B+-tree is the better choice. {@link dev.espalier.cola.Cola} is the closest relative,
 * and has batches of one page instead of a head tree.
 *
 * <p>Occasionally a call merges everything, in O(n) time. While they run, merges need up to twice
 * the memory. {@link #size} takes O(1) time until {@link #set} or {@link #delete} is called; the
 * next call then counts all entries, in O(n) time. {@link #bulkload} checks its fill factor, but
 * always fills pages completely. {@code remove} and {@code delete} may throw {@link
 * dev.espalier.memory.MemoryLimitException} as {@code put} does.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class FdTree extends AbstractIndex {
  /* Overview
   *
   * Runs, invariants and deviations are those of FdStructure. Search: the leaf of the head tree,
   * then in each run the page that the last fence up to the key leads to. The newest message
   * decides, so the search ends at the first. A group of probes goes through the runs together: the
   * pages of all in one run are read by one wave.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "FdTree",
          "PIO 4.1.4",
          FdTree::create,
          FdTree::open,
          Capability.LEAF_RUNS,
          Capability.BLIND_WRITES);

  /** Bytes of a page in memory. */
  private static final int DEFAULT_PAGE_BYTES = 4 << 10;

  /** Probes that go through the runs together: the bits of a long. */
  private static final int GROUP = 64;

  private static final int NONE = -1;

  final FdStructure tree;
  private final PageStore store;
  private final RunPage layout;

  /** Whether the last look before a write came upon an entry; for the one thread that writes. */
  private boolean wasThere;

  /**
   * The proportions.
   *
   * @param ratio how many times larger a run is than the one before, from 2 to {@link #MOST_RATIO}:
   *     the smaller, the fewer writes; the larger, the fewer runs to search. Limited to a quarter
   *     of a page's elements, so that fences do not fill the head tree
   * @param headPages pages of messages that the head tree collects; limited to what a page can list
   */
  public record Geometry(int ratio, int headPages) {
    /** The largest ratio. */
    public static final int MOST_RATIO = 256;

    /** Ratio 16, and a head tree of up to 128 pages. */
    public static final Geometry DEFAULT = new Geometry(16, 128);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      if (ratio < 2 || ratio > MOST_RATIO) {
        throw new IllegalArgumentException(
            "ratio is " + ratio + "; it must be from 2 to " + MOST_RATIO);
      }
      if (headPages < 1) {
        throw new IllegalArgumentException("headPages is " + headPages + "; it must be positive");
      }
    }
  }

  private FdTree(IndexOptions options, PageStore store, Geometry geometry) {
    FdStructure structure = new FdStructure(store, geometry);
    super(VARIANT, structure, options);
    this.tree = structure;
    this.store = store;
    this.layout = tree.layout;
    probesGoThrough(new Runs());
  }

  /** Creates an empty index in memory, with the default geometry and pages of 4 KiB. */
  public static FdTree create(IndexOptions options) {
    return open(options, options.pagesInMemory(DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the index in a store, whatever its geometry is, or creates an empty one if the store is
   * empty, with the default geometry.
   */
  public static FdTree open(IndexOptions options, PageStore store) {
    return open(options, store, FdStructure.geometryIn(store));
  }

  /**
   * Opens the index in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the index from now on: closing the index closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or an FD-tree of
   *     another geometry, or has pages of less than 1 KiB
   */
  public static FdTree open(IndexOptions options, PageStore store, Geometry geometry) {
    return new FdTree(options, store, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    long page = find(key);
    if (page == NONE) {
      return defaultValue;
    }
    MemorySegment pages = tree.pages;
    int slot = layout.upperBound(pages, page, key) - 1;
    boolean isPut = layout.type(pages, page, slot) == RunPage.PUT;
    long value = isPut ? layout.value(pages, page, slot) : defaultValue;
    store.unpin(page, false);
    return value;
  }

  @Override
  public boolean containsKey(long key) {
    long page = find(key);
    if (page == NONE) {
      return false;
    }
    MemorySegment pages = tree.pages;
    int slot = layout.upperBound(pages, page, key) - 1;
    boolean isPut = layout.type(pages, page, slot) == RunPage.PUT;
    store.unpin(page, false);
    return isPut;
  }

  @Override
  public boolean find(long key, long[] value) {
    long page = find(key);
    if (page == NONE) {
      return false;
    }
    MemorySegment pages = tree.pages;
    int slot = layout.upperBound(pages, page, key) - 1;
    boolean isPut = layout.type(pages, page, slot) == RunPage.PUT;
    long there = isPut ? layout.value(pages, page, slot) : missingValue;
    store.unpin(page, false);
    value[0] = there;
    return isPut;
  }

  /** Finds the page with the newest message of a key, and pins it; or {@link #NONE}. */
  private long find(long key) {
    int number = tree.head.leafOf(key);
    for (int k = 0; ; k++) {
      long page = store.pin(number);
      MemorySegment pages = tree.pages;
      int bound = layout.upperBound(pages, page, key);
      if (layout.find(pages, page, bound, key) >= 0) {
        return page;
      }
      int next = k < tree.depth ? layout.fence(pages, page, bound) : 0;
      store.unpin(page, false);
      if (k >= tree.depth) {
        return NONE;
      }
      number = tree.runs[k + 1].firstPage() + next;
    }
  }

  /** The index as one level: a probe may be answered in any run, so none can wait between them. */
  private final class Runs extends OneStoreLevel {
    Runs() {
      super(FdTree.this.tree);
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
      long[] pinned = new long[most];
      for (int done = 0; done < count; done += most) {
        int group = Math.min(most, count - done);
        answerGroup(
            keys,
            keysFrom + done,
            values,
            valuesFrom + done,
            group,
            pinned,
            found,
            foundFrom + done);
      }
    }
  }

  /** Looks up at most {@link #GROUP} keys together. */
  private void answerGroup(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long[] pinned,
      long @Nullable [] found,
      int foundFrom) {
    for (int i = 0; i < count; i++) {
      pinned[i] = tree.head.leafOf(keys[keysFrom + i]);
    }
    long open = -1L >>> (GROUP - count);
    long there = 0;
    for (int k = 0; open != 0; k++) {
      int pins = Long.bitCount(open);
      store.pinAll(pinned, 0, pins);
      MemorySegment pages = tree.pages;
      boolean isLast = k >= tree.depth;
      int first = isLast ? 0 : tree.runs[k + 1].firstPage();
      int pin = 0; // Pages before it are released, and their places taken by those to be pinned.
      int next = 0;
      try {
        for (long left = open; left != 0; left &= left - 1) {
          int i = Long.numberOfTrailingZeros(left);
          long page = pinned[pin];
          int bound = layout.upperBound(pages, page, keys[keysFrom + i]);
          int slot = layout.find(pages, page, bound, keys[keysFrom + i]);
          boolean isPut = slot >= 0 && layout.type(pages, page, slot) == RunPage.PUT;
          if (slot >= 0 || isLast) {
            values[valuesFrom + i] = isPut ? layout.value(pages, page, slot) : missingValue;
            there |= isPut ? 1L << i : 0;
            open &= ~(1L << i);
          } else {
            pinned[next++] = (long) first + layout.fence(pages, page, bound);
          }
          pin++;
          store.unpin(page, false);
        }
      } finally {
        for (; pin < pins; pin++) {
          store.unpin(pinned[pin], false);
        }
      }
    }
    Bits.addGroup(found, foundFrom, there);
  }

  // ---------------------------------------------------------------- write

  /** Looks a key up before a write, and notes whether it is there. */
  private long look(long key) {
    wasThere = false;
    long page = find(key);
    if (page == NONE) {
      return missingValue;
    }
    MemorySegment pages = tree.pages;
    int slot = layout.upperBound(pages, page, key) - 1;
    wasThere = layout.type(pages, page, slot) == RunPage.PUT;
    long value = wasThere ? layout.value(pages, page, slot) : missingValue;
    store.unpin(page, false);
    return value;
  }

  @Override
  public long put(long key, long value) {
    long previous = look(key);
    tree.put(key, value, !wasThere);
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    tree.change.begin();
    long previous = look(key);
    if (!wasThere) {
      tree.put(key, value, true);
    }
    return previous;
  }

  @Override
  public void set(long key, long value) {
    tree.writeBlind(key, value, RunPage.PUT);
  }

  /** Stores all entries as {@link #set} does. */
  @Override
  public void putAll(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    BatchArguments.check(keys, keysFrom, values, valuesFrom, count);
    tree.checkOpen();
    for (int i = 0; i < count; i++) {
      set(keys[keysFrom + i], values[valuesFrom + i]);
    }
  }

  @Override
  public long remove(long key) {
    tree.change.begin();
    long previous = look(key);
    if (wasThere) {
      tree.remove(key);
    }
    return previous;
  }

  @Override
  public void delete(long key) {
    tree.writeBlind(key, 0, RunPage.TOMBSTONE);
  }

  /**
   * Removes the entries of a range: fewer than 64 by a message each. More are removed in the head
   * tree and the runs where they are, in O(1) time for each of their messages and O(log n) for the
   * ends of the range, which takes no memory. If three quarters of what the runs hold is removed
   * entries then, and the others are at most 16 times those that the call has removed, everything
   * is merged, if there is room.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
