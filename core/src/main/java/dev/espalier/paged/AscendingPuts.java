// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;

/**
 * Puts of ascending keys, many of which belong into one leaf page: they are merged with the page's
 * entries, and the page is made anew. A put then takes a few moves of an entry instead of a way
 * down the tree.
 */
final class AscendingPuts {
  /**
   * The part of a leaf page's entries that has to come at once: making a page anew takes about as
   * long as so many puts one by one.
   */
  private static final int PART = 16;

  private static final int LEAST = 4;

  private final PagedStructure tree;
  private final PageStore store;
  private final PageFormat format;
  private final PagedChange change;
  private final PagedSplit splits;
  private final int least;

  /** What was put into a page by {@link #merge}. */
  private int put;

  AscendingPuts(PagedStructure tree, PagedSplit splits) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.change = tree.change;
    this.splits = splits;
    this.least = Math.max(LEAST, format.leafCapacity / PART);
  }

  /** Puts some of the first of {@code count} entries one by one, and returns how many. */
  interface PutsOneByOne {
    int put(long[] keys, int keysFrom, long[] values, int valuesFrom, int count);
  }

  /** Puts all entries: those that ascend together, the others by {@code oneByOne}. */
  void putAll(
      long[] keys, int keysFrom, long[] values, int valuesFrom, int count, PutsOneByOne oneByOne) {
    int done = 0;
    while (done < count) {
      int from = keysFrom + done;
      int left = count - done;
      int together = put(keys, from, values, valuesFrom + done, left);
      done += together > 0 ? together : oneByOne.put(keys, from, values, valuesFrom + done, left);
    }
  }

  /**
   * Puts the first of some entries, as many as ascend, belong into one leaf page and find room, and
   * one more that splits the page if it is full then.
   *
   * @return how many; 0 if they are too few to be worth it
   * @throws MemoryLimitException if there is no room for a split; those before it were put
   */
  private int put(long[] keys, int keysFrom, long[] values, int valuesFrom, int count) {
    if (count < least || !ascend(keys, keysFrom, least)) {
      return 0;
    }
    change.begin();
    tree.findPath(keys[keysFrom]);
    long bound = tree.height() == 1 ? Long.MAX_VALUE : tree.bound(change.path[1], keys[keysFrom]);
    if (keys[keysFrom + least - 1] > bound) {
      return 0;
    }
    int run = least;
    while (run < count
        && keys[keysFrom + run] <= bound
        && keys[keysFrom + run] > keys[keysFrom + run - 1]) {
      run++;
    }
    long page = store.pin(change.path[0]);
    int before = 0;
    int after = 0;
    try {
      before = format.load(tree.pages, page, scratchKeys(), scratchPayloads(), capacity());
      after = merge(before, keys, keysFrom, values, valuesFrom, run);
      if (put > 0) {
        format.store(change.scratch, tree.pages, page, scratchKeys(), scratchPayloads(), 0, after);
        format.noteInserts(tree.pages, page, keys, keysFrom, put);
      }
    } finally {
      store.unpin(page, put > 0);
    }
    if (put > 0) {
      change.commit(after - before);
    }
    if (put < run) {
      splits.insert(keys[keysFrom + put], values[valuesFrom + put]);
      put++;
    }
    return put;
  }

  private static boolean ascend(long[] keys, int from, int count) {
    for (int i = from + 1; i < from + count; i++) {
      if (keys[i] <= keys[i - 1]) {
        return false;
      }
    }
    return true;
  }

  private long[] scratchKeys() {
    return change.scratch.keys();
  }

  private long[] scratchPayloads() {
    return change.scratch.payloads();
  }

  private int capacity() {
    return format.leafCapacity;
  }

  /**
   * Merges new entries with those of a page, which lie from the page's capacity on, to the front of
   * the scratch arrays. Stops before the first new one for which there is no room.
   *
   * @return how many entries there are then
   */
  private int merge(
      int present, long[] newKeys, int keysFrom, long[] newValues, int valuesFrom, int run) {
    long[] keys = scratchKeys();
    long[] payloads = scratchPayloads();
    int most = capacity();
    int from = most;
    int end = most + present;
    int to = 0;
    int next = 0;
    // What is left of the page's entries needs room as well.
    while (next < run) {
      long key = newKeys[keysFrom + next];
      while (from < end && keys[from] < key) {
        keys[to] = keys[from];
        payloads[to++] = payloads[from++];
      }
      if (from < end && keys[from] == key) {
        from++;
      } else if (to + end - from == most) {
        break;
      }
      keys[to] = key;
      payloads[to++] = newValues[valuesFrom + next++];
    }
    System.arraycopy(keys, from, keys, to, end - from);
    System.arraycopy(payloads, from, payloads, to, end - from);
    put = next;
    return to + end - from;
  }
}
