// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

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
 * The page of the disk-first fpB+-tree (fpB+ 3.1): a small prefetching B+-tree in each page, whose
 * leaves have the entries of the page.
 */
final class InPageTreeFormat extends PageFormat {
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
   * only what is new moves, so that ascending inserts leave full nodes. Else the page is reorganized:
   * all is taken out and stored evenly, if an entry for each leaf is free (fpB+ 3.1.2), or in an inner
   * page any. Else the page has to be split.
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
   * Invariants, checked by InPageTreeVerifier; I1 to I8 are those of PagedStructure:
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
   *   D6  Both halves of a page that is split are stored evenly, not only the new page.
   *   D7  The leaves' list goes both ways, for scans in descending order, and ends with the page: the
   *       next page is found through the pages above, as in every tree of PagedStructure.
   */

  /** Spreads page numbers: 2^32 divided by the golden ratio. */
  private static final long GOLDEN = 0x9e37_79b9L;

  private static final long TAG = 0x4446_0000_0000_0000L;
  private static final long TAG_MASK = 0xffff_0000_0000_0000L;
  private static final int INNER_SHIFT = 40;
  private static final int LEAF_SHIFT = 32;

  final InPageInnerNode inner;
  final InPageLeaf valueLeaf;
  final InPageLeaf childLeaf;

  /** Levels of every in-page tree, its leaves included. */
  final int levels;

  /** Most leaves of an in-page tree. */
  final int mostLeaves;

  /** One more than the greatest {@link #leafPlace}. */
  final int mostLeafPlaces;

  /** Number of lines of a page. */
  final int pageLines;

  private final InPageSplit splits;
  private final InPageBuild builds;

  /** Lays out pages so large with in-page nodes so many lines wide. */
  InPageTreeFormat(int pageBytes, int innerWidth, int leafWidth) {
    InPageInnerNode innerNode = new InPageInnerNode(innerWidth);
    InPageLeaf leafOfValues = InPageLeaf.ofValues(leafWidth);
    InPageLeaf leafOfPages = InPageLeaf.ofPages(leafWidth);
    int linesOfNodes = linesOfNodes(pageBytes);
    if (leafWidth > linesOfNodes) {
      throw new IllegalArgumentException(
          "leafWidth is %d lines; a page of %d bytes has only %d for nodes"
              .formatted(leafWidth, pageBytes, linesOfNodes));
    }
    InPageTree largest =
        InPageTree.largest(linesOfNodes, innerWidth, innerNode.capacity, leafWidth);
    super(
        pageBytes,
        largest.leaves() * leafOfValues.capacity,
        largest.leaves() * leafOfPages.capacity);
    this.inner = innerNode;
    this.valueLeaf = leafOfValues;
    this.childLeaf = leafOfPages;
    this.levels = largest.levels();
    this.mostLeaves = largest.leaves();
    this.mostLeafPlaces = linesOfNodes / leafWidth;
    this.pageLines = pageBytes >> CacheLine.SHIFT;
    this.splits = new InPageSplit(this);
    this.builds = new InPageBuild(this);
  }

  /** Refuses a width of nodes that is no use. */
  static void checkWidth(String name, int width) {
    if (width < 1 || width > PageOptimizer.MAX_WIDTH) {
      throw new IllegalArgumentException(
          name + " is " + width + " lines; it must be from 1 to " + PageOptimizer.MAX_WIDTH);
    }
  }

  /** Returns how many lines of a page are for nodes. */
  static int linesOfNodes(int pageBytes) {
    return (pageBytes - PageHeader.BYTES) >> CacheLine.SHIFT;
  }

  @Override
  long stamp() {
    return TAG
        | (long) inner.width << INNER_SHIFT
        | (long) valueLeaf.width << LEAF_SHIFT
        | pageBytes;
  }

  @Override
  PageScratch newScratch() {
    return new PageScratch(2 * Math.max(leafCapacity, innerCapacity), levels, mostLeaves);
  }

