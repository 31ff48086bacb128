// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.AskedAhead;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the leaves of a cache-first tree, each of which is a run. It steps from leaf to
 * leaf through their parents, which are chained. When it begins to scan a leaf page, it prefetches
 * the page's leaves by the slot map; and it asks for leaf pages ahead through the jump-pointer
 * array, but for none beyond the page of the key that {@link #scanTo} named (fpB+ 2.2, 3.3).
 *
 * <p>It keeps no page pinned. Where an unpinned page may go away, it works on a copy of the leaf.
 */
final class CacheFirstCursor extends LeafCursor {
  private final CacheFirstStructure tree;
  private final PageStore store;
  private final CacheFirstPage page;

  /** The current leaf, its parent, or 0 if it is the root, and its slot in that. */
  private int leaf;

  private int parent;
  private int parentSlot;

  /** The leaf page whose leaves were prefetched, 0 for none. */
  private int prefetchedPage;

  /** Whether scans end at {@code endKey}, and the leaf page of that key, 0 for none. */
  private boolean hasEnd;

  private long endKey;
  private int endPage;

  /** Direction of the pages asked for so far: 1, -1, or 0 for none. */
  private int aheadDirection;

  /** The place of the furthest page asked for in the jump-pointer array, 0 at the end. */
  private long aheadPlace;

  private final AskedAhead asked = new AskedAhead();

  CacheFirstCursor(CacheFirstStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.store = tree.store;
    this.page = tree.page;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    checkOpen();
    startAt(tree.root());
    for (int level = tree.height() - 1; level > 0; level--) {
      long at = tree.pin(leaf);
      enterChild(at, tree.inner.lowerBound(tree.pages, at, key));
      tree.unpin(at, false);
    }
    long at = tree.pin(leaf);
    int found = tree.leaf.lowerBound(tree.pages, at, key);
    tree.unpin(at, false);
    enterLeaf();
    slot = Math.min(found, entries);
  }

  @Override
  protected void descendToLast() {
    checkOpen();
    startAt(tree.root());
    for (int level = tree.height() - 1; level > 0; level--) {
      int last = tree.innerCount(leaf) - 1;
      if (last < 0) {
        throw CacheFirstStructure.torn("an inner node has no child");
      }
      long at = tree.pin(leaf);
      enterChild(at, last);
      tree.unpin(at, false);
    }
    enterLeaf();
  }

  private void startAt(int root) {
    leaf = root;
    parent = 0;
    prefetchedPage = 0;
    aheadDirection = 0;
  }

  /** Goes from the inner node that {@code leaf} is on the way down, pinned, to a child. */
  private void enterChild(long at, int childSlot) {
    parent = leaf;
    parentSlot = childSlot;
    leaf = tree.inner.child(tree.pages, at, childSlot);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- leaves

  private void enterLeaf() {
    long at = tree.pin(leaf);
    try {
      int count = Math.clamp(tree.leaf.count(tree.pages, at), 0, tree.leaf.capacity);
      long values = at + tree.leaf.valuesOffset;
      if (tree.cursorsCopy) {
        enterCopy(tree.pages, at, values, count, tree.leaf.capacity);
      } else {
        enter(tree.pages, at, values, count);
      }
    } finally {
      tree.unpin(at, false);
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
    return enterNeighbour(1);
  }

  @Override
  protected boolean enterPreviousLeaf() {
    return enterNeighbour(-1);
  }

  /** Enters the leaf beside this one, unless there is none or it is empty. */
  private boolean enterNeighbour(int direction) {
    if (parent == 0 || !stepBeside(direction)) {
      return false;
    }
    int before = page.pageOf(leaf);
    leaf = tree.child(parent, parentSlot);
    int number = page.pageOf(leaf);
    if (number != before) {
      readAhead(before, direction);
    }
    if (number != prefetchedPage) {
      prefetchLeaves(number);
    }
    enterLeaf();
    return entries > 0;
  }

  /** Goes to the slot beside that in the leaf parents, or returns false at the end. */
  private boolean stepBeside(int direction) {
    int beside = parentSlot + direction;
    if (beside >= 0 && beside < tree.innerCount(parent)) {
      parentSlot = beside;
      return true;
    }
    int neighbour = direction > 0 ? tree.next(parent) : tree.previous(parent);
    if (neighbour == 0) {
      return false;
    }
    parent = neighbour;
    parentSlot = direction > 0 ? 0 : tree.innerCount(neighbour) - 1;
    if (parentSlot < 0) {
      throw CacheFirstStructure.torn("a leaf parent has no child");
    }
    return true;
  }

  /** Prefetches the leaves of a page: each stretch of slots in use by one call. */
  private void prefetchLeaves(int number) {
    prefetchedPage = number;
    long at = store.pin(number);
    for (int word = 0; word < page.slotWords(); word++) {
      long bits = CacheFirstPage.slotWord(tree.pages, at, word);
      int slot = word * Long.SIZE;
      while (bits != 0) {
        int free = Long.numberOfTrailingZeros(bits);
        bits >>>= free;
        slot += free;
        int used = Long.numberOfTrailingZeros(~bits);
        long first = CacheFirstPage.HEADER_BYTES + (long) slot * tree.leaf.bytes;
        Words.prefetch(tree.base + at + first, used * page.width, Locality.T0);
        bits = used == Long.SIZE ? 0 : bits >>> used;
        slot += used;
      }
    }
    store.unpin(at, false);
  }

  /**
   * Asks for leaf pages ahead, as {@link AskedAhead} says.
   *
   * @param left the page that the scan has just left
   */
  private void readAhead(int left, int direction) {
    if (aheadDirection != direction) {
      aheadDirection = direction;
      boolean ends = hasEnd && direction > 0;
      boolean isAtEnd = ends && entries > 0 && leafKey(entries - 1) >= endKey;
      endPage = ends ? page.pageOf(tree.findLeaf(endKey)) : 0;
      aheadPlace = isAtEnd || left == endPage ? 0 : tree.leafPages.placeOf(left);
      asked.restart();
    }
    int wanted = asked.wanted();
    int count = 0;
    while (count < wanted && aheadPlace != 0) {
      aheadPlace = tree.leafPages.step(aheadPlace, direction);
      if (aheadPlace != 0) {
        asked.pages[count] = tree.leafPages.pageAt(aheadPlace);
        if (asked.pages[count] == endPage) {
          aheadPlace = 0;
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
