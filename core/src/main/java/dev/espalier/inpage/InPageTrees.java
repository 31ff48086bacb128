// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.model.InPageTree;
import dev.espalier.model.PageOptimizer;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.ConcurrentModificationException;

/**
 * The trees in the pages of a disk-first fpB+-tree (fpB+ 3.1): a small prefetching B+-tree in each
 * page, whose leaves have the entries of the page. The page has a header, which begins with a
 * {@link PagePrefix} and has a place for the {@link InPageTreeHeader}.
 */
public final class InPageTrees {
  /* Overview
   *
   * Behind the page header lie the nodes of the in-page tree, on whole lines. Inner nodes are all of
   * one width and leaves of another (fpB+ 3.1.1):
   *
   *   line 0    1                  root                                        last line
   *   | header | leaf | .. | leaf | root | other inner nodes | leaf | .. | leaf | lost |
   *              ^ below                                       ^ above
   *
   * What may differ from page to page is where the root is: as many leaves' lines behind the header
   * as a function of the page's number says. Were it at the same place in each, the roots of all
   * pages would compete for the same few sets of the caches (fpB+ 4.1). Nodes are given out from the
   * root on up to the end of the page, then from the header on up to the root.
   *
   * All in-page trees of an index have the same number of levels, that of a full one. With that, and
   * the root's place a function of the number, a search reads nothing of a page but its way down.
   *
   * Insert: into the in-page leaf. If that is full, it is split, and inner nodes above it as needed,
   * as long as the page has lines for the new nodes and the root has room; at the end of the page
   * only what is new moves, so that ascending inserts leave full nodes, and where the last inserts
   * came, the leaf is split just there (InsertRun). Else the page is reorganized, if its inserts have
   * paid for that (InPageOverflow): all is taken out and stored. Else the page has to be split.
   *
   * Remove: in a leaf page from the in-page leaf, which may become empty and stays. Inner pages lose
   * entries only when pages are given back: they are stored anew, so that in them the last key of
   * each in-page leaf remains its bound, and a search ends in the leaf it came to.
   *
   * Store: in leaf pages entries are spread evenly over all the leaves there can be, but no thinner
   * than splits would leave them; in inner pages leaves are packed. Inner nodes are made as
   * few as possible.
   *
   * An entry's place is the line of its in-page leaf and its slot there, as two shorts. A run is an
   * in-page leaf, named by its line.
   *
   * Invariants, checked by InPageTreeVerifier; I1 to I8 are those of the tree of pages:
   *   I9  The root, children, the first and the last leaf and links lie in the page, behind the
   *       header and on whole nodes, and no two nodes share a line.
   *   I10 Every path in a page has the format's levels, and a node's level says where on it it is.
   *   I11 In-page keys ascend, are above the separator before and not above their own; in an inner
   *       page the last key of a leaf before a separator is that separator.
   *   I12 An inner node has from 1 child to its capacity; a leaf has at most its capacity, and in an
   *       inner page with entries one at least. The page's count is the sum of its leaves'.
   *   I13 previous and next chain the in-page leaves in order, from the header's first leaf to its
   *       last one, and in the same way the nodes above them: the jump-pointer arrays are in step.
   *   I14 Key slots that are not in use are padded.
   *   I15 The root is at the line that the page's number says, and the lines given out are those of
   *       the tree's nodes.
   *
   * Deviations from fpB+ 3.1:
   *   D5  Levels and the root's place are fixed, see above. A page with few entries has inner nodes
   *       all the same.
   *   D6  A leaf page is reorganized once for a number of inserts, in the paper while an entry for each
   *       leaf is free; it is split where a run of inserts is, if there is one, in the paper in the
   *       middle. Both parts of a page that is split are stored anew, not only the new page.
   *   D7  The leaves' list goes both ways, for scans in descending order, and ends with the page: the
   *       next page is found as the tree of pages has it.
   */

  private static final long[] NO_ENTRIES = {};

  /** Spreads page numbers: 2^32 divided by the golden ratio. */
  private static final long GOLDEN = 0x9e37_79b9L;

  /** The place of no entry. */
  public static final int NONE = -1;

  private static final int INNER_SHIFT = 40;
  private static final int LEAF_SHIFT = 32;

  public final int pageBytes;

  /** The most entries of a leaf page, and of an inner page. */
  public final int leafCapacity;

  public final int innerCapacity;
  public final InPageTreeHeader header;
  public final InPageInnerNode inner;
  public final InPageLeaf valueLeaf;
  public final InPageLeaf childLeaf;