  /** Tells whether a stamp is that of pages like these, of whatever widths. */
  static boolean isStamp(long stamp) {
    return (stamp & TAG_MASK) == TAG;
  }

  /** Returns the inner nodes' width of pages with a stamp. */
  static int innerWidth(long stamp) {
    return (int) (stamp >>> INNER_SHIFT) & 0xff;
  }

  /** Returns the leaves' width of pages with a stamp. */
  static int leafWidth(long stamp) {
    return (int) (stamp >>> LEAF_SHIFT) & 0xff;
  }

  /**
   * Returns the line of the root in the page of a number: behind the header, or behind the lines of
   * up to all leaves but one.
   */
  static int rootLine(int number, int leafWidth, int mostLeaves) {
    long spread = (number * GOLDEN) & 0xffff_ffffL;
    return 1 + leafWidth * (int) ((spread * mostLeaves) >>> 32);
  }

  int rootLine(int number) {
    return rootLine(number, valueLeaf.width, mostLeaves);
  }

  @Override
  void initialize(PageScratch scratch, MemorySegment pages, long page, int number, int level) {
    PageHeader.initialize(pages, page, level);
    InPageTreeHeader.root(pages, page, rootLine(number));
    store(scratch, pages, page, scratch.keys, scratch.payloads, 0, 0);
  }

  InPageLeaf leafOf(MemorySegment pages, long page) {
    return PageHeader.isLeaf(pages, page) ? valueLeaf : childLeaf;
  }

  /**
   * Returns a number of the in-page leaf at an offset in its page, which is another one for every
   * leaf of the page: leaves are at least their own bytes apart.
   */
  int leafPlace(long offset) {
    return (int) (offset - PageHeader.BYTES) / valueLeaf.bytes;
  }

  static long node(long page, int line) {
    return page + ((long) line << CacheLine.SHIFT);
  }

  // ---------------------------------------------------------------- search

  /** Returns the line of the in-page leaf where {@code key} is or belongs. */
  private int findLeaf(MemorySegment pages, long page, long key) {
    int line = InPageTreeHeader.root(pages, page);
    for (int level = levels - 1; level > 0; level--) {
      long node = node(page, line);
      line = inner.child(pages, node, inner.lowerBound(pages, node, key));
    }
    return line;
  }

  /** Returns the line of the node above the in-page leaf where {@code key} is or belongs. */
  int findParent(MemorySegment pages, long page, long key) {
    int line = InPageTreeHeader.root(pages, page);
    for (int level = levels - 1; level > 1; level--) {
      long node = node(page, line);
      line = inner.child(pages, node, inner.lowerBound(pages, node, key));
    }
    return line;
  }

  @Override
  int lowerBound(MemorySegment pages, long page, long key) {
    InPageLeaf leaf = leafOf(pages, page);
    int line = findLeaf(pages, page, key);
    long node = node(page, line);
    int slot = leaf.lowerBound(pages, node, key);
    return slot < leaf.count(pages, node)
        ? place(line, slot)
        : firstPlaceFrom(pages, page, leaf.next(pages, node));
  }

  private static int place(int line, int slot) {
    return line << Short.SIZE | slot;
  }

  private static int slot(int place) {
    return place & 0xffff;
  }

  private static long nodeOf(long page, int place) {
    return node(page, place >>> Short.SIZE);
  }

  /** Returns the first entry in the leaf at {@code line} or behind. */
  private int firstPlaceFrom(MemorySegment pages, long page, int line) {
    int found = firstInUse(pages, page, line, leafOf(pages, page));
    return found == 0 ? NONE : place(found, 0);
  }

  private int lastPlaceFrom(MemorySegment pages, long page, int line) {
    InPageLeaf leaf = leafOf(pages, page);
    int found = lastInUse(pages, page, line, leaf);
    return found == 0 ? NONE : place(found, leaf.count(pages, node(page, found)) - 1);
  }

