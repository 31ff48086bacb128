// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Searches the heads of a page, and copies bytes of keys. */
final class PageKeys {
  private static final VarHandle NATIVE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** A sum that lines hardly have; nothing depends on it. */
  private static final long UNLIKELY = 0x9e37_79b9_7f4a_7c15L;

  private PageKeys() {}

  /** Returns how many of the {@code count} heads of a page are smaller than one. */
  static int lowerBound(MemorySegment pages, long page, int count, long head) {
    // The padding may be equal to a head, but is never smaller.
    return count == 0
        ? 0
        : Keys.lowerBound(pages, page + PageLayout.HEADS, PageLayout.cap(count), head);
  }

  /** Returns the end of the entries that have a head; the first of them, if any, is known. */
  static int endOfHead(MemorySegment pages, long page, int count, int first, long head) {
    if (first == count || PageLayout.head(pages, page, first) != head) {
      return first;
    }
    int second = first + 1;
    if (second == count || PageLayout.head(pages, page, second) != head) {
      return second;
    }
    // No head is greater than the greatest long, which is the padding.
    if (head == Keys.PADDING) {
      return count;
    }
    int before = first & -CacheLine.LONGS; // In whole lines, and all smaller.
    long from = page + PageLayout.HEADS + (long) Long.BYTES * before;
    return before + Keys.lowerBound(pages, from, PageLayout.cap(count) - before, head + 1);
  }

  /**
   * Reads the lines of some offsets, and as many behind each, so that they are in the caches. No
   * read waits for another. Prefetches would do no more, and processors may drop them when many
   * come at once.
   */
  static void touch(MemorySegment pages, long[] offsets, int count, int lines) {
    long all = 0;
    for (int i = 0; i < count; i++) {
      long first = offsets[i] & -CacheLine.BYTES;
      for (int line = 0; line < lines; line++) {
        all += getLong(pages, first + ((long) line << CacheLine.SHIFT));
      }
    }
    if (all == UNLIKELY) {
      Thread.onSpinWait(); // So that the compiler must read.
    }
  }

  static void copy(MemorySegment from, long at, byte[] into, int to, int bytes) {
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, into, to, bytes);
  }

  /**
   * Copies a remainder whose bytes behind the head are at {@code tail}, by words, which is faster
   * for so few bytes than a call. The array needs room for eight bytes more behind it.
   */
  static void copyRemainder(
      MemorySegment pages, long tail, long head, byte[] into, int at, int remainder) {
    int bytes = PageLayout.tailBytes(remainder);
    int to = at + Long.BYTES;
    int i = 0;
    for (; i <= bytes - Long.BYTES; i += Long.BYTES) {
      NATIVE.set(into, to + i, getLong(pages, tail + i));
    }
    if (i < bytes) {
      // These eight may begin before the record, where the page still is. What they bring of that
      // is within the head, which is written after them.
      int last = bytes - Long.BYTES;
      NATIVE.set(into, to + last, getLong(pages, tail + last));
    }
    BIG_ENDIAN.set(into, at, head ^ Long.MIN_VALUE);
  }
}
