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
 * The bytes of an inner node of the cache-first fpB+-tree, {@code node} being its place.
 *
 * <pre>
 *  0                        childrenOffset              bytes - 16
 *  | key 0 .. capacity - 2 | ... | child 0 .. capacity - 1 | count | level | next | previous |
 *    longs                         ints                      int     int     int    int
 * </pre>
 *
 * The count is that of the children. Key i is the upper bound of child i; the last child has none,
 * and unused key slots hold {@link Keys#PADDING}, so that a search of all slots always ends at a
 * child. The level is the in-page level. {@code next} and {@code previous} chain leaf parents, and
 * are 0 elsewhere. 9 lines hold 47 children, 14 lines 74.
 */
final class CacheFirstInner {
  private static final int HEADER_BYTES = 16;

  final int bytes;
  final int capacity;
  final int keySlots;
  final int childrenOffset;
  final int countOffset;

  CacheFirstInner(int width) {
    this.bytes = width << CacheLine.SHIFT;
    this.capacity = capacity(width);
    this.keySlots = capacity - 1;
    this.countOffset = bytes - HEADER_BYTES;
    this.childrenOffset = countOffset - capacity * Integer.BYTES;
  }

  /** Returns the children of an inner node of a width in lines. */
  static int capacity(int width) {
    return ((width << CacheLine.SHIFT) - HEADER_BYTES + Long.BYTES) / (Long.BYTES + Integer.BYTES);
  }

  void initialize(MemorySegment pages, long node) {
    for (int offset = countOffset; offset < bytes; offset += Integer.BYTES) {
      putInt(pages, node + offset, 0);
    }
    Slots.fill(pages, node, 0, keySlots, Keys.PADDING);
  }

  int count(MemorySegment pages, long node) {
    return getInt(pages, node + countOffset);
  }

  void count(MemorySegment pages, long node, int count) {
    putInt(pages, node + countOffset, count);
  }

  /**
   * Reads the count of a node that is about to be used. Where threads have torn the tree it may be
   * anything, and what lies behind the node would be taken for children.
   */
  int checkedCount(MemorySegment pages, long node) {
    return Torn.checkedCount("inner node", node, count(pages, node), 0, capacity);
  }

  int level(MemorySegment pages, long node) {
    return getInt(pages, node + countOffset + 4);
  }

  void level(MemorySegment pages, long node, int level) {
    putInt(pages, node + countOffset + 4, level);
  }

  int next(MemorySegment pages, long node) {
    return getInt(pages, node + countOffset + 8);
  }

  void next(MemorySegment pages, long node, int next) {
    putInt(pages, node + countOffset + 8, next);
  }

  int previous(MemorySegment pages, long node) {
    return getInt(pages, node + countOffset + 12);
  }

  void previous(MemorySegment pages, long node, int previous) {
    putInt(pages, node + countOffset + 12, previous);
  }

  long key(MemorySegment pages, long node, int slot) {
    return getLong(pages, node + ((long) slot << 3));
  }

  void key(MemorySegment pages, long node, int slot, long key) {
    putLong(pages, node + ((long) slot << 3), key);
  }

  int child(MemorySegment pages, long node, int slot) {
    return getInt(pages, node + childrenOffset + ((long) slot << 2));
  }

  void child(MemorySegment pages, long node, int slot, int child) {
    putInt(pages, node + childrenOffset + ((long) slot << 2), child);
  }

  /** Returns the slot of the child where {@code key} belongs: always one of the slots there are. */
  int lowerBound(MemorySegment pages, long node, long key) {
    return Keys.lowerBoundRagged(pages, node, keySlots, key);
  }

  /**
   * Inserts {@code right} behind the child in {@code slot}, whose upper bound becomes {@code
   * separator}. The count is below the capacity.
   */
  void insert(MemorySegment pages, long node, int slot, long separator, int right) {
    int count = checkedCount(pages, node);
    Slots.openGap(pages, node, slot, count - 1);
    key(pages, node, slot, separator);
    long gap = node + childrenOffset + ((slot + 1L) << 2);
    copy(pages, gap, gap + Integer.BYTES, (count - slot - 1L) << 2);
    child(pages, node, slot + 1, right);
    count(pages, node, count + 1);
  }

  /**
   * Removes the child in {@code slot}; its keys belong to the child after it from now on, or where
   * there is none or {@code toPrevious} is set, to the child before.
   */
  void remove(MemorySegment pages, long node, int slot, boolean toPrevious) {
    int count = checkedCount(pages, node);
    if (count > 1) {
      boolean toBefore = slot > 0 && (toPrevious || slot == count - 1);
      Slots.closeGap(pages, node, toBefore ? slot - 1 : slot, count - 1);
      key(pages, node, count - 2, Keys.PADDING);
    }
    long gap = node + childrenOffset + ((long) slot << 2);
    copy(pages, gap + Integer.BYTES, gap, (count - slot - 1L) << 2);
    count(pages, node, count - 1);
  }

  /**
   * Moves all children from {@code kept} on to {@code right}, which is empty. Returns the upper
   * bound of those that stay.
   */
  long split(MemorySegment pages, long node, int kept, int count, long right) {
    long separator = key(pages, node, kept - 1);
    copy(pages, node + ((long) kept << 3), right, (count - kept - 1L) << 3);
    long from = node + childrenOffset + ((long) kept << 2);
    copy(pages, from, right + childrenOffset, (long) (count - kept) << 2);
    Slots.fill(pages, node, kept - 1, keySlots, Keys.PADDING);
    count(pages, node, kept);
    count(pages, right, count - kept);
    return separator;
  }
}
