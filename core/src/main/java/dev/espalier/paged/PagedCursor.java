// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.memory.PageStore;
import dev.espalier.support.AskedAhead;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the runs of the leaf pages. It steps from leaf page to leaf page through their
 * parents, which are chained, and asks for leaf pages ahead of the one it is in (fpB+ 2.2), but for
 * none beyond the page of the key that {@link #scanTo} named.
 *
 * <p>It keeps no page pinned. Where an unpinned page may go away, it works on a copy of the run.
 */
class PagedCursor extends LeafCursor {
  final PagedStructure tree;
  private final PageStore store;
  private final PageFormat format;

  /** The current leaf page, its parent, or 0 if it is the root, and its place in that. */
  int leaf;

  int parent;
  int parentPlace;

  /** The current run of the leaf page. */
  private int run;

  /** Whether scans end at {@code endKey}, and the leaf page of that key, 0 for none. */
  boolean hasEnd;

  long endKey;
  private int endPage;

  /** Direction of the pages asked for so far: 1, -1, or 0 for none. */
  private int aheadDirection;

  /** The furthest page asked for: its parent and its place in that. The parent is 0 at the end. */
  private int aheadParent;

  private int aheadPlace;

  private final AskedAhead asked = new AskedAhead();

  PagedCursor(PagedStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    checkOpen();
    findLeaf(key);
    aheadDirection = 0;
    long at = store.pin(leaf);
    try {
      enterRun(at, format.runOf(tree.pages, at, key));
    } finally {
      store.unpin(at, false);
    }
    slot = entries == 0 ? 0 : lowerBound(key);
  }

  /** Goes down to the leaf page of a key, and notes its parent. */
  private void findLeaf(long key) {
    leaf = tree.root();
    parent = 0;
    for (int level = tree.height() - 1; level > 0; level--) {
      long at = store.pin(leaf);
      try {
        enterChild(at, format.lowerBound(tree.pages, at, key));
      } finally {
        store.unpin(at, false);
      }
    }
  }

  /** Goes from the inner page that {@code leaf} is on the way down, pinned, to a child. */
  private void enterChild(long at, int place) {
    if (place == PageFormat.NONE) {
      throw PagedStructure.torn(leaf);
    }
    parent = leaf;
    parentPlace = place;
    leaf = format.child(tree.pages, at, place);
  }

  @Override
  protected void descendToLast() {
    checkOpen();
    leaf = tree.root();
    parent = 0;
    aheadDirection = 0;
    for (int level = tree.height() - 1; level > 0; level--) {
      long at = store.pin(leaf);
      try {
        enterChild(at, format.lastPlace(tree.pages, at));
      } finally {
        store.unpin(at, false);
      }
    }
    enterLeaf(-1);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- runs

  /** Enters the first or last run of the current leaf page, as the direction says. */
  private void enterLeaf(int direction) {
    long at = store.pin(leaf);
    try {
      enterRun(
          at, direction > 0 ? format.firstRun(tree.pages, at) : format.lastRun(tree.pages, at));
    } finally {
      store.unpin(at, false);
    }
  }

  private void enterRun(long at, int newRun) {
    run = newRun;
    int count = Math.clamp(format.runCount(tree.pages, at, run), 0, format.leafCapacity);
    long keys = at + format.runKeysOffset(run);
    long values = at + format.runValuesOffset(run);
    if (tree.cursorsCopy) {
      enterCopy(tree.pages, keys, values, count, format.leafCapacity);
    } else {
      enter(tree.pages, keys, values, count);
    }
  }

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    if (tree.cursorsCopy) {
      tree.setValue(key, value);
    } else {
      super.writeValue(key, leafMemory, offset, value);
    }
  }

  // ---------------------------------------------------------------- delete

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public void scanTo(long key) {
    super.scanTo(key);
    hasEnd = true;
    endKey = key;
    aheadDirection = 0;
  }

  @Override
  protected boolean enterNextLeaf() {
    return enterNextRun() || enterNeighbour(1);
  }

  @Override
  protected boolean enterPreviousLeaf() {
    return enterPreviousRun() || enterNeighbour(-1);
  }

  private boolean enterNextRun() {
    long at = store.pin(leaf);
    try {
      int next = format.nextRun(tree.pages, at, run);
      if (next == PageFormat.NONE) {
        return false;
      }
      enterRun(at, next);
      return entries > 0;
    } finally {
      store.unpin(at, false);
    }
  }

  private boolean enterPreviousRun() {
    long at = store.pin(leaf);
    try {
      int previous = format.previousRun(tree.pages, at, run);
      if (previous == PageFormat.NONE) {
        return false;
      }
      enterRun(at, previous);
      return entries > 0;
    } finally {
      store.unpin(at, false);
    }
  }

  /** Enters the leaf page beside this one, unless there is none or it is empty. */
  private boolean enterNeighbour(int direction) {
    if (parent == 0) {
      return false;
    }
    readAhead(direction);
    long place = step(parent, parentPlace, direction);
    if (place == 0) {
      return false;
    }
    parent = (int) (place >>> 32);
    parentPlace = (int) place;
    leaf = childOf(parent, parentPlace);
    enterLeaf(direction);
    return entries > 0;
  }

  /**
   * Returns the place beside one in the row of all leaf pages: the parent in the upper half, the
   * place in that in the lower; 0 at the end.
   */
  final long step(int page, int place, int direction) {
    int neighbour;
    long at = store.pin(page);
    try {
      int beside =
          direction > 0
              ? format.nextPlace(tree.pages, at, place)
              : format.previousPlace(tree.pages, at, place);
      if (beside != PageFormat.NONE) {
        return pair(page, beside);
      }
      neighbour =
          direction > 0 ? PageHeader.next(tree.pages, at) : PageHeader.previous(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
    return neighbour == 0 ? 0 : pair(neighbour, endOf(neighbour, direction));
  }

  /** Returns the place of the child of an inner page that a scan comes to first. */
  private int endOf(int page, int direction) {
    long at = store.pin(page);
    try {
      int end =
          direction > 0 ? format.firstPlace(tree.pages, at) : format.lastPlace(tree.pages, at);
      if (end == PageFormat.NONE) {
        throw PagedStructure.torn(page);
      }
      return end;
    } finally {
      store.unpin(at, false);
    }
  }

  private static long pair(int page, int place) {
    return ((long) page << 32) | (place & 0xffff_ffffL);
  }

  final int childOf(int page, int place) {
    long at = store.pin(page);
    try {
      return format.child(tree.pages, at, place);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Asks for leaf pages ahead, as {@link AskedAhead} says. */
  private void readAhead(int direction) {
    if (aheadDirection != direction) {
      aheadDirection = direction;
      boolean ends = hasEnd && direction > 0;
      boolean isAtEnd = ends && entries > 0 && leafKey(entries - 1) >= endKey;
      endPage = ends ? tree.findLeaf(endKey) : 0;
      aheadParent = isAtEnd || leaf == endPage ? 0 : parent;
      aheadPlace = parentPlace;
      asked.restart();
    }
    int wanted = asked.wanted();
    int count = 0;
    while (count < wanted && aheadParent != 0) {
      long place = step(aheadParent, aheadPlace, direction);
      aheadParent = (int) (place >>> 32);
      aheadPlace = (int) place;
      if (aheadParent != 0) {
        asked.pages[count] = childOf(aheadParent, aheadPlace);
        if (asked.pages[count] == endPage) {
          aheadParent = 0;
        }
        count++;
      }
    }
    if (count > 0) {
      asked.asked(count);
      store.readAhead(asked.pages, 0, count);
    }
  }
}
