// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putShort;

import java.lang.foreign.MemorySegment;

/**
 * What the page header keeps of the in-page tree, in the bytes that it leaves to the format:
 *
 * <pre>
 *  FORMAT_OFFSET
 *  | root | first leaf | last leaf | above | below | unused |
 *    short  short        short       short   short
 * </pre>
 *
 * All are lines of the page. Nodes are given out upwards from the root to the page's end, and then
 * from the line behind the header up to the root: the next ones are {@code above} and {@code
 * below}.
 */
final class InPageTreeHeader {
  private static final int ROOT = PageHeader.FORMAT_OFFSET;
  private static final int FIRST_LEAF = ROOT + Short.BYTES;
  private static final int LAST_LEAF = FIRST_LEAF + Short.BYTES;
  private static final int ABOVE = LAST_LEAF + Short.BYTES;
  private static final int BELOW = ABOVE + Short.BYTES;

  private InPageTreeHeader() {}

  static int root(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + ROOT);
  }

  static void root(MemorySegment pages, long page, int line) {
    putShort(pages, page + ROOT, line);
  }

  static int firstLeaf(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + FIRST_LEAF);
  }

  static void firstLeaf(MemorySegment pages, long page, int line) {
    putShort(pages, page + FIRST_LEAF, line);
  }

  static int lastLeaf(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + LAST_LEAF);
  }

  static void lastLeaf(MemorySegment pages, long page, int line) {
    putShort(pages, page + LAST_LEAF, line);
  }

  static int above(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + ABOVE);
  }

  static void above(MemorySegment pages, long page, int line) {
    putShort(pages, page + ABOVE, line);
  }

  static int below(MemorySegment pages, long page) {
    return getUnsignedShort(pages, page + BELOW);
  }

  static void below(MemorySegment pages, long page, int line) {
    putShort(pages, page + BELOW, line);
  }
}
