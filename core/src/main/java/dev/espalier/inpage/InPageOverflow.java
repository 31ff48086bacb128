// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Makes room in a page for an entry whose in-page leaf is full, or says where to split the page.
 */
final class InPageOverflow {
  /**
   * A leaf page is stored anew once for the inserts that fill this part of an in-page leaf, at
   * most. They are as many as pay for moving a few leaves each, and few enough that pages with
   * scattered inserts get nearly full.
   */
  private static final int PART = 4;

  /**
   * Inserts come to few places if more than one in so many came to the leaf that has overflowed.
   */
  private static final int FEW = 3;

  private final InPageTrees trees;
  private final InPageSplit splits;
  private final InPageBuild builds;

  InPageOverflow(InPageTrees trees, InPageSplit splits, InPageBuild builds) {
    this.trees = trees;
    this.splits = splits;
    this.builds = builds;
  }

  /** As {@link InPageTrees#insertIntoFull}. */
  boolean insert(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      int line,
      int slot,
      long key,
      long payload) {
    boolean isLeafPage = PagePrefix.isLeaf(pages, page);
    int total = PagePrefix.checkedCount(pages, page, trees.capacity(pages, page));
    InPageLeaf leaf = isLeafPage ? trees.valueLeaf : trees.childLeaf;
    InsertRun run =
        isLeafPage
            ? InsertRun.of(trees, pages, page, line, slot, key, InsertRun.TO_SPLIT_A_LEAF)
            : InsertRun.NONE;
    if (!splits.split(scratch, pages, page, leaf, line, slot, key, payload, run)) {
      if (hasToSplit(pages, page)) {
        return false;
      }
      boolean isPacked = isLeafPage && (run != InsertRun.NONE || comesToFewPlaces(pages, page));
      int count = loadWith(scratch, pages, page, key, payload);
      int least = isPacked ? trees.fewestOfPackedLeaf() : trees.fewestOfLeaf(pages, page);
      builds.store(scratch, pages, page, scratch.keys(), scratch.payloads(), 0, count, least);
    }
    PagePrefix.count(pages, page, total + 1);
    trees.header.noteInsert(pages, page, key);
    return true;
  }

  /**
   * Tells whether a page without room for an in-page split is split rather than stored anew: an
   * inner page that is full; a leaf page without an entry free for each leaf, or that is half full
   * and has not had enough inserts since it was stored. With fewer entries, no leaf gets more than
   * half of its own by a store, so that one that overflows has had enough.
   */
  boolean hasToSplit(MemorySegment pages, long page) {
    int count = PagePrefix.count(pages, page);
    if (!PagePrefix.isLeaf(pages, page)) {
      return count >= trees.innerCapacity;
    }
    return count > mostToStore()
        || (2 * count >= trees.leafCapacity
            && trees.header.inserts(pages, page) < fewestForAStore());
  }

  /**
   * Returns the most entries of a leaf page, each of whose leaves has room wherever it is stored.
   */
  private int mostToStore() {
    return trees.leafCapacity - trees.mostLeaves;
  }

  int fewestForAStore() {
    return Math.max(1, trees.valueLeaf.capacity / PART);
  }

  /** Tells whether much of what was inserted since a page was stored went to one of its leaves. */
  private boolean comesToFewPlaces(MemorySegment pages, long page) {
    int inserts = trees.header.inserts(pages, page);
    int stored = Math.max(0, PagePrefix.count(pages, page) - inserts);
    return inserts < FEW * (trees.valueLeaf.capacity - stored / trees.mostLeaves);
  }

  /**
   * As {@link InPageTrees#cutPoint}.
   *
   * @param line of the in-page leaf where the key belongs
   */
  PageCutPoint cutPoint(PageScratch scratch, MemorySegment pages, long page, int line, long key) {
    long node = InPageTrees.node(page, line);
    int slot =
        Math.min(
            trees.valueLeaf.lowerBound(pages, node, key),
            trees.valueLeaf.checkedCount(pages, node));
    InsertRun run = InsertRun.of(trees, pages, page, line, slot, key, InsertRun.TO_SPLIT_A_PAGE);
    int count = trees.load(pages, page, scratch.keys(), scratch.payloads(), 0);
    if (run == InsertRun.NONE) {
      return PageCutPoint.middle(count);
    }
    int kept = rank(scratch.keys(), count, key);
    if (kept < count && scratch.keys()[kept] == key) {
      return PageCutPoint.middle(count); // Another thread has inserted it: there is no gap for it.
    }
    // The new entry goes where the run does, but not into a page in which it may find no room.
    boolean goesLeft =
        kept == 0
            || (kept < count
                && (run == InsertRun.AFTER ? kept <= mostToStore() : count - kept > mostToStore()));
    long low = goesLeft ? key : scratch.keys()[kept - 1];
    long high = goesLeft ? scratch.keys()[kept] : key;
    return new PageCutPoint(kept, true, InsertRun.between(low, high));
  }

  private static int rank(long[] keys, int count, long key) {
    int found = Arrays.binarySearch(keys, 0, count, key);
    return found >= 0 ? found : -1 - found;
  }

  /** Takes out all entries of a page and adds a new one; returns how many there are. */
  private int loadWith(
      PageScratch scratch, MemorySegment pages, long page, long key, long payload) {
    long[] keys = scratch.keys();
    long[] payloads = scratch.payloads();
    int count = trees.load(pages, page, keys, payloads, 0);
    int at = rank(keys, count, key);
    System.arraycopy(keys, at, keys, at + 1, count - at);
    System.arraycopy(payloads, at, payloads, at + 1, count - at);
    keys[at] = key;
    payloads[at] = payload;
    return count + 1;
  }
}
