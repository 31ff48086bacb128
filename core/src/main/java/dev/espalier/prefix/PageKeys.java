// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Searches the heads of a page, and copies bytes of keys. */
final class PageKeys {
  private PageKeys() {}

  /** Returns how many heads of a page are smaller than one. */
  static int lowerBound(MemorySegment pages, long page, int cap, long head) {
    return cap == 0 ? 0 : Keys.lowerBound(pages, page + PageLayout.HEADS, cap, head);
  }

  static void copy(MemorySegment from, long at, byte[] into, int to, int bytes) {
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, into, to, bytes);
  }
}
