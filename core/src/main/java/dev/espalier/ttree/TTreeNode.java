// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.NodeMemory;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a node, {@code width} cache lines in all. What a descent reads (children, least and
 * greatest key) is in the first line.
 *
 * <pre>
 *  0       4        8      12      16       20        24         32              valuesOffset
 *  | count | height | left | right | parent | version | greatest | key 0 .. c-1 | value 0 .. c-1 |
 *    int     int      int    int     int      int       long                      c = 4 * width - 2
 * </pre>
 *
 * No byte is lost. {@code greatest} repeats the last key in use: in its place there would be
 * padding. Left, right and parent are line numbers, 0 for none. The version is kept free for
 * optimistic lock coupling. Unused slots hold anything.
 */
final class TTreeNode {
  /** The two sides of a node, numbered so that the other is {@code 1 - side}. */
  static final int LEFT = 0;

  static final int RIGHT = 1;

  static final int COUNT_OFFSET = 0;
  static final int HEIGHT_OFFSET = 4;
  static final int CHILDREN_OFFSET = 8;
  static final int PARENT_OFFSET = 16;
  static final int VERSION_OFFSET = 20;
  static final int GREATEST_OFFSET = 24;
  static final int KEYS_OFFSET = 32;

  final int width;
  final int bytes;
  final int capacity;
  final int valuesOffset;

  /** Lines that hold keys, the first included. */
  final int keyLines;

  /** Fewest entries of a node with two children. */
  final int minimum;

  TTreeNode(int width) {
    checkWidth(width);
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    this.capacity = (bytes - KEYS_OFFSET) / (2 * Long.BYTES);
    this.valuesOffset = KEYS_OFFSET + capacity * Long.BYTES;
    this.keyLines = (valuesOffset + CacheLine.BYTES - 1) / CacheLine.BYTES;
    this.minimum = capacity / 2;
  }

  static void checkWidth(int width) {
    if (width < 1 || width > NodeMemory.MAX_LINES) {
      throw new IllegalArgumentException(
          "width is " + width + " lines; it must be from 1 to " + NodeMemory.MAX_LINES);
    }
  }

  /** Makes a leaf without entries. */
  void initialize(MemorySegment nodes, long node, long parent) {
    putInt(nodes, node + COUNT_OFFSET, 0);
    height(nodes, node, 1);
    child(nodes, node, LEFT, 0);
    child(nodes, node, RIGHT, 0);
    parent(nodes, node, parent);
    putInt(nodes, node + VERSION_OFFSET, 0);
  }

  // ---------------------------------------------------------------- header

  int count(MemorySegment nodes, long node) {
    return getInt(nodes, node + COUNT_OFFSET);
  }

  /** Sets the count, once the keys are in their slots, and with it the greatest key. */
  void count(MemorySegment nodes, long node, int count) {
    putInt(nodes, node + COUNT_OFFSET, count);
    if (count > 0) {
      greatest(nodes, node, key(nodes, node, count - 1));
    }
  }

  /** Returns the height of the subtree: 1 for a leaf, 0 for {@code node} 0, which is none. */
  int height(MemorySegment nodes, long node) {
    return node == 0 ? 0 : getInt(nodes, node + HEIGHT_OFFSET);
  }

  void height(MemorySegment nodes, long node, int height) {
    putInt(nodes, node + HEIGHT_OFFSET, height);
  }

  long child(MemorySegment nodes, long node, int side) {
    return toOffset(getInt(nodes, node + CHILDREN_OFFSET + ((long) side << 2)));
  }

  void child(MemorySegment nodes, long node, int side, long child) {
    putInt(nodes, node + CHILDREN_OFFSET + ((long) side << 2), toLine(child));
  }

  long parent(MemorySegment nodes, long node) {
    return toOffset(getInt(nodes, node + PARENT_OFFSET));
  }

  void parent(MemorySegment nodes, long node, long parent) {
    putInt(nodes, node + PARENT_OFFSET, toLine(parent));
  }

  private static long toOffset(int line) {
    return Integer.toUnsignedLong(line) << CacheLine.SHIFT;
  }

  private static int toLine(long offset) {
    return (int) (offset >>> CacheLine.SHIFT);
  }

  long least(MemorySegment nodes, long node) {
    return getLong(nodes, node + KEYS_OFFSET);
  }

  long greatest(MemorySegment nodes, long node) {
    return getLong(nodes, node + GREATEST_OFFSET);
  }

  /** Tells whether {@code key} is from the least to the greatest key of a node. */
  boolean bounds(MemorySegment nodes, long node, long key) {
    return key >= least(nodes, node) && key <= greatest(nodes, node);
  }

  void greatest(MemorySegment nodes, long node, long key) {
    putLong(nodes, node + GREATEST_OFFSET, key);
  }

  // ---------------------------------------------------------------- entries

  long key(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + KEYS_OFFSET + ((long) slot << 3));
  }

  long value(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + valuesOffset + ((long) slot << 3));
  }

  void value(MemorySegment nodes, long node, int slot, long value) {
    putLong(nodes, node + valuesOffset + ((long) slot << 3), value);
  }

  void entry(MemorySegment nodes, long node, int slot, long key, long value) {
    putLong(nodes, node + KEYS_OFFSET + ((long) slot << 3), key);
    value(nodes, node, slot, value);
  }

  /** Copies entries from one node to another, or within one, where the slots may overlap. */
  void copyEntries(MemorySegment nodes, long from, int fromSlot, long to, int toSlot, int entries) {
    long source = from + ((long) fromSlot << 3);
    long target = to + ((long) toSlot << 3);
    long length = (long) entries << 3;
    copy(nodes, source + KEYS_OFFSET, target + KEYS_OFFSET, length);
    copy(nodes, source + valuesOffset, target + valuesOffset, length);
  }
}
