// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;

import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.support.Latches;
import dev.espalier.support.Message;
import dev.espalier.support.MessageColumns;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * A page of operations, sorted by key, at most one for each: a segment of a leaf, or a part of the
 * operation queue. An operation is a PUT or a DELETE, in the encoding of {@link Message}.
 *
 * <pre>
 *  0                  16      20      24       32
 *  | the store's own  | level | count | unused | operations, as MessageColumns has them |
 *                       int     int
 * </pre>
 *
 * The level is {@link #LEAF} or {@link #QUEUE}. 4 KiB: 225 operations.
 */
final class EntryPage {
  /** The level of a leaf's segments. */
  static final int LEAF = 0;

  /** What stands in place of a level in the pages of the queue. */
  static final int QUEUE = -1;

  static final int HEADER_BYTES = 32;

  static final int LEVEL = PageStore.RESERVED_BYTES;
  static final int COUNT = LEVEL + 4;

  /** Most operations of a page. */
  final int capacity;

  private final int pageBytes;

  EntryPage(int pageBytes) {
    this.pageBytes = pageBytes;
    capacity = (pageBytes - HEADER_BYTES) / MessageColumns.MESSAGE_BYTES;
  }

  static void initialize(MemorySegment pages, long page, int level) {
    putInt(pages, page + LEVEL, level);
    putInt(pages, page + COUNT, 0);
  }

  static int level(MemorySegment pages, long page) {
    return getInt(pages, page + LEVEL);
  }

  static int count(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  /** Returns the count, which is anything where threads have torn the tree. */
  int checkedCount(MemorySegment pages, long page) {
    return Torn.checkedCount("page", page, count(pages, page), 0, capacity);
  }

  static long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + HEADER_BYTES + ((long) slot << 3));
  }

  long value(MemorySegment pages, long page, int slot) {
    return MessageColumns.value(pages, page + HEADER_BYTES, capacity, slot);
  }

  int kind(MemorySegment pages, long page, int slot) {
    return MessageColumns.kind(pages, page + HEADER_BYTES, capacity, slot);
  }

  void set(MemorySegment pages, long page, int slot, long key, long value, int kind) {
    MessageColumns.set(pages, page + HEADER_BYTES, capacity, slot, key, value, kind);
  }

  /** Returns the number of keys below {@code key}. */
  int lowerBound(MemorySegment pages, long page, long key) {
    return Keys.lowerBoundBinary(pages, page + HEADER_BYTES, checkedCount(pages, page), key);
  }

  /** Returns the number of keys up to {@code key}. */
  int upperBound(MemorySegment pages, long page, long key) {
    return key == Long.MAX_VALUE ? checkedCount(pages, page) : lowerBound(pages, page, key + 1);
  }

  /** Returns the slot of a key's operation, or -1. */
  int find(MemorySegment pages, long page, long key) {
    int count = checkedCount(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + HEADER_BYTES, count, key);
    return slot < count && key(pages, page, slot) == key ? slot : -1;
  }

  /** Enters an operation, in place of one of the same key. Returns whether there was room. */
  boolean enter(MemorySegment pages, long page, int kind, long key, long value) {
    int count = checkedCount(pages, page);
    int slot = Keys.lowerBoundBinary(pages, page + HEADER_BYTES, count, key);
    if (slot == count || key(pages, page, slot) != key) {
      if (count == capacity) {
        return false;
      }
      MessageColumns.openGap(pages, page + HEADER_BYTES, capacity, slot, count);
      count(pages, page, count + 1);
    }
    set(pages, page, slot, key, value, kind);
    return true;
  }

  /** Removes the operation in a slot. */
  void remove(MemorySegment pages, long page, int slot) {
    remove(pages, page, slot, slot + 1);
  }

  /** Removes operations; {@code to} is the slot after the last. */
  void remove(MemorySegment pages, long page, int from, int to) {
    int count = checkedCount(pages, page);
    copy(pages, page, to, page, from, count - to);
    count(pages, page, count - (to - from));
  }

  /** Returns how many operations are puts, of those from a slot on up to another. */
  int puts(MemorySegment pages, long page, int from, int to) {
    int puts = 0;
    for (int slot = from; slot < to; slot++) {
      puts += kind(pages, page, slot) == Message.PUT ? 1 : 0;
    }
    return puts;
  }

  /** Copies operations to slots of another page, or of the same one. */
  void copy(MemorySegment pages, long page, int from, long toPage, int to, int count) {
    MessageColumns.copy(
        pages, page + HEADER_BYTES, from, toPage + HEADER_BYTES, to, capacity, count);
  }

  /**
   * Copies what a page has of an interval, both ends included, to the first slots of other memory:
   * the first operations of it, or the last, if there are more than so many.
   */
  void copyPart(
      MemorySegment pages,
      long page,
      MemorySegment to,
      long low,
      long high,
      int most,
      boolean forward) {
    int from = lowerBound(pages, page, low);
    int end = upperBound(pages, page, high);
    int count = Math.clamp(end - from, 0, most); // Others may move what is here meanwhile.
    int first = forward ? from : end - count;
    for (int i = 0; i < count; i++) {
      int slot = first + i;
      set(to, 0, i, key(pages, page, slot), value(pages, page, slot), kind(pages, page, slot));
    }
    count(to, 0, count);
  }

  /** Copies a page as it is at one moment, which its version tells, to other memory. */
  void copyPage(MemorySegment pages, long page, MemorySegment to, Latches versions, int versioned) {
    long version;
    do {
      version = versions.version(versioned);
      Words.copy(pages, page, to, 0, pageBytes);
    } while (!versions.isStill(versioned, version));
  }
}