  /** Levels of every in-page tree, its leaves included. */
  public final int levels;

  /** Most leaves of an in-page tree. */
  public final int mostLeaves;

  /** One more than the greatest {@link #leafPlace}. */
  public final int mostLeafPlaces;

  /** Number of lines of a page. */
  public final int pageLines;

  private final InPageSplit splits;
  private final InPageBuild builds;
  private final InPageOverflow overflows;

  /**
   * Lays out pages so large with in-page nodes so many lines wide.
   *
   * @param headerOffset where in a page's first line the in-page tree's part of the header begins
   */
  public InPageTrees(int pageBytes, int innerWidth, int leafWidth, int headerOffset) {
    int linesOfNodes = linesOfNodes(pageBytes);
    if (leafWidth > linesOfNodes) {
      throw new IllegalArgumentException(
          "leafWidth is %d lines; a page of %d bytes has only %d for nodes"
              .formatted(leafWidth, pageBytes, linesOfNodes));
    }
    this.pageBytes = pageBytes;
    this.header = new InPageTreeHeader(headerOffset);
    this.inner = new InPageInnerNode(innerWidth);
    this.valueLeaf = InPageLeaf.ofValues(leafWidth);
    this.childLeaf = InPageLeaf.ofPages(leafWidth);
    InPageTree largest = InPageTree.largest(linesOfNodes, innerWidth, inner.capacity, leafWidth);
    this.leafCapacity = largest.leaves() * valueLeaf.capacity;
    this.innerCapacity = largest.leaves() * childLeaf.capacity;
    this.levels = largest.levels();
    this.mostLeaves = largest.leaves();
    this.mostLeafPlaces = linesOfNodes / leafWidth;
    this.pageLines = pageBytes >> CacheLine.SHIFT;
    this.splits = new InPageSplit(this);
    this.builds = new InPageBuild(this);
    this.overflows = new InPageOverflow(this, splits, builds);
  }

  /** Refuses a width of nodes that is no use. */
  public static void checkWidth(String name, int width) {
    if (width < 1 || width > PageOptimizer.MAX_WIDTH) {
      throw new IllegalArgumentException(
          name + " is " + width + " lines; it must be from 1 to " + PageOptimizer.MAX_WIDTH);
    }
  }

  /** Returns how many lines of a page are for nodes. */
  public static int linesOfNodes(int pageBytes) {
    return (pageBytes - CacheLine.BYTES) >> CacheLine.SHIFT;
  }

  /** Returns the widths and the size of a page, which take the lower 48 bits of a stamp. */
  public long geometry() {
    return (long) inner.width << INNER_SHIFT | (long) valueLeaf.width << LEAF_SHIFT | pageBytes;
  }

  public PageScratch newScratch() {
    return new PageScratch(2 * Math.max(leafCapacity, innerCapacity), levels, mostLeaves);
  }

  /** Returns the inner nodes' width of pages with a stamp. */
  public static int innerWidth(long stamp) {
    return (int) (stamp >>> INNER_SHIFT) & 0xff;
  }

  /** Returns the leaves' width of pages with a stamp. */
  public static int leafWidth(long stamp) {
    return (int) (stamp >>> LEAF_SHIFT) & 0xff;
  }

  /**
   * Returns the line of the root in the page of a number: behind the header, or behind the lines of
   * up to all leaves but one.
   */
  public static int rootLine(int number, int leafWidth, int mostLeaves) {
    long spread = (number * GOLDEN) & 0xffff_ffffL;
    return 1 + leafWidth * (int) ((spread * mostLeaves) >>> 32);
  }

  public int rootLine(int number) {
    return rootLine(number, valueLeaf.width, mostLeaves);
  }

  /** Makes the in-page tree of an empty page, whose prefix and level are there. */
  public void initialize(PageScratch scratch, MemorySegment pages, long page, int number) {
    header.root(pages, page, rootLine(number));
    store(scratch, pages, page, NO_ENTRIES, NO_ENTRIES, 0, 0);
  }

  public int capacity(MemorySegment pages, long page) {
    return PagePrefix.isLeaf(pages, page) ? leafCapacity : innerCapacity;
  }

  public InPageLeaf leafOf(MemorySegment pages, long page) {
    return PagePrefix.isLeaf(pages, page) ? valueLeaf : childLeaf;
  }

