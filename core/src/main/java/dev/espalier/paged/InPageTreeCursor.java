// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;

/**
 * A {@link PagedCursor} that also prefetches the lines of in-page leaves ahead of the one it is in
 * (fpB+ 3.3). It finds them in the nodes above them, which are chained within a page, and from the
 * last of a page goes on to the first of the next, whose header and root it has asked for by then.
 *
 * <p>In short ranges nothing is asked for: the first step from one in-page leaf to another begins
 * it, and each step asks for up to two leaves more, until it is as far ahead as it should be. Where
 * a scan has an end, no page behind that of its end is asked for; within that page, leaves may be.
 */
final class InPageTreeCursor extends PagedCursor {
  /** Lines ahead: as many as scans of the pB+-tree ask for, measured there. */
  private static final int PREFETCH_LINES = 128;

  private final PageStore store;
  private final InPageTreeFormat format;
  private final int distance;

  /** Direction of the leaves asked for so far: 1, -1, or 0 for none. */
  private int direction;

  /** The furthest leaf asked for: its page's place, the node above it, and which child of that. */
  private long aheadPage;

  private int aheadNode;
  private int aheadChild;

  /** Leaves asked for and not yet reached. */
  private int leavesAhead;

  /** The leaf page behind that of the furthest leaf, 0 for none, its parent and place in that. */
  private int nextPage;

  private int nextParent;
  private int nextPlace;

  /** The leaf page where the scan ends, 0 for none. */
  private int lastPage;

  InPageTreeCursor(PagedStructure tree, InPageTreeFormat format) {
    super(tree);
    this.store = tree.store;
    this.format = format;
    this.distance = Math.max(PREFETCH_LINES / format.valueLeaf.width, 1);
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    super.descend(key);
    direction = 0;
  }

  @Override
  protected void descendToLast() {
    super.descendToLast();
    direction = 0;
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public void scanTo(long key) {
    super.scanTo(key);
    direction = 0;
  }

  @Override
  protected boolean enterNextLeaf() {
    prefetch(1);
    return super.enterNextLeaf();
  }

  @Override
  protected boolean enterPreviousLeaf() {
    prefetch(-1);
    return super.enterPreviousLeaf();
  }

  /** Asks for leaves ahead, unless pages have to be read first, which takes so much longer. */
  private void prefetch(int newDirection) {
    if (tree.cursorsCopy || entries == 0) {
      return;
    }
    if (direction != newDirection) {
      direction = newDirection;
      start();
    }
    leavesAhead = Math.max(leavesAhead - 1, 0);
    for (int asked = 0; asked < 2 && leavesAhead < distance && advance(); asked++) {
      prefetch(line(), format.valueLeaf.width);
      leavesAhead++;
    }
  }

  private void prefetch(int line, int lines) {
    Words.prefetch(tree.base + aheadPage + offset(line), lines, Locality.T0);
  }

  private static long offset(int line) {
    return (long) line << CacheLine.SHIFT;
  }

  /** Begins at the leaf that the cursor is in. */
  private void start() {
    long key = leafKey(0);
    aheadPage = placeOf(leaf);
    aheadNode = format.findParent(tree.pages, aheadPage, key);
    aheadChild =
        format.levels == 1
            ? 0
            : format.inner.lowerBound(tree.pages, aheadPage + offset(aheadNode), key);
    leavesAhead = 0;
    lastPage = hasEnd && direction > 0 ? tree.findLeaf(endKey) : 0;
    nextParent = parent;
    nextPlace = parentPlace;
    findNextPage(leaf);
  }

  /** Returns where a page is, which is so without a pin as well. */
  private long placeOf(int page) {
    long place = store.pin(page);
    store.unpin(place, false);
    return place;
  }

  /** Finds the page behind {@code page}, and asks for its header and its in-page root. */
  private void findNextPage(int page) {
    nextPage = 0;
    if (page == lastPage || nextParent == 0) {
      return;
    }
    long beside = step(nextParent, nextPlace, direction);
    nextParent = (int) (beside >>> 32);
    nextPlace = (int) beside;
    if (nextParent != 0) {
      nextPage = childOf(nextParent, nextPlace);
      long address = tree.base + placeOf(nextPage);
      Words.prefetch(address, 1, Locality.T0);
      Words.prefetch(address + offset(format.rootLine(nextPage)), format.inner.width, Locality.T0);
    }
  }

  /** Goes to the leaf beside the furthest one asked for; returns false if there is none. */
  private boolean advance() {
    if (format.levels > 1) {
      long node = aheadPage + offset(aheadNode);
      int child = aheadChild + direction;
      if (child >= 0 && child < format.inner.count(tree.pages, node)) {
        aheadChild = child;
        return true;
      }
      int beside =
          direction > 0
              ? format.inner.next(tree.pages, node)
              : format.inner.previous(tree.pages, node);
      if (beside != 0) {
        aheadNode = beside;
        aheadChild = endOf(beside);
        return true;
      }
    }
    return enterNextPage();
  }

  private boolean enterNextPage() {
    if (nextPage == 0) {
      return false;
    }
    int page = nextPage;
    aheadPage = placeOf(page);
    aheadNode = format.rootLine(page);
    for (int level = format.levels - 1; level > 1; level--) {
      aheadNode = format.inner.child(tree.pages, aheadPage + offset(aheadNode), endOf(aheadNode));
    }
    aheadChild = format.levels == 1 ? 0 : endOf(aheadNode);
    findNextPage(page);
    return true;
  }

  /** Returns which child of an in-page inner node a scan comes to first. */
  private int endOf(int node) {
    return direction > 0 ? 0 : format.inner.count(tree.pages, aheadPage + offset(node)) - 1;
  }

  /** Returns the line of the furthest leaf asked for. */
  private int line() {
    return format.levels == 1
        ? aheadNode
        : format.inner.child(tree.pages, aheadPage + offset(aheadNode), aheadChild);
  }
}
