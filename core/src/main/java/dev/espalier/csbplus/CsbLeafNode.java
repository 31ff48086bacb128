// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a leaf, {@code width} cache lines in all. Keys come before values, on lines of their
 * own, so that a search touches key lines and then one value line.
 *
 * <pre>
 *  0                    8 * keySlots         valuesOffset                    countOffset
 *  | key 0 .. capacity-1 | padding to a line | ... | value 0 .. capacity-1 | count | version |
 *                                                                             int      int
 * </pre>
 *
 * Width 2: 8 key slots, of which 7 are used, 7 values, 8 bytes of header: 128 bytes, none lost.
 * Unused key slots hold {@link Keys#PADDING}. The version is kept free for optimistic lock
 * coupling. Neighbours are found by their place in the node group, so a leaf has no references.
 *
 * <p>A node of one line has no room to pad its keys to a line: they are searched by a loop.
 */
final class CsbLeafNode {
  private static final int HEADER_BYTES = 8;

  final int width;
  final int bytes;
  final int capacity;
  final int keySlots;

  /** Lines that hold keys, and lines that hold values and the header; they may share one. */
  final int keyLines;

  final int valueLines;
  final int valuesOffset;
  final int countOffset;

  /** Fewest entries of a leaf that is neither the root, nor the last, nor an only child. */
  final int minimum;

  CsbLeafNode(int width) {
    CsbInnerNode.checkWidth("leafWidth", width);
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    int longs = (bytes - HEADER_BYTES) / Long.BYTES;
    if (width == 1) {
      this.capacity = longs / 2;
      this.keySlots = capacity;
    } else {
      // Half the lines for keys; of an odd number the values get the line more.
      this.keySlots = width / 2 * CacheLine.LONGS;
      this.capacity = Math.min(keySlots, longs - keySlots);
    }
    this.countOffset = bytes - HEADER_BYTES;
    this.valuesOffset = countOffset - capacity * Long.BYTES;
    this.keyLines = (keySlots + CacheLine.LONGS - 1) / CacheLine.LONGS;
    this.valueLines = width - valuesOffset / CacheLine.BYTES;
    this.minimum = capacity / 2;
  }

  void initialize(MemorySegment nodes, long node) {
    putLong(nodes, node + countOffset, 0);
    clearKeys(nodes, node, 0);
  }

  /** Pads the key slots from {@code from} on. */
  void clearKeys(MemorySegment nodes, long node, int from) {
    Slots.fill(nodes, node, from, keySlots, Keys.PADDING);
  }

  /**
   * Copies {@code count} entries, from slot {@code from} of one leaf to slot {@code to} of another
   * or of the same.
   */
  void copyEntries(MemorySegment nodes, long fromNode, int from, long toNode, int to, int count) {
    long fromKeys = fromNode + ((long) from << 3);
    long toKeys = toNode + ((long) to << 3);
    Words.copy(nodes, fromKeys, toKeys, (long) count << 3);
    Words.copy(nodes, fromKeys + valuesOffset, toKeys + valuesOffset, (long) count << 3);
  }

  int count(MemorySegment nodes, long node) {
    return getInt(nodes, node + countOffset);
  }

  void count(MemorySegment nodes, long node, int count) {
    putInt(nodes, node + countOffset, count);
  }

  long key(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + ((long) slot << 3));
  }

  void key(MemorySegment nodes, long node, int slot, long key) {
    putLong(nodes, node + ((long) slot << 3), key);
  }

  long value(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + valuesOffset + ((long) slot << 3));
  }

  void value(MemorySegment nodes, long node, int slot, long value) {
    putLong(nodes, node + valuesOffset + ((long) slot << 3), value);
  }
}
