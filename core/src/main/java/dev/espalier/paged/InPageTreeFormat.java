// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inpage.InPageInnerNode;
import dev.espalier.inpage.InPageLeaf;
import dev.espalier.inpage.InPageTreeHeader;
import dev.espalier.inpage.InPageTrees;
import dev.espalier.inpage.PageCutPoint;
import dev.espalier.inpage.PageScratch;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;

/** The page of the disk-first fpB+-tree: an in-page tree, as {@link InPageTrees} describes it. */
final class InPageTreeFormat extends PageFormat {
  /** Where a page has the header of its in-page tree. */
  static final InPageTreeHeader HEADER = new InPageTreeHeader(PageHeader.FORMAT_OFFSET);

  private static final long TAG = 0x4446_0000_0000_0000L;
  private static final long TAG_MASK = 0xffff_0000_0000_0000L;

  private final InPageTrees trees;

  // What hot paths need of the in-page trees, as named there.
  final InPageInnerNode inner;
  final InPageLeaf valueLeaf;
  final InPageLeaf childLeaf;
  final int levels;
  final int mostLeaves;
  final int mostLeafPlaces;
  final int pageLines;

  /** Lays out pages so large with in-page nodes so many lines wide. */
  InPageTreeFormat(int pageBytes, int innerWidth, int leafWidth) {
    InPageTrees inPage =
        new InPageTrees(pageBytes, innerWidth, leafWidth, PageHeader.FORMAT_OFFSET);
    super(pageBytes, inPage.leafCapacity, inPage.innerCapacity);
    this.trees = inPage;
    this.inner = inPage.inner;
    this.valueLeaf = inPage.valueLeaf;
    this.childLeaf = inPage.childLeaf;
    this.levels = inPage.levels;
    this.mostLeaves = inPage.mostLeaves;
    this.mostLeafPlaces = inPage.mostLeafPlaces;
    this.pageLines = inPage.pageLines;
  }

  @Override
  long stamp() {
    return TAG | trees.geometry();
  }

  /** Tells whether a stamp is that of pages like these, of whatever widths. */
  static boolean isStamp(long stamp) {
    return (stamp & TAG_MASK) == TAG;
  }

  @Override
  PageScratch newScratch() {
    return trees.newScratch();
  }

  int rootLine(int number) {
    return trees.rootLine(number);
  }

  /** As {@link InPageTrees#leafPlace}. */
  int leafPlace(long offset) {
    return trees.leafPlace(offset);
  }

  @Override
  void initialize(PageScratch scratch, MemorySegment pages, long page, int number, int level) {
    PageHeader.initialize(pages, page, level);
    trees.initialize(scratch, pages, page, number);
  }

  // ---------------------------------------------------------------- search

  /** As {@link InPageTrees#findParent}. */
  int findParent(MemorySegment pages, long page, long key) {
    return trees.findParent(pages, page, key);
  }

  @Override
  int lowerBound(MemorySegment pages, long page, long key) {
    return trees.lowerBound(pages, page, key);
  }

  @Override
  int firstPlace(MemorySegment pages, long page) {
    return trees.firstPlace(pages, page);
  }

  @Override
  int lastPlace(MemorySegment pages, long page) {
    return trees.lastPlace(pages, page);
  }

  @Override
  int nextPlace(MemorySegment pages, long page, int place) {
    return trees.nextPlace(pages, page, place);
  }

  @Override
  int previousPlace(MemorySegment pages, long page, int place) {
    return trees.previousPlace(pages, page, place);
  }

  @Override
  long key(MemorySegment pages, long page, int place) {
    return trees.key(pages, page, place);
  }

  @Override
  long payload(MemorySegment pages, long page, int place) {
    return trees.payload(pages, page, place);
  }

  @Override
  void payload(MemorySegment pages, long page, int place, long payload) {
    trees.payload(pages, page, place, payload);
  }

  // ---------------------------------------------------------------- insert

  @Override
  boolean mayOverflow(MemorySegment pages, long page) {
    return trees.mayOverflow(pages, page);
  }

  @Override
  boolean insert(PageScratch scratch, MemorySegment pages, long page, long key, long payload) {
    return trees.insert(scratch, pages, page, key, payload);
  }

  /** As {@link InPageTrees#insertIntoFull}. */
  boolean insertIntoFull(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      int line,
      int slot,
      long key,
      long payload) {
    return trees.insertIntoFull(scratch, pages, page, line, slot, key, payload);
  }

  /** Checks that a leaf, which is about to be written to, is within its page. */
  void checkWritten(long page, long leaf) {
    trees.checkWritten(page, leaf);
  }

  @Override
  PageCutPoint cutPoint(PageScratch scratch, MemorySegment pages, long page, long key) {
    return trees.cutPoint(scratch, pages, page, key);
  }

  @Override
  void copyRecent(MemorySegment pages, long page, long to) {
    trees.copyRecent(pages, page, to);
  }

  @Override
  void noteInserts(MemorySegment pages, long page, long[] keys, int from, int count) {
    for (int i = from; i < from + count; i++) {
      HEADER.noteInsert(pages, page, keys[i]);
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  void remove(PageScratch scratch, MemorySegment pages, long page, int place) {
    trees.remove(scratch, pages, page, place);
  }

  // ---------------------------------------------------------------- bulkload

  @Override
  int load(MemorySegment pages, long page, long[] keys, long[] payloads, int to) {
    return trees.load(pages, page, keys, payloads, to);
  }

  @Override
  void store(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count) {
    trees.store(scratch, pages, page, keys, payloads, from, count);
  }

  @Override
  void storePacked(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count) {
    trees.storePacked(scratch, pages, page, keys, payloads, from, count);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  int runOf(MemorySegment pages, long page, long key) {
    return trees.runOf(pages, page, key);
  }

  @Override
  int firstRun(MemorySegment pages, long page) {
    return trees.firstRun(pages, page);
  }

  @Override
  int lastRun(MemorySegment pages, long page) {
    return trees.lastRun(pages, page);
  }

  @Override
  int nextRun(MemorySegment pages, long page, int run) {
    return trees.nextRun(pages, page, run);
  }

  @Override
  int previousRun(MemorySegment pages, long page, int run) {
    return trees.previousRun(pages, page, run);
  }

  @Override
  int runCount(MemorySegment pages, long page, int run) {
    return valueLeaf.count(pages, InPageTrees.node(page, run));
  }

  @Override
  int runKeysOffset(int run) {
    return run << CacheLine.SHIFT;
  }

  @Override
  int runValuesOffset(int run) {
    return (run << CacheLine.SHIFT) + valueLeaf.payloadsOffset;
  }

  @Override
  InPageTreeCursor cursor(PagedStructure tree) {
    return new InPageTreeCursor(tree, this);
  }

  // ---------------------------------------------------------------- inspect

  @Override
  void verify(MemorySegment pages, long page, int number) throws InvariantViolationException {
    trees.verify(pages, page, number);
  }
}
