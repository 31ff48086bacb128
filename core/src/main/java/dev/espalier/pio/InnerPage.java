// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * An inner node: children with the separators between them. The parent of leaves knows all segments
 * of each, the oldest first; those a leaf does not have are 0. So it is what the paper calls the
 * LSMap, too. On higher levels, only the first column of segments is used, for the child.
 *
 * <pre>
 *  0        32                             segmentsOffset
 *  | header | separator 0 .. capacity - 2 | segment 0 of each child | ... | segment L - 1 of each |
 *             longs                         ints
 * </pre>
 *
 * The header is that of an {@link EntryPage}; its count is that of children. Keys up to separator 0
 * are below child 0, those above it up to separator 1 below child 1, and so on. 4 KiB and leaves of
 * two segments: 254 children.
 */
final class InnerPage {
  private static final int SEPARATORS_OFFSET = EntryPage.HEADER_BYTES;

  /** Most segments of a leaf: L. */
  final int leafSegments;

  /** Most children: F. */
  final int capacity;

  private final int segmentsOffset;

  /**
   * Lays out a page.
   *
   * @throws IllegalArgumentException if there is no room for as many children as splits need
   */
  InnerPage(int pageBytes, int leafSegments) {
    this.leafSegments = leafSegments;
    int perChild = Long.BYTES + leafSegments * Integer.BYTES;
    capacity = (pageBytes - SEPARATORS_OFFSET + Long.BYTES) / perChild;
    segmentsOffset = SEPARATORS_OFFSET + (capacity - 1) * Long.BYTES;
    if (capacity < 4) {
      throw new IllegalArgumentException(
          "leafSegments is %d; an inner node of %d bytes then has room for %d children, but needs 4"
              .formatted(leafSegments, pageBytes, capacity));
    }
  }

  int checkedChildren(MemorySegment pages, long page) {
    return Torn.checkedCount("page", page, EntryPage.count(pages, page), 1, capacity);
  }

  /** Returns the number of the child below which {@code key} is or belongs. */
  int childSlot(MemorySegment pages, long page, long key) {
    int children = checkedChildren(pages, page);
    return Keys.lowerBoundBinary(pages, page + SEPARATORS_OFFSET, children - 1, key);
  }

  private long segmentAt(long page, int child, int segment) {
    return page + segmentsOffset + ((long) (segment * capacity + child) << 2);
  }

  /** Returns the page of a child that is an inner node, or of a leaf's oldest segment. */
  int child(MemorySegment pages, long page, int child) {
    return getInt(pages, segmentAt(page, child, 0));
  }

  /** Returns the page of a leaf's segment, or 0. */
  int segment(MemorySegment pages, long page, int child, int segment) {
    return getInt(pages, segmentAt(page, child, segment));
  }

  void segment(MemorySegment pages, long page, int child, int segment, int number) {
    putInt(pages, segmentAt(page, child, segment), number);
  }

  /** Returns how many segments a leaf has, at least one. */
  int segments(MemorySegment pages, long page, int child) {
    int segments = 1;
    while (segments < leafSegments && segment(pages, page, child, segments) != 0) {
      segments++;
    }
    return segments;
  }

  static long separator(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + SEPARATORS_OFFSET + ((long) slot << 3));
  }

  static void separator(MemorySegment pages, long page, int slot, long separator) {
    putLong(pages, page + SEPARATORS_OFFSET + ((long) slot << 3), separator);
  }

  /** Makes a page that is pinned an inner node of one child, whose segments are all 0. */
  void initialize(MemorySegment pages, long page, int level) {
    EntryPage.initialize(pages, page, level);
    EntryPage.count(pages, page, 1);
    clearChild(pages, page, 0);
  }

  private void clearChild(MemorySegment pages, long page, int child) {
    for (int i = 0; i < leafSegments; i++) {
      segment(pages, page, child, i, 0);
    }
  }

  /** Inserts a separator and, after it, a child whose segments are all 0. There must be room. */
  void insertChildAfter(MemorySegment pages, long page, int child, long separator) {
    int children = checkedChildren(pages, page);
    Slots.openGap(pages, page + SEPARATORS_OFFSET, child, children - 1);
    separator(pages, page, child, separator);
    for (int i = 0; i < leafSegments; i++) {
      long from = segmentAt(page, child + 1, i);
      Words.copy(pages, from, from + Integer.BYTES, (long) (children - child - 1) << 2);
    }
    clearChild(pages, page, child + 1);
    EntryPage.count(pages, page, children + 1);
  }

  /** Removes the separator after a child, and the child after it. */
  void removeChildAfter(MemorySegment pages, long page, int child) {
    removeChildren(pages, page, child + 1, child + 2);
  }

  /**
   * Removes children, but not all. The child before them gets their interval, or else the one
   * behind.
   *
   * @param to the child after the last of them
   */
  void removeChildren(MemorySegment pages, long page, int from, int to) {
    int children = checkedChildren(pages, page);
    int before = Math.max(from - 1, 0);
    long separators = page + SEPARATORS_OFFSET;
    Words.copy(
        pages,
        separators + ((long) (before + to - from) << 3),
        separators + ((long) before << 3),
        (long) (children - 1 - before - (to - from)) << 3);
    for (int i = 0; i < leafSegments; i++) {
      Words.copy(
          pages, segmentAt(page, to, i), segmentAt(page, from, i), (long) (children - to) << 2);
    }
    EntryPage.count(pages, page, children - (to - from));
  }

  /**
   * Appends children of one node to another, whose last one is then followed by a separator.
   *
   * @param from the first child that is appended
   */
  void append(MemorySegment pages, long page, long separator, long fromPage, int from, int count) {
    int children = checkedChildren(pages, page);
    separator(pages, page, children - 1, separator);
    copy(pages, fromPage, from, page, children, count);
    EntryPage.count(pages, page, children + count);
  }

  /** Copies children, and the separators between them. */
  void copy(MemorySegment pages, long fromPage, int from, long page, int to, int count) {
    Words.copy(
        pages,
        fromPage + SEPARATORS_OFFSET + ((long) from << 3),
        page + SEPARATORS_OFFSET + ((long) to << 3),
        (long) (count - 1) << 3);
    for (int i = 0; i < leafSegments; i++) {
      Words.copy(pages, segmentAt(fromPage, from, i), segmentAt(page, to, i), (long) count << 2);
    }
  }
}
