// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/**
 * Finds a key in a page: its head among the heads, and where several entries have that head, the
 * bytes behind it among their records.
 *
 * <p>A key is given as a part of a memory, so that those of a batch need no segments of their own.
 */
final class PageSearch {
  /** Heads that are searched without a loop, in lines. */
  private static final int WINDOW_LINES = 4;

  /** Into how many parts entries of the same head are divided in a step of their search. */
  static final int PARTS = 8;

  /** So few entries of the same head are compared one by one, which is the least work. */
  private static final int FEW = 4;

  private final PageLayout layout;
  private final Chain chain;

  PageSearch(PageLayout layout, Chain chain) {
    this.layout = layout;
    this.chain = chain;
  }

  /** Returns the slot of a key in a page, or if it is not there, {@code ~} of where it belongs. */
  int search(MemorySegment memory, long page, MemorySegment key, long from, int length) {
    long run = run(memory, page, key, from, length);
    return searchRun(memory, page, key, from, length, first(run), end(run));
  }

  // ---------------------------------------------------------------- heads

  /**
   * Returns which entries of a page have the head of a key, as two ints for {@link #first} and
   * {@link #end}. If there are none, both are where the key belongs.
   */
  long run(MemorySegment memory, long page, MemorySegment key, long from, int length) {
    int count = PageLayout.count(memory, page);
    int prefix = PageLayout.prefix(memory, page);
    if (prefix > 0 && PageLayout.flags(memory, page) != 0) {
      // Only a page at an edge, which has its prefix of its own keys, is asked for others.
      int order = prefixOrder(memory, page, key, from, length);
      if (order != 0) {
        return order < 0 ? run(0, 0) : run(count, count);
      }
    }
    long head = KeyOrder.head(key, from + prefix, length - prefix);
    int cap = PageLayout.cap(count);
    int low = lowerBound(memory, page + PageLayout.HEADS, cap, head);
    if (low >= count) {
      return run(count, count);
    }
    if (PageLayout.head(memory, page, low) != head) {
      return run(low, low);
    }
    int next = low + 1;
    return next < count && PageLayout.head(memory, page, next) == head
        ? run(low, endOfRun(memory, page, count, cap, next, head))
        : run(low, next);
  }

  private static long run(int first, int end) {
    return (long) first << Integer.SIZE | end;
  }

  static int first(long run) {
    return (int) (run >>> Integer.SIZE);
  }

  static int end(long run) {
    return (int) run;
  }

  /**
   * Returns how many heads are smaller than one. The line it is in is narrowed down to a few, by
   * loads that do not wait for a branch, and these are searched together.
   */
  static int lowerBound(MemorySegment memory, long heads, int cap, long head) {
    int lines = cap / CacheLine.LONGS;
    if (lines < WINDOW_LINES) {
      return lines == 0 ? 0 : Keys.lowerBound(memory, heads, cap, head);
    }
    int base = 0;
    for (int left = lines; left > WINDOW_LINES; ) {
      int half = left >>> 1;
      long last = heads + ((long) (base + half) << CacheLine.SHIFT) - Long.BYTES;
      base += getLong(memory, last) < head ? half : 0;
      left -= half;
    }
    base = Math.min(base, lines - WINDOW_LINES);
    return base * CacheLine.LONGS
        + Keys.lowerBoundOf4Lines(memory, heads + ((long) base << CacheLine.SHIFT), head);
  }

  /** Returns the end of the entries with a head, of which one is known that has it. */
  private static int endOfRun(
      MemorySegment memory, long page, int count, int cap, int known, long head) {
    if (head == Long.MAX_VALUE) {
      return count; // No head is larger, and the padding is the same.
    }
    int before = known & -CacheLine.LONGS;
    long line = page + PageLayout.HEADS + ((long) before << 3);
    return Math.min(count, before + lowerBound(memory, line, cap - before, head + 1));
  }

  // ---------------------------------------------------------------- records

