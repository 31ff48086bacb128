// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of an inner node, {@code width} cache lines in all. Keys come before children, on lines
 * of their own.
 *
 * <pre>
 *  0                      childrenOffset                              countOffset
 *  | separator 0 .. count-1 | padding | child 0 .. count | ... | count | version | next | previous |
 *         longs                            ints                  int      int      int      int
 * </pre>
 *
 * Width 8: 40 separators, 41 children. A child, {@code next} and {@code previous} are line numbers
 * (offset / 64, unsigned), 0 for none. Unused separator slots hold {@link Keys#PADDING}.
 *
 * <p>{@code next} and {@code previous} chain the nodes of one level. The chain over the leaves'
 * parents, with the children in them, is the internal jump-pointer array (thesis 3.6).
 */
public final class InnerNode {
  private static final int HEADER_BYTES = 16;

  public final int width;
  public final int bytes;

  /** Most separators; there is one child more. */
  public final int capacity;

  public final int keySlots;
  public final int childrenOffset;

  /** Lines that hold separators. */
  public final int keyLines;

  public final int countOffset;
  public final int nextOffset;
  public final int previousOffset;

  /** Fewest separators of a node that is neither the root nor the last of its level. */
  public final int minimum;

  public InnerNode(int width) {
    LeafNode.checkWidth("innerWidth", width);
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    int room = bytes - HEADER_BYTES;
    int bestCapacity = (room - Integer.BYTES) / (Long.BYTES + Integer.BYTES);
    int bestSlots = bestCapacity;
    if (width > 1) {
      bestCapacity = 0;
      for (int slots = CacheLine.LONGS; slots * Long.BYTES < room; slots += CacheLine.LONGS) {
        int fitting = Math.min(slots, (room - slots * Long.BYTES) / Integer.BYTES - 1);
        if (fitting > bestCapacity) {
          bestCapacity = fitting;
          bestSlots = slots;
        }
      }
    }
    this.capacity = bestCapacity;
    this.keySlots = bestSlots;
    this.childrenOffset = bestSlots * Long.BYTES;
    this.keyLines = (childrenOffset + CacheLine.BYTES - 1) / CacheLine.BYTES;
    this.countOffset = bytes - HEADER_BYTES;
    this.nextOffset = countOffset + 8;
    this.previousOffset = countOffset + 12;
    this.minimum = capacity / 2;
  }

  public void initialize(MemorySegment nodes, long node) {
    putLong(nodes, node + countOffset, 0);
    putLong(nodes, node + nextOffset, 0);
    clearKeys(nodes, node, 0);
  }

  /** Pads the separator slots from {@code from} on. */
  public void clearKeys(MemorySegment nodes, long node, int from) {
    Slots.fill(nodes, node, from, keySlots, Keys.PADDING);
  }

  /** Inserts a separator before {@code slot} of a node with room, and the child after it. */
  void insert(MemorySegment nodes, long node, int slot, int count, long separator, long child) {
    Slots.openGap(nodes, node, slot, count);
    key(nodes, node, slot, separator);
    for (int i = count; i > slot; i--) {
      copyChild(nodes, node, i, node, i + 1);
    }
    child(nodes, node, slot + 1, child);
    count(nodes, node, count + 1);
  }

  /** Removes separator {@code slot} of a node with {@code count}, and the child after it. */
  void remove(MemorySegment nodes, long node, int slot, int count) {
    Slots.closeGap(nodes, node, slot, count);
    clearKeys(nodes, node, count - 1);
    for (int i = slot + 1; i < count; i++) {
      copyChild(nodes, node, i + 1, node, i);
    }
    count(nodes, node, count - 1);
  }

  /**
   * Removes separators {@code start} to {@code end - 1} of a node with {@code count}, and the
   * children before them.
   */
  void removeAll(MemorySegment nodes, long node, int start, int end, int count) {
    for (int i = end; i < count; i++) {
      key(nodes, node, start + i - end, key(nodes, node, i));
    }
    for (int i = end; i <= count; i++) {
      copyChild(nodes, node, i, node, start + i - end);
    }
    int left = count - (end - start);
    clearKeys(nodes, node, left);
    count(nodes, node, left);
  }

  /** Makes {@code right} follow {@code left} in the chain of their level; right may be none. */
  void link(MemorySegment nodes, long left, long right) {
    next(nodes, left, right);
    if (right != 0) {
      previous(nodes, right, left);
    }
  }

  public int count(MemorySegment nodes, long node) {
    return getInt(nodes, node + countOffset);
  }

  public void count(MemorySegment nodes, long node, int count) {
    putInt(nodes, node + countOffset, count);
  }

  public long key(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + ((long) slot << 3));
  }

  public void key(MemorySegment nodes, long node, int slot, long separator) {
    putLong(nodes, node + ((long) slot << 3), separator);
  }

  public long child(MemorySegment nodes, long node, int slot) {
    return toOffset(childLine(nodes, node, slot));
  }

  public void child(MemorySegment nodes, long node, int slot, long child) {
    childLine(nodes, node, slot, toLine(child));
  }

  int childLine(MemorySegment nodes, long node, int slot) {
    return getInt(nodes, node + childrenOffset + ((long) slot << 2));
  }

  void childLine(MemorySegment nodes, long node, int slot, int line) {
    putInt(nodes, node + childrenOffset + ((long) slot << 2), line);
  }

  void copyChild(MemorySegment nodes, long from, int fromSlot, long to, int toSlot) {
    childLine(nodes, to, toSlot, childLine(nodes, from, fromSlot));
  }

  public long next(MemorySegment nodes, long node) {
    return toOffset(getInt(nodes, node + nextOffset));
  }

  public void next(MemorySegment nodes, long node, long next) {
    putInt(nodes, node + nextOffset, toLine(next));
  }

  public long previous(MemorySegment nodes, long node) {
    return toOffset(getInt(nodes, node + previousOffset));
  }

  public void previous(MemorySegment nodes, long node, long previous) {
    putInt(nodes, node + previousOffset, toLine(previous));
  }

  /** Returns the byte offset of a line number. */
  public static long toOffset(int line) {
    return Integer.toUnsignedLong(line) << CacheLine.SHIFT;
  }

  /** Returns the line number of a byte offset. */
  public static int toLine(long offset) {
    return (int) (offset >>> CacheLine.SHIFT);
  }
}