  /**
   * Returns a number of the in-page leaf at an offset in its page, which is another one for every
   * leaf of the page: leaves are at least their own bytes apart.
   */
  public int leafPlace(long offset) {
    return (int) (offset - CacheLine.BYTES) / valueLeaf.bytes;
  }

  public static long node(long page, int line) {
    return page + ((long) line << CacheLine.SHIFT);
  }

  // ---------------------------------------------------------------- search

  /** Returns the line of the in-page leaf where {@code key} is or belongs. */
  private int findLeaf(MemorySegment pages, long page, long key) {
    int line = header.root(pages, page);
    for (int level = levels - 1; level > 0; level--) {
      long node = node(page, line);
      line = inner.child(pages, node, inner.lowerBound(pages, node, key));
    }
    return line;
  }

  /** Returns the line of the node above the in-page leaf where {@code key} is or belongs. */
  public int findParent(MemorySegment pages, long page, long key) {
    int line = header.root(pages, page);
    for (int level = levels - 1; level > 1; level--) {
      long node = node(page, line);
      line = inner.child(pages, node, inner.lowerBound(pages, node, key));
    }
    return line;
  }

  public int lowerBound(MemorySegment pages, long page, long key) {
    InPageLeaf leaf = leafOf(pages, page);
    int line = findLeaf(pages, page, key);
    long node = node(page, line);
    int slot = leaf.lowerBound(pages, node, key);
    return slot < leaf.count(pages, node)
        ? place(line, slot)
        : firstPlaceFrom(pages, page, leaf.next(pages, node));
  }

  /**
   * Returns where a node begins that is about to be written to, if it is within the page: what
   * leads there may lie, and what is behind the page is another's.
   */
  long written(long page, int line, int width) {
    if (line < 1 || line > pageLines - width) {
      throw torn(page);
    }
    return node(page, line);
  }

  /** Returns where the leaf of a place begins, as {@link #written(long, int, int)} does. */
  public long written(long page, int place) {
    return written(page, place >>> Short.SIZE, valueLeaf.width);
  }

  /** Checks where a leaf begins, as {@link #written(long, int, int)} does. */
  public void checkWritten(long page, long leaf) {
    if (leaf - page < CacheLine.BYTES
        || leaf - page > ((long) pageLines << CacheLine.SHIFT) - valueLeaf.bytes) {
      throw torn(page);
    }
  }

  static int place(int line, int slot) {
    return line << Short.SIZE | slot;
  }

  private static int slot(int place) {
    return place & 0xffff;
  }

  private static long nodeOf(long page, int place) {
    return node(page, place >>> Short.SIZE);
  }

  /** Returns the first entry in the leaf at {@code line} or behind. */
  int firstPlaceFrom(MemorySegment pages, long page, int line) {
    int found = firstInUse(pages, page, line, leafOf(pages, page));
    return found == 0 ? NONE : place(found, 0);
  }

  private int lastPlaceFrom(MemorySegment pages, long page, int line) {
    InPageLeaf leaf = leafOf(pages, page);
    int found = lastInUse(pages, page, line, leaf);
    return found == 0 ? NONE : place(found, leaf.count(pages, node(page, found)) - 1);
  }

  /** Returns the line of the first leaf from {@code line} on that is not empty, or 0. */
  int firstInUse(MemorySegment pages, long page, int line, InPageLeaf leaf) {
    int at = line;
    for (int steps = 0; at != 0 && leaf.count(pages, node(page, at)) == 0; steps++) {
      at = leaf.next(pages, node(page, at));
      checkSteps(page, steps);
    }
    return at;
  }

  /** Returns the line of the last leaf from {@code line} backwards that is not empty, or 0. */
  int lastInUse(MemorySegment pages, long page, int line, InPageLeaf leaf) {
    int at = line;
    for (int steps = 0; at != 0 && leaf.count(pages, node(page, at)) == 0; steps++) {
      at = leaf.previous(pages, node(page, at));
      checkSteps(page, steps);
    }
    return at;
  }

  /** Ends a walk along the leaves that would go on for ever. */
  private void checkSteps(long page, int steps) {
    if (steps >= mostLeaves) {
      throw torn(page);
    }
  }

  public static ConcurrentModificationException torn(long page) {
    return Torn.torn("the in-page tree of the page @" + page + " is torn");
  }

  public int firstPlace(MemorySegment pages, long page) {
    return firstPlaceFrom(pages, page, header.firstLeaf(pages, page));
  }

  public int lastPlace(MemorySegment pages, long page) {
    return lastPlaceFrom(pages, page, header.lastLeaf(pages, page));
  }

