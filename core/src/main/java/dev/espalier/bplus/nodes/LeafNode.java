// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.NodeMemory;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a leaf, {@code width} cache lines in all. Keys come before values (thesis 3.6), on
 * lines of their own, so that a search touches key lines and then one value line.
 *
 * <pre>
 *  0                    8 * keySlots         valuesOffset                    countOffset
 *  | key 0 .. capacity-1 | padding to a line | ... | value 0 .. capacity-1 | count | version |
 *                                                                             int      int
 * </pre>
 *
 * Width 8: 32 key slots, of which 31 are used, 31 values, 8 bytes of header: 512 bytes, none lost.
 * Unused key slots hold {@link Keys#PADDING}. The version is kept free for optimistic lock
 * coupling; in a tree with a jump-pointer array outside, it is the hint to the leaf's place there.
 *
 * <p>A node of one line has no room to pad its keys to a line: they are searched by a loop.
 */
public final class LeafNode {
  private static final int HEADER_BYTES = 8;

  public final int width;
  public final int bytes;
  public final int capacity;
  public final int keySlots;

  /** Lines that hold keys, and lines that hold values and the header; they may share one. */
  public final int keyLines;

  public final int valueLines;
  public final int valuesOffset;
  public final int countOffset;

  /** Fewest entries of a leaf that is neither the root nor the last. */
  public final int minimum;

  public LeafNode(int width) {
    checkWidth("leafWidth", width);
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    int longs = (bytes - HEADER_BYTES) / Long.BYTES;
    int bestSlots = longs / 2;
    int bestCapacity = longs / 2;
    if (width > 1) {
      bestCapacity = 0;
      for (int slots = CacheLine.LONGS; slots < longs; slots += CacheLine.LONGS) {
        int fitting = Math.min(slots, longs - slots);
        if (fitting > bestCapacity) {
          bestCapacity = fitting;
          bestSlots = slots;
        }
      }
    }
    this.capacity = bestCapacity;
    this.keySlots = bestSlots;
    this.countOffset = bytes - HEADER_BYTES;
    this.valuesOffset = countOffset - bestCapacity * Long.BYTES;
    this.keyLines = (keySlots * Long.BYTES + CacheLine.BYTES - 1) / CacheLine.BYTES;
    this.valueLines = width - valuesOffset / CacheLine.BYTES;
    this.minimum = capacity / 2;
  }

  public static void checkWidth(String name, int width) {
    if (width < 1 || width > NodeMemory.MAX_LINES) {
      throw new IllegalArgumentException(
          name + " is " + width + " lines; it must be from 1 to " + NodeMemory.MAX_LINES);
    }
  }

  public void initialize(MemorySegment nodes, long node) {
    putLong(nodes, node + countOffset, 0);
    clearKeys(nodes, node, 0);
  }

  /** Pads the key slots from {@code from} on. */
  public void clearKeys(MemorySegment nodes, long node, int from) {
    Slots.fill(nodes, node, from, keySlots, Keys.PADDING);
  }

  public void clearKey(MemorySegment nodes, long node, int slot) {
    putLong(nodes, node + ((long) slot << 3), Keys.PADDING);
  }

  /** Inserts an entry before {@code slot} of a leaf with {@code count} entries and room. */
  void insert(MemorySegment nodes, long node, int slot, int count, long key, long value) {
    Slots.openGap(nodes, node, slot, count);
    Slots.openGap(nodes, node + valuesOffset, slot, count);
    key(nodes, node, slot, key);
    value(nodes, node, slot, value);
    count(nodes, node, count + 1);
  }

  /** Removes the entry in {@code slot} of a leaf with {@code count} entries. */
  void remove(MemorySegment nodes, long node, int slot, int count) {
    Slots.closeGap(nodes, node, slot, count);
    Slots.closeGap(nodes, node + valuesOffset, slot, count);
    clearKey(nodes, node, count - 1);
    count(nodes, node, count - 1);
  }

  /** Removes the entries in slots {@code start} to {@code end - 1} of a leaf. */
  void removeAll(MemorySegment nodes, long node, int start, int end, int count) {
    for (int i = end; i < count; i++) {
      copyEntry(nodes, node, i, node, start + i - end);
    }
    int left = count - (end - start);
    Slots.fill(nodes, node, left, count, Keys.PADDING);
    count(nodes, node, left);
  }

  void copyEntry(MemorySegment nodes, long from, int fromSlot, long to, int toSlot) {
    key(nodes, to, toSlot, key(nodes, from, fromSlot));
    value(nodes, to, toSlot, value(nodes, from, fromSlot));
  }

  public int count(MemorySegment nodes, long node) {
    return getInt(nodes, node + countOffset);
  }

  public void count(MemorySegment nodes, long node, int count) {
    putInt(nodes, node + countOffset, count);
  }

  public int hint(MemorySegment nodes, long node) {
    return getInt(nodes, node + countOffset + Integer.BYTES);
  }

  public void hint(MemorySegment nodes, long node, int hint) {
    putInt(nodes, node + countOffset + Integer.BYTES, hint);
  }

  public long key(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + ((long) slot << 3));
  }

  public void key(MemorySegment nodes, long node, int slot, long key) {
    putLong(nodes, node + ((long) slot << 3), key);
  }

  public long value(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + valuesOffset + ((long) slot << 3));
  }

  public void value(MemorySegment nodes, long node, int slot, long value) {
    putLong(nodes, node + valuesOffset + ((long) slot << 3), value);
  }
}
