// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import static dev.espalier.memory.Words.copy;
import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A page of a run, or a leaf of the head tree.
 *
 * <pre>
 *   0        16      20       24
 *   +--------+-------+--------+-----------------+-------------------+--------------+
 *   | store  | count | before | key[capacity]   | value[capacity]   | type[cap.]   |
 *   +--------+-------+--------+-----------------+-------------------+--------------+
 * </pre>
 *
 * An element is a put, a tombstone, a fence, whose value is the number of a page of the next run,
 * or nothing any more. {@code before} is the value of the last fence in the pages before this one.
 */
final class RunPage {
  static final int NOTHING = 0;
  static final int PUT = 1;
  static final int TOMBSTONE = 2;
  static final int FENCE = 3;

  private static final int COUNT = PageStore.RESERVED_BYTES;
  private static final int BEFORE = COUNT + Integer.BYTES;
  static final int KEYS = BEFORE + Integer.BYTES;
  private static final int ELEMENT_BYTES = 2 * Long.BYTES + 1;

  final int bytes;
  final int capacity;
  private final int values;
  private final int types;

  RunPage(int bytes) {
    this.bytes = bytes;
    this.capacity = (bytes - KEYS) / ELEMENT_BYTES;
    this.values = KEYS + capacity * Long.BYTES;
    this.types = values + capacity * Long.BYTES;
  }

  /** Tells whether this is the type of a put or a tombstone. */
  static boolean isMessage(int type) {
    return type == PUT || type == TOMBSTONE;
  }

  /** Returns the number of elements, no more than fit in. */
  int count(MemorySegment pages, long page) {
    return Math.clamp(getInt(pages, page + COUNT), 0, capacity);
  }

  static int rawCount(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  static int before(MemorySegment pages, long page) {
    return getInt(pages, page + BEFORE);
  }

  static void before(MemorySegment pages, long page, int fence) {
    putInt(pages, page + BEFORE, fence);
  }

  static long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + KEYS + ((long) slot << 3));
  }

  long value(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + values + ((long) slot << 3));
  }

  int type(MemorySegment pages, long page, int slot) {
    return pages.get(ValueLayout.JAVA_BYTE, page + types + slot);
  }

  void type(MemorySegment pages, long page, int slot, int type) {
    pages.set(ValueLayout.JAVA_BYTE, page + types + slot, (byte) type);
  }

  void set(MemorySegment pages, long page, int slot, long key, long value, int type) {
    putLong(pages, page + KEYS + ((long) slot << 3), key);
    set(pages, page, slot, value, type);
  }

  void set(MemorySegment pages, long page, int slot, long value, int type) {
    putLong(pages, page + values + ((long) slot << 3), value);
    type(pages, page, slot, type);
  }

  /** Returns the number of elements whose keys are below one. */
  int lowerBound(MemorySegment pages, long page, long key) {
    return Keys.lowerBoundBinary(pages, page + KEYS, count(pages, page), key);
  }

  /** Returns the number of elements whose keys are not above one. */
  int upperBound(MemorySegment pages, long page, long key) {
    return key == Long.MAX_VALUE ? count(pages, page) : lowerBound(pages, page, key + 1);
  }

  /** Returns the slot of the message of a key, or -1; a fence of the key would stand before it. */
  int find(MemorySegment pages, long page, int upperBound, long key) {
    int slot = upperBound - 1;
    return slot >= 0 && key(pages, page, slot) == key && isMessage(type(pages, page, slot))
        ? slot
        : -1;
  }

  /** Returns the value of the last fence before a slot. */
  int fence(MemorySegment pages, long page, int slot) {
    for (int i = slot - 1; i >= 0; i--) {
      if (type(pages, page, i) == FENCE) {
        return (int) value(pages, page, i);
      }
    }
    return before(pages, page);
  }

  /** Inserts an element into a page that has room. */
  void insert(MemorySegment pages, long page, int slot, long key, long value, int type) {
    int count = count(pages, page);
    Slots.openGap(pages, page + KEYS, slot, count);
    Slots.openGap(pages, page + values, slot, count);
    copy(pages, page + types + slot, page + types + slot + 1, count - slot);
    set(pages, page, slot, key, value, type);
    count(pages, page, count + 1);
  }

  void remove(MemorySegment pages, long page, int slot) {
    int count = count(pages, page);
    Slots.closeGap(pages, page + KEYS, slot, count);
    Slots.closeGap(pages, page + values, slot, count);
    copy(pages, page + types + slot + 1, page + types + slot, count - slot - 1L);
    count(pages, page, count - 1);
  }

  /** Removes what is no fence from slot {@code from} up to {@code to}; returns how much it was. */
  int removeMessages(MemorySegment pages, long page, int from, int to) {
    int count = count(pages, page);
    int kept = from;
    for (int slot = from; slot < to; slot++) {
      if (type(pages, page, slot) == FENCE) {
        set(pages, page, kept++, key(pages, page, slot), value(pages, page, slot), FENCE);
      }
    }
    long source = (long) to << 3;
    long target = (long) kept << 3;
    copy(pages, page + KEYS + source, page + KEYS + target, (long) (count - to) << 3);
    copy(pages, page + values + source, page + values + target, (long) (count - to) << 3);
    copy(pages, page + types + to, page + types + kept, count - to);
    count(pages, page, count - (to - kept));
    return to - kept;
  }

  /** Moves the elements from a slot on to an empty page. */
  void split(MemorySegment pages, long page, int slot, long right) {
    int moved = count(pages, page) - slot;
    before(pages, right, fence(pages, page, slot));
    copy(pages, page + KEYS + ((long) slot << 3), right + KEYS, (long) moved << 3);
    copy(pages, page + values + ((long) slot << 3), right + values, (long) moved << 3);
    copy(pages, page + types + slot, right + types, moved);
    count(pages, right, moved);
    count(pages, page, slot);
  }
}
