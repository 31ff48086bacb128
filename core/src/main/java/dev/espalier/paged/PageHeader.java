// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.inpage.PagePrefix;
import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;

/**
 * The first line of every page, {@code page} being the place of the page.
 *
 * <pre>
 *  0                16      20      24     28         32                     64
 *  | the store's own | level | count | next | previous | the page format's own |
 *                      int     int     int    int
 * </pre>
 *
 * The level is 0 in leaf pages; the count is that of the page's entries. {@code next} and {@code
 * previous} are the numbers of the pages beside it on its level, 0 for none; leaf pages have none
 * (decision 15).
 */
final class PageHeader {
  static final int BYTES = CacheLine.BYTES;

  /** Where the bytes begin that each page format uses as it likes. */
  static final int FORMAT_OFFSET = 32;

  private static final int NEXT = PagePrefix.END;
  private static final int PREVIOUS = NEXT + 4;

  private PageHeader() {}

  /** Makes the header of an empty page without neighbours. */
  static void initialize(MemorySegment pages, long page, int level) {
    PagePrefix.level(pages, page, level);
    PagePrefix.count(pages, page, 0);
    putInt(pages, page + NEXT, 0);
    putInt(pages, page + PREVIOUS, 0);
    for (int offset = FORMAT_OFFSET; offset < BYTES; offset += Long.BYTES) {
      putLong(pages, page + offset, 0);
    }
  }

  static int level(MemorySegment pages, long page) {
    return PagePrefix.level(pages, page);
  }

  static void level(MemorySegment pages, long page, int level) {
    PagePrefix.level(pages, page, level);
  }

  static boolean isLeaf(MemorySegment pages, long page) {
    return level(pages, page) == 0;
  }

  static int count(MemorySegment pages, long page) {
    return PagePrefix.count(pages, page);
  }

  static void count(MemorySegment pages, long page, int count) {
    PagePrefix.count(pages, page, count);
  }

  static int next(MemorySegment pages, long page) {
    return getInt(pages, page + NEXT);
  }

  static void next(MemorySegment pages, long page, int next) {
    putInt(pages, page + NEXT, next);
  }

  static int previous(MemorySegment pages, long page) {
    return getInt(pages, page + PREVIOUS);
  }

  static void previous(MemorySegment pages, long page, int previous) {
    putInt(pages, page + PREVIOUS, previous);
  }

  /** As {@link PagePrefix#checkedCount}. */
  static int checkedCount(MemorySegment pages, long page, int capacity) {
    return PagePrefix.checkedCount(pages, page, capacity);
  }
}