  /**
   * Searches entries of the same head, which the rest of the key tells apart. What the first and
   * the last have in common, all have; the eight bytes behind it are compared for several at once,
   * since a binary search would wait for one record after the other.
   */
  int searchRun(
      MemorySegment memory,
      long page,
      MemorySegment key,
      long from,
      int length,
      int first,
      int end) {
    if (first == end) {
      return ~first;
    }
    long slots = PageLayout.slot(memory, page, 0);
    if (end - first <= FEW) {
      return searchSimilar(memory, page, slots, key, from, length, first, end);
    }
    int prefix = PageLayout.prefix(memory, page);
    long at = from + prefix + Long.BYTES;
    // As many bytes as a record may have of it; the others are compared in chains.
    int tail = Math.max(0, Math.min(length, layout.keyBytes) - prefix - Long.BYTES);
    int done = 0;
    int low = first;
    int high = end;
    while (high - low > 1) {
      long lowest = record(memory, page, slots, low);
      long highest = record(memory, page, slots, high - 1);
      int least = Math.min(tail(memory, slots, low), tail(memory, slots, high - 1));
      int common = done + PageKeys.common(memory, lowest + done, highest + done, least - done);
      int shared = Math.min(common, tail) - done;
      int order = PageKeys.compare(key, at + done, memory, lowest + done, shared);
      if (order != 0) {
        return order < 0 ? ~low : ~high;
      }
      if (tail < common) {
        return ~low;
      }
      done = common;
      long word = PageKeys.word(key, at + done, tail - done);
      long range = narrow(memory, page, slots, word, done, low, high);
      boolean isNarrower = end(range) - first(range) < high - low;
      low = first(range);
      high = end(range);
      if (!isNarrower) {
        break; // They differ in zeros at their ends only.
      }
    }
    return searchSimilar(memory, page, slots, key, from, length, low, high);
  }

  /** Returns those entries that may have a word at some byte behind their heads. */
  private static long narrow(
      MemorySegment memory, long page, long slots, long word, int at, int low, int high) {
    int parts = Math.min(high - low, PARTS - 1);
    boolean isAll = parts == high - low;
    int below = 0;
    int notAbove = 0;
    for (int i = 0; i < parts; i++) {
      int entry = isAll ? low + i : part(low, high, i + 1);
      long other =
          PageKeys.word(
              memory, record(memory, page, slots, entry) + at, tail(memory, slots, entry) - at);
      below += other < word ? 1 : 0;
      notAbove += other <= word ? 1 : 0;
    }
    if (isAll) {
      return run(low + below, low + notAbove);
    }
    return run(
        below == 0 ? low : part(low, high, below) + 1,
        notAbove == parts ? high : part(low, high, notAbove + 1));
  }

  private static long record(MemorySegment memory, long page, long slots, int i) {
    return PageLayout.record(memory, page, slots + (long) PageLayout.SLOT_BYTES * i);
  }

  /** Returns how many bytes of a key are behind its head, in its record; none if negative. */
  private static int tail(MemorySegment memory, long slots, int i) {
    return PageLayout.remainder(memory, slots + (long) PageLayout.SLOT_BYTES * i) - Long.BYTES;
  }

  /** Returns the entry where a part of some entries begins. */
  static int part(int low, int high, int part) {
    return low + (high - low) * part / PARTS;
  }

  /** Searches entries by comparing whole keys, in halves. */
  private int searchSimilar(
      MemorySegment memory,
      long page,
      long slots,
      MemorySegment key,
      long from,
      int length,
      int first,
      int end) {
    int prefix = PageLayout.prefix(memory, page);
    int low = first;
    int high = end;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long slot = slots + (long) PageLayout.SLOT_BYTES * middle;
      int order = compare(memory, page, slot, key, from, length, prefix);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return ~low;
  }

  /** Compares a key with an entry of the same prefix and head. */
  private int compare(
      MemorySegment memory,
      long page,
      long slot,
      MemorySegment key,
      long from,
      int length,
      int prefix) {
    int rest = length - prefix;
    int remainder = PageLayout.remainder(memory, slot);
    boolean isInChain = PageLayout.isKeyInChain(memory, slot);
    int common = Math.min(rest, remainder) - Long.BYTES;
    if (common > 0) {
      int order =
          PageKeys.compare(
              key,
              from + prefix + Long.BYTES,
              memory,
              PageLayout.record(memory, page, slot),
              common);
      if (order != 0) {
        return order;
      }
    }
    if (!isInChain || rest <= remainder) {
      return isInChain && rest == remainder ? -1 : Integer.compare(rest, remainder);
    }
    long reference = PageLayout.keyReference(memory, page, slot);
    int before = prefix + remainder;
    return chain.compare(
        key,
        from + before,
        length - before,
        PageLayout.referredPage(memory, reference),
        PageLayout.referredLength(memory, reference) - before);
  }

  // ---------------------------------------------------------------- prefix

  /** Returns whether a key begins with the prefix of a page. */
  boolean hasPrefix(MemorySegment memory, long page, MemorySegment key, int length) {
    return prefixOrder(memory, page, key, 0, length) == 0;
  }

  /** Compares a key with the prefix of a page: 0 if it begins with it. */
  private int prefixOrder(
      MemorySegment memory, long page, MemorySegment key, long from, int length) {
    int prefix = PageLayout.prefix(memory, page);
    int common = Math.min(prefix, length);
    int order = KeyOrder.compare(key, from, memory, layout.prefixAt(memory, page), common);
    return order != 0 ? order : common < prefix ? -1 : 0;
  }
}
