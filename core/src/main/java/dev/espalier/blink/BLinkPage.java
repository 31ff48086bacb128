// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The layout of a page, {@code page} being its place.
 *
 * <pre>
 *  0                16      20      24      28     32         40      44         64
 *  | the store's own | level | count | right | left | high key | flags | 0 ...    | keys | values or children
 *                      int     int     int     int    long       int
 * </pre>
 *
 * A leaf has {@code count} entries: keys and values are longs. An inner page has {@code count}
 * children, which are ints, and one separator less, each the upper bound of the child in its slot;
 * that of the last child is the page's own high key.
 *
 * <p>Of a page that other threads change meanwhile, what is read is nonsense until its version is
 * looked at again; so all that readers use is bounded by the size of the page.
 */
final class BLinkPage {
  /** What {@link #next} says of a page that covers the key, on the level that is wanted. */
  static final int HERE = 0;

  /** What it says of a page that has left the tree: the way begins at the root again. */
  static final int GONE = Integer.MIN_VALUE;

  /** What it says if there is no level so high. */
  static final int ABOVE_THE_ROOT = Integer.MIN_VALUE + 1;

  /** The flag of a page whose right neighbour came out of it and has no entry above yet. */
  static final int SPLIT_IS_INCOMPLETE = 1;

  /** The flag of a page that has left the tree. Its left link leads to the one that left before. */
  static final int LEFT = 2;

  static final int HEADER_BYTES = CacheLine.BYTES;

  private static final int LEVEL = PageStore.RESERVED_BYTES;
  private static final int COUNT = LEVEL + 4;
  private static final int RIGHT = LEVEL + 8;
  private static final int LEFT_LINK = LEVEL + 12;
  private static final int HIGH = LEVEL + 16;
  private static final int FLAGS = LEVEL + 24;

  final int bytes;
  final int leafCapacity;
  final int innerCapacity;
  final int valuesOffset;
  private final int childrenOffset;

  BLinkPage(int bytes) {
    this.bytes = bytes;
    this.leafCapacity = (bytes - HEADER_BYTES) / (2 * Long.BYTES);
    this.innerCapacity = (bytes - HEADER_BYTES) / (Long.BYTES + Integer.BYTES);
    this.valuesOffset = HEADER_BYTES + leafCapacity * Long.BYTES;
    this.childrenOffset = HEADER_BYTES + innerCapacity * Long.BYTES;
  }

  int capacity(int level) {
    return level == 0 ? leafCapacity : innerCapacity;
  }

  // ---------------------------------------------------------------- header

  /** Makes the header of an empty page that covers all keys and has no neighbours. */
  static void initialize(MemorySegment pages, long page, int level) {
    for (int offset = LEVEL; offset < HEADER_BYTES; offset += Long.BYTES) {
      putLong(pages, page + offset, 0);
    }
    putInt(pages, page + LEVEL, level);
    high(pages, page, Long.MAX_VALUE);
  }

  static int level(MemorySegment pages, long page) {
    return getInt(pages, page + LEVEL);
  }

  static void level(MemorySegment pages, long page, int level) {
    putInt(pages, page + LEVEL, level);
  }

