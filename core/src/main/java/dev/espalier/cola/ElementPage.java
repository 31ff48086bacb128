// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The layout of a page of elements, in key order.
 *
 * <pre>
 *  0          16       24            24 + 8 * words   keysOffset            valuesOffset
 *  | store's  | number | no put: bit | pointer: bit | key 0 .. capacity-1 | value 0 .. |
 *  |          |        | per slot    | per slot     |                     |            |
 * </pre>
 *
 * In a page of a level, {@code number} is how many pointers the level's pages before it have; in
 * the page of level 0, what {@link TopPage} says. What an element is, its two bits tell, and its
 * value where there is no put:
 *
 * <pre>
 *  no put   value   |  pointer = 0   pointer = 1
 *  ---------------- + ------------------------------
 *    0      any     |  put           put and pointer
 *    1       1      |  tombstone     tombstone and pointer
 *    1       0      |  hole          pointer alone
 * </pre>
 *
 * A hole is where an entry of the deepest level was removed in place.
 */
final class ElementPage {
  /** The value of an element without put that is a tombstone. */
  static final long TOMBSTONE = 1;

  /** The value of an element that is a pointer and nothing else, or a hole. */
  static final long NOTHING = 0;

  private static final long NUMBER = PageStore.RESERVED_BYTES;
  private static final long NO_PUT = NUMBER + Long.BYTES;

  final int bytes;

  /** Elements in a full page. */
  final int capacity;

  /** 2^64 / capacity, rounded up. */
  private final long reciprocal;

  /** Longs in each row of bits. */
  final int words;

  private final long pointerOffset;
  final long keysOffset;
  final long valuesOffset;

  ElementPage(int bytes) {
    int slots = (int) ((bytes - NO_PUT) / (2 * Long.BYTES));
    while (keysOffset(slots) + 2L * Long.BYTES * slots > bytes) {
      slots--;
    }
    this.bytes = bytes;
    this.capacity = slots;
    this.reciprocal = Long.divideUnsigned(-1, slots) + 1;
    this.words = words(slots);
    this.pointerOffset = NO_PUT + (long) words * Long.BYTES;
    this.keysOffset = keysOffset(slots);
    this.valuesOffset = keysOffset + (long) slots * Long.BYTES;
  }

  private static int words(int slots) {
    return (slots + Long.SIZE - 1) / Long.SIZE;
  }

  /** Keys begin on a line. */
  private static long keysOffset(int slots) {
    long end = NO_PUT + 2L * words(slots) * Long.BYTES;
    return (end + CacheLine.BYTES - 1) & -CacheLine.BYTES;
  }

  // ---------------------------------------------------------------- header

  static long number(MemorySegment pages, long page) {
    return getLong(pages, page + NUMBER);
  }

  static void number(MemorySegment pages, long page, long number) {
    putLong(pages, page + NUMBER, number);
  }

  /** Sets all bits to 0. */
  void clearBits(MemorySegment pages, long page) {
    for (long at = page + NO_PUT; at < page + keysOffset; at += Long.BYTES) {
      putLong(pages, at, 0);
    }
  }

  /** Writes all bits. */
  void writeBits(MemorySegment pages, long page, long[] noPut, long[] pointer) {
    for (int i = 0; i < words; i++) {
      noPutWord(pages, page, i, noPut[i]);
      pointerWord(pages, page, i, pointer[i]);
    }
  }

  /** Returns word {@code i} of the bits that say which elements are no put. */
  static long noPutWord(MemorySegment pages, long page, int i) {
    return getLong(pages, page + NO_PUT + ((long) i << 3));
  }

  /** Returns the bits that say which of up to 64 elements from a slot on are no put. */
  static long noPutBits(MemorySegment pages, long page, int slot, int count) {
    int word = slot >>> 6;
    long bits = noPutWord(pages, page, word) >>> slot;
    return (slot & 63) + count <= Long.SIZE
        ? bits
        : bits | noPutWord(pages, page, word + 1) << -slot;
  }

  static void noPutWord(MemorySegment pages, long page, int i, long word) {
    putLong(pages, page + NO_PUT + ((long) i << 3), word);
  }

  /** Returns word {@code i} of the bits that say which elements are pointers. */
  long pointerWord(MemorySegment pages, long page, int i) {
    return getLong(pages, page + pointerOffset + ((long) i << 3));
  }

  void pointerWord(MemorySegment pages, long page, int i, long word) {
    putLong(pages, page + pointerOffset + ((long) i << 3), word);
  }

  /** Returns how many pointers the level has before a slot of a page. O(capacity / 64). */
  long pointersBefore(MemorySegment pages, long page, int slot) {
    long sum = number(pages, page);
    int word = slot >>> 6;
    for (int i = 0; i < word; i++) {
      sum += Long.bitCount(pointerWord(pages, page, i));
    }
    if ((slot & 63) != 0) {
      sum += Long.bitCount(pointerWord(pages, page, word) << -slot);
    }
    return sum;
  }

  // ---------------------------------------------------------------- element

  /**
   * Returns which of a level's pages has a position, from 0 to 2^52: a division, which would take
   * longer than a step of a search.
   */
  long pageOf(long position) {
    return Math.unsignedMultiplyHigh(position, reciprocal);
  }