  public int nextPlace(MemorySegment pages, long page, int place) {
    InPageLeaf leaf = leafOf(pages, page);
    long node = nodeOf(page, place);
    return slot(place) + 1 < leaf.count(pages, node)
        ? place + 1
        : firstPlaceFrom(pages, page, leaf.next(pages, node));
  }

  public int previousPlace(MemorySegment pages, long page, int place) {
    return slot(place) > 0
        ? place - 1
        : lastPlaceFrom(pages, page, leafOf(pages, page).previous(pages, nodeOf(page, place)));
  }

  public long key(MemorySegment pages, long page, int place) {
    return valueLeaf.key(pages, nodeOf(page, place), slot(place));
  }

  public long payload(MemorySegment pages, long page, int place) {
    return leafOf(pages, page).payload(pages, nodeOf(page, place), slot(place));
  }

  public void payload(MemorySegment pages, long page, int place, long payload) {
    leafOf(pages, page).payload(pages, written(page, place), slot(place), payload);
  }

  // ---------------------------------------------------------------- insert

  /**
   * Tells whether an insert might not find room: an inner page is full, or a leaf page half full.
   */
  public boolean mayOverflow(MemorySegment pages, long page) {
    int count = PagePrefix.count(pages, page);
    return PagePrefix.isLeaf(pages, page) ? 2 * count >= leafCapacity : count >= innerCapacity;
  }

  public boolean insert(
      PageScratch scratch, MemorySegment pages, long page, long key, long payload) {
    InPageLeaf leaf = leafOf(pages, page);
    int total = PagePrefix.checkedCount(pages, page, capacity(pages, page));
    int line = findPath(scratch, pages, page, key);
    long node = written(page, line, leaf.width);
    int count = leaf.checkedCount(pages, node);
    int slot = Math.min(leaf.lowerBound(pages, node, key), count);
    if (count == leaf.capacity) {
      return insertIntoFull(scratch, pages, page, line, slot, key, payload);
    }
    leaf.insertAt(pages, node, slot, count, key, payload);
    PagePrefix.count(pages, page, total + 1);
    header.noteInsert(pages, page, key);
    return true;
  }

  /**
   * As {@link #insert}, into an in-page leaf that is full.
   *
   * @param scratch in which the way to the leaf is noted
   * @param line of the leaf
   * @param slot where in the leaf the key belongs
   */
  public boolean insertIntoFull(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      int line,
      int slot,
      long key,
      long payload) {
    return overflows.insert(scratch, pages, page, line, slot, key, payload);
  }

  /** Tells whether a page has to be split before a key can be inserted. */
  public boolean hasToSplit(PageScratch scratch, MemorySegment pages, long page, long key) {
    InPageLeaf leaf = leafOf(pages, page);
    int line = findPath(scratch, pages, page, key);
    return leaf.checkedCount(pages, node(page, line)) == leaf.capacity
        && !splits.hasRoom(scratch, pages, page, leaf.width)
        && overflows.hasToSplit(pages, page);
  }

  /** Tells where a leaf page is split, into which a key has to go. */
  public PageCutPoint cutPoint(PageScratch scratch, MemorySegment pages, long page, long key) {
    return overflows.cutPoint(scratch, pages, page, findPath(scratch, pages, page, key), key);
  }

  /** Notes that a page has got entries of another, and with them the keys inserted last. */
  public void copyRecent(MemorySegment pages, long page, long to) {
    header.copyRecent(pages, page, to);
  }

  /** As {@link #findLeaf}, but notes the path. */
  private int findPath(PageScratch scratch, MemorySegment pages, long page, long key) {
    int line = header.root(pages, page);
    for (int level = levels - 1; level > 0; level--) {
      long node = node(page, line);
      int slot = inner.lowerBound(pages, node, key);
      scratch.lines[level] = line;
      scratch.slots[level] = slot;
      line = inner.child(pages, node, slot);
    }
    return line;
  }

  /** Takes lines for a node, or returns 0 if there are none. */
  public int allocate(MemorySegment pages, long page, int width) {
    int above = header.above(pages, page);
    if (above + width <= pageLines) {
      header.above(pages, page, above + width);
      return above;
    }
    int below = header.below(pages, page);
    if (below + width <= Math.min(header.root(pages, page), pageLines)) {
      header.below(pages, page, below + width);
      return below;
    }
    return 0;
  }

  // ---------------------------------------------------------------- delete

