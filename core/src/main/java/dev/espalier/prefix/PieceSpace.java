// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;

/**
 * Gives out room for long values. What of a value fills pages has them alone; the rest, or a value
 * that is no longer than a page, lies in pieces of pages that values share ({@link PiecePage}). One
 * such page is open: pieces are cut from the largest gap that it had. What has no room there as a
 * whole goes to another page with a gap that is long enough, if one is known and nobody can be
 * reading any more what has died there. Only where there is none, and gaps take more than a
 * sixteenth of the pages or no new page is to be had, it is cut in two; else it begins a new page,
 * whose rest is for shorter ones.
 *
 * <p>A page leaves with its last living piece, so at any time there are no more of them than
 * pieces. Only the number of the open page is kept in the meta words. Which other pages have room
 * is known of those that were open, or in which a piece has died, since the tree was opened ({@link
 * Gaps}).
 *
 * <p>Room is taken and freed with the lock of this object, which is taken last but for that of
 * {@link PrefixSpace#leave}, and held for no longer than it takes to pin a few pages. What a place
 * is to hold is written without it.
 */
final class PieceSpace {
  /** Pages that are looked at for a gap that is large enough, each of which may be on a device. */
  private static final int MOST_TRIES = 4;

  /**
   * One page in so many may be gaps before a value is cut in two for them. With much less room to
   * choose from, values of many lengths are cut most of the time; more makes little difference.
   */
  private static final int PAGES_FOR_GAPS = 16;

  private final PrefixStructure tree;
  private final PageStore store;
  private final PiecePage layout;

  /** Shorter pieces are not cut from a gap, unless they are all that is left of a value. */
  private final int least;

  /** A longer rest of a value has a page of its own. */
  private final int most;

  /** What is left of the gap of the open page, and the entries of its directory that are free. */
  private int from;

  private int to;
  private int free;

  /** Whether these are known, and not only the number of the open page. */
  private boolean isKnown;

  private final Gaps gaps;

  /** Pages that were begun since the tree was opened, less those that have left since then. */
  private int begun;

  /** Whether a value has had pages of its own since the tree was opened or cleared. */
  private boolean hasHadPages;

  /** Pieces of values that are not part of the tree yet. */
  private final Set<Integer> outside = new HashSet<>();

  PieceSpace(PrefixStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = new PiecePage(store.pageBytes());
    this.least = layout.room() / 4;
    this.most = layout.room() - layout.room() / 16;
    this.gaps = new Gaps(layout.room() / 16);
  }

  // ---------------------------------------------------------------- place

  /**
   * Finds room for a value, and takes it. {@link #fill} and {@link #keep} follow, or {@link
   * #giveBack}. Of a tree for many threads, outside operations and by one thread at a time.
   *
   * @throws MemoryLimitException if there is no room; nothing is taken then
   */
  PlacedValue place(int bytes, int generation) {
    int bytesPerPage = tree.chain.bytesPerPage;
    int rest = bytes % bytesPerPage;
    int pages = bytes / bytesPerPage + (rest > most ? 1 : 0);
    PlacedValue placed = new PlacedValue(generation, pages);
    try {
      for (int i = 0; i < pages; i++) {
        placed.addPage(tree.allocate());
      }
      for (int left = rest > most ? 0 : rest; left > 0; ) {
        left -= placeSome(placed, left);
      }
      return placed;
    } catch (RuntimeException | Error refused) {
      giveBack(placed, refused);
      throw refused;
    }
  }

  private void giveBack(PlacedValue placed, Throwable refused) {
    try {
      giveBack(placed);
    } catch (RuntimeException | Error second) {
      store.leftHalfway(second);
      refused.addSuppressed(second);
    }
  }

  /** Finds room for some of what is left of a value, and returns for how many bytes. */
  private int placeSome(PlacedValue placed, int left) {
    int there = cutIfRoom(placed, left, false);
    if (there > 0) {
      return there;
    }
    int page;
    try {
      page = tree.allocate(); // Not with the lock: it may wait for those who free a piece.
    } catch (MemoryLimitException full) {
      there = cutIfRoom(placed, left, true);
      if (there > 0) {
        return there;
      }
      throw full;
    }
    if (page > PiecePage.MOST_PAGE) {
      placed.addPage(page);
      return left;
    }
    int length = cutFromNew(placed, left, page);
    tree.used(1);
    return length;
  }

  /**
   * Takes a piece of a page that is there for what is left of a value; returns its length, or 0.
   *
   * @param inTwo whether what is left is to be cut in two even if gaps are few
   */
  private synchronized int cutIfRoom(PlacedValue placed, int left, boolean inTwo) {
    boolean isLast = placed.pieceCount() == PlacedValue.MOST_PIECES - 1;
    boolean isRoom =
        hasRoom(left)
            || openGap(left)
            || (!isLast && (inTwo || areGapsMany()) && (hasRoom(least) || openGap(least)));
    return isRoom ? cutIfReadable(placed, left) : 0;
  }

