// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One thread's way down a tree that others change: it looks at one page at a time, and takes no
 * latch. What was read of the page counts only if {@link #isStill} says so afterwards. A page that
 * is in memory is not pinned.
 *
 * <p>A step down reads the version of the child, and then looks whether the page above is still
 * what it was (optimistic lock coupling): so the child was the one for the key when its version was
 * read.
 *
 * <p>All of it is done within an operation of the tree's epochs, and {@link #release} ends each
 * look.
 */
final class PrefixLook implements PrefixStructure.Guard {
  /** Lines of a page that are prefetched: its header, and the heads of most. */
  private static final int FIRST_LINES = 10;

  private static final long PINNED = -1;
  private static final long NONE = -2;

  private final PrefixStructure tree;
  private final PageStore store;
  private final Latches latches;

  /** The page that is looked at, where it is, and its version. */
  int number;

  long at;
  long version;

  /** What the store says of where the page is, {@link #PINNED}, or {@link #NONE}. */
  private long look = NONE;

  /** The pages above, from the root, with their versions and the entries that lead down. */
  private final int[] above = new int[PrefixStructure.MAX_HEIGHT];

  private final long[] aboveVersions = new long[PrefixStructure.MAX_HEIGHT];
  private final int[] aboveEntries = new int[PrefixStructure.MAX_HEIGHT];
  private int depth;

  /** Pages looked at without a pin, for the statistics. */
  private int looks;

  PrefixLook(PrefixStructure tree, PrefixSpace space) {
    this.tree = tree;
    this.store = tree.store;
    this.latches = space.latches;
  }

  // ---------------------------------------------------------------- one page

  private void enter(int page) {
    long found = store.look(page);
    at = found < 0 ? store.pin(page) : store.offset(found);
    look = Math.max(found, PINNED);
    number = page;
    version = latches.version(page);
  }

  /**
   * Tells whether all that was read of the page so far was of the version that it had. It was if
   * there is none: what fails on the way to a page does not fail because others change it.
   */
  boolean isStill() {
    return look >= 0
        ? latches.isStill(number, version) && store.isStill(look)
        : look == NONE || latches.isStill(number, version);
  }

  @Override
  public void check() {
    if (!isStill()) {
      throw Torn.torn("page " + number + " is not what it was");
    }
  }

  /** Pins the page, if it is not pinned. */
  void pin() {
    if (look != PINNED) {
      at = store.pin(number);
      look = PINNED;
    }
  }

  /** Ends the look. */
  void release() {
    release(false);
  }

  /**
   * Ends the look.
   *
   * @param changed whether the page, which is pinned, was written to
   */
  void release(boolean changed) {
    if (look == PINNED) {
      store.unpin(at, changed);
    } else if (look >= 0) {
      looks++;
    }
    look = NONE;
  }

  /** Counts the pages that were looked at. */
  void noteLooks() {
    store.noteLooks(looks);
    looks = 0;
  }

  // ---------------------------------------------------------------- down

  /**
   * Goes to the leaf where a key is or belongs; returns its slot there, or {@code ~} of where it
   * belongs. It counts if {@link #isStill} says so afterwards.
   */
  int find(MemorySegment key) {
    findLeaf(key, 0);
    return tree.search(at, key, this);
  }

  /**
   * Goes to the leaf where a key is or belongs.
   *
   * @param key null for the first leaf, or the last one
   * @param side -1 for the last leaf
   */
  void findLeaf(@Nullable MemorySegment key, int side) {
    boolean isThere;
    do {
      release();
      depth = 0;
      int root = tree.sharedRoot();
      enter(root);
      isThere = tree.sharedRoot() == root && descend(key, side);
    } while (!isThere);
  }

  /** Goes down from a page to a leaf; tells whether no page has changed meanwhile. */
  private boolean descend(@Nullable MemorySegment key, int side) {
    while (true) {
      MemorySegment pages = tree.pages;
      Words.prefetch(pages.address() + at, FIRST_LINES, Locality.T0);
      if (!PageLayout.isInner(pages, at)) {
        return true;
      }
      int entry;
      int child;
      try {
        if (key != null) {
          int found = tree.search(at, key, this);
          entry = found >= 0 ? found : Math.max(0, ~found - 1);
        } else {
          entry = side < 0 ? PageLayout.count(pages, at) - 1 : 0;
        }
        child = PageLayout.child(pages, at, entry);
      } catch (RuntimeException torn) {
        if (isStill()) {
          throw torn;
        }
        return false;
      }
      if (!isStill() || !goDown(entry, child)) {
        return false;
      }
    }
  }

  /** Goes from a page, of which all counts that was read, to a child of it. */
  private boolean goDown(int entry, int child) {
    if (depth == PrefixStructure.MAX_HEIGHT) {
      throw Torn.torn("a search leads to page " + child + " after " + depth + " pages");
    }
    int from = number;
    long fromVersion = version;
    above[depth] = from;
    aboveVersions[depth] = fromVersion;
    aboveEntries[depth] = entry;
    depth++;
    release();
    enter(child);
    return latches.isStill(from, fromVersion);
  }

  // ---------------------------------------------------------------- beside

  /** What a step to the leaf beside this one has come to. */
  enum Step {
    /** The leaf there. */
    DONE,
    /** The end of the tree. */
    END,
    /** Nothing, for pages have changed: the way has to be found anew. */
    LOST
  }

  /**
   * Goes to the leaf beside the one where this was, though that look may have ended long ago.
   *
   * @param side 1 or -1
   * @param ahead what asks for the leaves behind it
   */
  Step step(int side, LeavesAhead ahead) {
    release();
    boolean isAbove = true; // The page above the leaf where this was.
    while (depth > 0) {
      int d = depth - 1;
      int page = above[d];
      if (!latches.isStill(page, aboveVersions[d])) {
        return Step.LOST;
      }
      enter(page);
      if (version != aboveVersions[d]) {
        return Step.LOST;
      }
      MemorySegment pages = tree.pages;
      int entry = aboveEntries[d] + side;
      boolean isThere = entry >= 0 && entry < PageLayout.count(pages, at);
      int child = isThere ? PageLayout.child(pages, at, entry) : 0;
      boolean asks = isThere && isAbove;
      if (asks) {
        ahead.note(page, at, entry, side, this);
      }
      if (!isStill()) {
        return Step.LOST;
      }
      depth = d;
      isAbove = false;
      if (asks) {
        ahead.ask();
      }
      if (isThere) {
        return goDown(entry, child) && descend(null, side) ? Step.DONE : Step.LOST;
      }
      release();
    }
    return Step.END;
  }

  /**
   * Prefetches the leaf beside the one where this was, if both have the same parent, and that and
   * the leaf are in memory. Within the same operation or a later one of the same generation: a page
   * that has changed meanwhile leads nowhere.
   *
   * @param side 1 or -1
   */
  void prefetchBeside(int side) {
    if (depth == 0) {
      return;
    }
    int parent = above[depth - 1];
    long parentVersion = aboveVersions[depth - 1];
    if (!latches.isStill(parent, parentVersion)) {
      return;
    }
    long found = store.look(parent);
    if (found < 0) {
      return;
    }
    MemorySegment pages = tree.pages;
    long parentAt = store.offset(found);
    int entry = aboveEntries[depth - 1] + side;
    int child;
    try {
      if (entry < 0 || entry >= PageLayout.count(pages, parentAt)) {
        return;
      }
      child = PageLayout.child(pages, parentAt, entry);
    } catch (IndexOutOfBoundsException torn) {
      return; // Another page has come to the frame.
    }
    if (!latches.isStill(parent, parentVersion) || !store.isStill(found)) {
      return;
    }
    long beside = store.look(child);
    if (beside >= 0) {
      long address = pages.address() + store.offset(beside);
      Words.prefetch(address, store.pageBytes() >>> CacheLine.SHIFT, Locality.T0);
    }
  }
}
