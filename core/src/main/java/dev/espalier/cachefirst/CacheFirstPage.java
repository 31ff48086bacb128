// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;

/**
 * A page of the cache-first fpB+-tree: a header of one line, then slots of equal width for nodes.
 * {@code page} is the place of the page.
 *
 * <pre>
 *  0                16     20     24                  28                      32         64
 *  | the store's own | kind | count | firstParent, next | chunk or previous | slot map | slot 0 ..
 *                     int    int     int                  int                 4 longs
 * </pre>
 *
 * The count is that of the nodes, or in a chunk of the jump-pointer array of its page numbers. A
 * leaf page has the parent of its first leaf, and the chunk that lists it; the other kinds have the
 * pages before and after them in a list instead. Bit i of the slot map tells that slot i holds a
 * node.
 *
 * <p>A node is known by one int: the number of its page, and below that the line in the page where
 * it begins. 0 is none.
 */
final class CacheFirstPage {
  /** Holds leaves that follow one another. */
  static final int LEAF = 1;

  /** Holds inner nodes by aggressive placement. */
  static final int NONLEAF = 2;

  /** Holds leaf parents that found no place beside their parents. */
  static final int OVERFLOW = 3;

  /** Part of the jump-pointer array. */
  static final int CHUNK = 4;

  /** Where the slots begin, or the page numbers of a chunk. */
  static final int HEADER_BYTES = CacheLine.BYTES;

  /** As many as the slot map has bits. */
  static final int MAX_SLOTS = 256;

  /** A root and its two children when it has split. */
  static final int MIN_SLOTS = 3;

  /** Spreads page numbers: 2^32 divided by the golden ratio. */
  private static final long GOLDEN = 0x9e37_79b9L;

  private static final int KIND = PageStore.RESERVED_BYTES;
  private static final int COUNT = KIND + 4;
  private static final int NEXT = KIND + 8;
  private static final int PREVIOUS = KIND + 12;
  private static final int SLOT_MAP = KIND + 16;

  final int pageBytes;

  /** Lines of a node. */
  final int width;

  /** Nodes that a page has room for. */
  final int slots;

  /** Page numbers that a chunk of the jump-pointer array has room for. */
  final int chunkCapacity;

  /** The low bits of a node that are its line in the page. */
  final int lineBits;

  private final int lineMask;

  CacheFirstPage(int pageBytes, int width) {
    this.pageBytes = pageBytes;
    this.width = width;
    this.slots = slots(pageBytes, width);
    this.chunkCapacity = (pageBytes - HEADER_BYTES) / Integer.BYTES;
    this.lineMask = pageBytes / CacheLine.BYTES - 1;
    this.lineBits = Integer.bitCount(lineMask);
  }

  private static int slots(int pageBytes, int width) {
    return (pageBytes - HEADER_BYTES) / (width << CacheLine.SHIFT);
  }

  /** Tells whether pages can hold nodes of a width in lines. */
  static boolean isPossible(int pageBytes, int width) {
    int slots = slots(pageBytes, width);
    return slots >= MIN_SLOTS && slots <= MAX_SLOTS;
  }

  /** Checks that pages can hold nodes of a width in lines. */
  static void checkPossible(int pageBytes, int width) {
    if (!isPossible(pageBytes, width)) {
      throw new IllegalArgumentException(
          "width is %d lines; a page of %d bytes then holds %d nodes, but must hold %d to %d"
              .formatted(width, pageBytes, slots(pageBytes, width), MIN_SLOTS, MAX_SLOTS));
    }
  }

  // ---------------------------------------------------------------- nodes

  /** Returns the number of the page that a node is in. */
  int pageOf(int node) {
    return node >>> lineBits;
  }

  /** Returns the bytes from the start of its page to a node. */
  long offsetOf(int node) {
    return (long) (node & lineMask) << CacheLine.SHIFT;
  }

  /** Returns the node in a slot. */
  int node(int number, int slot) {
    return number << lineBits | (1 + slot * width);
  }

  /** Returns the slot that a node is in. */
  int slotOf(int node) {
    return ((node & lineMask) - 1) / width;
  }

  /** Tells whether a node begins where a slot of its page begins. */
  boolean isAtSlot(int node) {
    int line = node & lineMask;
    return line > 0 && (line - 1) % width == 0 && (line - 1) / width < slots;
  }

  // ---------------------------------------------------------------- header

