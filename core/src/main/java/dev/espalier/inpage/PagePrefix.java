// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.putInt;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * What the header of every page begins with that may have an in-page tree, {@code page} being the
 * place of the page.
 *
 * <pre>
 *  0                16      20      24
 *  | the store's own | level | count |
 *                      int     int
 * </pre>
 *
 * The level is 0 in leaf pages; the count is that of the page's entries.
 */
public final class PagePrefix {
  /** Where the header goes on. */
  public static final int END = PageStore.RESERVED_BYTES + 2 * Integer.BYTES;

  private static final int LEVEL = PageStore.RESERVED_BYTES;
  private static final int COUNT = LEVEL + Integer.BYTES;

  private PagePrefix() {}

  public static int level(MemorySegment pages, long page) {
    return getInt(pages, page + LEVEL);
  }

  public static void level(MemorySegment pages, long page, int level) {
    putInt(pages, page + LEVEL, level);
  }

  public static boolean isLeaf(MemorySegment pages, long page) {
    return level(pages, page) == 0;
  }

  public static int count(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  public static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  /**
   * Reads the count of a page that is about to be changed. Where threads have torn the tree it may
   * be anything, and entries would be moved through all of the memory.
   */
  public static int checkedCount(MemorySegment pages, long page, int capacity) {
    return Torn.checkedCount("page", page, count(pages, page), 0, capacity);
  }
}
