// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Keeps track of which page numbers of a store are in use. Single pages are reused, the most
 * recently freed one first. Extents, which are consecutive pages, go into the first gap that is
 * wide enough.
 */
public final class PageAllocation {
  private static final int LEAST_STACK = 16;

  /** Highest page number ever given out. */
  private int top;

  private int freePages;
  private final BitSet inUse = new BitSet();

  /**
   * All free pages, the one freed last on top, and among them pages that have since been given out
   * in extents.
   */
  private int[] stack = new int[LEAST_STACK];

  private int stackSize;

  /** No page below this is free. */
  private int lowestFree = 1;

  /** Creates an allocation without pages. */
  public PageAllocation() {}

  /**
   * Creates an allocation with pages given out before.
   *
   * @param top highest page number ever given out
   * @param free the free pages, each from 1 to {@code top}
   */
  public PageAllocation(int top, int[] free) {
    this.top = top;
    inUse.set(1, top + 1);
    for (int page : free) {
      inUse.clear(page);
    }
    freePages = free.length;
    lowestFree = inUse.nextClearBit(1);
    stack = Arrays.copyOf(free, Math.max(LEAST_STACK, free.length));
    stackSize = free.length;
  }

  /**
   * Returns the page to give out next, without giving it out; {@link #take} does that. O(1)
   * amortized.
   */
  public int next() {
    while (stackSize > 0 && inUse.get(stack[stackSize - 1])) {
      stackSize--;
    }
    return stackSize > 0 ? stack[stackSize - 1] : top + 1;
  }

  /**
   * Returns the first of {@code count} consecutive pages that are free or were never given out.
   * O(pages / 64).
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
   * Returns the length of the longest run of consecutive pages, numbered from 1 to {@code most},
   * that are free or were never given out. O(pages / 64).
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

  /** Gives out {@code count} pages from {@code first}, as found by {@code next}. */
  public void take(int first, int count) {
    int after = first + count;
    freePages -= Math.max(0, Math.min(after, top + 1) - first);
    inUse.set(first, after);
    top = Math.max(top, after - 1);
  }

  /**
   * Frees a page.
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

  /**
   * Removes pages that are not free, and duplicates, from the stack; doubles the stack if it is
   * still more than half full.
   */
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

  /** Frees all pages. */
  public void clear() {
    top = 0;
    freePages = 0;
    stackSize = 0;
    lowestFree = 1;
    inUse.clear();
  }

  /** Returns the highest page number ever given out, or 0. */
  public int top() {
    return top;
  }

  /** Returns the number of pages in use. */
  public int inUse() {
    return top - freePages;
  }

  /** Returns whether a page is in use; false for a number that no page has. */
  public boolean isInUse(int page) {
    return page > 0 && inUse.get(page);
  }

  /** Returns the free pages, ending with the one to be reused next. */
  public int[] freePages() {
    makeRoom();
    return Arrays.copyOf(stack, stackSize);
  }
}
