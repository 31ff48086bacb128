// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static dev.espalier.memory.Words.getLong;

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
    return head == Keys.PADDING ? count : lowerBound(pages, page, count, head + 1);
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
