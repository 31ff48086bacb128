// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.Torn;
import dev.espalier.tree.StoreTree;
import java.util.ConcurrentModificationException;

/**
 * A B+-tree whose nodes are pages, and what changes it once a leaf page has been found. Splits that
 * climb are {@link PagedSplit}'s, merges {@link PagedMerge}'s, ranges that leave {@link
 * PagedCut}'s. What a page looks like inside is its {@link PageFormat}'s; how a leaf page is found,
 * the hot part, is the trees'.
 */
final class PagedStructure extends StoreTree {
  /* Overview
   *
   * A level is a row of pages; level 0 are the leaf pages, the highest level is the root alone. A
   * page is a sorted map. In an inner page the key of each entry is the upper bound of the child's
   * keys, and the last key is the upper bound of the page itself, Long.MAX_VALUE at the right edge:
   *
   *     keys below child 0 <= k0 < keys below child 1 <= k1 < ... <= k(n-1) = bound of the page
   *
   * so the way to a key goes through the first entry whose key is not below it, in every page. Bounds
   * stay valid when the keys they were made from are removed.
   *
   * Before a tree inserts or removes, it descends and notes in the change's `path` the page of every
   * level.
   *
   * Split:  (u -> L)            in the parent becomes  (last key of L -> L) (u -> R)
   *         where R takes L's upper half; at the right edge of the tree only what is new, so that
   *         ascending inserts leave full pages. Where a format has seen a run of inserts, R takes what
   *         is above it, and a key above L's last one may be the bound.
   * Merge:  (s -> L) (u -> R)   becomes  (u -> L), L having taken R's entries.
   *
   * All of a tree is in its store: its pages, and in the store's meta words the stamp of its format,
   * its root, its height and its size. Opening the store again opens the tree again.
   *
   * A page is pinned while it is worked on and not longer, at most three at a time but for batches.
   *
   * Invariants, checked by PagedVerifier:
   *   I1  The keys of a page ascend strictly.
   *   I2  The keys below an entry of an inner page are above the key before and not above its own;
   *       the last key of an inner page is the page's own bound.
   *   I3  Every path from the root to a leaf page has the height's length, and a page's level says
   *       where on it the page is.
   *   I4  A page's count is from 1 to its capacity, but a root that is a leaf page may be empty, and
   *       a root that is an inner page has two children at least.
   *   I5  The size is the number of entries in the leaf pages.
   *   I6  next and previous chain the inner pages of each level in order, both ways, and end in none;
   *       leaf pages are not chained.
   *   I7  Pages are in use by the store's account, and none is reached twice.
   *   I8  The store has no other page in use.
   *   What holds inside a page is the format's to state, numbered from I9 on.
   *
   * Deviations from fpB+ 3:
   *   D1  An inner page has one key for each child, not one less: inner pages and leaf pages are then
   *       the same sorted map.
   *   D2  Leaf pages have no sibling links: scans find the next leaf page in its parent, and the next
   *       parent in the chain. That chain with the children in it is the jump-pointer array that
   *       reading ahead needs (fpB+ 2.2), and a split of a leaf page touches no neighbour.
   *   D3  The splits at the right edge and at runs above.
   *   D4  Deletion is lazy but gives space back: an empty page is taken out, and one that falls below
   *       a quarter merges with a sibling if three quarters of a page hold both.
   */

  final PageFormat format;
  final PagedChange change;
  private final PagedSplit splits;
  private final PagedMerge merges;
  private final PagedCut cut;

  /** Puts of many ascending keys. */
  final AscendingPuts ascendingPuts;

  PagedStructure(PageStore store, PageFormat format) {
    super(store, MAX_HEIGHT + 1);
    this.format = format;
    this.change = new PagedChange(this);
    this.splits = new PagedSplit(this);
    this.merges = new PagedMerge(this);
    this.cut = new PagedCut(this);
    this.ascendingPuts = new AscendingPuts(this, splits);
    open();
  }

  @Override
  protected long stamp() {
    return format.stamp();
  }

  @Override
  protected PagedStructure over(PageStore other) {
    return new PagedStructure(other, format);
  }

  @Override
  protected PagedChange change() {
    return change;
  }

  @Override
  protected void plant() {
    meta[ROOT] = FIRST_PAGE;
    meta[HEIGHT] = 1;
    int page = allocate();
    meta[ROOT] = page;
    meta[SIZE] = 0;
    initializeLeaf(page);
  }

