// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.NodeMemory;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of an inner node, {@code width} cache lines in all: one word for each segment of its
 * node group, then separators.
 *
 * <pre>
 *  0                 8                 8 * segments
 *  | segment 0       | segment 1 | ... | separator 0 .. capacity-1                    |
 *        long             long               longs, to the end of the last line
 *
 *  a segment:   bits 0 .. 31   the line (offset / 64, unsigned) where its nodes begin, 0 for none
 *               bits 32 .. 47  children in this segment and those before it
 *               bits 48 .. 63  nodes there is room for
 * </pre>
 *
 * One segment, width 1: 7 separators, 8 children. The number of children is what the last segment's
 * word says, the number of separators one less. Segments in use come before those that are not.
 * Unused separator slots hold {@link Keys#PADDING}.
 */
final class CsbInnerNode {
  /** More would leave narrow nodes no room for separators, and wide ones gain nothing. */
  static final int MAX_SEGMENTS = 7;

  private static final int END_SHIFT = 32;
  private static final int ROOM_SHIFT = 48;
  private static final long SHORT_MASK = 0xffff;

  final int width;
  final int bytes;
  final int segments;

  /** Most separators. */
  final int capacity;

  final int maxChildren;

  /** A node with fewer children looks for a sibling to merge with. */
  final int minChildren;

  final int keysOffset;

  /** Words of the node, those of the segments included: what a search compares. */
  final int slots;

  CsbInnerNode(int width, int segments) {
    checkSegments(width, segments);
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    this.segments = segments;
    this.slots = width * CacheLine.LONGS;
    this.keysOffset = segments * Long.BYTES;
    this.capacity = slots - segments;
    this.maxChildren = capacity + 1;
    this.minChildren = maxChildren / 2;
  }

  /** Checks the width and that so many segments leave room for twice as many children. */
  static void checkSegments(int width, int segments) {
    checkWidth("innerWidth", width);
    int most = Math.min(MAX_SEGMENTS, (width * CacheLine.LONGS + 1) / 3);
    if (segments < 1 || segments > most) {
      throw new IllegalArgumentException(
          "segments is "
              + segments
              + "; for inner nodes of "
              + width
              + " lines it must be from 1 to "
              + most);
    }
  }

  static void checkWidth(String name, int width) {
    if (width < 1 || width > NodeMemory.MAX_LINES) {
      throw new IllegalArgumentException(
          name + " is " + width + " lines; it must be from 1 to " + NodeMemory.MAX_LINES);
    }
  }

  void initialize(MemorySegment nodes, long node) {
    Slots.fill(nodes, node, 0, segments, 0);
    clearKeys(nodes, node, 0);
  }

  /** Pads the separator slots from {@code from} on. */
  void clearKeys(MemorySegment nodes, long node, int from) {
    Slots.fill(nodes, node + keysOffset, from, capacity, Keys.PADDING);
  }

  // ---------------------------------------------------------------- separators

  int children(MemorySegment nodes, long node) {
    return end(nodes, node, segments - 1);
  }

  long key(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + keysOffset + ((long) slot << 3));
  }

  void key(MemorySegment nodes, long node, int slot, long separator) {
    putLong(nodes, node + keysOffset + ((long) slot << 3), separator);
  }

  // ---------------------------------------------------------------- segments

  /** Returns the offset of a segment's first node, 0 for none. */
  long group(MemorySegment nodes, long node, int segment) {
    return groupOf(word(nodes, node, segment));
  }

  /** Returns the number of children in a segment and those before it. */
  int end(MemorySegment nodes, long node, int segment) {
    return endOf(word(nodes, node, segment));
  }

  /** Returns the number of children before a segment. */
  int start(MemorySegment nodes, long node, int segment) {
    return segment == 0 ? 0 : end(nodes, node, segment - 1);
  }

  /** Returns the number of children in a segment. */
  int size(MemorySegment nodes, long node, int segment) {
    return end(nodes, node, segment) - start(nodes, node, segment);
  }

  /** Returns the number of nodes for which a segment has room. */
  int room(MemorySegment nodes, long node, int segment) {
    return (int) (word(nodes, node, segment) >>> ROOM_SHIFT);
  }

  void segment(MemorySegment nodes, long node, int segment, long group, int end, int room) {
    long line = group >>> CacheLine.SHIFT;
    long word = (long) room << ROOM_SHIFT | (long) end << END_SHIFT | line;
    putLong(nodes, node + ((long) segment << 3), word);
  }

  /** Returns the number of segments that have children. */
  int segmentsInUse(MemorySegment nodes, long node) {
    int used = segments;
    while (used > 0 && group(nodes, node, used - 1) == 0) {
      used--;
    }
    return used;
  }

  /** Returns the segment that holds child {@code slot}; the last one if none does. */
  int segmentOf(MemorySegment nodes, long node, int slot) {
    int segment = 0;
    while (segment < segments - 1 && slot >= end(nodes, node, segment)) {
      segment++;
    }
    return segment;
  }

  /** Returns the offset of child {@code slot}, whose level has nodes of {@code childBytes}. */
  long child(MemorySegment nodes, long node, int slot, int childBytes) {
    int start = 0;
    for (int segment = 0; segment < segments - 1; segment++) {
      long word = word(nodes, node, segment);
      int end = endOf(word);
      if (slot < end) {
        return groupOf(word) + (long) (slot - start) * childBytes;
      }
      start = end;
    }
    return group(nodes, node, segments - 1) + (long) (slot - start) * childBytes;
  }

  /** Returns where the nodes of the segment with this word begin. */
  static long groupOf(long word) {
    return Integer.toUnsignedLong((int) word) << CacheLine.SHIFT;
  }

  private static int endOf(long word) {
    return (int) (word >>> END_SHIFT & SHORT_MASK);
  }

  private static long word(MemorySegment nodes, long node, int segment) {
    return getLong(nodes, node + ((long) segment << 3));
  }
}
