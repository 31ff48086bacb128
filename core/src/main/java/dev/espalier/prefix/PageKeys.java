// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Searches the heads of a page, and copies bytes of keys. */
final class PageKeys {
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
}
