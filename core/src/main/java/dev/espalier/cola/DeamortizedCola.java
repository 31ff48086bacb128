// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.IndexOptions;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
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
 * The deamortized COLA: sorted arrays, at most two of each size, merged a few elements at a time.
 * Unlike in a {@link Cola}, no insert has to wait for the merge of a whole level.
 *
 * <p>A {@link #set} or {@link #delete} moves at most 2d + 2 elements, where d is the number of
 * levels, the binary logarithm of the number of batches; it shifts up to a batch of messages within
 * one page, and frees a few pages. Three things are not bounded in this way: finding free
 * consecutive pages takes time proportional to the number of pages (64 per step); memory
 * occasionally grows, and is then copied as long as it is small; and if memory is nearly full, a
 * call may merge everything, in O(n) time, before it throws.
 *
 * <p>Lookups pay for this: without lookahead pointers, they take O(log^2 n) time, because they
 * search each of up to 2d arrays from end to end. The first keys of an array's pages, its fences,
 * lie together, so that a lookup reads little more than one page of each array. Unfinished merges
 * take memory as well: up to half of what the entries take, and as much again until pages are
 * freed.
 *
 * <p>As in a {@code Cola}, {@code set} and {@code delete} do not look for the previous value, while
 * {@link #put}, {@link #putIfAbsent} and {@link #remove} search first. {@link #size} takes O(1)
 * time until {@code set} or {@code delete} is called; the next call then counts all entries, in
 * O(n) time. {@link #sizeEstimate} is always fast. Cursors merge the arrays as they go. {@link
 * #bulkload} checks its fill factor, but always fills arrays completely. {@code remove} and {@code
 * delete} may throw {@link dev.espalier.memory.MemoryLimitException} as {@code put} does.
 */
@SuppressWarnings("exports") // Users need not name the base.
public final class DeamortizedCola extends AbstractIndex {
  /* Overview
   *
   * Arrays, merges, invariants and deviations are those of DeamortizedStructure: A7 of the
   * algorithm's usual description, without A8. Search: the top, then array by array, the newest
   * first; in each the page by its fences or first keys, then within the page. The newest
   * message decides, so the search ends at the first.
   *
   * In memory the larger arrays are searched together: the page of each is found by its fences, of
   * which most are in the cache; then all pages are searched step by step, so that their cache misses
   * overlap. Where the key is in a newer array, what was loaded of the others is for nothing.
   *
   *   Batched lookups. A group of probes goes through the arrays together, and through the pages of
   *   each by steps of one binary search: for each step first all lines are fetched, then all keys
   *   compared. Where a probe is in the array, its place in the caller's values says; which probes are
   *   still open is a set of bits. In files SearchInWaves does the same with pages for lines, fences
   *   included.
   */

  /** The description of this kind of tree. */
  public static final TreeVariant VARIANT =
      TreeVariant.inPages(
          "DeamortizedCola",
          "streaming 3",
          DeamortizedCola::create,
          DeamortizedCola::open,
          Capability.BATCHED_LOOKUP,
          Capability.PREFETCH,
          Capability.LEAF_RUNS,
          Capability.BLIND_WRITES);

  /** Bytes of a page in memory: no more than a page is copied while a write waits. */
  private static final int DEFAULT_PAGE_BYTES = 4 << 10;

  /** Probes that go through the arrays together: the bits of a long. */
  private static final int GROUP = 64;

  /** Keys that lie in a line: steps among so few need no line of their own. */
  private static final int LINE_KEYS = 8;

  /** As many pages as will be in the cache anyway: steps in so few fetch nothing. */
  private static final int CACHED = 64;

  /** Levels whose arrays are in the cache anyway, and are often the answer to what is new. */
  private static final int SMALL_LEVELS = 4;

  /** Bits of a place that tell the slot; the others tell the page, from the array's first on. */
  private static final int SLOT_BITS = 16;

  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;

  /** The place of a message that is not there. */
  private static final long NOWHERE = -1;

  /** For each thread, the places in the arrays that it searches together, and where these end. */
  private static final ThreadLocal<long[]> ROOM =
      ThreadLocal.withInitial(() -> new long[2 * 2 * DeamortizedStructure.MOST_LEVELS]);

  final DeamortizedStructure tree;
  private final PageStore store;
  private final ElementPage layout;
  private final boolean pagesStay;

  /** Takes the place of a message to that of its page. */
  private final long pageMask;

  /**
   * The proportions.
   *
   * @param batch number of messages collected in the top page, and in an array of level 0; limited
   *     to those that fit into a page
   */
  public record Geometry(int batch) {
    /** Batches of up to 256 messages, which about fill a page of 4 KiB. */
    public static final Geometry DEFAULT = new Geometry(256);

    /**
     * Checks the proportions.
     *
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public Geometry {
      if (batch < 1) {
        throw new IllegalArgumentException("batch is " + batch + "; it must be positive");
      }
    }
  }

  private DeamortizedCola(IndexOptions options, PageStore store, Geometry geometry) {
    DeamortizedStructure structure = new DeamortizedStructure(store, geometry.batch());
    super(VARIANT, structure, options);
    this.tree = structure;
    this.store = store;
    this.layout = tree.layout;
    this.pagesStay = store.pagesStay();
    this.pageMask = -store.pageBytes();
    probesGoThrough(new Levels());
  }

  /** Creates an empty index in memory. */
  public static DeamortizedCola create(IndexOptions options) {
    return open(options, options.pagesInMemory(DEFAULT_PAGE_BYTES));
  }

  /**
   * Opens the index in a store, whatever its geometry is, or creates an empty one if the store is
   * empty, with the default geometry.
   */
  public static DeamortizedCola open(IndexOptions options, PageStore store) {
    return open(options, store, DeamortizedStructure.geometryIn(store));
  }

  /**
   * Opens the index in a store, or creates an empty one if the store is empty.
   *
   * @param options the options; the store determines the memory limit and the use of huge pages
   * @param store the store, owned by the index from now on: closing the index closes it
   * @throws IllegalArgumentException if the store holds another kind of tree, or one of another
   *     geometry
   */
  public static DeamortizedCola open(IndexOptions options, PageStore store, Geometry geometry) {
    return new DeamortizedCola(options, store, geometry);
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
    boolean isHere = false;
    try {
      int count = (int) Math.min(ElementPage.number(pages, page), tree.batch);
      int slot = Keys.lowerBoundBinary(pages, page + layout.keysOffset, count, key);
      isHere = slot < count && layout.key(pages, page, slot) == key;
      if (isHere) {
        return page + slot;
      }
    } finally {
      if (!isHere) {
        store.unpin(page, false);
      }
    }
    return tree.depth == 0 ? NOWHERE : findInArrays(pages, key);
  }

  private long findInArrays(MemorySegment pages, long key) {
    int count = 2 * tree.depth;
    if (!pagesStay) {
      return findInArrays(pages, 0, count, key);
    }
    int small = Math.min(count, 2 * SMALL_LEVELS);
    long found = findInArrays(pages, 0, small, key);
    return found != NOWHERE || small == count ? found : findTogether(pages, small, count, key);
  }

  /** Searches some of the arrays, one after the other. */
  private long findInArrays(MemorySegment pages, int from, int to, long key) {
    int capacity = layout.capacity;
    Level[] arrays = tree.arrays;
    for (int i = from; i < to; i++) {
      Level array = arrays[i];
      long elements = array.elements();
      if (elements == 0) {
        continue;
      }
      long number = tree.pageOf(array, key);
      int inPage = (int) Math.min(elements - number * capacity, capacity);
      long page = store.pin(array.firstPage() + (int) number);
      long keys = page + layout.keysOffset;
      int slot = Keys.lowerBoundBinary(pages, keys, inPage, key);
      if (slot < inPage
          && Words.getLong(pages, keys + ((long) slot << 3)) == key
          && layout.isMessage(pages, page, slot)) {
        return page + slot;
      }
      store.unpin(page, false);
    }
    return NOWHERE;
  }

  /**
   * Searches some of the arrays in memory together: for each step of a binary search the loads of
   * all pages overlap.
   */
  private long findTogether(MemorySegment pages, int from, int to, long key) {
    long[] room = ROOM.get();
    int ends = to - from;
    int count = 0;
    int capacity = layout.capacity;
    long middle = pages.address() + 8L * (capacity >>> 1);
    for (int i = from; i < to; i++) {
      Level array = tree.arrays[i];
      long elements = array.elements();
      if (elements != 0) {
        long number = tree.pageOf(array, key);
        long keys = store.pin(array.firstPage() + (int) number) + layout.keysOffset;
        Words.prefetch(middle + keys, 1, Locality.T0);
        room[count] = keys;
        room[ends + count++] = keys + (Math.min(elements - number * capacity, capacity) << 3);
      }
    }
    int half;
    for (int length = capacity; length > 1; length -= half) {
      half = length >>> 1;
      for (int i = 0; i < count; i++) {
        long next = room[i] + ((long) half << 3);
        if (next < room[ends + i] && Words.getLong(pages, next) <= key) {
          room[i] = next;
        }
      }
    }
    for (int i = 0; i < count; i++) {
      long place = room[i];
      if (Words.getLong(pages, place) == key) {
        long page = place & pageMask;
        int slot = (int) ((place - page - layout.keysOffset) >>> 3);
        if (layout.isMessage(pages, page, slot)) {
          return page + slot;
        }
      }
    }
    return NOWHERE;
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
   * The index as one level: a probe may be answered in any array, so none can wait between two of
   * them.
   */
  private final class Levels extends OneStoreLevel {
    Levels() {
      super(DeamortizedCola.this.tree);
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
      SearchInWaves waves = store.pagesStay() ? null : new SearchInWaves(tree, most);
      for (int i = 0; i < count; i += most) {
        int group = Math.min(most, count - i);
        answerGroup(keys, keysFrom + i, values, valuesFrom + i, group, waves, found, foundFrom + i);
      }
    }
  }

  /**
   * Looks up at most {@link #GROUP} keys together.
   *
   * @param waves searches arrays if pages don't stay where they are
   */
  private void answerGroup(
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      int count,
      @Nullable SearchInWaves waves,
      long @Nullable [] found,
      int foundFrom) {
    long all = -1L >>> (GROUP - count);
    long open =
        answerFrom(tree.top(), all, keys, keysFrom, values, valuesFrom, waves, found, foundFrom);
    Level[] arrays = tree.arrays;
    int last = 2 * tree.depth;
    for (int i = 0; i < last && open != 0; i++) {
      open =
          answerFrom(arrays[i], open, keys, keysFrom, values, valuesFrom, waves, found, foundFrom);
    }
    for (; open != 0; open &= open - 1) {
      values[valuesFrom + Long.numberOfTrailingZeros(open)] = missingValue;
    }
  }

  /** Answers what an array has messages for; returns the probes that are still open. */
  private long answerFrom(
      Level array,
      long open,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      @Nullable SearchInWaves waves,
      long @Nullable [] found,
      int foundFrom) {
    if (array.elements() == 0) {
      return open;
    }
    return waves == null
        ? answerInMemory(
            tree.pages, array, open, keys, keysFrom, values, valuesFrom, found, foundFrom)
        : waves.answer(
            array, open, keys, keysFrom, values, valuesFrom, missingValue, found, foundFrom);
  }

  /** As {@link #answerFrom}, where pages stay where they are. */
  private long answerInMemory(
      MemorySegment pages,
      Level array,
      long open,
      long[] keys,
      int keysFrom,
      long[] values,
      int valuesFrom,
      long @Nullable [] found,
      int foundFrom) {
    for (long rest = open; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      values[valuesFrom + i] = tree.pageOf(array, keys[keysFrom + i]) << SLOT_BITS;
    }
    int half;
    boolean isLarge = array.pages() > CACHED;
    for (int length = layout.capacity; length > 1; length -= half) {
      half = length >>> 1;
      boolean fetches = isLarge && length > LINE_KEYS;
      step(pages, array, open, keys, keysFrom, values, valuesFrom, half, fetches);
    }
    long stillOpen = open;
    long there = 0;
    for (long rest = open; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      long place = values[valuesFrom + i];
      long page = store.pin(array.firstPage() + (int) (place >>> SLOT_BITS));
      int slot = (int) place & SLOT_MASK;
      if (layout.key(pages, page, slot) == keys[keysFrom + i]) {
        long value = layout.value(pages, page, slot);
        boolean isPut = ElementPage.isPut(pages, page, slot);
        if (isPut || value == ElementPage.TOMBSTONE) {
          values[valuesFrom + i] = isPut ? value : missingValue;
          there |= isPut ? 1L << i : 0;
          stillOpen &= ~Long.lowestOneBit(rest);
        }
      }
    }
    Bits.addGroup(found, foundFrom, there);
    return stillOpen;
  }

  /** One step of a binary search: each probe's place goes on unless its key is before. */
  private void step(
      MemorySegment pages,
      Level array,
      long open,
      long[] keys,
      int keysFrom,
      long[] places,
      int placesFrom,
      long add,
      boolean fetches) {
    long last = array.pages() - 1L;
    long end = (last << SLOT_BITS) + array.elements() - last * layout.capacity;
    if (fetches) {
      long address = pages.address();
      for (long rest = open; rest != 0; rest &= rest - 1) {
        long place = places[placesFrom + Long.numberOfTrailingZeros(rest)] + add;
        Words.prefetch(address + keyOffset(array, place), 1, Locality.T0);
      }
    }
    for (long rest = open; rest != 0; rest &= rest - 1) {
      int i = Long.numberOfTrailingZeros(rest);
      long place = places[placesFrom + i] + add;
      if (place < end && Words.getLong(pages, keyOffset(array, place)) <= keys[keysFrom + i]) {
        places[placesFrom + i] = place;
      }
    }
  }

  /** Returns where the key of a place is: of a page of the array, and a slot in its lower bits. */
  private long keyOffset(Level array, long place) {
    return store.pin(array.firstPage() + (int) (place >>> SLOT_BITS))
        + layout.keysOffset
        + ((place & SLOT_MASK) << 3);
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
   * Removes the entries of a range: fewer than 64 by a message each. More are removed in all arrays
   * where they are, in O(1) time for each of their messages and O(log^2 n) for the ends of the
   * range, which takes no memory. If more than half of what the arrays hold is nothing then, and
   * the entries that are left are at most 16 times those that the call has removed, they become one
   * array, if there is room.
   */
  @Override
  public long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    return tree.removeRange(from, fromInclusive, to, toInclusive);
  }
}
