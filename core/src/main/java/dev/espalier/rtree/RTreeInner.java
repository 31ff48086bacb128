// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.putInt;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of an inner node: those of {@link RTreeNode}, with children as references, whose
 * bounding rectangles the coordinates are.
 *
 * <pre>
 *  0                            referencesOffset                 countOffset
 *  | minX | minY | maxX | maxY | child 0 .. capacity-1 | ...    | count | version |
 *    slots doubles each          ints                             int     int
 * </pre>
 *
 * Width 5: columns of 8 slots, 8 children, 24 bytes lost. A child is a line number: offset / 64,
 * unsigned.
 */
final class RTreeInner extends RTreeNode {

  RTreeInner(int width) {
    super(width, Integer.BYTES);
  }

  long child(MemorySegment nodes, long node, int slot) {
    int line = getInt(nodes, node + referencesOffset + ((long) slot << 2));
    return Integer.toUnsignedLong(line) << CacheLine.SHIFT;
  }

  @Override
  long reference(MemorySegment nodes, long node, int slot) {
    return child(nodes, node, slot);
  }

  @Override
  void reference(MemorySegment nodes, long node, int slot, long child) {
    putInt(nodes, node + referencesOffset + ((long) slot << 2), (int) (child >>> CacheLine.SHIFT));
  }
}
