// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;

/**
 * The fences of an array: the first key of each of its pages, in pages of their own beside it. A
 * search finds its page among them, instead of reading a page for each step.
 *
 * <pre>
 *  page firstFence - i:
 *  0          16       bytes / 2                                      bytes
 *  | store's  | unused | fence of page i * capacity | of the next ... |
 * </pre>
 *
 * They fill half a page, so that shift and mask tell where one is. Their pages descend, for those
 * of a target are in front of it: when it turns out shorter than expected, what it does not need is
 * at both ends of its extent, and fences and array lie together.
 */
final class Fences {
  /** Arrays of fewer pages have none: they would take more than a sixteenth of the array. */
  static final int LEAST_PAGES = 16;

  private final PageStore store;

  /** The binary logarithm of the fences in a page. */
  private final int shift;

  /** Where the fences of a page begin. */
  private final int start;

  Fences(PageStore store) {
    this.store = store;
    this.start = store.pageBytes() / 2;
    this.shift = Integer.numberOfTrailingZeros(start / Long.BYTES);
  }

  // ---------------------------------------------------------------- pages

  /** Returns how many pages the fences of an array take that has so many. */
  int pagesFor(int arrayPages) {
    return arrayPages < LEAST_PAGES ? 0 : pageOf(arrayPages - 1) + 1;
  }

  /** Returns how many pages the fences of an array take. */
  int pagesOf(Level array) {
    return array.firstFence() == 0 ? 0 : pagesFor(array.pages());
  }

  /** Returns the lowest page of an array that has pages, and of its fences. */
  int extent(Level array) {
    int fences = pagesOf(array);
    return fences == 0
        ? array.firstPage()
        : Math.min(array.firstPage(), array.firstFence() - fences + 1);
  }

  /** Returns which of the pages of fences has that of an array's page. */
  int pageOf(int number) {
    return number >>> shift;
  }

  /** Returns where the fence of an array's page is in its page. */
  long offset(int number) {
    return start + ((long) (number & (1 << shift) - 1) << 3);
  }

  // ---------------------------------------------------------------- search

  /**
   * Returns the last page of an array whose first key is not above {@code key}, or the first page.
   * O(log pages), of which few are read.
   */
  int search(MemorySegment pages, Level array, long key) {
    int low = 0;
    int half;
    int length = pagesFor(array.pages());
    for (; length > 1; length -= half) {
      half = length >>> 1;
      long page = store.pin(array.firstFence() - low - half);
      low += getLong(pages, page + start) <= key ? half : 0;
      store.unpin(page, false);
    }
    long page = store.pin(array.firstFence() - low);
    int number = searchIn(pages, page, low, array.pages(), key);
    store.unpin(page, false);
    return number;
  }

  /** As {@link #search}, in one page of fences, the {@code i}-th. */
  int searchIn(MemorySegment pages, long page, int i, int arrayPages, long key) {
    int first = i << shift;
    int low = 0;
    int half;
    int length = Math.min(arrayPages - first, 1 << shift);
    for (; length > 1; length -= half) {
      half = length >>> 1;
      low += getLong(pages, page + start + ((long) (low + half) << 3)) <= key ? half : 0;
    }
    return first + low;
  }

  // ---------------------------------------------------------------- write

  /** Writes the fence of an array's page; pages are begun in order. */
  void write(int firstFence, int number, long key) {
    long offset = offset(number);
    int fences = firstFence - pageOf(number);
    long page = offset == start ? store.pinFresh(fences) : store.pin(fences);
    putLong(store.segment(), page + offset, key);
    store.unpin(page, true);
  }
}
