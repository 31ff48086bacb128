// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.memory.Words.getInt;

import dev.espalier.inpage.InPageInnerNode;
import dev.espalier.inpage.InPageLeaf;
import dev.espalier.inpage.InPageSearch;
import dev.espalier.inpage.InPageTrees;
import dev.espalier.inpage.PageCutPoint;
import dev.espalier.inpage.PagePrefix;
import dev.espalier.inpage.PageScratch;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The page of {@link FpbLinkTree}: a small prefetching B+-tree behind the header. */
final class LinkedInPageFormat extends LinkedPageFormat {
  /* Overview
   *
   * The page is as InPageTrees describes it, with its invariants I9 to I15; the in-page tree's part
   * of the header is in what LinkedPage leaves to the format.
   *
   * An inner page has an entry for each child, whose key is the upper bound of the child. That of the
   * last one is Long.MAX_VALUE, for the page's high key bounds it, and may change with a neighbour.
   *
   *   I16 The last key of an inner page is Long.MAX_VALUE.
   *
   * Readers. They see pages that are being changed. Each line of a child is bounded by the page, each
   * count by the node, each walk along the leaves by their greatest number.
   */

  /** The letters FL, before the widths and the size of a page. */
  private static final long TAG = 0x464c_0000_0000_0000L;

  private static final long TAG_MASK = 0xffff_0000_0000_0000L;

  final InPageTrees trees;
  final InPageInnerNode inner;
  final InPageLeaf valueLeaf;
  final InPageLeaf childLeaf;
  private final int levels;

  /** The last line of a page where an inner node, or a leaf, can begin. */
  final int lastInnerLine;

  final int lastLeafLine;

  /** What writers that rebuild pages have used and given back. */
  private final ConcurrentLinkedQueue<PageScratch> scratches = new ConcurrentLinkedQueue<>();

  LinkedInPageFormat(int pageBytes, int innerWidth, int leafWidth) {
    InPageTrees inPage =
        new InPageTrees(pageBytes, innerWidth, leafWidth, LinkedPage.FORMAT_OFFSET);
    super(pageBytes, inPage.leafCapacity, inPage.innerCapacity, inPage.valueLeaf.capacity);
    this.trees = inPage;
    this.inner = trees.inner;
    this.valueLeaf = trees.valueLeaf;
    this.childLeaf = trees.childLeaf;
    this.levels = trees.levels;
    this.lastInnerLine = trees.pageLines - innerWidth;
    this.lastLeafLine = trees.pageLines - leafWidth;
  }

  @Override
  long stamp() {
    return TAG | trees.geometry();
  }

  /** Tells whether a stamp is that of pages like these, of whatever widths. */
  static boolean isStamp(long stamp) {
    return (stamp & TAG_MASK) == TAG;
  }

  private PageScratch takeScratch() {
    PageScratch scratch = scratches.poll();
    return scratch == null ? trees.newScratch() : scratch;
  }

  private void giveBack(PageScratch scratch) {
    scratches.add(scratch);
  }

  @Override
  void initialize(MemorySegment pages, long page, int number, int level) {
    LinkedPage.initialize(pages, page, level);
    PageScratch scratch = takeScratch();
    trees.initialize(scratch, pages, page, number);
    giveBack(scratch);
  }

  // ---------------------------------------------------------------- search

  /** Returns the in-page leaf of a page where a key is or belongs, or any in a torn page. */
  private long findLeaf(MemorySegment pages, long page, int number, long key) {
    int line = trees.rootLine(number);
    for (int level = levels - 1; level > 0; level--) {
      long node = InPageTrees.node(page, line);
      int slot = InPageSearch.inner(pages, node, inner.keySlots, key);
      line = Math.min(inner.child(pages, node, slot), level > 1 ? lastInnerLine : lastLeafLine);
    }
    return InPageTrees.node(page, line);
  }

  private static int place(long page, long leaf, int slot) {
    return (int) ((leaf - page) >> CacheLine.SHIFT) << Short.SIZE | slot;
  }

  private static long leafOf(long page, int place) {
    return InPageTrees.node(page, place >>> Short.SIZE);
  }

  private static int slotOf(int place) {
    return place & 0xffff;
  }

  /** Asks for the lines of values as well: who looks for a place needs what is there. */
  @Override
  int findPlace(MemorySegment pages, long page, int number, long key) {
    long leaf = findLeaf(pages, page, number, key);
    long values = pages.address() + leaf + valueLeaf.payloadsOffset;
    Words.prefetch(values, valueLeaf.payloadLines, Locality.T0);
    int slot = InPageSearch.values(pages, leaf, valueLeaf.keySlots, key);
    int count = Math.min(valueLeaf.count(pages, leaf), valueLeaf.capacity);
    return slot < count && valueLeaf.key(pages, leaf, slot) == key
        ? place(page, leaf, slot)
        : -1 - place(page, leaf, Math.min(slot, count));
  }

