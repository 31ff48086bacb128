// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The page of {@link BLinkTree}: two sorted arrays behind the header.
 *
 * <pre>
 *  0        64
 *  | header | keys | values or children
 * </pre>
 *
 * A leaf has {@code count} entries: keys and values are longs. An inner page has {@code count}
 * children, which are ints, and one separator less, each the upper bound of the child in its slot.
 * A place is a slot.
 */
final class BLinkPage extends LinkedPageFormat {
  static final int HEADER_BYTES = LinkedPage.HEADER_BYTES;

  /** The letters BLNK and a version. */
  private static final long STAMP_VALUE = 0x424c_4e4b_0001L;

  final int valuesOffset;
  private final int childrenOffset;

  BLinkPage(int bytes) {
    super(
        bytes,
        (bytes - HEADER_BYTES) / (2 * Long.BYTES),
        (bytes - HEADER_BYTES) / (Long.BYTES + Integer.BYTES),
        (bytes - HEADER_BYTES) / (2 * Long.BYTES));
    this.valuesOffset = HEADER_BYTES + leafCapacity * Long.BYTES;
    this.childrenOffset = HEADER_BYTES + innerCapacity * Long.BYTES;
  }

  @Override
  long stamp() {
    return STAMP_VALUE << 16 | Integer.numberOfTrailingZeros(bytes);
  }

  @Override
  void initialize(MemorySegment pages, long page, int number, int level) {
    LinkedPage.initialize(pages, page, level);
  }

  // ---------------------------------------------------------------- search

