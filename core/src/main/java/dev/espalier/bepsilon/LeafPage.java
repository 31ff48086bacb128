// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.Message;
import java.lang.foreign.MemorySegment;

/**
 * A leaf: entries sorted by key, and nothing else.
 *
 * <pre>
 *  0        32                          valuesOffset
 *  | header | key 0 .. count-1 | ...... | value 0 .. count-1 | ...... |
 * </pre>
 *
 * 16 KiB: 1022 entries.
 */
final class LeafPage {
  /** What {@link #write} answers if it needs a slot and there is none. */
  static final int FULL = Integer.MIN_VALUE;

  static final int KEYS_OFFSET = NodePage.BYTES;

  final int valuesOffset;

  /** Most entries of a leaf. */
  final int capacity;

  LeafPage(int pageBytes) {
    capacity = (pageBytes - NodePage.BYTES) / (2 * Long.BYTES);
    valuesOffset = KEYS_OFFSET + capacity * Long.BYTES;
  }

  int checkedCount(MemorySegment pages, long page) {
    return NodePage.checked(page, NodePage.count(pages, page), 0, capacity);
  }

  /** Returns how many entries have keys that are not above one. */
  int upperBound(MemorySegment pages, long page, long key) {
    int count = checkedCount(pages, page);
    return key == Long.MAX_VALUE
        ? count
        : Keys.lowerBoundBinary(pages, page + KEYS_OFFSET, count, key + 1);
  }

  static long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + KEYS_OFFSET + ((long) slot << 3));
  }

  long value(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + valuesOffset + ((long) slot << 3));
  }

  /** Does at once what a message says. Returns by how many the entries have grown, or FULL. */
  int write(MemorySegment pages, long page, int kind, long key, long value) {
    int count = checkedCount(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + KEYS_OFFSET, count, key);
    long keyAt = page + KEYS_OFFSET + ((long) slot << 3);
    long valueAt = page + valuesOffset + ((long) slot << 3);
    if (slot < count && getLong(pages, keyAt) == key) {
      if (kind == Message.DELETE) {
        Slots.closeGap(pages, page + KEYS_OFFSET, slot, count);
        Slots.closeGap(pages, page + valuesOffset, slot, count);
        NodePage.count(pages, page, count - 1);
        return -1;
      }
      putLong(pages, valueAt, Message.combinedValue(kind, value, getLong(pages, valueAt)));
      return 0;
    }
    if (kind == Message.DELETE) {
      return 0;
    }
    if (count == capacity) {
      return FULL;
    }
    Slots.openGap(pages, page + KEYS_OFFSET, slot, count);
    Slots.openGap(pages, page + valuesOffset, slot, count);
    putLong(pages, keyAt, key);
    putLong(pages, valueAt, value);
    NodePage.count(pages, page, count + 1);
    return 1;
  }

  /** Removes the entries {@code from} to {@code to - 1}. */
  void remove(MemorySegment pages, long page, int from, int to) {
    int count = checkedCount(pages, page);
    NodePage.checked(page, to, from, count);
    long target = page + ((long) from << 3);
    long source = page + ((long) to << 3);
    long bytes = (long) (count - to) << 3;
    Words.copy(pages, source + KEYS_OFFSET, target + KEYS_OFFSET, bytes);
    Words.copy(pages, source + valuesOffset, target + valuesOffset, bytes);
    NodePage.count(pages, page, count - (to - from));
  }

  /** Takes {@code count} merged entries from {@code from} on in place of all that are there. */
  void store(MemorySegment pages, long page, MergedEntries merged, int from, int count) {
    merged.copyKeys(from, count, pages, page + KEYS_OFFSET);
    merged.copyValues(from, count, pages, page + valuesOffset);
    NodePage.count(pages, page, count);
  }
}
