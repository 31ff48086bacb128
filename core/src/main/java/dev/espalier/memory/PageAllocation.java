// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Which page numbers of a store are given out. Single pages that were taken back are given out
 * again, the last one first; extents, consecutive pages, go where the first gap is that is wide
 * enough.
 */
public final class PageAllocation {
  private static final int LEAST_STACK = 16;

  /** Number of pages ever given out: the numbers are 1 to this. */
  private int top;

  private int freePages;
  private final BitSet inUse = new BitSet();

  /**
   * Every free page, the one taken back last on top; and pages between them that were given out in
   * extents since.
   */
  private int[] stack = new int[LEAST_STACK];

  private int stackSize;

  /** No page below this is free. */
  private int lowestFree = 1;

  /** Begins without pages. */
  public PageAllocation() {}

  /**
   * Begins with pages given out before.
   *
   * @param top number of pages ever given out
   * @param free those of them that were taken back, each from 1 to {@code top}
   */
  public PageAllocation(int top, int[] free) {
    this.top = top;
    inUse.set(1, top + 1);
    for (int page : free) {
      giveBack(page);
    }
  }

  /** Returns the page that is given out next; {@link #take} then gives it out. O(1) amortized. */
  public int next() {
    while (stackSize > 0 && inUse.get(stack[stackSize - 1])) {
      stackSize--;
    }
    return stackSize > 0 ? stack[stackSize - 1] : top + 1;
  }

  /**
   * Returns the first of the next {@code count} consecutive pages that are free or never were given
   * out. O(pages / 64).
   */
  public int next(int count) {
    lowestFree = inUse.nextClearBit(lowestFree);
    int first = lowestFree;
    while (first <= top) {
      int after = inUse.nextSetBit(first);
      if (after < 0 || after - first >= count) {
        return first;
      }
      first = inUse.nextClearBit(after);
    }
    return top + 1;
  }

  /**
   * Returns how many consecutive pages are free at most, of those numbered from 1 to {@code most}.
   */
  public int largestGap(int most) {
    int largest = 0;
    int first = inUse.nextClearBit(lowestFree);
    while (first <= top) {
      int after = inUse.nextSetBit(first);
      if (after < 0) {
        break;
      }
      largest = Math.max(largest, after - first);
      first = inUse.nextClearBit(after);
    }
    return Math.max(largest, most - first + 1);
  }

  /** Gives out {@code count} pages from {@code first} on, which {@code next} has found. */
  public void take(int first, int count) {
    int after = first + count;
    freePages -= Math.max(0, Math.min(after, top + 1) - first);
    inUse.set(first, after);
    top = Math.max(top, after - 1);
  }

  /**
   * Takes back a page.
   *
   * @throws IllegalStateException if it is not in use
   */
  public void giveBack(int page) {
    if (!isInUse(page)) {
      throw new IllegalStateException("page " + page + " is taken back, but it is not in use");
    }
    inUse.clear(page);
    freePages++;
    lowestFree = Math.min(lowestFree, page);
    if (stackSize == stack.length) {
      makeRoom();
    }
    stack[stackSize++] = page;
  }

  /** Removes what is not free, or free twice, and doubles the stack if that is less than half. */
  private void makeRoom() {
    BitSet seen = new BitSet();
    int kept = stackSize;
    for (int i = stackSize - 1; i >= 0; i--) {
      int page = stack[i];
      if (!inUse.get(page) && !seen.get(page)) {
        seen.set(page);
        stack[--kept] = page;
      }
    }
    stackSize -= kept;
    System.arraycopy(stack, kept, stack, 0, stackSize);
    if (stackSize > stack.length / 2) {
      stack = Arrays.copyOf(stack, 2 * stack.length);
    }
  }

  /** Takes back all pages. */
  public void clear() {
    top = 0;
    freePages = 0;
    stackSize = 0;
    lowestFree = 1;
    inUse.clear();
  }

  /** Returns the number of pages ever given out: the numbers are 1 to this. */
  public int top() {
    return top;
  }

  /** Returns the number of pages given out and not taken back. */
  public int inUse() {
    return top - freePages;
  }

  /** Tells whether a page was given out and not taken back; false for what is no page's number. */
  public boolean isInUse(int page) {
    return page > 0 && inUse.get(page);
  }

  /** Returns the pages that were taken back, the one that is given out next last. */
  public int[] freePages() {
    makeRoom();
    return Arrays.copyOf(stack, stackSize);
  }
}
