// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a leaf of the cache-first fpB+-tree, {@code node} being its place.
 *
 * <pre>
 *  0                       valuesOffset              bytes - 8
 *  | key 0 .. capacity - 1 | value 0 .. capacity - 1 | count | unused |
 *    longs                   longs                     int     int
 * </pre>
 *
 * 9 lines hold 35 entries, 14 lines 55. Unused key slots hold {@link Keys#PADDING}. Keys and values
 * are not padded to lines: pages would hold fewer entries.
 */
final class CacheFirstLeaf {
  private static final int HEADER_BYTES = 8;

  final int bytes;
  final int capacity;
  final int valuesOffset;
  final int countOffset;

  /** Lines that hold keys, and lines that hold values and the count; they may share one. */
  final int keyLines;

  final int valueLines;

  CacheFirstLeaf(int width) {
    this.bytes = width << CacheLine.SHIFT;
    this.capacity = capacity(width);
    this.countOffset = bytes - HEADER_BYTES;
    this.valuesOffset = countOffset - capacity * Long.BYTES;
    this.keyLines = (capacity * Long.BYTES + CacheLine.BYTES - 1) / CacheLine.BYTES;
    this.valueLines = width - valuesOffset / CacheLine.BYTES;
  }

  /** Returns the entries of a leaf of a width in lines. */
  static int capacity(int width) {
    return ((width << CacheLine.SHIFT) - HEADER_BYTES) / (2 * Long.BYTES);
  }

  void initialize(MemorySegment pages, long node) {
    putLong(pages, node + countOffset, 0);
    Slots.fill(pages, node, 0, capacity, Keys.PADDING);
  }

  int count(MemorySegment pages, long node) {
    return getInt(pages, node + countOffset);
  }

  void count(MemorySegment pages, long node, int count) {
    putInt(pages, node + countOffset, count);
  }

  /**
   * Reads the count of a leaf that is about to be changed. Where threads have torn the tree it may
   * be anything, and entries would be moved through all of the memory.
   */
  int checkedCount(MemorySegment pages, long node) {
    return Torn.checkedCount("leaf", node, count(pages, node), 0, capacity);
  }

  long key(MemorySegment pages, long node, int slot) {
    return getLong(pages, node + ((long) slot << 3));
  }

  void key(MemorySegment pages, long node, int slot, long key) {
    putLong(pages, node + ((long) slot << 3), key);
  }

  long value(MemorySegment pages, long node, int slot) {
    return getLong(pages, node + valuesOffset + ((long) slot << 3));
  }

  void value(MemorySegment pages, long node, int slot, long value) {
    putLong(pages, node + valuesOffset + ((long) slot << 3), value);
  }

  /** Returns how many keys are below {@code key}. */
  int lowerBound(MemorySegment pages, long node, long key) {
    return Keys.lowerBoundRagged(pages, node, capacity, key);
  }

  /** Inserts an entry before that in {@code slot} of {@code count}, which is below the capacity. */
  void insert(MemorySegment pages, long node, int slot, int count, long key, long value) {
    Slots.openGap(pages, node, slot, count);
    Slots.openGap(pages, node + valuesOffset, slot, count);
    key(pages, node, slot, key);
    value(pages, node, slot, value);
    count(pages, node, count + 1);
  }

  /** Removes the entry in {@code slot} of {@code count}. */
  void remove(MemorySegment pages, long node, int slot, int count) {
    Slots.closeGap(pages, node, slot, count);
    Slots.closeGap(pages, node + valuesOffset, slot, count);
    key(pages, node, count - 1, Keys.PADDING);
    count(pages, node, count - 1);
  }

  /** Moves all entries from {@code kept} on to {@code right}, which is empty. */
  void split(MemorySegment pages, long node, int kept, int count, long right) {
    long bytesMoved = (long) (count - kept) << 3;
    copy(pages, node + ((long) kept << 3), right, bytesMoved);
    copy(pages, node + valuesOffset + ((long) kept << 3), right + valuesOffset, bytesMoved);
    Slots.fill(pages, node, kept, count, Keys.PADDING);
    count(pages, node, kept);
    count(pages, right, count - kept);
  }
}
