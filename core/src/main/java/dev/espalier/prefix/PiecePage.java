// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The bytes of a page that several long values share, each with a piece of it.
 *
 * <pre>
 *  0     16         20                  24              28       32          32 + 8 n
 *  | store | -2, as   | next page while   | living pieces, | zeros  | directory | pieces, in any
 *  |       | the level| it waits, or 0    | a bit each     |        |           | order ...
 *
 *  directory  for each of n pieces: offset 2 | length 2 | reference to what follows it 4
 * </pre>
 *
 * <p>What follows a piece is another piece, a page that the value has alone, or nothing: its
 * reference is negative, positive, or 0. A negative one has the number of the page in front of the
 * last four bits, which are the number of the piece in the directory.
 *
 * <p>From the time when a reader can know of a piece until none can any more, its bytes and its
 * entry in the directory stay as they are; only the bit that says that it is living goes before. So
 * readers look at no bit, need no latch, and read while others write to the same page.
 */
final class PiecePage {
  /** The highest number of a page that a reference has room for. */
  static final int MOST_PAGE = (1 << 27) - 1;

  private static final int MOST_PIECES = 16;
  private static final int MARK = PageStore.RESERVED_BYTES;
  private static final int NEXT = MARK + Integer.BYTES;
  private static final int LIVING = MARK + 8;
  private static final int ZEROS = MARK + 12;
  private static final int DIRECTORY = MARK + 16;
  private static final int ENTRY_BYTES = 8;
  private static final int MARKED = -2;

  private final int pageBytes;

  /** How many pieces a page has at most. */
  final int pieces;

  /** Where the first piece may begin. */
  private final int begin;

  PiecePage(int pageBytes) {
    this.pageBytes = pageBytes;
    this.pieces = Math.min(MOST_PIECES, pageBytes / 128);
    this.begin = DIRECTORY + ENTRY_BYTES * pieces;
  }

  /** Returns how many bytes of pieces a page has room for. */
  int room() {
    return pageBytes - begin;
  }

  /** Returns how many pieces so many pages have at most. */
  static int most(int pages) {
    return (int) Math.min((long) MOST_PIECES * pages, Integer.MAX_VALUE);
  }

  // ---------------------------------------------------------------- references

  /** Tells whether a reference is to a piece, and not to a page that a value has alone. */
  static boolean isPiece(int reference) {
    return reference < 0;
  }

  static int reference(int page, int piece) {
    return -(page << 4 | piece);
  }

  /** Returns the page that a reference leads to, whether to a piece of it or all of it. */
  static int pageOf(int reference) {
    return reference < 0 ? -reference >>> 4 : reference;
  }

  static int pieceOf(int reference) {
    return -reference & 15;
  }

  // ---------------------------------------------------------------- the page

  static boolean isMarked(MemorySegment pages, long page) {
    return pages.get(ValueLayout.JAVA_INT, page + MARK) == MARKED;
  }

  /** Makes a page one without pieces. */
  void begin(MemorySegment pages, long page) {
    pages.set(ValueLayout.JAVA_INT, page + MARK, MARKED);
    pages.set(ValueLayout.JAVA_INT, page + NEXT, 0);
    pages.set(ValueLayout.JAVA_INT, page + LIVING, 0);
    pages.set(ValueLayout.JAVA_INT, page + ZEROS, 0);
    pages.asSlice(page + DIRECTORY, (long) ENTRY_BYTES * pieces).fill((byte) 0);
  }

  /** Returns the pieces that are part of values, as a bit set. */
  static int living(MemorySegment pages, long page) {
    return pages.get(ValueLayout.JAVA_INT, page + LIVING);
  }

  static void living(MemorySegment pages, long page, int pieces) {
    pages.set(ValueLayout.JAVA_INT, page + LIVING, pieces);
  }

  // ---------------------------------------------------------------- a piece

  private static long entry(long page, int piece) {
    return page + DIRECTORY + (long) ENTRY_BYTES * piece;
  }

  static int offset(MemorySegment pages, long page, int piece) {
    return Short.toUnsignedInt(pages.get(ValueLayout.JAVA_SHORT, entry(page, piece)));
  }

