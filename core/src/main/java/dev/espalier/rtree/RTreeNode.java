// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.NodeMemory;
import dev.espalier.node.Rectangles;
import java.lang.foreign.MemorySegment;

/**
 * What both kinds of nodes have alike, {@code width} cache lines in all: four columns of
 * coordinates, a reference for each rectangle, and a header.
 *
 * <pre>
 *  0            columnBytes    2 *          3 *          4 * = referencesOffset      countOffset
 *  | minX 0 .. | minY 0 ..   | maxX 0 ..  | maxY 0 ..  | reference 0 .. | ... | count | version |
 *    doubles     doubles       doubles      doubles      8 or 4 bytes each      int     int
 * </pre>
 *
 * <p>A column has {@code slots} slots, whole lines of them but in the narrowest nodes, so that a
 * search compares line by line. Slots not in use hold {@link Rectangles#PADDING}, which is found by
 * no search. The version is kept free for optimistic lock coupling.
 */
abstract sealed class RTreeNode permits RTreeInner, RTreeLeaf {
  /** Lines of the narrowest node: with four rectangles it can be split into two of two. */
  static final int MIN_WIDTH = 3;

  private static final int HEADER_BYTES = 8;
  private static final int COLUMNS = 4;

  /** Of the capacity, what a node has at least: what measured best in the R*-tree's paper. */
  private static final double MINIMUM_FILL = 0.4;

  final int width;
  final int bytes;
  final int capacity;

  /** Slots of a column, those that pad it to whole lines included. */
  final int slots;

  /** Bytes from one column to the next. */
  final int columnBytes;

  final int referencesOffset;
  final int countOffset;

  /** Fewest rectangles of a node that is not the root. */
  final int minimum;

  RTreeNode(int width, int referenceBytes) {
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    int room = bytes - HEADER_BYTES;
    int bestSlots = room / (COLUMNS * Double.BYTES + referenceBytes);
    int bestCapacity = bestSlots;
    if (width > COLUMNS) {
      bestCapacity = 0;
      for (int tried = CacheLine.LONGS;
          tried * COLUMNS * Double.BYTES < room;
          tried += CacheLine.LONGS) {
        int fitting = Math.min(tried, (room - tried * COLUMNS * Double.BYTES) / referenceBytes);
        if (fitting > bestCapacity) {
          bestCapacity = fitting;
          bestSlots = tried;
        }
      }
    }
    this.slots = bestSlots;
    this.capacity = bestCapacity;
    this.columnBytes = bestSlots * Double.BYTES;
    this.referencesOffset = COLUMNS * columnBytes;
    this.countOffset = bytes - HEADER_BYTES;
    this.minimum = Math.max((int) (capacity * MINIMUM_FILL), 2);
  }

  static void checkWidth(String name, int width) {
    if (width < MIN_WIDTH || width > NodeMemory.MAX_LINES) {
      throw new IllegalArgumentException(
          name
              + " is "
              + width
              + " lines; it must be from "
              + MIN_WIDTH
              + " to "
              + NodeMemory.MAX_LINES);
    }
  }

  void initialize(MemorySegment nodes, long node) {
    putLong(nodes, node + countOffset, 0);
    pad(nodes, node, 0);
  }

  /** Pads all slots from {@code from} on. */
  void pad(MemorySegment nodes, long node, int from) {
    pad(nodes, node, from, slots);
  }

  /** Pads the slots from {@code from} to before {@code to}. */
  void pad(MemorySegment nodes, long node, int from, int to) {
    for (int slot = from; slot < to; slot++) {
      set(
          nodes,
          node,
          slot,
          Rectangles.PADDING,
          Rectangles.PADDING,
          Rectangles.PADDING,
          Rectangles.PADDING);
    }
  }

  int count(MemorySegment nodes, long node) {
    return getInt(nodes, node + countOffset);
  }

  void count(MemorySegment nodes, long node, int count) {
    putInt(nodes, node + countOffset, count);
  }

  double minX(MemorySegment nodes, long node, int slot) {
    return coordinate(nodes, node, 0, slot);
  }

  double minY(MemorySegment nodes, long node, int slot) {
    return coordinate(nodes, node, 1, slot);
  }

  double maxX(MemorySegment nodes, long node, int slot) {
    return coordinate(nodes, node, 2, slot);
  }

  double maxY(MemorySegment nodes, long node, int slot) {
    return coordinate(nodes, node, 3, slot);
  }

  private double coordinate(MemorySegment nodes, long node, int column, int slot) {
    return Double.longBitsToDouble(getLong(nodes, place(node, column, slot)));
  }

  private void coordinate(MemorySegment nodes, long node, int column, int slot, double coordinate) {
    putLong(nodes, place(node, column, slot), Double.doubleToRawLongBits(coordinate));
  }

  private long place(long node, int column, int slot) {
    return node + (long) column * columnBytes + ((long) slot << 3);
  }

  /** Sets the rectangle of a slot. */
  void set(
      MemorySegment nodes,
      long node,
      int slot,
      double minX,
      double minY,
      double maxX,
      double maxY) {
    coordinate(nodes, node, 0, slot, minX);
    coordinate(nodes, node, 1, slot, minY);
    coordinate(nodes, node, 2, slot, maxX);
    coordinate(nodes, node, 3, slot, maxY);
  }

  /** Tells whether a slot has this very rectangle. */
  boolean isAt(
      MemorySegment nodes,
      long node,
      int slot,
      double minX,
      double minY,
      double maxX,
      double maxY) {
    return minX(nodes, node, slot) == minX
        && minY(nodes, node, slot) == minY
        && maxX(nodes, node, slot) == maxX
        && maxY(nodes, node, slot) == maxY;
  }

  /** Tells whether the rectangle of a slot lies within another. */
  boolean isWithin(
      MemorySegment nodes,
      long node,
      int slot,
      double minX,
      double minY,
      double maxX,
      double maxY) {
    return minX(nodes, node, slot) >= minX
        && minY(nodes, node, slot) >= minY
        && maxX(nodes, node, slot) <= maxX
        && maxY(nodes, node, slot) <= maxY;
  }

  /** Copies rectangle and reference of a slot. */
  void copy(MemorySegment nodes, long from, int fromSlot, long to, int toSlot) {
    set(
        nodes,
        to,
        toSlot,
        minX(nodes, from, fromSlot),
        minY(nodes, from, fromSlot),
        maxX(nodes, from, fromSlot),
        maxY(nodes, from, fromSlot));
    reference(nodes, to, toSlot, reference(nodes, from, fromSlot));
  }

  /** Searches up to 64 slots from {@code first} on, as {@link Rectangles#reaching}. */
  final long reaching(
      MemorySegment nodes,
      long node,
      int first,
      double mostMinX,
      double mostMinY,
      double leastMaxX,
      double leastMaxY) {
    return Rectangles.reaching(
        nodes,
        node + ((long) first << 3),
        columnBytes,
        Math.min(slots - first, Rectangles.MOST),
        mostMinX,
        mostMinY,
        leastMaxX,
        leastMaxY);
  }

  /** Returns what the rectangle of a slot is of: a value in leaves, the offset of a child above. */
  abstract long reference(MemorySegment nodes, long node, int slot);

  abstract void reference(MemorySegment nodes, long node, int slot, long reference);
}