  /**
   * Takes a piece of the open page; returns its length. A page that can't be read any more is open
   * no longer, and 0 is returned: what has no room there lies elsewhere.
   */
  private int cutIfReadable(PlacedValue placed, int left) {
    try {
      return cut(placed, left);
    } catch (RuntimeException _) {
      noteRest(); // It may be readable the next time.
      tree.meta[PrefixStructure.OPEN] = 0;
      return 0;
    }
  }

  private int cutFromNew(PlacedValue placed, int left, int page) {
    try {
      synchronized (this) {
        openNew(page);
        return cut(placed, left);
      }
    } catch (RuntimeException | Error failed) {
      closeUnused(page);
      tree.giveBack(page);
      throw failed;
    }
  }

  private synchronized void closeUnused(int page) {
    if (open() == page) {
      tree.meta[PrefixStructure.OPEN] = 0;
      begun--;
    }
  }

  private int open() {
    return (int) tree.meta[PrefixStructure.OPEN];
  }

  /** Tells whether the open page, if there is one, has room for a piece of so many bytes. */
  private boolean hasRoom(int bytes) {
    int number = open();
    if (number != 0 && !isKnown && !tryOpen(number)) {
      tree.meta[PrefixStructure.OPEN] = 0;
    }
    return open() != 0 && free != 0 && to - from >= bytes;
  }

  /** Tells whether so much room is in gaps that values are to be cut in two for them. */
  private boolean areGapsMany() {
    long bytes = gaps.bytes() + (open() == 0 || gaps.has(open()) ? 0 : to - from);
    return gaps.areMost() || bytes * PAGES_FOR_GAPS > (long) begun * layout.room();
  }