  static int rawCount(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  /** Returns the count, or the bound that it is beyond. */
  int count(MemorySegment pages, long page) {
    int most = level(pages, page) == 0 ? leafCapacity : innerCapacity;
    return Math.clamp(getInt(pages, page + COUNT), 0, most);
  }

  static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  /** Returns the page to the right on the same level, 0 for none. */
  static int right(MemorySegment pages, long page) {
    return getInt(pages, page + RIGHT);
  }

  static void right(MemorySegment pages, long page, int right) {
    putInt(pages, page + RIGHT, right);
  }

  /** Returns the page to the left on the same level, 0 for none. */
  static int left(MemorySegment pages, long page) {
    return getInt(pages, page + LEFT_LINK);
  }

  static void left(MemorySegment pages, long page, int left) {
    putInt(pages, page + LEFT_LINK, left);
  }

  /** Returns the largest key that belongs here, {@link Long#MAX_VALUE} at the right edge. */
  static long high(MemorySegment pages, long page) {
    return getLong(pages, page + HIGH);
  }

  static void high(MemorySegment pages, long page, long key) {
    putLong(pages, page + HIGH, key);
  }

  static int flags(MemorySegment pages, long page) {
    return getInt(pages, page + FLAGS);
  }

  static void flags(MemorySegment pages, long page, int flags) {
    putInt(pages, page + FLAGS, flags);
  }

  static boolean isSplitIncomplete(MemorySegment pages, long page) {
    return (flags(pages, page) & SPLIT_IS_INCOMPLETE) != 0;
  }

  static boolean hasLeft(MemorySegment pages, long page) {
    return (flags(pages, page) & LEFT) != 0;
  }

  // ---------------------------------------------------------------- search

  /**
   * Returns the page to which the way to a key leads from here, or {@link #HERE}, {@link #GONE} or
   * {@link #ABOVE_THE_ROOT}.
   *
   * @param level that is wanted
   */
  int next(MemorySegment pages, long page, long key, int level) {
    if (hasLeft(pages, page)) {
      return GONE;
    }
    int own = level(pages, page);
    if (own < level) {
      return ABOVE_THE_ROOT;
    }
    if (key > high(pages, page)) {
      return right(pages, page);
    }
    return own == level ? HERE : child(pages, page, childSlot(pages, page, key));
  }

  static long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + HEADER_BYTES + ((long) slot << 3));
  }

  static void key(MemorySegment pages, long page, int slot, long key) {
    putLong(pages, page + HEADER_BYTES + ((long) slot << 3), key);
  }

  /** Returns how many keys of a leaf are smaller. */
  int lowerBound(MemorySegment pages, long page, long key) {
    return Keys.lowerBoundBinary(pages, page + HEADER_BYTES, count(pages, page), key);
  }

  /** Returns the slot of a leaf that has a key, or -1 - the slot where it belongs. */
  int findSlot(MemorySegment pages, long page, long key) {
    int count = count(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + HEADER_BYTES, count, key);
    return slot < count && key(pages, page, slot) == key ? slot : -1 - slot;
  }

  /** Returns the slot of the child of an inner page that leads to a key. */
  int childSlot(MemorySegment pages, long page, long key) {
    int separators = Math.max(count(pages, page) - 1, 0);
    return Keys.lowerBoundBinary(pages, page + HEADER_BYTES, separators, key);
  }

  long value(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + valuesOffset + ((long) slot << 3));
  }

  void value(MemorySegment pages, long page, int slot, long value) {
    putLong(pages, page + valuesOffset + ((long) slot << 3), value);
  }

  int child(MemorySegment pages, long page, int slot) {
    return getInt(pages, page + childrenOffset + ((long) slot << 2));
  }

  void child(MemorySegment pages, long page, int slot, int child) {
    putInt(pages, page + childrenOffset + ((long) slot << 2), child);
  }

  // ---------------------------------------------------------------- change

  /** Inserts an entry into a leaf with room. */
  void insert(MemorySegment pages, long page, int slot, long key, long value) {
    int count = count(pages, page);
    Slots.openGap(pages, page + HEADER_BYTES, slot, count);
    Slots.openGap(pages, page + valuesOffset, slot, count);
    key(pages, page, slot, key);
    value(pages, page, slot, value);
    count(pages, page, count + 1);
  }

  /** Removes an entry of a leaf. */
  void remove(MemorySegment pages, long page, int slot) {
    int count = count(pages, page);
    Slots.closeGap(pages, page + HEADER_BYTES, slot, count);
    Slots.closeGap(pages, page + valuesOffset, slot, count);
    count(pages, page, count - 1);
  }

  /** Divides a child of an inner page with room: what is above the separator is another's. */
  void insertChild(MemorySegment pages, long page, int slot, long separator, int right) {
    int count = count(pages, page);
    Slots.openGap(pages, page + HEADER_BYTES, slot, count - 1);
    key(pages, page, slot, separator);
    long from = page + childrenOffset + ((slot + 1L) << 2);
    copy(pages, from, from + Integer.BYTES, (count - slot - 1L) << 2);
    child(pages, page, slot + 1, right);
    count(pages, page, count + 1);
  }

  /** Removes a child of an inner page, and a separator on one side of it. */
  void removeChild(MemorySegment pages, long page, int slot, int separatorSlot) {
    int count = count(pages, page);
    Slots.closeGap(pages, page + HEADER_BYTES, separatorSlot, count - 1);
    long to = page + childrenOffset + ((long) slot << 2);
    copy(pages, to + Integer.BYTES, to, (count - slot - 1L) << 2);
    count(pages, page, count - 1);
  }

  /** Copies what a page has from a slot on to another of its level, which has nothing. */
  void copyUpper(MemorySegment pages, long page, int from, long other) {
    int count = count(pages, page);
    long moved = (long) count - from;
    copy(pages, page + HEADER_BYTES + ((long) from << 3), other + HEADER_BYTES, moved << 3);
    if (level(pages, page) == 0) {
      copy(pages, page + valuesOffset + ((long) from << 3), other + valuesOffset, moved << 3);
    } else {
      copy(pages, page + childrenOffset + ((long) from << 2), other + childrenOffset, moved << 2);
    }
    count(pages, other, (int) moved);
  }
}