  static long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + HEADER_BYTES + ((long) slot << 3));
  }

  static void key(MemorySegment pages, long page, int slot, long key) {
    putLong(pages, page + HEADER_BYTES + ((long) slot << 3), key);
  }

  @Override
  int findPlace(MemorySegment pages, long page, int number, long key) {
    int count = Math.clamp(LinkedPage.rawCount(pages, page), 0, leafCapacity);
    int slot = Keys.lowerBoundBinary(pages, page + HEADER_BYTES, count, key);
    return slot < count && key(pages, page, slot) == key ? slot : -1 - slot;
  }

  @Override
  int child(MemorySegment pages, long page, int number, long key) {
    return child(pages, page, childSlot(pages, page, key));
  }

  @Override
  boolean isFirstChild(MemorySegment pages, long page, int number, long key) {
    return childSlot(pages, page, key) == 0;
  }

  /** Returns the slot of the child of an inner page that leads to a key. */
  int childSlot(MemorySegment pages, long page, long key) {
    int separators = Math.max(count(pages, page) - 1, 0);
    return Keys.lowerBoundBinary(pages, page + HEADER_BYTES, separators, key);
  }

  @Override
  long value(MemorySegment pages, long page, int place) {
    return getLong(pages, page + valuesOffset + ((long) place << 3));
  }

  @Override
  void value(MemorySegment pages, long page, int place, long value) {
    putLong(pages, page + valuesOffset + ((long) place << 3), value);
  }

  int child(MemorySegment pages, long page, int slot) {
    return getInt(pages, page + childrenOffset + ((long) slot << 2));
  }

  void child(MemorySegment pages, long page, int slot, int child) {
    putInt(pages, page + childrenOffset + ((long) slot << 2), child);
  }

  /** All of a leaf is one run. */
  @Override
  int runOf(MemorySegment pages, long page, int number, long key) {
    return 1;
  }

  @Override
  int previousRun(MemorySegment pages, long page, int run) {
    return 0;
  }

  @Override
  int nextRun(MemorySegment pages, long page, int run) {
    return 0;
  }

  /** Does nothing: a leaf is one run. */
  @Override
  void prefetchRun(MemorySegment pages, long page, int run) {}

  @Override
  int entriesOf(MemorySegment pages, long page, int run) {
    return count(pages, page);
  }

  @Override
  long keysOf(long page, int run) {
    return page + HEADER_BYTES;
  }

  @Override
  long valuesOf(long page, int run) {
    return page + valuesOffset;
  }

  // ---------------------------------------------------------------- insert

  @Override
  boolean fits(MemorySegment pages, long page, int place) {
    return count(pages, page) < leafCapacity;
  }

  @Override
  boolean insert(MemorySegment pages, long page, int number, int place, long key, long value) {
    int count = count(pages, page);
    if (count >= leafCapacity) { // more if the page says that it is none
      return false;
    }
    Slots.openGap(pages, page + HEADER_BYTES, place, count);
    Slots.openGap(pages, page + valuesOffset, place, count);
    key(pages, page, place, key);
    value(pages, page, place, value);
    LinkedPage.count(pages, page, count + 1);
    return true;
  }

  @Override
  boolean hasSeparator(MemorySegment pages, long page, int number, long separator) {
    int slot = childSlot(pages, page, separator);
    return slot < count(pages, page) - 1 && key(pages, page, slot) == separator;
  }

  @Override
  boolean insertChild(MemorySegment pages, long page, int number, long separator, int right) {
    int count = count(pages, page);
    if (count == innerCapacity) {
      return false;
    }
    int slot = childSlot(pages, page, separator);
    Slots.openGap(pages, page + HEADER_BYTES, slot, count - 1);
    key(pages, page, slot, separator);
    long from = page + childrenOffset + ((slot + 1L) << 2);
    copy(pages, from, from + Integer.BYTES, (count - slot - 1L) << 2);
    child(pages, page, slot + 1, right);
    LinkedPage.count(pages, page, count + 1);
    return true;
  }

  @Override
  boolean isFull(MemorySegment pages, long page, int number, long key) {
    return count(pages, page) == capacity(LinkedPage.level(pages, page));
  }

  // ---------------------------------------------------------------- split

  @Override
  boolean isAtEnd(MemorySegment pages, long page, int number, long key) {
    int last = count(pages, page) - 1;
    return LinkedPage.level(pages, page) == 0
        ? last < 0 || key > key(pages, page, last)
        : childSlot(pages, page, key) == last;
  }

  @Override
  long keyOfRank(MemorySegment pages, long page, int rank) {
    return key(pages, page, rank);
  }

  @Override
  void copyUpper(
      MemorySegment pages, long page, int from, long other, int otherNumber, boolean isPacked) {
    int count = count(pages, page);
    long moved = (long) count - from;
    copy(pages, page + HEADER_BYTES + ((long) from << 3), other + HEADER_BYTES, moved << 3);
    if (LinkedPage.level(pages, page) == 0) {
      copy(pages, page + valuesOffset + ((long) from << 3), other + valuesOffset, moved << 3);
    } else {
      copy(pages, page + childrenOffset + ((long) from << 2), other + childrenOffset, moved << 2);
    }
    LinkedPage.count(pages, other, (int) moved);
  }

  @Override
  void keepLower(MemorySegment pages, long page, int number, int end, boolean isPacked) {
    LinkedPage.count(pages, page, end);
  }

  // ---------------------------------------------------------------- delete

  @Override
  void remove(MemorySegment pages, long page, int place) {
    int count = count(pages, page);
    Slots.closeGap(pages, page + HEADER_BYTES, place, count);
    Slots.closeGap(pages, page + valuesOffset, place, count);
    LinkedPage.count(pages, page, count - 1);
  }

  @Override
  void removeChild(MemorySegment pages, long page, int number, long key) {
    int count = count(pages, page);
    int slot = childSlot(pages, page, key);
    Slots.closeGap(pages, page + HEADER_BYTES, Math.max(slot - 1, 0), count - 1);
    long to = page + childrenOffset + ((long) slot << 2);
    copy(pages, to + Integer.BYTES, to, (count - slot - 1L) << 2);
    LinkedPage.count(pages, page, count - 1);
  }

  // ---------------------------------------------------------------- the whole

  @Override
  int load(MemorySegment pages, long page, long[] keys, long[] payloads) {
    int count = count(pages, page);
    boolean isLeaf = LinkedPage.level(pages, page) == 0;
    for (int i = 0; i < count; i++) {
      payloads[i] = isLeaf ? value(pages, page, i) : child(pages, page, i);
      if (isLeaf || i < count - 1) {
        keys[i] = key(pages, page, i);
      }
    }
    return count;
  }

  @Override
  void store(MemorySegment pages, long page, int number, long[] keys, long[] payloads, int count) {
    boolean isLeaf = LinkedPage.level(pages, page) == 0;
    for (int i = 0; i < count; i++) {
      if (isLeaf) {
        value(pages, page, i, payloads[i]);
      } else {
        child(pages, page, i, (int) payloads[i]);
      }
      if (isLeaf || i < count - 1) {
        key(pages, page, i, keys[i]);
      }
    }
    LinkedPage.count(pages, page, count);
  }

  /** All that can be wrong with two arrays is wrong with any page. */
  @Override
  void verify(MemorySegment pages, long page, int number) {}
}
