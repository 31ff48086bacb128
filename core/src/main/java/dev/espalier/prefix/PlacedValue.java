// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import java.util.Arrays;

/**
 * Where a long value is to lie: first in pieces of pages that it shares with others, then in pages
 * of its own. It is not part of the tree yet.
 */
final class PlacedValue {
  /** Pieces of a value at most: what one write changes is bounded by it. */
  static final int MOST_PIECES = 3;

  /** The generation of the tree in which it was placed; in another one, it is void. */
  final int generation;

  private final int[] pieces = new int[MOST_PIECES];
  private final int[] lengths = new int[MOST_PIECES];
  private int pieceCount;

  private int[] pages;
  private int pageCount;

  PlacedValue(int generation, int pages) {
    this.generation = generation;
    this.pages = new int[pages];
  }

  void addPiece(int reference, int length) {
    pieces[pieceCount] = reference;
    lengths[pieceCount] = length;
    pieceCount++;
  }

  void addPage(int page) {
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, pageCount + 1);
    }
    pages[pageCount++] = page;
  }

  int pieceCount() {
    return pieceCount;
  }

  int piece(int i) {
    return pieces[i];
  }

  int length(int i) {
    return lengths[i];
  }

  /** Returns the pages of its own. */
  int[] pages() {
    return pageCount == pages.length ? pages : Arrays.copyOf(pages, pageCount);
  }

  /** Returns what follows a piece; before the first, what the entry refers to. */
  int behind(int i) {
    if (i + 1 < pieceCount) {
      return pieces[i + 1];
    }
    return pageCount > 0 ? pages[0] : 0;
  }

  /** Returns what the entry refers to. */
  int first() {
    return behind(-1);
  }
}
