// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** Ways to break a prefix B+-tree, each with the invariant that it breaks. */
enum PrefixCorruption {
  CHILD_TWICE(
      "I1", tree -> child(tree, inner(tree), 1, PageLayout.child(tree.pages, inner(tree), 0))),
  SIZE_OFF_BY_ONE("I1", tree -> tree.size.add(1)),
  PAGE_LOST("I1", PrefixStructure::allocate),
  LEVEL_WRONG("I1", tree -> tree.pages.set(ValueLayout.JAVA_BYTE, leaf(tree) + 16, (byte) 1)),
  FLAG_WITHOUT_REASON(
      "I2", tree -> tree.pages.set(ValueLayout.JAVA_BYTE, leaf(tree) + 17, (byte) 3)),
  UPPER_FENCE_SHORTER(
      "I2",
      tree ->
          PageLayout.upper(tree.pages, leaf(tree), PageLayout.upper(tree.pages, leaf(tree)) - 1)),
  PREFIX_LONGER(
      "I3",
      tree ->
          PageLayout.prefix(tree.pages, leaf(tree), PageLayout.prefix(tree.pages, leaf(tree)) + 1)),
  ENTRIES_SWAPPED("I4", PrefixCorruption::swap),
  HEAD_BEHIND_THE_LAST("I5", PrefixCorruption::unpad),
  HEAD_OF_ANOTHER(
      "I5",
      tree -> {
        long head = leaf(tree) + PageLayout.HEADS;
        Words.putLong(tree.pages, head, Words.getLong(tree.pages, head) ^ 1);
      }),
  LONG_VALUE_IN_LINE("I6", PrefixCorruption::longValueInLine),
  RECORD_IN_ANOTHER(
      "I7",
      tree -> {
        long page = leaf(tree);
        long first = PageLayout.slot(tree.pages, page, 0);
        long second = PageLayout.slot(tree.pages, page, 1);
        int offset = (int) (PageLayout.record(tree.pages, page, first) - page);
        PageLayout.record(tree.pages, second, offset);
      }),
  RECORD_WITHOUT_BYTES_MOVED(
      "I7", tree -> PageLayout.record(tree.pages, PageLayout.slot(tree.pages, inner(tree), 0), 1)),
  LIVE_OFF_BY_ONE(
      "I7",
      tree -> PageLayout.live(tree.pages, leaf(tree), PageLayout.live(tree.pages, leaf(tree)) + 1)),
  TOP_IN_THE_ARRAYS("I8", tree -> PageLayout.top(tree.pages, leaf(tree), PageLayout.HEADS)),
  SEPARATOR_IN_ENTRY_0(
      "I9",
      tree -> {
        long slot = PageLayout.slot(tree.pages, inner(tree), 0);
        tree.pages.set(ValueLayout.JAVA_SHORT_UNALIGNED, slot + 2, (short) 1);
      }),
  CHAIN_OF_TWO_VALUES("I10", PrefixCorruption::shareChain),
  CHAIN_GOES_ON("I10", tree -> nextOfLast(tree, PageLayout.child(tree.pages, inner(tree), 0))),
  PIECE_OUT_OF_BOUNDS(
      "I11",
      tree -> {
        long page = piecePage(tree, 1);
        int piece = living(tree, page, 0);
        setOffset(tree, page, piece, tree.layout.pageBytes - 1);
      }),
  PIECE_IN_ANOTHER(
      "I11",
      tree -> {
        long page = piecePage(tree, 2);
        int other = PiecePage.offset(tree.pages, page, living(tree, page, 0));
        setOffset(tree, page, living(tree, page, 1), other);
      }),
  PIECE_OF_TWO_VALUES("I12", PrefixCorruption::sharePiece),
  PIECE_DEAD(
      "I12",
      tree -> {
        long page = piecePage(tree, 2);
        int living = PiecePage.living(tree.pages, page);
        PiecePage.living(tree.pages, page, living & living - 1);
      }),
  PIECE_LOST("I12", PrefixCorruption::losePiece),
  OPEN_PAGE_OF_THE_TREE("I13", tree -> tree.meta[PrefixStructure.OPEN] = tree.root());