  @Override
  int child(MemorySegment pages, long page, int number, long key) {
    long leaf = findLeaf(pages, page, number, key);
    int slot = InPageSearch.children(pages, leaf, childLeaf.keySlots, key);
    return getInt(pages, leaf + childLeaf.payloadsOffset + ((long) slot << 2));
  }

  /** Returns the place of the child to which a key leads. */
  private int placeOfChild(MemorySegment pages, long page, int number, long key) {
    long leaf = findLeaf(pages, page, number, key);
    int count = childLeaf.checkedCount(pages, leaf);
    int slot = childLeaf.lowerBound(pages, leaf, key);
    if (slot >= count) {
      throw InPageTrees.torn(page);
    }
    return place(page, leaf, slot);
  }

  @Override
  boolean isFirstChild(MemorySegment pages, long page, int number, long key) {
    return placeOfChild(pages, page, number, key) == trees.firstPlace(pages, page);
  }

  @Override
  long value(MemorySegment pages, long page, int place) {
    return valueLeaf.payload(pages, leafOf(page, place), slotOf(place));
  }

  @Override
  void value(MemorySegment pages, long page, int place, long value) {
    valueLeaf.payload(pages, trees.written(page, place), slotOf(place), value);
  }

  /** A run is an in-page leaf, named by its line. It may be empty. */
  @Override
  int runOf(MemorySegment pages, long page, int number, long key) {
    return (int) ((findLeaf(pages, page, number, key) - page) >> CacheLine.SHIFT);
  }

  @Override
  int previousRun(MemorySegment pages, long page, int run) {
    return Math.min(valueLeaf.previous(pages, InPageTrees.node(page, run)), lastLeafLine);
  }

  @Override
  int nextRun(MemorySegment pages, long page, int run) {
    return Math.min(valueLeaf.next(pages, InPageTrees.node(page, run)), lastLeafLine);
  }

  @Override
  void prefetchRun(MemorySegment pages, long page, int run) {
    long leaf = InPageTrees.node(page, run);
    Words.prefetch(pages.address() + leaf, valueLeaf.width, Locality.T0);
  }

  @Override
  int entriesOf(MemorySegment pages, long page, int run) {
    return Math.min(valueLeaf.count(pages, InPageTrees.node(page, run)), valueLeaf.capacity);
  }

  @Override
  long keysOf(long page, int run) {
    return InPageTrees.node(page, run);
  }

  @Override
  long valuesOf(long page, int run) {
    return InPageTrees.node(page, run) + valueLeaf.payloadsOffset;
  }

  // ---------------------------------------------------------------- insert

  @Override
  boolean fits(MemorySegment pages, long page, int place) {
    return valueLeaf.checkedCount(pages, leafOf(page, place)) < valueLeaf.capacity;
  }

  @Override
  boolean insert(MemorySegment pages, long page, int number, int place, long key, long value) {
    long leaf = trees.written(page, place);
    int count = valueLeaf.checkedCount(pages, leaf);
    if (count == valueLeaf.capacity) {
      return insertIntoFull(pages, page, key, value);
    }
    int total = PagePrefix.checkedCount(pages, page, leafCapacity);
    valueLeaf.insertAt(pages, leaf, slotOf(place), count, key, value);
    PagePrefix.count(pages, page, total + 1);
    trees.header.noteInsert(pages, page, key);
    return true;
  }

  /** Inserts an entry into a page whose in-page leaf is full, unless the page has to be split. */
  private boolean insertIntoFull(MemorySegment pages, long page, long key, long payload) {
    PageScratch scratch = takeScratch();
    try {
      return trees.insert(scratch, pages, page, key, payload);
    } finally {
      giveBack(scratch);
    }
  }

  @Override
  boolean hasSeparator(MemorySegment pages, long page, int number, long separator) {
    return trees.key(pages, page, placeOfChild(pages, page, number, separator)) == separator;
  }

  @Override
  boolean insertChild(MemorySegment pages, long page, int number, long separator, int right) {
    int place = placeOfChild(pages, page, number, separator);
    long leaf = trees.written(page, place);
    int slot = slotOf(place);
    long left = childLeaf.payload(pages, leaf, slot);
    int count = childLeaf.checkedCount(pages, leaf);
    if (count < childLeaf.capacity) {
      int total = PagePrefix.checkedCount(pages, page, innerCapacity);
      childLeaf.insertAt(pages, leaf, slot, count, separator, left);
      childLeaf.payload(pages, leaf, slot + 1, right);
      PagePrefix.count(pages, page, total + 1);
      return true;
    }
    if (!insertIntoFull(pages, page, separator, left)) {
      return false;
    }
    int behind = placeOfChild(pages, page, number, separator + 1);
    childLeaf.payload(pages, trees.written(page, behind), slotOf(behind), right);
    return true;
  }