  void initializeLeaf(int page) {
    long at = store.pin(page);
    try {
      format.initialize(change.scratch, pages, at, page, 0);
    } finally {
      store.unpin(at, true);
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public LongCursor cursor() {
    return format.cursor(this);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new PagedBulkload(this, fillFactor).load(entries, total, listener);
  }

  @Override
  public void verify(ProgressListener listener) {
    PagedVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(root(), height() - 1);
  }

  /** Reads a page; what can't be is refused: a walk over all children would not end. */
  private NodeView view(int page, int level) {
    if (!store.isInUse(page)) {
      throw new InvariantViolationException("I7", "page " + page + " is not in use");
    }
    int capacity = level == 0 ? format.leafCapacity : format.innerCapacity;
    long at = store.pin(page);
    try {
      int itsLevel = PageHeader.level(pages, at);
      int count = PageHeader.count(pages, at);
      if (itsLevel != level || count < 0 || count > capacity) {
        throw new InvariantViolationException(
            "I4",
            "page %d of level %d has level %d and count %d of %d"
                .formatted(page, level, itsLevel, count, capacity));
      }
      format.verify(pages, at, page);
      long[] keys = new long[count];
      long[] payloads = new long[count];
      format.load(pages, at, keys, payloads, 0);
      int bytes = format.pageBytes;
      return level == 0
          ? NodeView.leaf(at, bytes, count, capacity, i -> keys[i], i -> payloads[i])
          : NodeView.separators(at, bytes, level, count, capacity, i -> keys[i])
              .over(count, i -> view((int) payloads[i], level - 1));
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- search

  /** Goes down to the leaf page where {@code key} is or belongs and notes the path. */
  int findPath(long key) {
    int[] path = change.path;
    int page = root();
    for (int level = height() - 1; level > 0; level--) {
      path[level] = page;
      page = childFor(page, key);
    }
    path[0] = page;
    return page;
  }

  /** Returns the leaf page where {@code key} is or belongs. */
  int findLeaf(long key) {
    int page = root();
    for (int level = height() - 1; level > 0; level--) {
      page = childFor(page, key);
    }
    return page;
  }

  /**
   * Returns the largest key that belongs in the leaf page of {@code key}, or in the page before
   * that; at the ends of the tree the largest or the smallest of all keys.
   */
  long boundOfLeaf(long key, boolean above) {
    long bound = above ? Long.MAX_VALUE : Long.MIN_VALUE;
    int page = root();
    for (int level = height() - 1; level > 0; level--) {
      long at = store.pin(page);
      try {
        int place = format.lowerBound(pages, at, key);
        if (place == PageFormat.NONE) {
          throw torn(page);
        }
        int bounding = above ? place : format.previousPlace(pages, at, place);
        if (bounding != PageFormat.NONE) {
          bound = format.key(pages, at, bounding);
        }
        page = format.child(pages, at, place);
      } finally {
        store.unpin(at, false);
      }
    }
    return bound;
  }

  /** Returns the child of an inner page where {@code key} belongs. */
  private int childFor(int page, long key) {
    long at = store.pin(page);
    try {
      int place = format.lowerBound(pages, at, key);
      if (place == PageFormat.NONE) {
        throw torn(page);
      }
      return format.child(pages, at, place);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Returns the bound of the child of an inner page where {@code key} belongs. */
  long bound(int parent, long key) {
    long at = store.pin(parent);
    try {
      int place = format.lowerBound(pages, at, key);
      if (place == PageFormat.NONE) {
        throw torn(parent);
      }
      return format.key(pages, at, place);
    } finally {
      store.unpin(at, false);
    }
  }

  /** What is thrown where a key has no way down: every inner page's last key is its bound. */
  static ConcurrentModificationException torn(int page) {
    return Torn.torn("page " + page + " leads nowhere");
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts an entry that is not there into the leaf page to which the path leads, splitting it and
   * pages above it as needed.
   *
   * @throws MemoryLimitException if a split finds no memory; nothing has changed then
   */
  void insert(long key, long value) {
    long at = store.pin(change.path[0]);
    boolean fits = true; // or ended halfway by what the page says
    try {
      fits = format.insert(change.scratch, pages, at, key, value);
    } finally {
      store.unpin(at, fits);
    }
    finishInsert(fits, key, value);
  }

  /** Ends an insert that has found room in the leaf page, or splits that page if it has not. */
  void finishInsert(boolean fits, long key, long value) {
    if (fits) {
      change.commit(1);
    } else {
      splits.insert(key, value);
    }
  }

  void insertInto(int page, long key, long payload) {
    long at = store.pin(page);
    boolean fits = false;
    try {
      fits = format.insert(change.scratch, pages, at, key, payload);
    } finally {
      store.unpin(at, true);
    }
    if (!fits) {
      throw torn(page);
    }
  }

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    change.begin();
    long at = store.pin(findPath(key));
    boolean found = false;
    int count = 0;
    try {
      int place = format.lowerBound(pages, at, key);
      found = place != PageFormat.NONE && format.key(pages, at, place) == key;
      if (found) {
        format.remove(change.scratch, pages, at, place);
        count = PageHeader.count(pages, at);
      }
    } finally {
      store.unpin(at, found);
    }
    if (found) {
      removed(key, count);
    }
  }

  /** Sets the value of {@code key}, which is there. */
  void setValue(long key, long value) {
    change.begin();
    long at = store.pin(findLeaf(key));
    try {
      int place = format.lowerBound(pages, at, key);
      format.payload(pages, at, place, value);
    } finally {
      store.unpin(at, true);
    }
    change.commitInPlace();
  }

  /**
   * Counts an entry that the tree has removed from the leaf page to which the path leads, and which
   * now has {@code count} entries; gives pages back.
   */
  void removed(long key, int count) {
    removed(key, 1, count);
  }

  /** Counts some entries, as {@link #removed(long, int)} one. */
  void removed(long key, int entries, int count) {
    change.commit(-entries);
    if (count > format.leafCapacity / 4) {
      return;
    }
    try {
      merges.giveBack(key, count);
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  /** Removes the entries between two keys by whole pages. Returns how many there were. */
  long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    checkOpen();
    return range.isEmpty() ? 0 : cut.remove(range.first(), range.last());
  }

  // ---------------------------------------------------------------- pages

  int count(int page) {
    long at = store.pin(page);
    int count = PageHeader.count(pages, at);
    store.unpin(at, false);
    return count;
  }

  void linkBack(int page, int previous) {
    if (page != 0) {
      long at = store.pin(page);
      PageHeader.previous(pages, at, previous);
      store.unpin(at, true);
    }
  }

  void linkForth(int page, int next) {
    if (page != 0) {
      long at = store.pin(page);
      PageHeader.next(pages, at, next);
      store.unpin(at, true);
    }
  }
}
