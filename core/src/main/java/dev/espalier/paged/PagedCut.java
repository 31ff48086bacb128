// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.LongCursor;
import dev.espalier.memory.PageStore;
import java.util.Arrays;

/**
 * The removal of a range of keys by whole pages. A leaf page whose entries are all within the range
 * is taken out without a look at them; of the pages at its ends what stays is written anew. After
 * each page the tree is one, so a removal that fails has removed a part of the range.
 */
final class PagedCut {
  private final PagedStructure tree;
  private final PageStore store;
  private final PageFormat format;
  private final PagedChange change;

  PagedCut(PagedStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.change = tree.change;
  }

  /**
   * Removes the entries with keys from {@code from} to {@code to}, both included. Allocates
   * nothing. O(log n) for each leaf page that holds some.
   *
   * @return how many there were
   */
  long remove(long from, long to) {
    if (holdsAll(from, to)) {
      long size = tree.size();
      tree.clear();
      return size;
    }
    change.begin();
    long removed = 0;
    long key = from;
    while (true) {
      int page = tree.findPath(key);
      long bound = tree.height() == 1 ? Long.MAX_VALUE : tree.bound(change.path[1], key);
      if (bound < key) { // only where pages lie: it would go on for ever
        throw PagedStructure.torn(change.path[1]);
      }
      removed += removeFrom(page, key, to);
      if (bound >= to) {
        return removed;
      }
      key = bound + 1;
    }
  }

  /** Tells whether there are entries, and all their keys are within the range. */
  private boolean holdsAll(long from, long to) {
    LongCursor cursor = tree.cursor();
    return cursor.first() && cursor.key() >= from && cursor.last() && cursor.key() <= to;
  }

  /** Removes the part of a range that is in the path's leaf page, and gives pages back. */
  private int removeFrom(int page, long from, long to) {
    long at = store.pin(page);
    int count = 0;
    int removed = 0;
    boolean isWritten = false;
    try {
      count = PageHeader.checkedCount(tree.pages, at, format.leafCapacity);
      if (tree.height() > 1 && isWithin(at, count, from, to)) {
        removed = count;
      } else {
        removed = cut(at, from, to);
        isWritten = removed > 0;
      }
    } finally {
      store.unpin(at, isWritten);
    }
    if (removed > 0) {
      tree.removed(from, removed, count - removed);
    }
    return removed;
  }

  private boolean isWithin(long page, int count, long from, long to) {
    return count > 0
        && format.key(tree.pages, page, format.firstPlace(tree.pages, page)) >= from
        && format.key(tree.pages, page, format.lastPlace(tree.pages, page)) <= to;
  }

  /** Writes a page anew without the entries of a range; returns how many those were. */
  private int cut(long page, long from, long to) {
    long[] keys = change.scratch.keys();
    long[] values = change.scratch.payloads();
    int count = format.load(tree.pages, page, keys, values, 0);
    int start = lowerBound(keys, count, from);
    int end = to == Long.MAX_VALUE ? count : lowerBound(keys, count, to + 1);
    int removed = end - start;
    if (removed > 0) {
      System.arraycopy(keys, end, keys, start, count - end);
      System.arraycopy(values, end, values, start, count - end);
      format.store(change.scratch, tree.pages, page, keys, values, 0, count - removed);
    }
    return removed;
  }

  private static int lowerBound(long[] keys, int count, long key) {
    int found = Arrays.binarySearch(keys, 0, count, key);
    return found < 0 ? -1 - found : found;
  }
}