  @Override
  boolean isFull(MemorySegment pages, long page, int number, long key) {
    PageScratch scratch = takeScratch();
    try {
      return trees.hasToSplit(scratch, pages, page, key);
    } finally {
      giveBack(scratch);
    }
  }

  // ---------------------------------------------------------------- split

  @Override
  boolean isAtEnd(MemorySegment pages, long page, int number, long key) {
    int last = trees.lastPlace(pages, page);
    return PagePrefix.isLeaf(pages, page)
        ? last == InPageTrees.NONE || key > trees.key(pages, page, last)
        : placeOfChild(pages, page, number, key) == last;
  }

  @Override
  long keyOfRank(MemorySegment pages, long page, int rank) {
    if (rank == 0) {
      int first = trees.firstPlace(pages, page);
      if (first == InPageTrees.NONE) {
        throw InPageTrees.torn(page);
      }
      return trees.key(pages, page, first);
    }
    PageScratch scratch = takeScratch();
    try {
      trees.load(pages, page, scratch.keys(), scratch.payloads(), 0);
      return scratch.keys()[rank];
    } finally {
      giveBack(scratch);
    }
  }

  @Override
  PageCutPoint cutPoint(MemorySegment pages, long page, int number, long key) {
    PageScratch scratch = takeScratch();
    try {
      return trees.cutPoint(scratch, pages, page, key);
    } finally {
      giveBack(scratch);
    }
  }

  @Override
  void copyUpper(
      MemorySegment pages, long page, int from, long other, int otherNumber, boolean isPacked) {
    PageScratch scratch = takeScratch();
    try {
      int count = trees.load(pages, page, scratch.keys(), scratch.payloads(), 0);
      store(scratch, pages, other, from, count - from, isPacked);
      trees.copyRecent(pages, page, other);
    } finally {
      giveBack(scratch);
    }
  }

  @Override
  void keepLower(MemorySegment pages, long page, int number, int end, boolean isPacked) {
    PageScratch scratch = takeScratch();
    try {
      int count =
          end == 0
              ? count(pages, page) // Nothing is taken out.
              : trees.load(pages, page, scratch.keys(), scratch.payloads(), 0);
      if (end < count) {
        if (!PagePrefix.isLeaf(pages, page)) {
          scratch.keys()[end - 1] = Keys.PADDING;
        }
        store(scratch, pages, page, 0, end, isPacked);
      }
    } finally {
      giveBack(scratch);
    }
  }

  /** Stores some of what has been taken out to the scratch memory. */
  private void store(
      PageScratch scratch, MemorySegment pages, long page, int from, int count, boolean isPacked) {
    long[] keys = scratch.keys();
    long[] payloads = scratch.payloads();
    if (isPacked) {
      trees.storePacked(scratch, pages, page, keys, payloads, from, count);
    } else {
      trees.store(scratch, pages, page, keys, payloads, from, count);
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  void remove(MemorySegment pages, long page, int place) {
    long leaf = trees.written(page, place);
    int total = PagePrefix.checkedCount(pages, page, leafCapacity);
    valueLeaf.removeAt(pages, leaf, slotOf(place), valueLeaf.checkedCount(pages, leaf));
    PagePrefix.count(pages, page, total - 1);
  }

  @Override
  void removeChild(MemorySegment pages, long page, int number, long key) {
    int removed = placeOfChild(pages, page, number, key);
    if (removed != trees.firstPlace(pages, page)) {
      // The child to the left takes over the upper bound, and the entry that it had goes.
      int left = trees.previousPlace(pages, page, removed);
      trees.payload(pages, page, removed, trees.payload(pages, page, left));
      removed = left;
    }
    PageScratch scratch = takeScratch();
    try {
      trees.remove(scratch, pages, page, removed);
    } finally {
      giveBack(scratch);
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  int load(MemorySegment pages, long page, long[] keys, long[] payloads) {
    return trees.load(pages, page, keys, payloads, 0);
  }

  @Override
  void store(MemorySegment pages, long page, int number, long[] keys, long[] payloads, int count) {
    PageScratch scratch = takeScratch();
    try {
      if (!PagePrefix.isLeaf(pages, page)) {
        keys[count - 1] = Keys.PADDING;
      }
      trees.store(scratch, pages, page, keys, payloads, 0, count);
    } finally {
      giveBack(scratch);
    }
  }

  @Override
  void verify(MemorySegment pages, long page, int number) {
    trees.verify(pages, page, number);
    int last = trees.lastPlace(pages, page);
    if (!PagePrefix.isLeaf(pages, page)
        && (last == InPageTrees.NONE || trees.key(pages, page, last) != Long.MAX_VALUE)) {
      throw new InvariantViolationException(
          "I16", "the last key of inner page %d is not the greatest".formatted(number));
    }
  }
}