  public void remove(PageScratch scratch, MemorySegment pages, long page, int place) {
    int total = PagePrefix.checkedCount(pages, page, capacity(pages, page));
    if (PagePrefix.isLeaf(pages, page)) {
      long node = written(page, place);
      valueLeaf.removeAt(pages, node, slot(place), valueLeaf.checkedCount(pages, node));
      PagePrefix.count(pages, page, total - 1);
    } else {
      long key = key(pages, page, place);
      long[] keys = scratch.keys();
      long[] payloads = scratch.payloads();
      int count = load(pages, page, keys, payloads, 0);
      int at = Arrays.binarySearch(keys, 0, count, key);
      if (at < 0) {
        throw torn(page);
      }
      System.arraycopy(keys, at + 1, keys, at, count - at - 1);
      System.arraycopy(payloads, at + 1, payloads, at, count - at - 1);
      store(scratch, pages, page, keys, payloads, 0, count - 1);
    }
  }

  // ---------------------------------------------------------------- bulkload

  public int load(MemorySegment pages, long page, long[] keys, long[] payloads, int to) {
    InPageLeaf leaf = leafOf(pages, page);
    prefetch(pages, page);
    int count = PagePrefix.checkedCount(pages, page, capacity(pages, page));
    int loaded = 0;
    int line = header.firstLeaf(pages, page);
    for (int steps = 0; line != 0; steps++) {
      checkSteps(page, steps);
      long node = node(page, line);
      int more = leaf.checkedCount(pages, node);
      if (loaded + more > count) {
        throw torn(page);
      }
      for (int slot = 0; slot < more; slot++) {
        keys[to + loaded + slot] = leaf.key(pages, node, slot);
        payloads[to + loaded + slot] = leaf.payload(pages, node, slot);
      }
      loaded += more;
      line = leaf.next(pages, node);
    }
    if (loaded != count) {
      throw torn(page);
    }
    return count;
  }

  public void store(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count) {
    builds.store(scratch, pages, page, keys, payloads, from, count, fewestOfLeaf(pages, page));
  }

  /**
   * As {@link #store} of a leaf page, but in leaves that are nearly full, so that lines are left
   * for those that new entries split. Each has room for one, if an entry for each leaf is free.
   */
  public void storePacked(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count) {
    builds.store(scratch, pages, page, keys, payloads, from, count, fewestOfPackedLeaf());
  }

  /** Returns how many entries a leaf gets at least where a leaf page is packed and has more. */
  int fewestOfPackedLeaf() {
    return valueLeaf.capacity - 1;
  }

  /**
   * Returns how many entries a leaf gets at least where a page is stored and has more: in leaf
   * pages as many as a split leaves, in inner pages, which seldom change, all that it can hold.
   */
  int fewestOfLeaf(MemorySegment pages, long page) {
    return PagePrefix.isLeaf(pages, page) ? valueLeaf.capacity / 2 : childLeaf.capacity;
  }

  /**
   * Asks for a whole page: a split touches most of its nodes, in the old page and in the new one.
   */
  public void prefetch(MemorySegment pages, long page) {
    Words.prefetch(pages.address() + page, pageLines, Locality.T0);
  }

  // ---------------------------------------------------------------- range scan

  /** Where the leaf of the key is empty, the run beside it will do. */
  public int runOf(MemorySegment pages, long page, long key) {
    int line = findLeaf(pages, page, key);
    int after = firstInUse(pages, page, line, valueLeaf);
    return after == 0 ? lastRun(pages, page) : after;
  }

  public int firstRun(MemorySegment pages, long page) {
    int first = header.firstLeaf(pages, page);
    int found = firstInUse(pages, page, first, valueLeaf);
    return found == 0 ? first : found;
  }

  public int lastRun(MemorySegment pages, long page) {
    int last = header.lastLeaf(pages, page);
    int found = lastInUse(pages, page, last, valueLeaf);
    return found == 0 ? last : found;
  }

  public int nextRun(MemorySegment pages, long page, int run) {
    int found = firstInUse(pages, page, valueLeaf.next(pages, node(page, run)), valueLeaf);
    return found == 0 ? NONE : found;
  }

  public int previousRun(MemorySegment pages, long page, int run) {
    int found = lastInUse(pages, page, valueLeaf.previous(pages, node(page, run)), valueLeaf);
    return found == 0 ? NONE : found;
  }

  // ---------------------------------------------------------------- inspect

  public void verify(MemorySegment pages, long page, int number)
      throws InvariantViolationException {
    InPageTreeVerifier.verify(this, pages, page, number);
  }
}