  /** Makes a page without nodes. */
  static void initialize(MemorySegment pages, long page, int kind) {
    putInt(pages, page + KIND, kind);
    for (int offset = COUNT; offset < SLOT_MAP; offset += Integer.BYTES) {
      putInt(pages, page + offset, 0);
    }
    for (int offset = SLOT_MAP; offset < HEADER_BYTES; offset += Long.BYTES) {
      putLong(pages, page + offset, 0);
    }
  }

  static int kind(MemorySegment pages, long page) {
    return getInt(pages, page + KIND);
  }

  static int count(MemorySegment pages, long page) {
    return getInt(pages, page + COUNT);
  }

  static void count(MemorySegment pages, long page, int count) {
    putInt(pages, page + COUNT, count);
  }

  static int firstParent(MemorySegment pages, long page) {
    return getInt(pages, page + NEXT);
  }

  static void firstParent(MemorySegment pages, long page, int node) {
    putInt(pages, page + NEXT, node);
  }

  static int chunk(MemorySegment pages, long page) {
    return getInt(pages, page + PREVIOUS);
  }

  static void chunk(MemorySegment pages, long page, int chunk) {
    putInt(pages, page + PREVIOUS, chunk);
  }

  static int next(MemorySegment pages, long page) {
    return getInt(pages, page + NEXT);
  }

  static void next(MemorySegment pages, long page, int number) {
    putInt(pages, page + NEXT, number);
  }

  static int previous(MemorySegment pages, long page) {
    return getInt(pages, page + PREVIOUS);
  }

  static void previous(MemorySegment pages, long page, int number) {
    putInt(pages, page + PREVIOUS, number);
  }

  // ---------------------------------------------------------------- slot map

  /** Returns a long of the slot map: the bits of slots {@code 64 * word} on. */
  static long slotWord(MemorySegment pages, long page, int word) {
    return getLong(pages, page + SLOT_MAP + ((long) word << 3));
  }

  /** Sets a long of the slot map. */
  static void slotWord(MemorySegment pages, long page, int word, long bits) {
    putLong(pages, page + SLOT_MAP + ((long) word << 3), bits);
  }

  /** Returns the longs of the slot map that are in use. */
  int slotWords() {
    return (slots + Long.SIZE - 1) / Long.SIZE;
  }

  /** Takes the first free slot from {@code first} on, in a circle; -1 if all are taken. */
  int takeSlot(MemorySegment pages, long page, int first) {
    int slot = freeFrom(pages, page, first);
    if (slot < 0) {
      slot = freeFrom(pages, page, 0);
    }
    if (slot >= 0) {
      int word = slot / Long.SIZE;
      slotWord(pages, page, word, slotWord(pages, page, word) | 1L << slot);
      count(pages, page, count(pages, page) + 1);
    }
    return slot;
  }

  /**
   * Returns the slot that is taken first in the page of a number. The nodes through which pages are
   * entered must not compete for the same lines of a cache (fpB+ 4.1); leaf pages are entered
   * through any of their nodes, which lie there from the first slot on.
   */
  int firstSlot(int number, int kind) {
    if (kind == LEAF) {
      return 0;
    }
    long spread = (number * GOLDEN) & 0xffff_ffffL;
    return (int) ((spread * slots) >>> 32);
  }

  /** Returns the first free slot from one on, or -1. */
  private int freeFrom(MemorySegment pages, long page, int first) {
    long taken = (1L << first) - 1;
    for (int word = first / Long.SIZE; word < slotWords(); word++) {
      long bits = slotWord(pages, page, word) | taken;
      int slot = word * Long.SIZE + Long.numberOfTrailingZeros(~bits);
      if (bits != -1) {
        return slot < slots ? slot : -1;
      }
      taken = 0;
    }
    return -1;
  }

  /** Gives a slot back. */
  static void freeSlot(MemorySegment pages, long page, int slot) {
    int word = slot / Long.SIZE;
    slotWord(pages, page, word, slotWord(pages, page, word) & ~(1L << slot));
    count(pages, page, count(pages, page) - 1);
  }

  // ---------------------------------------------------------------- chunk

  /** Returns a page number in a chunk. */
  static int entry(MemorySegment pages, long page, int i) {
    return getInt(pages, page + HEADER_BYTES + ((long) i << 2));
  }

  /** Sets a page number in a chunk. */
  static void entry(MemorySegment pages, long page, int i, int number) {
    putInt(pages, page + HEADER_BYTES + ((long) i << 2), number);
  }
}
