// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.node.Bits;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.BatchArguments;
import dev.espalier.tree.AbstractIndex;
import dev.espalier.tree.OneStoreLevel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The cache-oblivious lookahead array, or COLA: sorted levels, each {@code growth} times as large
 * as the one before. New entries are collected in the smallest and merged from level to level in
 * sequential passes, so an insert writes only a small part of a page. A search looks into every
 * level, but thanks to lookahead pointers only at a few dozen keys of each.
 *
 * <p>Use it for data that is written more often than it is read. {@link #set} and {@link #delete}
 * do not look for the previous value, and take O((log n) / B) page writes amortized for pages of B
 * entries, where a B-tree needs one once the data outgrows memory; occasionally a call merges
 * everything, in O(n) time. {@link #put}, {@link #putIfAbsent} and {@link #remove} search first.
 * Lookups take O(log n) time. While they run, merges need up to twice the memory.
 *
 * <p>{@link #size} takes O(1) time until {@link #set} or {@link #delete} is called; the next call
 * then counts all entries, in O(n) time. {@link #sizeEstimate} is always fast, but counts an entry
 * that was written twice as two. Cursors merge the levels as they go, and skip what others have
 * found to be removed. {@link #bulkload} checks its fill factor, but always fills levels
 * completely.
 *
 * <p>{@code remove} and {@code delete} may throw {@link dev.espalier.memory.MemoryLimitException}
 * as {@code put} does, because what they write has to be merged too.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class Cola extends AbstractIndex {
  /* Overview
   *
   * Levels, invariants and deviations are those of ColaStructure. Search: in level 0 all keys; from
   * then on in each level the window that the pointers of the level before leave, which is in one
   * page or two. The newest message decides, so the search ends at the first.
   *
   *   Batched lookups. A group of probes goes through the levels together: for each level first the
   *   windows of all are fetched by one call, then searched. Which probes are still open is a bit set.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "Cola",
          "streaming 3",
          Cola::create,
          Cola::open,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.BLIND_WRITES);

  /** Bytes of a page in memory. */
  private static final int DEFAULT_PAGE_BYTES = 8 << 10;

  /** Under a limit below this, all is smaller: a level takes a page, and so does its successor. */
  private static final long SMALL_LIMIT = 1 << 20;

  private static final int SMALL_PAGE_BYTES = 4 << 10;
  private static final Geometry SMALL = new Geometry(4, 0.1, 128);

  /** Probes that go through the levels together: the bits of a long. */
  private static final int GROUP = 64;

  /** Levels up to this size are not prefetched: they stay in a second-level cache. */
  private static final long CACHED_BYTES = 1 << 19;

  /** Lines in which a page has its number and most of its bits. */
  private static final int HEADER_LINES = 2;

  private static final long[] NONE = {};

  /** The place of a message that is not there. */
  private static final long NOWHERE = -1;

  final ColaStructure tree;
  private final PageStore store;
  private final ElementPage layout;

  /** Takes the place of a message to that of its page. */
  private final long pageMask;

  /** Cache lines that a window's keys are in, at most. */
  private final int windowLines;

  /**
   * The proportions.
   *
   * @param growth how many times larger a level is than the one before, from 2 to {@link
   *     #MOST_GROWTH}: the smaller, the fewer writes; the larger, the fewer levels to search
   * @param pointerDensity lookahead pointers to a level per message that fits into the level above,
   *     from 0.01 to 1
   * @param batch number of messages collected before the first merge; limited to those that fit
   *     into a page
   */
  public record Geometry(int growth, double pointerDensity, int batch) {
    /**
     * Growth 4 and pointer density 0.1, as in the experiments of the paper, and batches of up to
     * 512 messages.
     */
    public static final Geometry DEFAULT = new Geometry(4, 0.1, 512);

    /** The largest growth. */
    public static final int MOST_GROWTH = 64;

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      if (growth < 2 || growth > MOST_GROWTH) {
        throw new IllegalArgumentException(
            "growth is " + growth + "; it must be from 2 to " + MOST_GROWTH);
      }
      if (!(pointerDensity >= 0.01 && pointerDensity <= 1)) {
        throw new IllegalArgumentException(
            "pointerDensity is " + pointerDensity + "; it must be from 0.01 to 1");
      }
      if (batch < 1) {
        throw new IllegalArgumentException("batch is " + batch + "; it must be positive");
      }
    }

    /**
     * Returns how many elements of a level have one pointer: (1 + p) g / p, as the level's own
     * pointers count too.
     */
    int stride() {
      return (int) Math.ceil((1 + pointerDensity) * growth / pointerDensity);
    }

    /** Returns proportions with a stride, of which there are many that make the same tree. */
    static Geometry ofStride(int stride, int growth, int batch) {
      double density =
          growth / (stride - growth - 0.5); // Clear of the ends, where ceil would jump.
      return new Geometry(growth, Math.min(density, 1), batch);
    }
  }

  private Cola(IndexOptions options, PageStore store, Geometry geometry) {
    ColaStructure structure = new ColaStructure(store, geometry);
    super(VARIANT, structure, options);
    this.tree = structure;
    this.store = store;
    this.layout = tree.layout;
    this.pageMask = -store.pageBytes();
    this.windowLines = tree.stride / CacheLine.LONGS + 2;
    probesGoThrough(new Levels());
  }

  /**
   * Creates an empty index in memory with default options, as {@link #create(IndexOptions)} does.
   */
  public static Cola create() {
    return create(IndexOptions.DEFAULT);
  }

  /**
   * Creates an empty index in memory, with the default geometry and pages of 8 KiB. If the memory
   * limit is below 1 MiB, pages and levels are smaller.
   */
  public static Cola create(IndexOptions options) {
    return options.memoryLimit() < SMALL_LIMIT
        ? open(options, options.pagesInMemory(SMALL_PAGE_BYTES), SMALL)
        : open(options, options.pagesInMemory(DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the index in a store, whatever its geometry is, or creates an empty one if the store is
   * empty, with the default geometry.
   */
  public static Cola open(IndexOptions options, PageStore store) {
    return open(options, store, ColaStructure.geometryIn(store));
  }

  /**
   * Opens the index in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the index from now on: closing the index closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or a COLA of another
   *     geometry
   */
  public static Cola open(IndexOptions options, PageStore store, Geometry geometry) {
    return new Cola(options, store, geometry);
  }

  // ---------------------------------------------------------------- search

  @Override
  public long get(long key) {
    return getOrDefault(key, missingValue);
  }

  @Override
  public long getOrDefault(long key, long defaultValue) {
    return take(find(key), defaultValue);
  }

  @Override
  public boolean containsKey(long key) {
    long place = find(key);
    boolean isThere = isPut(place);
    take(place, missingValue);
    return isThere;
  }

  @Override
  public boolean find(long key, long[] value) {
    long place = find(key);
    boolean isThere = isPut(place);
    value[0] = take(place, missingValue);
    return isThere;
  }

  /**
   * Finds the newest message of a key.
   *
   * @return its place, which is the place of its page plus its slot, with the page pinned; or
   *     {@link #NOWHERE}
   */
  private long find(long key) {
    MemorySegment pages = tree.pages;
    long page = store.pin((int) tree.meta[MessageLevels.TOP]);
    int slot = -1;
    try {
      slot = tree.findInTop(pages, page, key);
    } finally {
      if (slot < 0) {
        store.unpin(page, false);
      }
    }
    if (slot >= 0) {
      return page + slot;
    }
    return tree.depth == 0 ? NOWHERE : findInLevels(key);
  }

  private long findInLevels(long key) {
    long pointers = 0;
    for (int k = 1; k <= tree.depth; k++) {
      Level level = tree.levels[k];
      long found = search(k, level, pointers, key);
      if (found < 0) {
        return pin(level, ~found);
      }
      pointers = found;
    }
    return NOWHERE;
  }

  /** Returns the place of a position in a level, with its page pinned. */
  private long pin(Level level, long position) {
    long number = layout.pageOf(position);
    return store.pin(level.firstPage() + (int) number) + position - number * layout.capacity;
  }

  /** Tells whether the message at a place that {@link #find} gave is a put. */
  private boolean isPut(long place) {
    long page = place & pageMask;
    return place != NOWHERE && ElementPage.isPut(tree.pages, page, (int) (place - page));
  }

  /**
   * Returns the value at a place that {@link #find} returned, or the value that stands for no
   * entry, and unpins the page.
   */
  private long take(long place, long absent) {
    if (place == NOWHERE) {
      return absent;
    }
    MemorySegment pages = tree.pages;
    long page = place & pageMask;
    int slot = (int) (place - page);
    long value = ElementPage.isPut(pages, page, slot) ? layout.value(pages, page, slot) : absent;
    store.unpin(page, false);
    return value;
  }

  /**
   * Searches a level for a message, given how many pointers the level before has to smaller keys.
   *
   * @return how many pointers this level has to smaller keys, or if there is a message of the key,
   *     -1 - its position
   */
  private long search(int k, Level level, long pointers, long key) {
    MemorySegment pages = tree.pages;
    long low = k == 1 ? 0 : tree.windowStart(pointers);
    long high = k == 1 ? level.elements() : tree.windowEnd(level, pointers);
    long number = tree.pageOf(level, low, high, key);
    long start = number * layout.capacity;
    int from = (int) Math.max(low - start, 0);
    int to = (int) Math.min(high - start, layout.capacity);
    long page = store.pin(level.firstPage() + (int) number);
    try {
      long keys = page + layout.keysOffset;
      int slot = from + Keys.lowerBoundBinary(pages, keys + ((long) from << 3), to - from, key);
      if (slot < to
          && Words.getLong(pages, keys + ((long) slot << 3)) == key
          && layout.isMessage(pages, page, slot)) {
        return ~(start + slot);
      }
      return k == tree.depth ? 0 : layout.pointersBefore(pages, page, slot);
    } finally {
      store.unpin(page, false);
    }
  }

  /**
   * The index as one level: a probe may be answered in any level, so none can wait between two of
   * them.
   */
  private final class Levels extends OneStoreLevel {
    Levels() {
      super(Cola.this.tree);
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
      int most = Math.min(GROUP, store.mostPins() - 1); // One is pinned for the search itself.
      long[] pinned = store.pagesStay() ? NONE : new long[most];
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

  /**
   * Looks up at most {@link #GROUP} keys together. Until the answers are known, {@code values}
   * holds for each probe how many pointers are to smaller keys.
   *
   * @param pinned room for as many pins, if pages don't stay where they are
   */
  private void answerGroup(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long[] pinned,
      long @Nullable [] found,
      int foundFrom) {
    long open = searchTop(keys, keysFrom, values, valuesFrom, count, found, foundFrom);
    long there = 0;
    for (int k = 1; k <= tree.depth && open != 0; k++) {
      Level level = tree.levels[k];
      int pins = k == 1 ? 0 : fetch(level, values, valuesFrom, open, pinned);
      try {
        for (long left = open; left != 0; left &= left - 1) {
          int i = Long.numberOfTrailingZeros(left);
          long result = search(k, level, values[valuesFrom + i], keys[keysFrom + i]);
          if (result < 0) {
            long place = pin(level, ~result);
            there |= isPut(place) ? 1L << i : 0;
            values[valuesFrom + i] = take(place, missingValue);
            open &= ~(1L << i);
          } else {
            values[valuesFrom + i] = result;
          }
        }
      } finally {
        for (int i = 0; i < pins; i++) {
          store.unpin(pinned[i], false);
        }
      }
    }
    for (long left = open; left != 0; left &= left - 1) {
      values[valuesFrom + Long.numberOfTrailingZeros(left)] = missingValue;
    }
    Bits.addGroup(found, foundFrom, there);
  }

  /** Answers what level 0 can answer, and returns the others as a bit set. */
  private long searchTop(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      long @Nullable [] found,
      int foundFrom) {
    MemorySegment pages = tree.pages;
    long open = 0;
    long there = 0;
    long page = store.pin((int) tree.meta[MessageLevels.TOP]);
    try {
      for (int i = 0; i < count; i++) {
        int slot = tree.findInTop(pages, page, keys[keysFrom + i]);
        if (slot < 0) {
          open |= 1L << i;
          values[valuesFrom + i] = 0;
        } else {
          boolean isPut = ElementPage.isPut(pages, page, slot);
          values[valuesFrom + i] = isPut ? layout.value(pages, page, slot) : missingValue;
          there |= isPut ? 1L << i : 0;
        }
      }
    } finally {
      store.unpin(page, false);
    }
    Bits.addGroup(found, foundFrom, there);
    return open;
  }

  /**
   * Fetches where the windows of a group begin: into the cache, or where pages have to be pinned,
   * into memory. Returns how many pages are pinned now.
   */
  private int fetch(Level level, long[] values, int valuesFrom, long open, long[] pinned) {
    boolean pins = pinned.length > 0;
    if (!pins && (long) level.pages() * layout.bytes <= CACHED_BYTES) {
      return 0;
    }
    int count = 0;
    for (long left = open; left != 0; left &= left - 1) {
      long pointers = values[valuesFrom + Long.numberOfTrailingZeros(left)];
      long low = tree.windowStart(pointers);
      long number = layout.pageOf(Math.min(low, level.elements() - 1));
      int page = level.firstPage() + (int) number;
      if (pins) {
        pinned[count++] = page;
      } else {
        long address = tree.pages.address() + store.pin(page);
        long slot = low - number * layout.capacity;
        Words.prefetch(address, HEADER_LINES, Locality.T0);
        Words.prefetch(address + layout.keysOffset + (slot << 3), windowLines, Locality.T0);
      }
    }
    if (pins) {
      store.pinAll(pinned, 0, count);
    }
    return count;
  }

  // ---------------------------------------------------------------- write

  @Override
  public long put(long key, long value) {
    long place = find(key);
    boolean isThere = isPut(place);
    long previous = take(place, missingValue);
    tree.put(key, value, !isThere);
    return previous;
  }

  @Override
  public long putIfAbsent(long key, long value) {
    long place = find(key);
    boolean isThere = isPut(place);
    long previous = take(place, missingValue);
    if (isThere) {
      tree.change.begin();
    } else {
      tree.put(key, value, true);
    }
    return previous;
  }

  @Override
  public void set(long key, long value) {
    tree.writeBlind(key, value, true);
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
    long place = find(key);
    boolean isThere = isPut(place);
    long previous = take(place, missingValue);
    if (isThere) {
      tree.remove(key);
    } else {
      tree.change.begin();
    }
    return previous;
  }

  @Override
  public void delete(long key) {
    tree.writeBlind(key, 0, false);
  }

  /**
   * Removes the entries of a range: fewer than 64 by a message each. More are removed in all levels
   * where they are, in O(1) time for each of their messages and O(log^2 n) for the ends of the
   * range, which takes no memory. If more than half of what the levels hold is removed entries
   * then, and the others are at most 16 times those that the call has removed, everything is
   * merged, if there is room.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
