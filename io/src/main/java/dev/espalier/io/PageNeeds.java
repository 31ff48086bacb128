// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * How many pages a record changes at most, most of the time, for which there has to be room before
 * it is begun: a tree that finds none in the middle has to take back what it has done.
 */
final class PageNeeds {
  /** Pages that one write changes: a leaf, and what a split touches. */
  static final int PER_WRITE = 4;

  /**
   * Pages that one write changes where long values share pages: a leaf, those with the three pieces
   * of the value that goes, the last page behind these as long as it waits for readers, and those
   * with three pieces of another.
   */
  private static final int PER_SHARING_WRITE = 8;

  /**
   * Pages of a write that splits pages up to the root, or has chains: a page that is refused on the
   * way is no reason to make a checkpoint, which might make room.
   */
  private static final int PER_SPLIT = 16;

  /** Most bytes by which the file grows for the removal of a range, as for anything else. */
  private static final long RANGE_BYTES = 64L << 20;

  /** So few pages are not worth a closer look. */
  private static final int FEW = SlotPageStore.CHANGE_SLOTS;

  /** How often each page that is there may be needed: to be changed, and for what it splits off. */
  private static final int PER_PAGE = 2;

  /**
   * Pages that have as many bytes as what is written, if no more than a quarter of each is filled:
   * a half by a split, and half of that again where a page has nodes of its own.
   */
  private static final int PER_FULL_PAGE = 4;

  private PageNeeds() {}

  /** Returns how many pages one write changes that may split pages. */
  static long ofWrite() {
    return PER_WRITE + PER_SPLIT;
  }

  /** Returns how many pages some writes of longs to one index change. */
  static long ofWrites(SlotPageStore store, int writes) {
    long pages = (long) PER_WRITE * writes + PER_SPLIT;
    return atMost(store, pages, (long) writes * LogRecord.MOST_OPERATION_BYTES, 0);
  }

  /**
   * Returns how many pages some writes change, of longs or of byte strings.
   *
   * @param sharing how many of them are to indexes whose long values share pages
   * @param bytes of all the writes, which may take pages of their own
   * @param others pages in use of other indexes that are written to
   */
  static long ofWrites(SlotPageStore store, int writes, int sharing, int bytes, long others) {
    int inPage = store.pageBytes() - store.pageBytes() / 16; // which has a header as well
    long changed = (long) PER_WRITE * (writes - sharing) + (long) PER_SHARING_WRITE * sharing;
    return atMost(store, changed + bytes / inPage + PER_SPLIT, bytes, others);
  }

  /** Returns how many pages some removals change. */
  static long ofRemovals(SlotPageStore store, int writes, int bytes, long others) {
    return atMost(store, (long) PER_WRITE * writes, bytes, others);
  }

  /** Returns how many pages the removal of a range changes. */
  static long ofRange(SlotPageStore store) {
    return Math.min(store.pagesInUse(), RANGE_BYTES / store.pageBytes()) + PER_SPLIT;
  }

  /**
   * Returns how many pages are needed, where many writes meet in the same pages: a million of them
   * are not to be refused for want of four million pages.
   */
  private static long atMost(SlotPageStore store, long pages, long bytes, long others) {
    if (pages <= FEW) {
      return pages;
    }
    long there = PER_PAGE * (store.pagesInUse() + others);
    long filled = PER_FULL_PAGE * bytes / store.pageBytes();
    return Math.min(pages, there + filled + FEW);
  }
}