  private final String invariant;
  private final Consumer<PrefixStructure> damage;

  PrefixCorruption(String invariant, Consumer<PrefixStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  String invariant() {
    return invariant;
  }

  void inflictOn(PrefixStructure tree) {
    damage.accept(tree);
  }

  // ---------------------------------------------------------------- where

  /** Returns a page above the leaves. */
  private static long inner(PrefixStructure tree) {
    return tree.store.pin(tree.root());
  }

  /** Returns a leaf that is at no edge, has a prefix, and some unused heads. */
  private static long leaf(PrefixStructure tree) {
    long found = find(tree, tree.root());
    if (found < 0) {
      throw new AssertionError("no leaf has a prefix and unused heads");
    }
    return found;
  }

  private static long find(PrefixStructure tree, int number) {
    long page = tree.store.pin(number);
    int count = PageLayout.count(tree.pages, page);
    if (PageLayout.level(tree.pages, page) == 0) {
      boolean fits =
          PageLayout.flags(tree.pages, page) == 0
              && PageLayout.prefix(tree.pages, page) > 0
              && PageLayout.upper(tree.pages, page) > PageLayout.prefix(tree.pages, page) + 1
              && PageLayout.lower(tree.pages, page) > PageLayout.prefix(tree.pages, page)
              && count % 8 != 0
              && count > 3
              && chainEntry(tree, page, 0) >= 0
              && chainEntry(tree, page, chainEntry(tree, page, 0) + 1) >= 0;
      return fits ? page : -1;
    }
    for (int i = 0; i < count; i++) {
      long found = find(tree, PageLayout.child(tree.pages, page, i));
      if (found >= 0) {
        return found;
      }
    }
    return -1;
  }

  /** Returns the first entry from one on whose value is in a chain, or -1. */
  private static int chainEntry(PrefixStructure tree, long page, int from) {
    for (int i = from; i < PageLayout.count(tree.pages, page); i++) {
      if (PageLayout.isValueInChain(tree.pages, PageLayout.slot(tree.pages, page, i))) {
        return i;
      }
    }
    return -1;
  }

  // ---------------------------------------------------------------- what

  private static void child(PrefixStructure tree, long page, int i, int child) {
    long children =
        page + PageLayout.HEADS + 8L * PageLayout.cap(PageLayout.count(tree.pages, page));
    tree.pages.set(ValueLayout.JAVA_INT_UNALIGNED, children + 4L * i, child);
  }

  private static void swap(PrefixStructure tree) {
    long page = leaf(tree);
    MemorySegment memory = tree.pages;
    swap(memory, page + PageLayout.HEADS, Long.BYTES);
    swap(memory, PageLayout.slot(memory, page, 0), PageLayout.SLOT_BYTES);
  }

  private static void swap(MemorySegment memory, long first, int bytes) {
    byte[] kept = memory.asSlice(first, bytes).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment.copy(memory, first + bytes, memory, first, bytes);
    MemorySegment.copy(kept, 0, memory, ValueLayout.JAVA_BYTE, first + bytes, bytes);
  }

  private static void unpad(PrefixStructure tree) {
    long page = leaf(tree);
    long behind = page + PageLayout.HEADS + 8L * PageLayout.count(tree.pages, page);
    Words.putLong(tree.pages, behind, 0);
  }

  /** Takes a reference for a value. */
  private static void longValueInLine(PrefixStructure tree) {
    long page = leaf(tree);
    long slot = PageLayout.slot(tree.pages, page, chainEntry(tree, page, 0));
    long reference = PageLayout.valueAt(tree.pages, page, slot);
    PageLayout.refer(tree.pages, reference, PageLayout.referredPage(tree.pages, reference), 1);
  }

  /** Has two chains go on with the same page. */
  private static void shareChain(PrefixStructure tree) {
    MemorySegment pages = tree.pages;
    int first = reference(tree, 0);
    int second = reference(tree, 1);
    int behind = PiecePage.next(pages, piecePageOf(tree, first), PiecePage.pieceOf(first));
    PiecePage.next(pages, piecePageOf(tree, second), PiecePage.pieceOf(second), behind);
  }

  /** Has the last page of a chain lead to another page. */
  private static void nextOfLast(PrefixStructure tree, int another) {
    int last = reference(tree, 0);
    while (PiecePage.isPiece(last)) {
      last = PiecePage.next(tree.pages, piecePageOf(tree, last), PiecePage.pieceOf(last));
    }
    while (tree.chain.next(last) != 0) {
      last = tree.chain.next(last);
    }
    tree.chain.append(last, another);
  }

  /** Has two values refer to the same piece. */
  private static void sharePiece(PrefixStructure tree) {
    MemorySegment.copy(
        tree.pages,
        referenceAt(tree, 0),
        tree.pages,
        referenceAt(tree, 1),
        PageLayout.REFERENCE_BYTES);
  }

  /** Adds a piece to a page that no value has, in a gap of it. */
  private static void losePiece(PrefixStructure tree) {
    PiecePage format = new PiecePage(tree.layout.pageBytes);
    long page = piecePage(tree, 1);
    long gap = format.largestGap(tree.pages, page);
    int piece = Integer.numberOfTrailingZeros(format.unused(tree.pages, page));
    PiecePage.add(tree.pages, page, piece, PiecePage.gapBegin(gap), PiecePage.gapBytes(gap));
  }

  /** Returns where one of the entries of the leaf, of those with long values, has its reference. */
  private static long referenceAt(PrefixStructure tree, int which) {
    long page = leaf(tree);
    int entry = chainEntry(tree, page, 0);
    for (int i = 0; i < which; i++) {
      entry = chainEntry(tree, page, entry + 1);
    }
    return PageLayout.valueAt(tree.pages, page, PageLayout.slot(tree.pages, page, entry));
  }

  private static int reference(PrefixStructure tree, int which) {
    return PageLayout.referredPage(tree.pages, referenceAt(tree, which));
  }

  private static long piecePageOf(PrefixStructure tree, int reference) {
    return tree.store.pin(PiecePage.pageOf(reference));
  }

  /** Returns a page that values share, with so many living pieces at least, and a gap. */
  private static long piecePage(PrefixStructure tree, int least) {
    PiecePage format = new PiecePage(tree.layout.pageBytes);
    for (int number = 1; number <= tree.store.pagesInUse(); number++) {
      long page = tree.store.pin(number);
      if (tree.store.isInUse(number)
          && PiecePage.isMarked(tree.pages, page)
          && Integer.bitCount(PiecePage.living(tree.pages, page)) >= least
          && PiecePage.gapBytes(format.largestGap(tree.pages, page)) > 0
          && format.unused(tree.pages, page) != 0) {
        return page;
      }
    }
    throw new AssertionError("no page has " + least + " pieces of values and a gap");
  }

  /** Returns the number of a living piece of a page, counted from 0 among these. */
  private static int living(PrefixStructure tree, long page, int which) {
    int living = PiecePage.living(tree.pages, page);
    for (int i = 0; i < which; i++) {
      living &= living - 1;
    }
    return Integer.numberOfTrailingZeros(living);
  }

  private static void setOffset(PrefixStructure tree, long page, int piece, int offset) {
    int living = PiecePage.living(tree.pages, page);
    int next = PiecePage.next(tree.pages, page, piece);
    int length = PiecePage.length(tree.pages, page, piece);
    PiecePage.add(tree.pages, page, piece, offset, length);
    PiecePage.next(tree.pages, page, piece, next);
    PiecePage.living(tree.pages, page, living);
  }
}