  /** Opens a page that has a gap of so many bytes, if one is known. */
  private boolean openGap(int bytes) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      int number = gaps.take(bytes, tree::isUnreachable);
      if (number == 0) {
        return false;
      }
      if (tryOpen(number) && hasRoom(bytes)) {
        return true;
      }
    }
    return false;
  }

  private void openNew(int number) {
    long page = store.pinFresh(number);
    try {
      layout.begin(store.segment(), page);
    } finally {
      store.unpin(page, true);
    }
    open(number, layout.wholeGap(), layout.allPieces());
    begun++;
    tree.meta[PrefixStructure.STAMP] = PrefixStructure.STAMP_WITH_PIECES;
  }

  /**
   * Makes a page the open one, in which nobody reads what has died, unless it is damaged: then its
   * values say so when they are read, and others lie elsewhere.
   */
  private boolean tryOpen(int number) {
    try {
      long page = store.pin(number);
      try {
        MemorySegment pages = store.segment();
        layout.checkShared(pages, number, page);
        open(number, layout.largestGap(pages, page), layout.unused(pages, page));
      } finally {
        store.unpin(page, false);
      }
      return true;
    } catch (RuntimeException _) {
      return false;
    }
  }

  private void open(int number, long gap, int unused) {
    if (number != open()) {
      noteRest();
    }
    from = PiecePage.gapBegin(gap);
    to = PiecePage.gapEnd(gap);
    free = unused;
    isKnown = true;
    tree.meta[PrefixStructure.OPEN] = number;
  }

  /** Remembers what is left of the open page, if there is one, before another takes its place. */
  private void noteRest() {
    int number = open();
    if (number != 0 && isKnown && free != 0 && !gaps.has(number)) {
      gaps.note(number, to - from, tree.epoch()); // What has died there may still be read.
    }
  }

  /** Takes a piece of the open page for what is left of a value; returns its length. */
  private int cut(PlacedValue placed, int left) {
    int number = open();
    int piece = Integer.numberOfTrailingZeros(free);
    int length = Math.min(left, to - from);
    long page = store.pin(number);
    try {
      PiecePage.add(store.segment(), page, piece, from, length);
    } finally {
      store.unpin(page, true);
    }
    from += length;
    free &= ~(1 << piece);
    int reference = PiecePage.reference(number, piece);
    outside.add(reference);
    placed.addPiece(reference, length);
    return length;
  }

  // ---------------------------------------------------------------- fill

  /** Writes a value to where it was placed. Of a tree for many threads, within an operation. */
  void fill(PlacedValue placed, MemorySegment value) {
    long done = 0;
    for (int i = 0; i < placed.pieceCount(); i++) {
      int reference = placed.piece(i);
      int piece = PiecePage.pieceOf(reference);
      long page = store.pin(PiecePage.pageOf(reference));
      try {
        MemorySegment pages = store.segment();
        PiecePage.next(pages, page, piece, placed.behind(i));
        long to = page + PiecePage.offset(pages, page, piece);
        MemorySegment.copy(value, done, pages, to, placed.length(i));
      } finally {
        store.unpin(page, true);
      }
      done += placed.length(i);
    }
    tree.chain.fill(placed.pages(), value, done, (int) (value.byteSize() - done));
  }

  /** Notes that a value is part of the tree. */
  void keep(PlacedValue placed) {
    tree.used(placed.pages().length);
    synchronized (this) {
      hasHadPages |= placed.pages().length > 0;
      for (int i = 0; i < placed.pieceCount(); i++) {
        outside.remove(placed.piece(i));
      }
    }
  }

  /** Writes a value, by one who has the tree alone; returns what its entry is to refer to. */
  int write(MemorySegment value) {
    PlacedValue placed = place((int) value.byteSize(), 0);
    fill(placed, value);
    keep(placed);
    return placed.first();
  }

  /** Returns the pieces of values that are not part of the tree yet. */
  synchronized Set<Integer> outside() {
    return Set.copyOf(outside);
  }

  /**
   * Tells whether values may be in chains. Of a tree that was opened it is not known if none of
   * them has a piece, as was so before there were pieces: then the answer is no.
   */
  boolean mayHaveChains() {
    return hasHadPages || tree.meta[PrefixStructure.STAMP] == PrefixStructure.STAMP_WITH_PIECES;
  }

  // ---------------------------------------------------------------- free

  /**
   * Makes sure that a chain can be freed, before anything else is changed: that its pieces are
   * living, and its pages can be read and are of chains.
   *
   * @param first what refers to it, or 0 if there is none
   */
  void checkLeaving(int first) {
    int reference = first;
    for (int pieces = 0; PiecePage.isPiece(reference); pieces++) {
      if (pieces == PlacedValue.MOST_PIECES) {
        throw Torn.torn("a value has more pieces than " + pieces);
      }
      long page = store.pin(PiecePage.pageOf(reference));
      try {
        MemorySegment pages = store.segment();
        layout.check(pages, page, reference);
        checkLiving(pages, page, reference);
        reference = PiecePage.next(pages, page, PiecePage.pieceOf(reference));
      } finally {
        store.unpin(page, false);
      }
    }
    tree.chain.checkLeaving(reference);
  }

  private static void checkLiving(MemorySegment pages, long page, int reference) {
    int piece = PiecePage.pieceOf(reference);
    if ((PiecePage.living(pages, page) >>> piece & 1) == 0) {
      throw Torn.torn(
          "piece " + piece + " of page " + PiecePage.pageOf(reference) + " is freed twice");
    }
  }

  /** Frees the room of a value that nobody has reached. */
  void giveBack(PlacedValue placed) {
    for (int page : placed.pages()) {
      tree.giveBack(page);
    }
    for (int i = 0; i < placed.pieceCount(); i++) {
      synchronized (this) {
        outside.remove(placed.piece(i));
      }
      free(placed.piece(i));
    }
  }

  /**
   * Frees the pieces at the beginning of a chain which nothing leads to any more, if it has any;
   * returns the first page behind them, or 0.
   */
  int freePieces(int first) {
    int reference = first;
    while (PiecePage.isPiece(reference)) {
      reference = free(reference);
    }
    return reference;
  }

  /** Frees a piece, and its page if that was the last; returns a reference to what follows it. */
  synchronized int free(int reference) {
    int number = PiecePage.pageOf(reference);
    int piece = PiecePage.pieceOf(reference);
    int living;
    int next;
    long gap;
    boolean isChanged = false;
    long page = store.pin(number);
    try {
      MemorySegment pages = store.segment();
      layout.check(pages, page, reference);
      checkLiving(pages, page, reference);
      living = PiecePage.living(pages, page) & ~(1 << piece);
      next = PiecePage.next(pages, page, piece);
      isChanged = true;
      PiecePage.living(pages, page, living);
      gap = layout.largestGap(pages, page);
    } finally {
      store.unpin(page, isChanged);
    }
    gaps.note(number, PiecePage.gapBytes(gap), tree.epoch());
    if (number == open() && (living == 0 || !isKnown)) {
      tree.meta[PrefixStructure.OPEN] = 0; // What is free of it is not to be what has just died.
    }
    if (living == 0) {
      gaps.forget(number);
      begun = Math.max(0, begun - 1);
      tree.retireChain(number);
    }
    return next;
  }

  /** Forgets everything, since there are no pages any more. */
  synchronized void forget() {
    hasHadPages = false;
    gaps.forgetAll();
    begun = 0;
    outside.clear();
  }
}