  static int length(MemorySegment pages, long page, int piece) {
    return Short.toUnsignedInt(pages.get(ValueLayout.JAVA_SHORT, entry(page, piece) + 2));
  }

  static int next(MemorySegment pages, long page, int piece) {
    return pages.get(ValueLayout.JAVA_INT, entry(page, piece) + 4);
  }

  static void next(MemorySegment pages, long page, int piece, int reference) {
    pages.set(ValueLayout.JAVA_INT, entry(page, piece) + 4, reference);
  }

  /** Adds a piece that nothing follows, and whose bytes are still to be written. */
  static void add(MemorySegment pages, long page, int piece, int offset, int length) {
    pages.set(ValueLayout.JAVA_SHORT, entry(page, piece), (short) offset);
    pages.set(ValueLayout.JAVA_SHORT, entry(page, piece) + 2, (short) length);
    next(pages, page, piece, 0);
    living(pages, page, living(pages, page) | 1 << piece);
  }

  /** Tells whether a page is one that values share, and a piece within its bounds. */
  boolean isSound(MemorySegment pages, long page, int piece) {
    if (!isMarked(pages, page) || piece >= pieces) {
      return false;
    }
    int offset = offset(pages, page, piece);
    int length = length(pages, page, piece);
    return offset >= begin && length > 0 && offset + length <= pageBytes;
  }

  /** Makes sure that a reference leads to a piece, in a page that may say anything. */
  void check(MemorySegment pages, long page, int reference) {
    if (!isSound(pages, page, pieceOf(reference))) {
      throw Torn.torn(
          "page " + pageOf(reference) + " has no piece " + pieceOf(reference) + " of a value");
    }
  }

  /**
   * Makes sure that a page, which may say anything, is one that values share, and all its living
   * pieces are within its bounds.
   */
  void checkShared(MemorySegment pages, int number, long page) {
    int living = living(pages, page);
    boolean isShared = living != 0 && isMarked(pages, page);
    for (int piece = 0; isShared && piece < Integer.SIZE; piece++) {
      isShared = (living >>> piece & 1) == 0 || isSound(pages, page, piece);
    }
    if (!isShared) {
      throw Torn.torn("page " + number + " is none that values share");
    }
  }

  /** Returns which pieces of a page are not living, as a bit set. */
  int unused(MemorySegment pages, long page) {
    return ~living(pages, page) & allPieces();
  }

  int allPieces() {
    return (1 << pieces) - 1;
  }

  // ---------------------------------------------------------------- gaps

  /**
   * Returns the largest gap between living pieces: where it begins, in the upper half of the
   * number, and where it ends.
   */
  long largestGap(MemorySegment pages, long page) {
    int from = begin;
    long largest = gap(begin, begin);
    int left = living(pages, page);
    while (true) {
      int first = firstFrom(pages, page, left);
      int to = first < 0 ? pageBytes : offset(pages, page, first);
      if (to - from > gapBytes(largest)) {
        largest = gap(from, to);
      }
      if (first < 0) {
        return largest;
      }
      left &= ~(1 << first);
      from = Math.max(from, to + length(pages, page, first));
    }
  }

  /** Returns the gap of a page without pieces. */
  long wholeGap() {
    return gap(begin, pageBytes);
  }

  private static long gap(int from, int to) {
    return (long) from << Integer.SIZE | to;
  }

  static int gapBegin(long gap) {
    return (int) (gap >>> Integer.SIZE);
  }

  static int gapEnd(long gap) {
    return (int) gap;
  }

  static int gapBytes(long gap) {
    return gapEnd(gap) - gapBegin(gap);
  }

  /** Returns which of some pieces has the lowest offset, or -1 if there is none. */
  private int firstFrom(MemorySegment pages, long page, int some) {
    int first = -1;
    for (int piece = 0; piece < pieces; piece++) {
      if ((some >>> piece & 1) != 0
          && (first < 0 || offset(pages, page, piece) < offset(pages, page, first))) {
        first = piece;
      }
    }
    return first;
  }
}
