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
 * The bytes of an inner node, {@code width} cache lines in all, with the word of {@link Versions}
 * before the first separator.
 *
 * <pre>
 *  0       8                          8 * keyWords                            countOffset
 *  | word | separator 0 .. capacity-1 | child 0 .. capacity | ... not used | count | 0   |
 *                                       ints                                 int     int
 * </pre>
 *
 * Children are line numbers (offset / 64, unsigned). Width 8: 39 separators and 40 children. Unused
 * separator slots hold {@link Keys#PADDING}. Nodes are not chained: whoever wants the next one of a
 * level goes down again.
 */
final class VersionedInner {
  static final int KEYS_OFFSET = Long.BYTES;

  /** Words that are searched in a node of the usual width, for which the search is compiled. */
  private static final int COMMON_KEY_WORDS = 40;

  private static final int COMMON_CHILDREN_OFFSET = COMMON_KEY_WORDS * Long.BYTES;

  final int width;
  final int bytes;

  /** Most separators; there is one child more. */
  final int capacity;

  /** Words that are searched together, with that of the version. */
  private final int keyWords;

  /** Slots for separators; those that are not used are padded. */
  final int keySlots;

  final int keyLines;
  private final int childrenOffset;
  final int countOffset;

  /** Fewest separators of a node that is neither the root nor the last of its level. */
  final int minimum;

  VersionedInner(int width) {
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    int room = bytes - Long.BYTES;
    int bestCapacity = (room - KEYS_OFFSET - Integer.BYTES) / (Long.BYTES + Integer.BYTES);
    int bestWords = bestCapacity + 1;
    if (width > 1) {
      bestCapacity = 0;
      for (int words = CacheLine.LONGS; words * Long.BYTES < room; words += CacheLine.LONGS) {
        int fitting = Math.min(words - 1, (room - words * Long.BYTES) / Integer.BYTES - 1);
        if (fitting > bestCapacity) {
          bestCapacity = fitting;
          bestWords = words;
        }
      }
    }
    this.capacity = bestCapacity;
    this.keyWords = bestWords;
    this.keySlots = bestWords - 1;
    this.childrenOffset = bestWords * Long.BYTES;
    this.keyLines = (childrenOffset + CacheLine.BYTES - 1) / CacheLine.BYTES;
    this.countOffset = bytes - Long.BYTES;
    this.minimum = (capacity - 1) / 2;
  }

  /** Tells whether the keys are as many words as those for which searches are compiled. */
  boolean isOfCommonWidth() {
    return keyWords == COMMON_KEY_WORDS;
  }

  /** Makes a node one without separators and children, whatever it was; its word stays. */
  void initialize(MemorySegment nodes, long node) {
    putLong(nodes, node + countOffset, 0);
    clearKeys(nodes, node, 0);
  }

  /** Pads the separator slots from {@code from} on. */
  void clearKeys(MemorySegment nodes, long node, int from) {
    Slots.fill(nodes, node + KEYS_OFFSET, from, keySlots, Keys.PADDING);
  }

  /** Returns how many separators are smaller, as {@link VersionedLeaf#search}. */
  int search(MemorySegment nodes, long node, long key) {
    if (keyWords == COMMON_KEY_WORDS) {
      return Keys.lowerBoundOf5LinesBehindWord(nodes, node, key);
    }
    return width == 1
        ? Keys.lowerBoundLinear(nodes, node + KEYS_OFFSET, keySlots, key)
        : Keys.lowerBoundBehindHeader(nodes, node, 1, keyWords, key);
  }

  /** Inserts a separator before {@code slot} of a node with room, and the child after it. */
  void insert(MemorySegment nodes, long node, int slot, long separator, long child) {
    int count = count(nodes, node);
    Slots.openGap(nodes, node + KEYS_OFFSET, slot, count);
    key(nodes, node, slot, separator);
    for (int i = count; i > slot; i--) {
      copyChild(nodes, node, i, node, i + 1);
    }
    child(nodes, node, slot + 1, child);
    count(nodes, node, count + 1);
  }

  /** Removes separator {@code slot} and the child after it. */
  void remove(MemorySegment nodes, long node, int slot) {
    int count = count(nodes, node);
    Slots.closeGap(nodes, node + KEYS_OFFSET, slot, count);
    clearKeys(nodes, node, count - 1);
    for (int i = slot + 1; i < count; i++) {
      copyChild(nodes, node, i + 1, node, i);
    }
    count(nodes, node, count - 1);
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

  void key(MemorySegment nodes, long node, int slot, long separator) {
    putLong(nodes, node + KEYS_OFFSET + ((long) slot << 3), separator);
  }

  long child(MemorySegment nodes, long node, int slot) {
    return childAt(nodes, childPlace(node, slot));
  }

  /** Returns the offset of the slot of a child. */
  long childPlace(long node, int slot) {
    return node + childrenOffset + ((long) slot << 2);
  }

  /** Returns the child whose slot is at an offset. */
  static long childAt(MemorySegment nodes, long place) {
    return Integer.toUnsignedLong(getInt(nodes, place)) << CacheLine.SHIFT;
  }

  /** Returns the child that covers a key. */
  long childFor(MemorySegment nodes, long node, long key) {
    if (keyWords == COMMON_KEY_WORDS) {
      int slot = Keys.lowerBoundOf5LinesBehindWord(nodes, node, key);
      return childAt(nodes, node + COMMON_CHILDREN_OFFSET + ((long) slot << 2));
    }
    return child(nodes, node, search(nodes, node, key));
  }

  void child(MemorySegment nodes, long node, int slot, long child) {
    putInt(nodes, node + childrenOffset + ((long) slot << 2), (int) (child >>> CacheLine.SHIFT));
  }

  void copyChild(MemorySegment nodes, long from, int fromSlot, long to, int toSlot) {
    child(nodes, to, toSlot, child(nodes, from, fromSlot));
  }
}
