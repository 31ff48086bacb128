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
 *
 * <p>A chain with a value may begin with pieces of pages that it shares with others ({@link
 * PieceSpace}). No piece comes behind a page.
 */
final class Chain {
  private static final int MARK = PageStore.RESERVED_BYTES;
  private static final int NEXT = MARK + Integer.BYTES;
  private static final int BYTES = NEXT + Integer.BYTES;

  private final PageStore store;
  private final PiecePage layout;

  /** How many bytes are in a page that the chain has alone. */
  final int bytesPerPage;

  Chain(PageStore store) {
    this.store = store;
    this.layout = new PiecePage(store.pageBytes());
    this.bytesPerPage = store.pageBytes() - BYTES;
  }

  /** Tells whether a page belongs to a chain, and is none of the tree. */
  static boolean isOfChain(MemorySegment pages, long page) {
    return pages.get(ValueLayout.JAVA_INT, page + MARK) == -1;
  }

  /** Returns the length of what is in a chain, before memory is taken for it. */
  int checkedLength(int length) {
    if (length < 0 || length > (long) store.pagesInUse() * bytesPerPage) {
      throw Torn.torn("a value has " + length + " bytes, more than there are in all pages");
    }
    return length;
  }

  /** Returns how many pages of a chain of its own so many bytes take. */
  int pages(long bytes) {
    return Math.toIntExact((bytes + bytesPerPage - 1) / bytesPerPage);
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
      long done = (long) i * bytesPerPage;
      long piece = Math.min(bytesPerPage, bytes - done);
      MemorySegment.copy(from, at + done, pages, page + BYTES, piece);
      store.unpin(page, true);
    }
  }

  /** Shows the bytes of a chain, piece by piece; {@code before} of the whole are elsewhere. */
  void read(int first, int before, int whole, ValueReader reader) {
    int reference = first;
    for (int at = before; at < whole; ) {
      long page = store.pin(PiecePage.pageOf(reference));
      try {
        MemorySegment pages = store.segment().asReadOnly();
        long from;
        int bytes;
        if (PiecePage.isPiece(reference)) {
          layout.check(pages, page, reference);
          int piece = PiecePage.pieceOf(reference);
          from = page + PiecePage.offset(pages, page, piece);
          bytes = PiecePage.length(pages, page, piece);
          reference = PiecePage.next(pages, page, piece);
        } else {
          from = page + BYTES;
          bytes = bytesPerPage;
          reference = pages.get(ValueLayout.JAVA_INT, page + NEXT);
        }
        bytes = Math.min(bytes, whole - at);
        reader.read(pages, from, bytes, at, whole);
        at += bytes;
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
      int piece = Math.min(bytesPerPage, Math.min(rest, bytes) - at);
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
  private int nextWaiting(int number) {
    long page = store.pin(number);
    MemorySegment pages = store.segment();
    boolean isOfChain = isOfChain(pages, page) || PiecePage.isMarked(pages, page);
    int next = pages.get(ValueLayout.JAVA_INT, page + NEXT);
    store.unpin(page, false);
    if (!isOfChain) {
      throw Torn.torn("page " + number + " belongs to no chain");
    }
    return next;
  }

  /**
   * Adds what a chain with so many bytes consists of to lists.
   *
   * @param list of its pages
   * @param pieces of references to its pieces
   */
  void addTo(PageList list, PageList pieces, int first, int bytes) {
    int reference = first;
    int left = bytes;
    while (PiecePage.isPiece(reference) && left > 0) {
      pieces.add(reference);
      long page = store.pin(PiecePage.pageOf(reference));
      try {
        MemorySegment memory = store.segment();
        layout.check(memory, page, reference);
        left -= PiecePage.length(memory, page, PiecePage.pieceOf(reference));
        reference = PiecePage.next(memory, page, PiecePage.pieceOf(reference));
      } finally {
        store.unpin(page, false);
      }
    }
    for (int i = pages(Math.max(left, 0)); i > 0; i--) {
      list.add(reference);
      reference = next(reference);
    }
  }

  /**
   * Makes sure that the pages of a chain, if it has any, can be read and are of chains, before they
   * leave.
   *
   * @param first the first of them, or 0
   */
  void checkLeaving(int first) {
    int left = store.pagesInUse();
    for (int number = first; number != 0; ) {
      if (--left < 0) {
        throw Torn.torn("a chain has more pages than there are");
      }
      long page = store.pin(number);
      MemorySegment pages = store.segment();
      boolean isOfChain = isOfChain(pages, page);
      int next = pages.get(ValueLayout.JAVA_INT, page + NEXT);
      store.unpin(page, false);
      if (!isOfChain) {
        throw Torn.torn("page " + number + " belongs to no chain");
      }
      number = next;
    }
  }

  /** Appends a chain to another, if there is one. */
  void append(int first, int behind) {
    int last = first;
    int left = store.pagesInUse();
    for (int next = nextWaiting(last); next != 0; next = nextWaiting(last)) {
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
  static void becomeChain(MemorySegment pages, long page) {
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
