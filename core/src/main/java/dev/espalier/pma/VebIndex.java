// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

/**
 * A static binary search tree over the segments, in van Emde Boas order, in the room that {@link
 * SegmentColumns} has for it. A node divides its window of segments into two even parts, as the
 * calibrator does; its separator is a key above all on the left and at most the first on the right.
 *
 * <p>The boundary of a node is the first segment of its right part. Where the segments are no power
 * of two, some boundaries belong to two nodes and a window may have an empty part; a search that
 * goes there ends at the segment before which that part lies, which is the right one.
 */
final class VebIndex {
  final int segments;
  final VebLayout layout;

  VebIndex(int segments) {
    this.segments = segments;
    this.layout = new VebLayout(height(segments));
  }

  private static int height(int segments) {
    return Calibrator.levels(segments) - 1;
  }

  /** Returns the bytes of the index over so many segments. */
  static long bytes(int segments) {
    return ((1L << height(segments)) - 1) * Long.BYTES;
  }

  /** Returns the segment that a leaf stands for, numbered as the layout numbers nodes. */
  int segment(long leaf) {
    return (int) (((leaf - (1L << layout.height)) * segments) >> layout.height);
  }

  /** Returns the offset of a node. */
  long offset(SegmentColumns columns, long node, int depth) {
    return columns.indexOffset + (layout.position(node, depth) << 3);
  }

  long separator(SegmentColumns columns, long node, int depth) {
    return getLong(columns.memory, offset(columns, node, depth));
  }

  /** Returns the segment at which a node divides. */
  int boundary(long node, int depth) {
    return Calibrator.begin(segments, 2 * (node - (1L << depth)) + 1, depth + 1);
  }

  /** Sets the separators of segments to their first keys; the first segment of all has none. */
  void refresh(SegmentColumns columns, int from, int to) {
    for (int segment = from; segment < to; segment++) {
      long separator = segment == 0 ? Long.MIN_VALUE : columns.key(columns.slot(segment));
      long last = firstMark(segment + 1);
      for (long mark = Math.max(firstMark(segment), 1); mark < last; mark++) {
        putLong(columns.memory, offsetOfMark(columns, mark), separator);
      }
    }
  }

  /** Returns the separator of a segment other than the first, from the first node that has it. */
  long separatorOf(SegmentColumns columns, int segment) {
    return getLong(columns.memory, offsetOfMark(columns, firstMark(segment)));
  }

  private long offsetOfMark(SegmentColumns columns, long mark) {
    int above = Long.numberOfTrailingZeros(mark); // levels from the node down to the lowest
    long node = (mark + (1L << layout.height)) >> (above + 1);
    return offset(columns, node, layout.height - 1 - above);
  }

  /**
   * Returns the first of the marks of a segment: the numbers from 1 to {@code 2^height - 1}, one
   * for each node in the order of the keys, are divided among the segments at which they divide.
   */
  private long firstMark(int segment) {
    return (((long) segment << layout.height) + segments - 1) / segments;
  }
}
