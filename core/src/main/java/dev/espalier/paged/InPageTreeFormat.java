// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.model.InPageTree;
import dev.espalier.prefetch.Locality;
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

  // Used by the one thread that changes the tree: the path to a leaf, what splits it, and contents.
  private final int[] pathLine;
  private final int[] pathSlot;
  private final int[] spares;
  private final int[] lines;
  private final long[] bounds;
  private final long[] scratchKeys;
  private final long[] scratchPayloads;

  /** Lays out pages so large with in-page nodes so many lines wide. */
  InPageTreeFormat(int pageBytes, int innerWidth, int leafWidth) {
    InPageInnerNode innerNode = new InPageInnerNode(innerWidth);
    InPageLeaf leafOfValues = InPageLeaf.ofValues(leafWidth);
    InPageLeaf leafOfPages = InPageLeaf.ofPages(leafWidth);
    int linesOfNodes = linesOfNodes(pageBytes);
    if (leafWidth > linesOfNodes) {
      throw new IllegalArgumentException(
          "leafWidth is %d lines; a page of %d bytes has %d"
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
    this.pathLine = new int[levels];
    this.pathSlot = new int[levels];
    this.spares = new int[levels];
    this.lines = new int[mostLeaves];
    this.bounds = new long[mostLeaves];
    int most = Math.max(leafCapacity, innerCapacity);
    this.scratchKeys = new long[most];
    this.scratchPayloads = new long[most];
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
  void initialize(MemorySegment pages, long page, int number, int level) {
    PageHeader.initialize(pages, page, level);
    InPageTreeHeader.root(pages, page, rootLine(number));
    store(pages, page, scratchKeys, scratchPayloads, 0, 0);
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

  private static long node(long page, int line) {
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

  private static ConcurrentModificationException torn(long page) {
    return new ConcurrentModificationException(
        "the in-page tree of the page @"
            + page
            + " is torn: the index was changed by another thread at the same time");
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
  boolean insert(MemorySegment pages, long page, long key, long payload) {
    boolean isLeafPage = PageHeader.isLeaf(pages, page);
    InPageLeaf leaf = isLeafPage ? valueLeaf : childLeaf;
    int total = PageHeader.checkedCount(pages, page, isLeafPage ? leafCapacity : innerCapacity);
    int line = findPath(pages, page, key);
    long node = node(page, line);
    int count = leaf.checkedCount(pages, node);
    int slot = Math.min(leaf.lowerBound(pages, node, key), count);
    if (count < leaf.capacity) {
      leaf.insertAt(pages, node, slot, count, key, payload);
    } else if (!split(pages, page, leaf, line, slot, key, payload)) {
      if (total > mostToReorganize(isLeafPage)) {
        return false;
      }
      reorganize(pages, page, key, payload);
    }
    PageHeader.count(pages, page, total + 1);
    return true;
  }

  /** As {@link #findLeaf}, but notes the path. */
  private int findPath(MemorySegment pages, long page, long key) {
    int line = InPageTreeHeader.root(pages, page);
    for (int level = levels - 1; level > 0; level--) {
      long node = node(page, line);
      int slot = inner.lowerBound(pages, node, key);
      pathLine[level] = line;
      pathSlot[level] = slot;
      line = inner.child(pages, node, slot);
    }
    return line;
  }

  /**
   * Splits the full leaf to which the path leads and inserts an entry. Returns false, and changes
   * nothing, if the page has no room for the new nodes.
   */
  private boolean split(
      MemorySegment pages, long page, InPageLeaf leaf, int line, int slot, long key, long payload) {
    if (!allocateForSplits(pages, page, leaf.width)) {
      return false;
    }
    long left = node(page, line);
    int rightLine = spares[0];
    long right = node(page, rightLine);
    int next = leaf.next(pages, left);
    boolean atEnd = next == 0 && slot == leaf.capacity;
    leaf.initialize(pages, right);
    leaf.previous(pages, right, line);
    leaf.next(pages, right, next);
    leaf.next(pages, left, rightLine);
    if (next == 0) {
      InPageTreeHeader.lastLeaf(pages, page, rightLine);
    } else {
      leaf.previous(pages, node(page, next), rightLine);
    }
    int kept = atEnd ? leaf.capacity : (leaf.capacity + 1) / 2;
    leaf.moveTo(pages, left, kept, leaf.capacity, right);
    // Up to the slot where the halves part, the new entry is below the first key of the right one.
    if (slot < kept || (slot == kept && !atEnd)) {
      leaf.insertAt(pages, left, slot, kept, key, payload);
    } else {
      leaf.insertAt(pages, right, slot - kept, leaf.capacity - kept, key, payload);
    }
    long separator = leaf.key(pages, left, leaf.count(pages, left) - 1);
    insertChild(pages, page, separator, rightLine, atEnd);
    return true;
  }

  /**
   * Takes the lines of every node that a split of the path's leaf needs into {@code spares}: those
   * of the leaf first. Returns false, and takes none, if they are not to be had or the root is
   * full.
   */
  private boolean allocateForSplits(MemorySegment pages, long page, int leafWidth) {
    int needed = 1;
    while (needed < levels
        && inner.checkedCount(pages, node(page, pathLine[needed])) == inner.capacity) {
      needed++;
    }
    if (needed == levels) {
      return false;
    }
    int above = InPageTreeHeader.above(pages, page);
    int below = InPageTreeHeader.below(pages, page);
    for (int i = 0; i < needed; i++) {
      spares[i] = allocate(pages, page, i == 0 ? leafWidth : inner.width);
      if (spares[i] == 0) {
        InPageTreeHeader.above(pages, page, above);
        InPageTreeHeader.below(pages, page, below);
        return false;
      }
    }
    return true;
  }

  /** Takes lines for a node, or returns 0 if there are none. */
  private int allocate(MemorySegment pages, long page, int width) {
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

  /** Climbs the path with the new node behind the one that was split, splitting full nodes. */
  private void insertChild(
      MemorySegment pages, long page, long leafSeparator, int newLeaf, boolean atEnd) {
    long separator = leafSeparator;
    int right = newLeaf;
    for (int level = 1; ; level++) {
      long node = node(page, pathLine[level]);
      int slot = pathSlot[level];
      int count = inner.checkedCount(pages, node);
      if (count < inner.capacity) {
        inner.insertBehind(pages, node, slot, count, separator, right);
        return;
      }
      int siblingLine = spares[level];
      long sibling = node(page, siblingLine);
      inner.initialize(pages, sibling, level);
      if (level == 1) {
        chain(pages, page, pathLine[level], siblingLine);
      }
      if (atEnd) {
        inner.child(pages, sibling, 0, right);
        inner.count(pages, sibling, 1);
      } else {
        int kept = count / 2;
        long upper = inner.key(pages, node, kept - 1);
        inner.moveTo(pages, node, kept, count, sibling);
        if (slot < kept) {
          inner.insertBehind(pages, node, slot, kept, separator, right);
        } else {
          inner.insertBehind(pages, sibling, slot - kept, count - kept, separator, right);
        }
        separator = upper;
      }
      right = siblingLine;
    }
  }

  /** Makes a new node above leaves the neighbour of the one before it. */
  private void chain(MemorySegment pages, long page, int leftLine, int rightLine) {
    long left = node(page, leftLine);
    int next = inner.next(pages, left);
    inner.next(pages, left, rightLine);
    inner.previous(pages, node(page, rightLine), leftLine);
    inner.next(pages, node(page, rightLine), next);
    if (next != 0) {
      inner.previous(pages, node(page, next), rightLine);
    }
  }

  /** Stores all entries and a new one evenly. */
  private void reorganize(MemorySegment pages, long page, long key, long payload) {
    int count = load(pages, page, scratchKeys, scratchPayloads, 0);
    int found = Arrays.binarySearch(scratchKeys, 0, count, key);
    int at = found >= 0 ? found : -1 - found;
    System.arraycopy(scratchKeys, at, scratchKeys, at + 1, count - at);
    System.arraycopy(scratchPayloads, at, scratchPayloads, at + 1, count - at);
    scratchKeys[at] = key;
    scratchPayloads[at] = payload;
    store(pages, page, scratchKeys, scratchPayloads, 0, count + 1);
  }

  // ---------------------------------------------------------------- delete

  @Override
  void remove(MemorySegment pages, long page, int place) {
    int total = PageHeader.checkedCount(pages, page, capacity(pages, page));
    if (PageHeader.isLeaf(pages, page)) {
      long node = nodeOf(page, place);
      valueLeaf.removeAt(pages, node, slot(place), valueLeaf.checkedCount(pages, node));
      PageHeader.count(pages, page, total - 1);
    } else {
      long key = key(pages, page, place);
      int count = load(pages, page, scratchKeys, scratchPayloads, 0);
      int at = Arrays.binarySearch(scratchKeys, 0, count, key);
      if (at < 0) {
        throw torn(page);
      }
      System.arraycopy(scratchKeys, at + 1, scratchKeys, at, count - at - 1);
      System.arraycopy(scratchPayloads, at + 1, scratchPayloads, at, count - at - 1);
      store(pages, page, scratchKeys, scratchPayloads, 0, count - 1);
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
  void store(MemorySegment pages, long page, long[] keys, long[] payloads, int from, int count) {
    prefetch(pages, page);
    boolean isLeafPage = PageHeader.isLeaf(pages, page);
    InPageLeaf leaf = isLeafPage ? valueLeaf : childLeaf;
    int least = isLeafPage ? leaf.capacity / 2 : leaf.capacity;
    int leaves = Math.clamp(Math.ceilDiv(count, least), 1, mostLeaves);
    int root = InPageTreeHeader.root(pages, page);
    if (root < 1
        || root > 1 + (mostLeaves - 1) * leaf.width
        || root % leaf.width != 1 % leaf.width) {
      throw torn(page);
    }
    int innerNodes = innerNodes(leaves);
    InPageTreeHeader.above(pages, page, root + innerNodes * inner.width);
    InPageTreeHeader.below(pages, page, 1);
    int previous = 0;
    for (int i = 0; i < leaves; i++) {
      int start = isLeafPage ? share(i, count, leaves) : i * leaf.capacity;
      int end = isLeafPage ? share(i + 1, count, leaves) : Math.min(start + leaf.capacity, count);
      lines[i] = storeLeaf(pages, page, leaf, previous, keys, payloads, from + start, from + end);
      bounds[i] = end == 0 ? Long.MAX_VALUE : keys[from + end - 1];
      previous = lines[i];
    }
    InPageTreeHeader.firstLeaf(pages, page, lines[0]);
    InPageTreeHeader.lastLeaf(pages, page, previous);
    int nodes = leaves;
    int firstLine = root + innerNodes * inner.width;
    for (int level = 1; level < levels; level++) {
      int parents = Math.ceilDiv(nodes, inner.capacity);
      firstLine -= parents * inner.width;
      storeInnerLevel(pages, page, level, nodes, parents, firstLine);
      nodes = parents;
    }
    PageHeader.count(pages, page, count);
  }

  /**
   * Asks for a whole page: a split touches most of its nodes, in the old page and in the new one.
   */
  private void prefetch(MemorySegment pages, long page) {
    Words.prefetch(pages.address() + page, pageLines, Locality.T0);
  }

  /** Returns where share {@code i} of {@code count} things among {@code takers} begins. */
  private static int share(int i, int count, int takers) {
    return (int) ((long) i * count / takers);
  }

  /** Returns the inner nodes over so many leaves, one on each level at least. */
  private int innerNodes(int leaves) {
    int sum = 0;
    int nodes = leaves;
    for (int level = 1; level < levels; level++) {
      nodes = Math.ceilDiv(nodes, inner.capacity);
      sum += nodes;
    }
    return sum;
  }

  /** Makes the next leaf, behind {@code previous}, and returns its line. */
  private int storeLeaf(
      MemorySegment pages,
      long page,
      InPageLeaf leaf,
      int previous,
      long[] keys,
      long[] payloads,
      int from,
      int end) {
    int line = allocate(pages, page, leaf.width);
    long node = node(page, line);
    leaf.initialize(pages, node);
    leaf.previous(pages, node, previous);
    if (previous != 0) {
      leaf.next(pages, node(page, previous), line);
    }
    for (int i = from; i < end; i++) {
      leaf.key(pages, node, i - from, keys[i]);
      leaf.payload(pages, node, i - from, payloads[i]);
    }
    leaf.count(pages, node, end - from);
    return line;
  }

  /**
   * Makes the inner nodes of a level over the nodes whose lines and bounds are noted, and notes
   * theirs instead.
   */
  private void storeInnerLevel(
      MemorySegment pages, long page, int level, int nodes, int parents, int firstLine) {
    for (int i = 0; i < parents; i++) {
      int start = share(i, nodes, parents);
      int children = share(i + 1, nodes, parents) - start;
      int line = firstLine + i * inner.width;
      long node = node(page, line);
      inner.initialize(pages, node, level);
      for (int child = 0; child < children; child++) {
        inner.child(pages, node, child, lines[start + child]);
        if (child + 1 < children) {
          inner.key(pages, node, child, bounds[start + child]);
        }
      }
      inner.count(pages, node, children);
      if (level == 1) {
        inner.previous(pages, node, i == 0 ? 0 : line - inner.width);
        inner.next(pages, node, i + 1 == parents ? 0 : line + inner.width);
      }
      lines[i] = line;
      bounds[i] = bounds[start + children - 1];
    }
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
