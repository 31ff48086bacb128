// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.bytes.KeyOrder;
import dev.espalier.bytes.ValueReader;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntSupplier;

/**
 * Pages with what does not fit into a page of the tree: the rest of a long key, or a long value. A
 * chain is written once, and then read or freed.
 *
 * <pre>
 *  0     16         20            24
 *  | store | -1, as the level | next page or 0 | bytes ... |
 * </pre>
 */
final class Chain {
  private static final int MARK = PageStore.RESERVED_BYTES;
  private static final int NEXT = MARK + Integer.BYTES;
  private static final int BYTES = NEXT + Integer.BYTES;

  private final PageStore store;

  /** How many bytes are in a page. */
  final int pieceBytes;

  Chain(PageStore store) {
    this.store = store;
    this.pieceBytes = store.pageBytes() - BYTES;
  }

  /** Tells whether a page belongs to a chain, and is none of the tree. */
  static boolean isPiece(MemorySegment pages, long page) {
    return pages.get(ValueLayout.JAVA_INT, page + MARK) == -1;
  }

  /** Returns how many pages so many bytes take. */
  int pages(long bytes) {
    return Math.toIntExact((bytes + pieceBytes - 1) / pieceBytes);
  }

  /**
   * Writes bytes of a memory to new pages, and returns the first of them.
   *
   * @param allocate gives pages out; if it refuses one, those before are freed
   */
  int write(MemorySegment from, long at, int bytes, IntSupplier allocate) {
    int[] numbers = new int[pages(bytes)];
    int taken = 0;
    try {
      for (; taken < numbers.length; taken++) {
        numbers[taken] = allocate.getAsInt();
      }
    } catch (RuntimeException refused) {
      for (int i = 0; i < taken; i++) {
        store.free(numbers[i]);
      }
      throw refused;
    }
    fill(numbers, from, at, bytes);
    return numbers[0];
  }

  /** Writes bytes of a memory to new pages, which become a chain. */
  void fill(int[] numbers, MemorySegment from, long at, int bytes) {
    for (int i = 0; i < numbers.length; i++) {
      long page = store.pinFresh(numbers[i]);
      MemorySegment pages = store.segment();
      int next = i + 1 < numbers.length ? numbers[i + 1] : 0;
      pages.set(ValueLayout.JAVA_INT, page + MARK, -1);
      pages.set(ValueLayout.JAVA_INT, page + NEXT, next);
      long done = (long) i * pieceBytes;
      long piece = Math.min(pieceBytes, bytes - done);
      MemorySegment.copy(from, at + done, pages, page + BYTES, piece);
      store.unpin(page, true);
    }
  }

  /** Shows the bytes of a chain, piece by piece; {@code before} of the whole are elsewhere. */
  void read(int first, int before, int whole, ValueReader reader) {
    int number = first;
    for (int at = before; at < whole; ) {
      long page = store.pin(number);
      try {
        MemorySegment pages = store.segment().asReadOnly();
        int piece = Math.min(pieceBytes, whole - at);
        reader.read(pages, page + BYTES, piece, at, whole);
        at += piece;
        number = pages.get(ValueLayout.JAVA_INT, page + NEXT);
      } finally {
        store.unpin(page, false);
      }
    }
  }

  /** Copies bytes of a chain to an array. */
  void copy(int first, int bytes, byte[] into, int at) {
    read(
        first,
        0,
        bytes,
        (piece, from, length, position, _) ->
            MemorySegment.copy(
                piece, ValueLayout.JAVA_BYTE, from, into, (int) (at + position), (int) length));
  }

  /** Compares the rest of a key with so many bytes of a chain. */
  int compare(MemorySegment key, long from, int first, int bytes) {
    int rest = (int) (key.byteSize() - from);
    int number = first;
    for (int at = 0; at < Math.min(rest, bytes); ) {
      long page = store.pin(number);
      MemorySegment pages = store.segment();
      int piece = Math.min(pieceBytes, Math.min(rest, bytes) - at);
      int order = KeyOrder.compare(key, from + at, pages, page + BYTES, piece);
      number = pages.get(ValueLayout.JAVA_INT, page + NEXT);
      store.unpin(page, false);
      if (order != 0) {
        return order;
      }
      at += piece;
    }
    return Integer.compare(rest, bytes);
  }

  /** Returns the page behind one, or 0. */
  int next(int number) {
    long page = store.pin(number);
    int next = store.segment().get(ValueLayout.JAVA_INT, page + NEXT);
    store.unpin(page, false);
    return next;
  }

  /** Returns the page behind one, or 0, of a chain that is about to be written to. */
  private int nextPiece(int number) {
    long page = store.pin(number);
    MemorySegment pages = store.segment();
    boolean isPiece = isPiece(pages, page);
    int next = pages.get(ValueLayout.JAVA_INT, page + NEXT);
    store.unpin(page, false);
    if (!isPiece) {
      throw Torn.torn("page " + number + " belongs to no chain");
    }
    return next;
  }

  /** Adds the pages of a chain with so many bytes to a list. */
  void addTo(PageList list, int first, int bytes) {
    int number = first;
    for (int i = pages(bytes); i > 0; i--) {
      list.add(number);
      number = next(number);
    }
  }

  /** Appends a chain to another, if there is one. */
  void append(int first, int behind) {
    int last = first;
    int left = store.pagesInUse();
    for (int next = nextPiece(last); next != 0; next = nextPiece(last)) {
      if (--left < 0) {
        throw Torn.torn("a chain has more pages than there are");
      }
      last = next;
    }
    long page = store.pin(last);
    store.segment().set(ValueLayout.JAVA_INT, page + NEXT, behind);
    store.unpin(page, true);
  }

  /** Makes a page, which is pinned, a chain of its own that holds nothing. */
  static void becomePiece(MemorySegment pages, long page) {
    pages.set(ValueLayout.JAVA_INT, page + MARK, -1);
    pages.set(ValueLayout.JAVA_INT, page + NEXT, 0);
  }

  /** Frees the pages of a chain. */
  void free(int first) {
    for (int number = first; number != 0; ) {
      int next = next(number);
      store.free(number);
      number = next;
    }
  }
}