  /** Returns the line of the first leaf from {@code line} on that is not empty, or 0. */
  private int firstInUse(MemorySegment pages, long page, int line, InPageLeaf leaf) {
    int at = line;
    for (int steps = 0; at != 0 && leaf.count(pages, node(page, at)) == 0; steps++) {
      at = leaf.next(pages, node(page, at));
      checkSteps(page, steps);
    }
    return at;
  }

  /** Returns the line of the last leaf from {@code line} backwards that is not empty, or 0. */
  private int lastInUse(MemorySegment pages, long page, int line, InPageLeaf leaf) {
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

  static ConcurrentModificationException torn(long page) {
    return Torn.torn("the in-page tree of the page @" + page + " is torn");
  }

  @Override
  int firstPlace(MemorySegment pages, long page) {
    return firstPlaceFrom(pages, page, InPageTreeHeader.firstLeaf(pages, page));
  }

  @Override
  int lastPlace(MemorySegment pages, long page) {
    return lastPlaceFrom(pages, page, InPageTreeHeader.lastLeaf(pages, page));
  }

  @Override
  int nextPlace(MemorySegment pages, long page, int place) {
    InPageLeaf leaf = leafOf(pages, page);
    long node = nodeOf(page, place);
    return slot(place) + 1 < leaf.count(pages, node)
        ? place + 1
        : firstPlaceFrom(pages, page, leaf.next(pages, node));
  }

  @Override
  int previousPlace(MemorySegment pages, long page, int place) {
    return slot(place) > 0
        ? place - 1
        : lastPlaceFrom(pages, page, leafOf(pages, page).previous(pages, nodeOf(page, place)));
  }

  @Override
  long key(MemorySegment pages, long page, int place) {
    return valueLeaf.key(pages, nodeOf(page, place), slot(place));
  }

  @Override
  long payload(MemorySegment pages, long page, int place) {
    return leafOf(pages, page).payload(pages, nodeOf(page, place), slot(place));
  }

  @Override
  void payload(MemorySegment pages, long page, int place, long payload) {
    leafOf(pages, page).payload(pages, nodeOf(page, place), slot(place), payload);
  }

  // ---------------------------------------------------------------- insert

  /** Returns the most entries with which a page is reorganized rather than split. */
  private int mostToReorganize(boolean ofLeafPage) {
    return ofLeafPage ? leafCapacity - mostLeaves : innerCapacity - 1;
  }

  @Override
  boolean mayOverflow(MemorySegment pages, long page) {
    return PageHeader.count(pages, page) > mostToReorganize(PageHeader.isLeaf(pages, page));
  }

  @Override
  boolean insert(PageScratch scratch, MemorySegment pages, long page, long key, long payload) {
    InPageLeaf leaf = leafOf(pages, page);
    int total = PageHeader.checkedCount(pages, page, capacity(pages, page));
    int line = findPath(scratch, pages, page, key);
    long node = node(page, line);
    int count = leaf.checkedCount(pages, node);
    int slot = Math.min(leaf.lowerBound(pages, node, key), count);
    if (count == leaf.capacity) {
      return insertIntoFull(scratch, pages, page, line, slot, key, payload);
    }
    leaf.insertAt(pages, node, slot, count, key, payload);
    PageHeader.count(pages, page, total + 1);
    return true;
  }

  /**
   * As {@link #insert}, into an in-page leaf that is full.
   *
   * @param scratch in which the way to the leaf is noted
   * @param line of the leaf
   * @param slot where in the leaf the key belongs
   */
  boolean insertIntoFull(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      int line,
      int slot,
      long key,
      long payload) {
    int total = PageHeader.checkedCount(pages, page, capacity(pages, page));
    if (!splits.split(scratch, pages, page, leafOf(pages, page), line, slot, key, payload)) {
      if (total > mostToReorganize(PageHeader.isLeaf(pages, page))) {
        return false;
      }
      reorganize(scratch, pages, page, key, payload);
    }
    PageHeader.count(pages, page, total + 1);
    return true;
  }

  /** As {@link #findLeaf}, but notes the path. */
  private int findPath(PageScratch scratch, MemorySegment pages, long page, long key) {
    int line = InPageTreeHeader.root(pages, page);
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
  int allocate(MemorySegment pages, long page, int width) {
    int above = InPageTreeHeader.above(pages, page);
    if (above + width <= pageLines) {
      InPageTreeHeader.above(pages, page, above + width);
      return above;
    }
    int below = InPageTreeHeader.below(pages, page);
    if (below + width <= InPageTreeHeader.root(pages, page)) {
      InPageTreeHeader.below(pages, page, below + width);
      return below;
    }
    return 0;
  }

  /** Stores all entries and a new one evenly. */
  private void reorganize(
      PageScratch scratch, MemorySegment pages, long page, long key, long payload) {
    long[] keys = scratch.keys;
    long[] payloads = scratch.payloads;
    int count = load(pages, page, keys, payloads, 0);
    int found = Arrays.binarySearch(keys, 0, count, key);
    int at = found >= 0 ? found : -1 - found;
    System.arraycopy(keys, at, keys, at + 1, count - at);
    System.arraycopy(payloads, at, payloads, at + 1, count - at);
    keys[at] = key;
    payloads[at] = payload;
    store(scratch, pages, page, keys, payloads, 0, count + 1);
  }

  // ---------------------------------------------------------------- delete

  @Override
  void remove(PageScratch scratch, MemorySegment pages, long page, int place) {
    int total = PageHeader.checkedCount(pages, page, capacity(pages, page));
    if (PageHeader.isLeaf(pages, page)) {
      long node = nodeOf(page, place);
      valueLeaf.removeAt(pages, node, slot(place), valueLeaf.checkedCount(pages, node));
      PageHeader.count(pages, page, total - 1);
    } else {
      long key = key(pages, page, place);
      long[] keys = scratch.keys;
      long[] payloads = scratch.payloads;
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

  @Override
  int load(MemorySegment pages, long page, long[] keys, long[] payloads, int to) {
    InPageLeaf leaf = leafOf(pages, page);
    prefetch(pages, page);
    int count = PageHeader.checkedCount(pages, page, capacity(pages, page));
    int loaded = 0;
    int line = InPageTreeHeader.firstLeaf(pages, page);
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

  @Override
  void store(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count) {
    builds.store(scratch, pages, page, keys, payloads, from, count);
  }

  /**
   * Asks for a whole page: a split touches most of its nodes, in the old page and in the new one.
   */
  void prefetch(MemorySegment pages, long page) {
    Words.prefetch(pages.address() + page, pageLines, Locality.T0);
  }

  // ---------------------------------------------------------------- range scan

  /** Where the leaf of the key is empty, the run beside it will do. */
  @Override
  int runOf(MemorySegment pages, long page, long key) {
    int line = findLeaf(pages, page, key);
    int after = firstInUse(pages, page, line, valueLeaf);
    return after == 0 ? lastRun(pages, page) : after;
  }

  @Override
  int firstRun(MemorySegment pages, long page) {
    int first = InPageTreeHeader.firstLeaf(pages, page);
    int found = firstInUse(pages, page, first, valueLeaf);
    return found == 0 ? first : found;
  }

  @Override
  int lastRun(MemorySegment pages, long page) {
    int last = InPageTreeHeader.lastLeaf(pages, page);
    int found = lastInUse(pages, page, last, valueLeaf);
    return found == 0 ? last : found;
  }

  @Override
  int nextRun(MemorySegment pages, long page, int run) {
    int found = firstInUse(pages, page, valueLeaf.next(pages, node(page, run)), valueLeaf);
    return found == 0 ? NONE : found;
  }

  @Override
  int previousRun(MemorySegment pages, long page, int run) {
    int found = lastInUse(pages, page, valueLeaf.previous(pages, node(page, run)), valueLeaf);
    return found == 0 ? NONE : found;
  }

  @Override
  int runCount(MemorySegment pages, long page, int run) {
    return valueLeaf.count(pages, node(page, run));
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
    InPageTreeVerifier.verify(this, pages, page, number);
  }
}
