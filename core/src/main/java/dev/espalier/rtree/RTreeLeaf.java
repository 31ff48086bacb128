// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import java.lang.foreign.MemorySegment;

/**
 * The bytes of a leaf: those of {@link RTreeNode}, with values as references.
 *
 * <pre>
 *  0                            referencesOffset                 countOffset
 *  | minX | minY | maxX | maxY | value 0 .. capacity-1 | ...    | count | version |
 *    slots doubles each          longs                            int     int
 * </pre>
 *
 * Width 10: columns of 16 slots, of which 15 are used, 15 values: 640 bytes, none lost.
 */
final class RTreeLeaf extends RTreeNode {

  RTreeLeaf(int width) {
    super(width, Long.BYTES);
  }

  long value(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + referencesOffset + ((long) slot << 3));
  }

  @Override
  long reference(MemorySegment nodes, long node, int slot) {
    return value(nodes, node, slot);
  }

  @Override
  void reference(MemorySegment nodes, long node, int slot, long value) {
    putLong(nodes, node + referencesOffset + ((long) slot << 3), value);
  }
}
