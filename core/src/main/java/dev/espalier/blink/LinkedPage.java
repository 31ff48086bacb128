// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.inpage.PagePrefix;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;

/**
 * The first line of every page of a B-link tree, {@code page} being its place, whatever the {@link
 * LinkedPageFormat} of the rest.
 *
 * <pre>
 *  0                16      20      24      28     32         40      44                      64
 *  | the store's own | level | count | right | left | high key | flags | the page format's own |
 *                      int     int     int     int    long       int
 * </pre>
 *
 * The count is that of a leaf's entries, or of an inner page's children.
 */
final class LinkedPage {
  /** What {@link LinkedPageFormat#next} says of a page of the wanted level that covers the key. */
  static final int HERE = 0;

  /** What it says of a page that has left the tree: the way begins at the root again. */
  static final int GONE = Integer.MIN_VALUE;

  /** What it says if there is no level so high. */
  static final int ABOVE_THE_ROOT = Integer.MIN_VALUE + 1;

  /** The flag of a page whose right neighbour came out of it and has no entry above yet. */
  static final int SPLIT_IS_INCOMPLETE = 1;

  /** The flag of a page that has left the tree. Its left link leads to the one that left before. */
  static final int LEFT = 2;

  static final int HEADER_BYTES = CacheLine.BYTES;

  private static final int RIGHT = PagePrefix.END;
  private static final int LEFT_LINK = RIGHT + 4;
  private static final int HIGH = RIGHT + 8;
  private static final int FLAGS = RIGHT + 16;

  /** Where the bytes begin that each page format uses as it likes. */
  static final int FORMAT_OFFSET = FLAGS + 4;

  private LinkedPage() {}

  /** Makes the header of an empty page that covers all keys and has no neighbours. */
  static void initialize(MemorySegment pages, long page, int level) {
    for (int offset = PageStore.RESERVED_BYTES; offset < HEADER_BYTES; offset += Long.BYTES) {
      putLong(pages, page + offset, 0);
    }
    PagePrefix.level(pages, page, level);
    high(pages, page, Long.MAX_VALUE);
  }

  static int level(MemorySegment pages, long page) {
    return PagePrefix.level(pages, page);
  }

  static void level(MemorySegment pages, long page, int level) {
    PagePrefix.level(pages, page, level);
  }

  static int rawCount(MemorySegment pages, long page) {
    return PagePrefix.count(pages, page);
  }

  static void count(MemorySegment pages, long page, int count) {
    PagePrefix.count(pages, page, count);
  }

  /** Returns the page to the right on the same level, 0 for none. */
  static int right(MemorySegment pages, long page) {
    return getInt(pages, page + RIGHT);
  }

  static void right(MemorySegment pages, long page, int right) {
    putInt(pages, page + RIGHT, right);
  }

  /** Returns the page to the left on the same level, 0 for none. */
  static int left(MemorySegment pages, long page) {
    return getInt(pages, page + LEFT_LINK);
  }

  static void left(MemorySegment pages, long page, int left) {
    putInt(pages, page + LEFT_LINK, left);
  }

  /** Returns the largest key that belongs here, {@link Long#MAX_VALUE} at the right edge. */
  static long high(MemorySegment pages, long page) {
    return getLong(pages, page + HIGH);
  }

  static void high(MemorySegment pages, long page, long key) {
    putLong(pages, page + HIGH, key);
  }

  static int flags(MemorySegment pages, long page) {
    return getInt(pages, page + FLAGS);
  }

  static void flags(MemorySegment pages, long page, int flags) {
    putInt(pages, page + FLAGS, flags);
  }

  static boolean isSplitIncomplete(MemorySegment pages, long page) {
    return (flags(pages, page) & SPLIT_IS_INCOMPLETE) != 0;
  }

  static boolean hasLeft(MemorySegment pages, long page) {
    return (flags(pages, page) & LEFT) != 0;
  }
}