  long key(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + keysOffset + ((long) slot << 3));
  }

  long value(MemorySegment pages, long page, int slot) {
    return getLong(pages, page + valuesOffset + ((long) slot << 3));
  }

  /** Copies keys and values out of a page, to the beginning of two arrays. */
  void copy(MemorySegment pages, long page, int slot, int count, long[] keys, long[] values) {
    long place = page + ((long) slot << 3);
    Words.getLongs(pages, place + keysOffset, keys, 0, count);
    Words.getLongs(pages, place + valuesOffset, values, 0, count);
  }

  /** Writes keys and values of a whole page. */
  void write(MemorySegment pages, long page, long[] keys, long[] values) {
    Words.putLongs(pages, page + keysOffset, keys, 0, capacity);
    Words.putLongs(pages, page + valuesOffset, values, 0, capacity);
  }

  void set(MemorySegment pages, long page, int slot, long key, long value) {
    putLong(pages, page + keysOffset + ((long) slot << 3), key);
    value(pages, page, slot, value);
  }

  /** Inserts a message before a slot of a page that has {@code count}, in order, and the count. */
  void insert(
      MemorySegment pages, long page, int slot, int count, long key, long value, boolean isPut) {
    Slots.openGap(pages, page + keysOffset, slot, count);
    Slots.openGap(pages, page + valuesOffset, slot, count);
    openBit(pages, page, slot);
    set(pages, page, slot, key, value);
    isPut(pages, page, slot, isPut);
    number(pages, page, count + 1L);
  }

  /** Removes a message from a page that has {@code count}, in order, and the count. */
  void remove(MemorySegment pages, long page, int slot, int count) {
    Slots.closeGap(pages, page + keysOffset, slot, count);
    Slots.closeGap(pages, page + valuesOffset, slot, count);
    closeBit(pages, page, slot);
    number(pages, page, count - 1L);
  }

  /**
   * Removes the messages from slot {@code from} up to {@code to} from a page that has {@code
   * count}, in order, and the count.
   */
  void remove(MemorySegment pages, long page, int from, int to, int count) {
    long source = page + ((long) to << 3);
    long target = page + ((long) from << 3);
    long bytes = (long) (count - to) << 3;
    Words.copy(pages, source + keysOffset, target + keysOffset, bytes);
    Words.copy(pages, source + valuesOffset, target + valuesOffset, bytes);
    for (int slot = from; slot < count; slot++) {
      int moved = slot + to - from;
      isPut(pages, page, slot, moved >= count || isPut(pages, page, moved));
    }
    number(pages, page, count - (long) (to - from));
  }

  /** Copies keys and values from the rest of a block to where others begin. */
  static void copy(MessageStream from, int count, MemorySegment to, long place, long values) {
    Words.putLongs(to, place, from.keys, from.at, count);
    Words.putLongs(to, place + values, from.values, from.at, count);
  }

  /** Writes the rest of a block of messages, where all bits are 0, from a slot on. */
  void set(MemorySegment pages, long page, int slot, MessageStream from) {
    int count = from.end - from.at;
    long place = page + ((long) slot << 3);
    copy(from, count, pages, place + keysOffset, valuesOffset - keysOffset);
    for (int i = 0; i < count && !from.allPuts; i++) {
      if (!from.puts[from.at + i]) {
        isPut(pages, page, slot + i, false);
      }
    }
  }

  void value(MemorySegment pages, long page, int slot, long value) {
    putLong(pages, page + valuesOffset + ((long) slot << 3), value);
  }

  static boolean isPut(MemorySegment pages, long page, int slot) {
    return (noPutWord(pages, page, slot >>> 6) >>> slot & 1) == 0;
  }

  /** Says whether an element is a put; if not, its value says what it is. */
  static void isPut(MemorySegment pages, long page, int slot, boolean put) {
    long word = noPutWord(pages, page, slot >>> 6);
    long bit = 1L << slot;
    noPutWord(pages, page, slot >>> 6, put ? word & ~bit : word | bit);
  }

  /** Tells whether an element is a put or a tombstone. */
  boolean isMessage(MemorySegment pages, long page, int slot) {
    return isPut(pages, page, slot) || value(pages, page, slot) == TOMBSTONE;
  }

  boolean isPointer(MemorySegment pages, long page, int slot) {
    return (pointerWord(pages, page, slot >>> 6) >>> slot & 1) != 0;
  }

  /** Counts the elements that are no put. O(capacity / 64). */
  int noPuts(MemorySegment pages, long page) {
    int sum = 0;
    for (int i = 0; i < words; i++) {
      sum += Long.bitCount(noPutWord(pages, page, i));
    }
    return sum;
  }

  /** Makes room for a bit before {@code slot} among those that say what is no put. */
  void openBit(MemorySegment pages, long page, int slot) {
    int first = slot >>> 6;
    for (int i = words - 1; i > first; i--) {
      noPutWord(
          pages,
          page,
          i,
          noPutWord(pages, page, i) << 1 | noPutWord(pages, page, i - 1) >>> (Long.SIZE - 1));
    }
    long word = noPutWord(pages, page, first);
    long below = (1L << slot) - 1;
    noPutWord(pages, page, first, (word & below) | (word & ~below) << 1);
  }

  /** Removes the bit of {@code slot} among those that say what is no put. */
  void closeBit(MemorySegment pages, long page, int slot) {
    int first = slot >>> 6;
    long word = noPutWord(pages, page, first);
    long below = (1L << slot) - 1;
    noPutWord(pages, page, first, (word & below) | (word >>> 1 & ~below));
    for (int i = first + 1; i < words; i++) {
      long next = noPutWord(pages, page, i);
      noPutWord(pages, page, i - 1, noPutWord(pages, page, i - 1) | next << (Long.SIZE - 1));
      noPutWord(pages, page, i, next >>> 1);
    }
  }
}
