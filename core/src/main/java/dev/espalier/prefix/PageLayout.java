// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The bytes of a page of a prefix B+-tree, little-endian, and how many of them things take.
 *
 * <pre>
 *  0     16     64        64 + 8 cap   64 + 12 cap            top           P-lo-up  P-lo    P
 *  | store | head | heads   | children   | slots     | free ... | records     | upper  | lower |
 *  |  16 B |  er  | longs   | inner only | 6 B each  |          | any order   | fence  | fence |
 *
 *  header   16 level 1 | 17 flags 1 | 18 entries 2 | 20 length of the prefix 2 | 22 of the lower
 *           fence 2 | 24 of the upper fence 2 | 26 bytes of records in use 2 | 28 top 4 | 32 zeros
 *  slot     offset of the record 2 | length of the remainder 2 | bytes of the value 2
 *  record   remainder from its 9th byte on | page and length of a long key 8 | value
 * </pre>
 *
 * <p>All keys of a page begin with its <em>prefix</em>, which is cut off; what is left of a key is
 * its remainder. The first eight bytes of a remainder are its <em>head</em>, a big-endian number
 * with its sign bit flipped so that heads compare as longs do, and zeros behind a shorter one. They
 * are in the array of heads only, which is as long as the number of entries rounded up to eight
 * ({@code cap}) and padded with {@link Long#MAX_VALUE}, so the kernels of {@link Keys} search it.
 *
 * <p>The fences are the separators left and right of the page; a key of the page is not below the
 * lower and below the upper one. A page keeps the first {@link #fenceBytes} of each. A page at an
 * edge of the tree lacks one, and keeps the beginning of its own first or last key instead, so that
 * it has a prefix, too.
 *
 * <p>Bytes of a key from {@link #keyBytes} on, and values that would leave a page fewer than four
 * entries, are in a {@link Chain} elsewhere; the top bit of the length in the slot says so, and a
 * reference to it and the whole length stand in the record. That depends on the whole key, so an
 * entry keeps its form in a page with another prefix.
 */
final class PageLayout {
  static final int HEADS = 64;
  static final int SLOT_BYTES = 6;

  /** Bytes of the page and the length of what is in a chain. */
  static final int REFERENCE_BYTES = 8;

  /** Flag of a page without a lower fence. */
  static final int NO_LOWER = 1;

  /** Flag of a page without an upper fence. */
  static final int NO_UPPER = 2;

  /** Bit of a slot's lengths that says that there is more in a chain. */
  static final int IN_CHAIN = 0x8000;

  private static final int LEVEL = PageStore.RESERVED_BYTES;
  private static final int FLAGS = LEVEL + 1;
  private static final int COUNT = LEVEL + 2;
  private static final int PREFIX = LEVEL + 4;
  private static final int LOWER = LEVEL + 6;
  private static final int UPPER = LEVEL + 8;
  private static final int LIVE = LEVEL + 10;
  private static final int TOP = LEVEL + 12;
  private static final int REST = LEVEL + 16;

  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  final int pageBytes;

  /** Most bytes that a page keeps of a fence. */
  final int fenceBytes;

  /** Most bytes of a key that are in its page. */
  final int keyBytes;

  /** Most bytes of an entry in its page: of its key, as if nothing were cut off, and its value. */
  final int entryBytes;

  PageLayout(int pageBytes) {
    this.pageBytes = pageBytes;
    this.fenceBytes = pageBytes / 16;
    this.keyBytes = fenceBytes + 16;
    this.entryBytes = (pageBytes - HEADS - 2 * fenceBytes - 64 - 24) / 4 & -4;
  }

  // ---------------------------------------------------------------- sizes

  /** Returns how many heads there is room for in a page with so many entries. */
  static int cap(int count) {
    return (count + 7) & -8;
  }

  /** Returns where the children are in an inner page. */
  private static int childrenAt(int count) {
    return HEADS + Long.BYTES * cap(count);
  }

  private static int slotsAt(int count, boolean isInner) {
    return HEADS + (isInner ? 12 : 8) * cap(count);
  }

  /** Returns the bytes of a page but its records and fences. */
  static int fixedBytes(int count, boolean isInner) {
    return slotsAt(count, isInner) + SLOT_BYTES * count;
  }

  /** Returns the bytes of a remainder that are in its record. */
  static int tailBytes(int remainder) {
    return Math.max(0, remainder - Long.BYTES);
  }

  /** Tells whether a value is in its leaf. */
  boolean isInline(int keyLength, int valueLength) {
    int key = Math.min(keyLength, keyBytes) + (keyLength > keyBytes ? REFERENCE_BYTES : 0);
    return valueLength <= entryBytes - key;
  }

  // ---------------------------------------------------------------- header

  /** Returns the first eight bytes of the header, of which those below are parts. */
  static long header(MemorySegment pages, long page) {
    return pages.get(LONG, page + LEVEL);
  }

  static boolean isInnerOf(long header) {
    return (header & 0xff) != 0;
  }

  static int flagsOf(long header) {
    return (int) (header >>> 8) & 0xff;
  }

  static int countOf(long header) {
    return (int) (header >>> 16) & 0xffff;
  }

  static int prefixOf(long header) {
    return (int) (header >>> 32) & 0xffff;
  }

  /** Returns where the slots of a page are. */
  static long slots(long header, long page) {
    return page + slotsAt(countOf(header), isInnerOf(header));
  }

  static int level(MemorySegment pages, long page) {
    return pages.get(BYTE, page + LEVEL);
  }

  static boolean isInner(MemorySegment pages, long page) {
    return level(pages, page) != 0;
  }

  static int flags(MemorySegment pages, long page) {
    return pages.get(BYTE, page + FLAGS);
  }

  static int count(MemorySegment pages, long page) {
    return unsigned(pages, page + COUNT);
  }

  static int prefix(MemorySegment pages, long page) {
    return unsigned(pages, page + PREFIX);
  }

  static int lower(MemorySegment pages, long page) {
    return unsigned(pages, page + LOWER);
  }

  static int upper(MemorySegment pages, long page) {
    return unsigned(pages, page + UPPER);
  }

  static int live(MemorySegment pages, long page) {
    return unsigned(pages, page + LIVE);
  }

  static int top(MemorySegment pages, long page) {
    return pages.get(INT, page + TOP);
  }

  static void count(MemorySegment pages, long page, int count) {
    pages.set(SHORT, page + COUNT, (short) count);
  }

  static void prefix(MemorySegment pages, long page, int bytes) {
    pages.set(SHORT, page + PREFIX, (short) bytes);
  }

  static void upper(MemorySegment pages, long page, int bytes) {
    pages.set(SHORT, page + UPPER, (short) bytes);
  }

  static void live(MemorySegment pages, long page, int bytes) {
    pages.set(SHORT, page + LIVE, (short) bytes);
  }

  static void top(MemorySegment pages, long page, int offset) {
    pages.set(INT, page + TOP, offset);
  }

  /** Begins a page without entries: its header, and the beginnings of its fences. */
  void begin(
      MemorySegment pages,
      long page,
      int level,
      int flags,
      int prefix,
      byte[] lower,
      byte[] upper) {
    pages.set(BYTE, page + LEVEL, (byte) level);
    pages.set(BYTE, page + FLAGS, (byte) flags);
    count(pages, page, 0);
    prefix(pages, page, prefix);
    pages.set(SHORT, page + LOWER, (short) lower.length);
    upper(pages, page, upper.length);
    live(pages, page, 0);
    top(pages, page, pageBytes - lower.length - upper.length);
    pages.asSlice(page + REST, HEADS - REST).fill((byte) 0);
    long end = page + pageBytes;
    MemorySegment.copy(lower, 0, pages, BYTE, end - lower.length, lower.length);
    MemorySegment.copy(upper, 0, pages, BYTE, end - lower.length - upper.length, upper.length);
  }

  /** Returns what the page keeps of its lower fence, or of its smallest key. */
  byte[] lowerBytes(MemorySegment pages, long page) {
    int length = lower(pages, page);
    return pages.asSlice(page + pageBytes - length, length).toArray(BYTE);
  }

  /** Returns what the page keeps of its upper fence, or of its greatest key. */
  byte[] upperBytes(MemorySegment pages, long page) {
    int length = upper(pages, page);
    return pages.asSlice(page + pageBytes - lower(pages, page) - length, length).toArray(BYTE);
  }

  /** Returns where in the memory the prefix of a page is. */
  long prefixAt(MemorySegment pages, long page) {
    return page + pageBytes - lower(pages, page);
  }

  /** Returns the bytes of a page that are in use, as if its records were compact. */
  int usedBytes(MemorySegment pages, long page) {
    return fixedBytes(count(pages, page), isInner(pages, page))
        + live(pages, page)
        + lower(pages, page)
        + upper(pages, page);
  }

  // ---------------------------------------------------------------- entries

  static long head(MemorySegment pages, long page, int i) {
    return getLong(pages, page + HEADS + ((long) i << 3));
  }

  static int child(MemorySegment pages, long page, int i) {
    return pages.get(INT, page + childrenAt(count(pages, page)) + ((long) i << 2));
  }

  /** Returns where the slot of an entry is. */
  static long slot(MemorySegment pages, long page, int i) {
    return page + slotsAt(count(pages, page), isInner(pages, page)) + (long) SLOT_BYTES * i;
  }

  /** Returns where the record of a slot is. */
  static long record(MemorySegment pages, long page, long slot) {
    return page + unsigned(pages, slot);
  }

  static void record(MemorySegment pages, long slot, int offset) {
    pages.set(SHORT, slot, (short) offset);
  }

  /**
   * Returns the eight bytes behind the head of an entry's key as a number that compares as they do;
   * zeros stand for those that a shorter key lacks.
   */
  static long secondWord(MemorySegment pages, long page, long slot) {
    int recordAndRemainder = pages.get(INT, slot);
    int bytes = tailBytes((recordAndRemainder >>> 16) & ~IN_CHAIN);
    return KeyOrder.word(pages, page + (recordAndRemainder & 0xffff), bytes);
  }

  /** Returns the length of the part of the remainder that is in the page. */
  static int remainder(MemorySegment pages, long slot) {
    return unsigned(pages, slot + 2) & ~IN_CHAIN;
  }

  static boolean isKeyInChain(MemorySegment pages, long slot) {
    return (unsigned(pages, slot + 2) & IN_CHAIN) != 0;
  }

  /** Returns the bytes of the value, or of the reference to it. */
  static int valueBytes(MemorySegment pages, long slot) {
    return unsigned(pages, slot + 4) & ~IN_CHAIN;
  }

  static boolean isValueInChain(MemorySegment pages, long slot) {
    return (unsigned(pages, slot + 4) & IN_CHAIN) != 0;
  }

  static void value(MemorySegment pages, long slot, int bytes, boolean isInChain) {
    pages.set(SHORT, slot + 4, (short) (bytes | (isInChain ? IN_CHAIN : 0)));
  }

  /** Tells whether a slot's key or value is in a chain, by both lengths at once. */
  static boolean isAnyInChain(MemorySegment pages, long slot) {
    return (pages.get(INT, slot + 2) & (IN_CHAIN << 16 | IN_CHAIN)) != 0;
  }

  /** Returns the bytes of a record. */
  static int recordBytes(MemorySegment pages, long slot) {
    return tailBytes(remainder(pages, slot))
        + (isKeyInChain(pages, slot) ? REFERENCE_BYTES : 0)
        + valueBytes(pages, slot);
  }

  /** Returns where the reference to the rest of a key is. */
  static long keyReference(MemorySegment pages, long page, long slot) {
    return record(pages, page, slot) + tailBytes(remainder(pages, slot));
  }

  /** Returns where a value is, or the reference to it. */
  static long valueAt(MemorySegment pages, long page, long slot) {
    return keyReference(pages, page, slot) + (isKeyInChain(pages, slot) ? REFERENCE_BYTES : 0);
  }

  /** Returns what refers to the chain: its first page, or if negative, its first piece. */
  static int referredPage(MemorySegment pages, long reference) {
    return pages.get(INT, reference);
  }

  /** Returns the length of all that is referred to, with what of it is in the page. */
  static int referredLength(MemorySegment pages, long reference) {
    return pages.get(INT, reference + Integer.BYTES);
  }

  static void refer(MemorySegment pages, long reference, int page, int length) {
    pages.set(INT, reference, page);
    pages.set(INT, reference + Integer.BYTES, length);
  }

  /**
   * Makes room for an entry in the arrays, which have to have it, and writes its head, child and
   * slot.
   *
   * @param child of an inner page
   * @param offset of the record in the page
   */
  static void insertSlot(
      MemorySegment pages, long page, int i, long head, int child, int offset, int key, int value) {
    int count = count(pages, page);
    boolean isInner = isInner(pages, page);
    if (cap(count + 1) != cap(count)) {
      move(pages, page, count, cap(count), cap(count + 1), isInner);
    }
    long heads = page + HEADS;
    shift(pages, heads, i, count, Long.BYTES, 1);
    putLong(pages, heads + ((long) i << 3), head);
    if (isInner) {
      long children = page + childrenAt(count + 1);
      shift(pages, children, i, count, Integer.BYTES, 1);
      pages.set(INT, children + ((long) i << 2), child);
    }
    long slots = page + slotsAt(count + 1, isInner);
    shift(pages, slots, i, count, SLOT_BYTES, 1);
    long slot = slots + (long) SLOT_BYTES * i;
    record(pages, slot, offset);
    pages.set(SHORT, slot + 2, (short) key);
    pages.set(SHORT, slot + 4, (short) value);
    count(pages, page, count + 1);
  }

  /** Takes some entries out of the arrays. */
  static void removeSlots(MemorySegment pages, long page, int from, int to) {
    int count = count(pages, page);
    int left = count - (to - from);
    boolean isInner = isInner(pages, page);
    long heads = page + HEADS;
    shift(pages, heads, to, count, Long.BYTES, from - to);
    for (int i = left; i < count; i++) {
      putLong(pages, heads + ((long) i << 3), Keys.PADDING);
    }
    if (isInner) {
      shift(pages, page + childrenAt(count), to, count, Integer.BYTES, from - to);
    }
    shift(pages, page + slotsAt(count, isInner), to, count, SLOT_BYTES, from - to);
    if (cap(left) != cap(count)) {
      move(pages, page, left, cap(count), cap(left), isInner);
    }
    count(pages, page, left);
  }

  private static void shift(
      MemorySegment pages, long array, int from, int to, int bytes, int places) {
    long at = array + (long) bytes * from;
    MemorySegment.copy(pages, at, pages, at + (long) bytes * places, (long) bytes * (to - from));
  }

  /** Moves what is behind the heads, when these are given more or less room. */
  private static void move(
      MemorySegment pages, long page, int count, int oldCap, int newCap, boolean isInner) {
    long oldBehind = page + HEADS + (long) Long.BYTES * oldCap;
    long newBehind = page + HEADS + (long) Long.BYTES * newCap;
    long slotBytes = (long) SLOT_BYTES * count;
    if (!isInner) {
      MemorySegment.copy(pages, oldBehind, pages, newBehind, slotBytes);
    } else if (newCap > oldCap) {
      MemorySegment.copy(
          pages,
          oldBehind + (long) Integer.BYTES * oldCap,
          pages,
          newBehind + (long) Integer.BYTES * newCap,
          slotBytes);
      MemorySegment.copy(pages, oldBehind, pages, newBehind, (long) Integer.BYTES * count);
    } else {
      MemorySegment.copy(pages, oldBehind, pages, newBehind, (long) Integer.BYTES * count);
      MemorySegment.copy(
          pages,
          oldBehind + (long) Integer.BYTES * oldCap,
          pages,
          newBehind + (long) Integer.BYTES * newCap,
          slotBytes);
    }
    for (int i = oldCap; i < newCap; i++) {
      putLong(pages, page + HEADS + ((long) i << 3), Keys.PADDING);
    }
  }

  private static int unsigned(MemorySegment pages, long at) {
    return Short.toUnsignedInt(pages.get(SHORT, at));
  }
}
