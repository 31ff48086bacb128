// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import java.util.Arrays;

/**
 * Numbers pages in the order in which they are first touched, as an operating system with empty
 * memory would: the numbers do not tell where the system put the memory. A hash table with linear
 * probing, at most half full.
 */
final class PageNumbers {
  private static final int INITIAL_SLOTS = 1 << 10;

  /** No page of a 64-bit address space has this number. */
  private static final long EMPTY = -1;

  /** The golden ratio's fraction: it spreads neighbours over the table. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private long[] pages = empty(INITIAL_SLOTS);
  private int[] numbers = new int[INITIAL_SLOTS];
  private int count;

  private long latestPage = EMPTY;
  private int latestNumber;

  /** Returns the number of a page, a new one if it has none. */
  int of(long page) {
    if (page != latestPage) {
      latestNumber = lookUp(page);
      latestPage = page;
    }
    return latestNumber;
  }

  void clear() {
    pages = empty(INITIAL_SLOTS);
    numbers = new int[INITIAL_SLOTS];
    count = 0;
    latestPage = EMPTY;
  }

  private int lookUp(long page) {
    int slot = slotOf(page);
    if (pages[slot] == EMPTY) {
      if (2 * count >= pages.length) {
        grow();
        slot = slotOf(page);
      }
      pages[slot] = page;
      numbers[slot] = count++;
    }
    return numbers[slot];
  }

  /** Returns the slot where a page is or belongs. */
  private int slotOf(long page) {
    int mask = pages.length - 1;
    int slot = (int) ((page * GOLDEN) >>> 32) & mask;
    while (pages[slot] != EMPTY && pages[slot] != page) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldPages = pages;
    int[] oldNumbers = numbers;
    pages = empty(2 * oldPages.length);
    numbers = new int[pages.length];
    for (int old = 0; old < oldPages.length; old++) {
      if (oldPages[old] != EMPTY) {
        int slot = slotOf(oldPages[old]);
        pages[slot] = oldPages[old];
        numbers[slot] = oldNumbers[old];
      }
    }
  }

  private static long[] empty(int slots) {
    long[] pages = new long[slots];
    Arrays.fill(pages, EMPTY);
    return pages;
  }
}
