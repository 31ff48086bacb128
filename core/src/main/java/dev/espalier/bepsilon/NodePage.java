// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.putInt;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * The beginning of every page, {@code page} being the place of the page.
 *
 * <pre>
 *  0                16      20      24         28       32
 *  | the store's own | level | count | messages | unused |
 *                      int     int     int        int
 * </pre>
 *
 * The level is 0 in leaves. The count is that of a leaf's entries or an inner page's children.
 */
final class NodePage {
  static final int BYTES = 32;

  private static final int LEVEL = PageStore.RESERVED_BYTES;
  private static final int COUNT = LEVEL + 4;
  private static final int MESSAGES = LEVEL + 8;
  private static final int UNUSED = LEVEL + 12;

  private NodePage() {}

  /** Makes the beginning of a page in which nothing is yet. */
  static void initialize(MemorySegment pages, long page, int level) {
    putInt(pages, page + LEVEL, level);
    putInt(pages, page + COUNT, 0);
    putInt(pages, page + MESSAGES, 0);
    putInt(pages, page + UNUSED, 0);
  }

  static int level(MemorySegment pages, long page) {
    return getInt(pages, page + LEVEL);
  }

  static int count(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  static int messages(MemorySegment pages, long page) {
    return getInt(pages, page + MESSAGES);
  }

  static void messages(MemorySegment pages, long page, int messages) {
    putInt(pages, page + MESSAGES, messages);
  }

  /**
   * Refuses a page that is on another level than the way to it says, which can only be where
   * threads have torn the tree: flushes would not end.
   */
  static void checkLevel(MemorySegment pages, long page, int level) {
    if (level(pages, page) != level) {
      throw torn(page, "level " + level(pages, page) + ", not " + level);
    }
  }

  /**
   * Returns a number that was read from a page, of things that are about to be moved. Where threads
   * have torn the tree it may be anything, and they would be moved through all of the memory.
   */
  static int checked(long page, int number, int least, int most) {
    if (number < least || number > most) {
      throw torn(page, "a count of " + number + ", not from " + least + " to " + most);
    }
    return number;
  }

  private static ConcurrentModificationException torn(long page, String what) {
    return Torn.torn("the page @" + page + " has " + what);
  }
}
