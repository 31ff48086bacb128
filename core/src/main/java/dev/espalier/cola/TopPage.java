// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.node.Keys;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * The page of level 0: messages in key order, and behind them a tail of those that came last, in
 * the order they came in. A message is appended without a search; a full tail is merged into the
 * rest. The page's number is the count of both, the tail's in the upper half.
 *
 * <p>Reading changes nothing but this object's memory, so who reads beside others has an object of
 * their own.
 */
final class TopPage {
  /** The longest tail: as much as a search looks through without being slowed down much. */
  static final int TAIL = 64;

  private final ElementPage layout;
  private final int batch;
  private final TailMessages tail = new TailMessages();
  private final PageMessages sorted;
  private final MergedMessages merged;

  /**
   * Makes it for pages of a layout.
   *
   * @param batch most messages
   */
  TopPage(ElementPage layout, int batch) {
    this.layout = layout;
    this.batch = batch;
    this.sorted = new PageMessages(layout, layout.capacity);
    this.merged = new MergedMessages(tail, sorted);
  }

  private static long number(int sortedCount, int tailCount) {
    return (long) tailCount << Integer.SIZE | sortedCount;
  }

  /** Returns how many messages are in order. */
  static int sortedCount(long number) {
    return (int) number;
  }

  static int tailCount(long number) {
    return (int) (number >>> Integer.SIZE);
  }

  /** Returns the page's number, or throws if threads that tore the index made it impossible. */
  long checkedNumber(MemorySegment pages, long page) {
    long number = ElementPage.number(pages, page);
    int sortedCount = sortedCount(number);
    int tailCount = tailCount(number);
    if (sortedCount < 0 || tailCount < 0 || tailCount > TAIL || sortedCount + tailCount > batch) {
      throw Torn.torn("level 0 has %d and %d messages".formatted(sortedCount, tailCount));
    }
    return number;
  }

  /** Returns the slot of the newest message of a key, or -1. */
  int find(MemorySegment pages, long page, long key) {
    long number = checkedNumber(pages, page);
    int sortedCount = sortedCount(number);
    for (int slot = sortedCount + tailCount(number) - 1; slot >= sortedCount; slot--) {
      if (layout.key(pages, page, slot) == key) {
        return slot;
      }
    }
    int slot = Keys.lowerBoundBinary(pages, page + layout.keysOffset, sortedCount, key);
    return slot < sortedCount && layout.key(pages, page, slot) == key ? slot : -1;
  }

  /** Appends a message; there is room for it. */
  void append(MemorySegment pages, long page, long number, long key, long value, boolean isPut) {
    int slot = sortedCount(number) + tailCount(number);
    layout.set(pages, page, slot, key, value);
    if (!isPut) {
      ElementPage.isPut(pages, page, slot, false);
    }
    long next = number + (1L << Integer.SIZE);
    ElementPage.number(pages, page, next);
    if (tailCount(next) == TAIL) {
      fold(pages, page, pages, page);
    }
  }

  /**
   * Merges a page's tail into the rest, into the same page or another.
   *
   * @return the number of messages
   */
  int fold(MemorySegment pages, long page, MemorySegment to, long target) {
    long number = checkedNumber(pages, page);
    int sortedCount = sortedCount(number);
    boolean onlyPuts = layout.noPuts(pages, page) == 0;
    sorted.load(pages, page, 0, sortedCount, onlyPuts, !onlyPuts);
    tail.load(layout, pages, page, sortedCount, tailCount(number), onlyPuts);
    layout.clearBits(to, target);
    merged.open(tail, sorted);
    int count = 0;
    while (merged.hasNext()) {
      layout.set(to, target, count, merged);
      count += merged.end - merged.at;
      merged.at = merged.end;
    }
    ElementPage.number(to, target, number(count, 0));
    return count;
  }

  /**
   * Copies a page's tail, in key order, to another page.
   *
   * @return the number of messages
   */
  int copyTail(MemorySegment pages, long page, MemorySegment to, long target) {
    long number = checkedNumber(pages, page);
    boolean onlyPuts = layout.noPuts(pages, page) == 0;
    tail.load(layout, pages, page, sortedCount(number), tailCount(number), onlyPuts);
    layout.clearBits(to, target);
    int count = tail.end - tail.at;
    layout.set(to, target, 0, tail);
    return count;
  }

  /** Removes a key, from a page that has been folded. Returns whether it was there. */
  boolean remove(MemorySegment pages, long page, long key) {
    int slot = find(pages, page, key);
    if (slot < 0) {
      return false;
    }
    layout.remove(pages, page, slot, sortedCount(ElementPage.number(pages, page)));
    return true;
  }
}
