// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One removal of a range of keys beside other threads: from one leaf after the other, each with its
 * latch and at one moment. A leaf that has become empty leaves the tree as after single removals.
 */
final class BLinkCut {
  /** So many entries are removed from a leaf one by one, at most; for more, it is stored anew. */
  private static final int FEW = 8;

  private final BLinkStructure tree;
  private final PageStore store;
  private final LinkedPageFormat format;
  private final Latches latches;
  private final long from;
  private final long to;

  /** The entries of a leaf at an end of the range. */
  private long[] keys = {};

  private long[] values = {};

  /** What asks for the leaves of the range ahead. */
  private final LeavesAhead ahead;

  /** The greatest key that the leaf covered from which entries were removed last. */
  private long high;

  /** The leaf to the right of that one. */
  private int right;

  private boolean isSplitIncomplete;
  private boolean isEmpty;

  /** Makes the removal of the keys from one to another, both included. */
  BLinkCut(BLinkStructure tree, long from, long to) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.latches = tree.latches;
    this.from = from;
    this.to = to;
    this.ahead = new LeavesAhead(tree);
    ahead.scanTo(to);
  }

  /** Removes the entries; returns how many this call has removed. O(log n) for each leaf. */
  long remove() {
    long removed = 0;
    for (long key = from; ; key = high + 1) {
      store.beforeChange();
      int entries = 0;
      int operation = tree.epochs.enter();
      try {
        if (key > from && !store.pagesStay()) {
          ahead.step(key, right, 1);
        }
        entries = removeFromLeaf(key);
      } finally {
        tree.epochs.exit(operation, -entries);
      }
      removed += entries;
      if (isSplitIncomplete) {
        tree.splits.completeIfThereIsRoom(0, key);
      }
      if (entries > 0 && isEmpty) {
        tree.removals.removeEmpty(key);
      }
      if (high >= to) {
        return removed;
      }
    }
  }

  /** Removes what is of the range in the leaf that covers a key; within an operation. */
  private int removeFromLeaf(long key) {
    int page = tree.latch(0, key);
    int removed = 0;
    try {
      long at = store.pin(page);
      boolean isWhole = false;
      try {
        removed = removeFromLeaf(page, at, key);
        isWhole = true;
        high = LinkedPage.high(tree.pages, at);
        right = LinkedPage.right(tree.pages, at);
        if (high < key) {
          throw Torn.torn("page " + page + " does not cover a key that led to it");
        }
        isSplitIncomplete = LinkedPage.isSplitIncomplete(tree.pages, at);
        isEmpty = format.count(tree.pages, at) == 0;
      } finally {
        store.unpin(at, removed > 0 || !isWhole); // What the page says may end it halfway.
      }
    } finally {
      latches.unlatch(page);
    }
    if (removed > 0) {
      tree.noteOwnChange();
    }
    return removed;
  }

  private int removeFromLeaf(int page, long at, long key) {
    MemorySegment pages = tree.pages;
    int count = format.count(pages, at);
    if (count == 0) {
      return 0;
    }
    // The leaf may have keys before this one, where it took over what an empty one covered: the
    // walk was there, and what others have put there since is not to be removed a second time.
    if (LinkedPage.high(pages, at) <= to && format.keyOfRank(pages, at, 0) >= key) {
      tree.change(page, at, (memory, leaf) -> format.keepLower(memory, leaf, page, 0, false));
      return count;
    }
    if (keys.length == 0) {
      keys = new long[format.leafCapacity];
      values = new long[format.leafCapacity];
    }
    int entries = format.load(pages, at, keys, values);
    int start = lowerBound(entries, key);
    int end = to == Long.MAX_VALUE ? entries : lowerBound(entries, to + 1);
    if (start < end) {
      boolean isTail = end == entries;
      tree.change(
          page,
          at,
          (memory, leaf) -> {
            if (isTail) {
              format.keepLower(memory, leaf, page, start, false);
            } else if (end - start <= FEW) {
              removeEach(memory, leaf, page, start, end);
            } else {
              storeRest(memory, leaf, page, start, end, entries);
            }
          });
    }
    return Math.max(0, end - start);
  }

  private void removeEach(MemorySegment memory, long leaf, int page, int start, int end) {
    for (int i = start; i < end; i++) {
      int place = format.findPlace(memory, leaf, page, keys[i]);
      if (place >= 0) {
        format.remove(memory, leaf, place);
      }
    }
  }

  /** Stores what is before the range and behind it, all of which has been loaded. */
  private void storeRest(
      MemorySegment memory, long leaf, int page, int start, int end, int entries) {
    System.arraycopy(keys, end, keys, start, entries - end);
    System.arraycopy(values, end, values, start, entries - end);
    format.store(memory, leaf, page, keys, values, entries - (end - start));
  }

  private int lowerBound(int count, long key) {
    int found = Arrays.binarySearch(keys, 0, count, key);
    return found < 0 ? -1 - found : found;
  }
}
