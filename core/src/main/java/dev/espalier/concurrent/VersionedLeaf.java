// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a leaf, {@code width} cache lines in all: as those of a leaf of {@link
 * dev.espalier.bplus.PbPlusTree}, but with the word of {@link Versions} before the first key.
 *
 * <pre>
 *  0       8                    8 * keyWords        valuesOffset              countOffset
 *  | word | key 0 .. capacity-1 | padding to a line | value 0 .. capacity-1 | count | 0   |
 *                                                                            int     int
 * </pre>
 *
 * Width 8: 31 keys and 31 values, as many as without the word. Unused key slots hold {@link
 * Keys#PADDING}. A node of one line has no room to pad its keys to a line: they are searched by a
 * loop.
 */
final class VersionedLeaf {
  static final int KEYS_OFFSET = Long.BYTES;

  /** Words that are searched in a leaf of the usual width, for which the search is compiled. */
  private static final int COMMON_KEY_WORDS = 32;

  final int width;
  final int bytes;
  final int capacity;

  /** Words that are searched together, with that of the version. */
  private final int keyWords;

  /** Slots for keys; those that are not used are padded. */
  final int keySlots;

  final int keyLines;
  final int valueLines;
  final int valuesOffset;
  final int countOffset;

  /** Fewest entries of a leaf that is neither the root nor the last. */
  final int minimum;

  VersionedLeaf(int width) {
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    int longs = bytes / Long.BYTES - 1;
    int bestWords = longs / 2 + 1;
    int bestCapacity = longs / 2;
    if (width > 1) {
      bestCapacity = 0;
      for (int words = CacheLine.LONGS; words < longs; words += CacheLine.LONGS) {
        int fitting = Math.min(words - 1, longs - words);
        if (fitting > bestCapacity) {
          bestCapacity = fitting;
          bestWords = words;
        }
      }
    }
    this.capacity = bestCapacity;
    this.keyWords = bestWords;
    this.keySlots = bestWords - 1;
    this.countOffset = bytes - Long.BYTES;
    this.valuesOffset = countOffset - bestCapacity * Long.BYTES;
    this.keyLines = (bestWords * Long.BYTES + CacheLine.BYTES - 1) / CacheLine.BYTES;
    this.valueLines = width - valuesOffset / CacheLine.BYTES;
    this.minimum = capacity / 2;
  }

  /** Tells whether the keys are as many words as those for which searches are compiled. */
  boolean isOfCommonWidth() {
    return keyWords == COMMON_KEY_WORDS;
  }

  /** Makes a leaf empty, whatever it was; its word stays. */
  void initialize(MemorySegment nodes, long node) {
    putLong(nodes, node + countOffset, 0);
    clearKeys(nodes, node, 0);
  }

  /** Pads the key slots from {@code from} on. */
  void clearKeys(MemorySegment nodes, long node, int from) {
    Slots.fill(nodes, node + KEYS_OFFSET, from, keySlots, Keys.PADDING);
  }

  /**
   * Returns how many keys are smaller. In a node that is being changed the answer may be wrong, and
   * is from -1 to a few more than there are slots.
   */
  int search(MemorySegment nodes, long node, long key) {
    if (keyWords == COMMON_KEY_WORDS) {
      return Keys.lowerBoundOf4LinesBehindWord(nodes, node, key);
    }
    return width == 1
        ? Keys.lowerBoundLinear(nodes, node + KEYS_OFFSET, keySlots, key)
        : Keys.lowerBoundBehindHeader(nodes, node, 1, keyWords, key);
  }

  /**
   * Tells whether the slot found for {@code key} holds it. The count, which is in another line,
   * need not be read but for the key that unused slots hold.
   */
  boolean holds(MemorySegment nodes, long node, int slot, long key) {
    return slot < capacity
        && key(nodes, node, slot) == key
        && (key != Keys.PADDING || slot < count(nodes, node));
  }

  /** Returns the offset of the key in a slot that was found, or in the last one. */
  long place(long node, int slot) {
    return node + KEYS_OFFSET + ((long) Math.min(slot, capacity - 1) << 3);
  }

  /** As {@link #holds}, for the {@link #place} of the slot. */
  boolean holdsAt(MemorySegment nodes, long node, long place, long key) {
    return getLong(nodes, place) == key
        && (key != Keys.PADDING || place < node + KEYS_OFFSET + ((long) count(nodes, node) << 3));
  }

  /** Inserts an entry before {@code slot} of a leaf with {@code count} entries and room. */
  void insert(MemorySegment nodes, long node, int slot, int count, long key, long value) {
    Slots.openGap(nodes, node + KEYS_OFFSET, slot, count);
    Slots.openGap(nodes, node + valuesOffset, slot, count);
    key(nodes, node, slot, key);
    value(nodes, node, slot, value);
    count(nodes, node, count + 1);
  }

  /** Removes the entry in {@code slot} of a leaf with {@code count} entries. */
  void remove(MemorySegment nodes, long node, int slot, int count) {
    Slots.closeGap(nodes, node + KEYS_OFFSET, slot, count);
    Slots.closeGap(nodes, node + valuesOffset, slot, count);
    key(nodes, node, count - 1, Keys.PADDING);
    count(nodes, node, count - 1);
  }

  void copyEntry(MemorySegment nodes, long from, int fromSlot, long to, int toSlot) {
    key(nodes, to, toSlot, key(nodes, from, fromSlot));
    value(nodes, to, toSlot, value(nodes, from, fromSlot));
  }

  int count(MemorySegment nodes, long node) {
    return getInt(nodes, node + countOffset);
  }

  void count(MemorySegment nodes, long node, int count) {
    putInt(nodes, node + countOffset, count);
  }

  long key(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + KEYS_OFFSET + ((long) slot << 3));
  }

  void key(MemorySegment nodes, long node, int slot, long key) {
    putLong(nodes, node + KEYS_OFFSET + ((long) slot << 3), key);
  }

  long value(MemorySegment nodes, long node, int slot) {
    return getLong(nodes, node + valuesOffset + ((long) slot << 3));
  }

  void value(MemorySegment nodes, long node, int slot, long value) {
    putLong(nodes, node + valuesOffset + ((long) slot << 3), value);
  }
}
