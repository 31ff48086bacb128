// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryUse;
import dev.espalier.memory.PageStore;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.LevelChanges;
import dev.espalier.tree.IndexStructure;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * A B+-tree whose nodes are pages, and what changes it once a leaf page has been found: splits that
 * climb, merges, and the chains between pages. What a page looks like inside is its {@link
 * PageFormat}'s; how a leaf page is found, the hot part, is the trees'.
 */
final class PagedStructure implements IndexStructure {
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
   * Before a tree inserts or removes, it descends and notes in `path` the page of every level.
   *
   * Split:  (u -> L)            in the parent becomes  (last key of L -> L) (u -> R)
   *         where R takes L's upper half; at the right edge of the tree only what is new, so that
   *         ascending inserts leave full pages.
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
   *   D3  The right-edge split above.
   *   D4  Deletion is lazy but gives space back: an empty page is taken out, and one that falls below
   *       a quarter merges with a sibling if three quarters of a page hold both.
   */

  /** More levels than a tree of 2^31 pages reaches whose root splits only when it is full. */
  static final int MAX_HEIGHT = 64;

  /** The store's meta words that the tree uses. */
  static final int STAMP = 0;

  static final int ROOT = 1;
  static final int HEIGHT = 2;
  static final int SIZE = 3;

  final IndexOptions options;
  final PageStore store;
  final PageFormat format;

  /** The pages; read anew after every allocation. */
  MemorySegment pages;

  /** Address of the first byte of the pages, for prefetching. */
  long base;

  final long[] meta;

  /** Counts the changes after which a cursor's place may no longer be where it was. */
  final ChangeCount modifications = new ChangeCount();

  /** Counts the changes after which the places of buffered probes may be void. */
  final LevelChanges levelChanges = new LevelChanges(MAX_HEIGHT + 1);

  /** For each level, the page on the way to the key that is about to be inserted or removed. */
  final int[] path = new int[MAX_HEIGHT];

  /** Whether cursors copy what they stand on, because pages that are not pinned may go away. */
  final boolean cursorsCopy;

  private final int[] spares = new int[MAX_HEIGHT + 1];
  private final long[] scratchKeys;
  private final long[] scratchPayloads;

  PagedStructure(IndexOptions options, PageStore store, PageFormat format) {
    this.options = options;
    this.store = store;
    this.format = format;
    this.meta = store.meta();
    this.cursorsCopy = !store.keepsPlaces();
    this.pages = store.segment();
    this.base = pages.address();
    int most = 2 * Math.max(format.leafCapacity, format.innerCapacity);
    this.scratchKeys = new long[most];
    this.scratchPayloads = new long[most];
    if (meta[STAMP] == 0) {
      plantEmptyLeaf();
    } else if (meta[STAMP] != format.stamp()) {
      throw new IllegalArgumentException(
          "store holds a tree with pages of another format: its stamp is %x, not %x"
              .formatted(meta[STAMP], format.stamp()));
    }
  }

  private void plantEmptyLeaf() {
    int page = allocate();
    initializeLeaf(page);
    meta[STAMP] = format.stamp();
    meta[ROOT] = page;
    meta[HEIGHT] = 1;
    meta[SIZE] = 0;
  }

  int root() {
    return (int) meta[ROOT];
  }

  int height() {
    return (int) meta[HEIGHT];
  }

  /** Allocates a page and follows the memory if it has moved. */
  int allocate() {
    int page = store.allocate();
    refresh();
    return page;
  }

  private void refresh() {
    pages = store.segment();
    base = pages.address();
  }

  private void initializeLeaf(int page) {
    long at = store.pin(page);
    try {
      format.initialize(pages, at, page, 0);
    } finally {
      store.unpin(at, true);
    }
  }

  @Override
  public void clear() {
    checkOpen();
    store.beforeChange();
    modifications.changes++;
    levelChanges.changedAll();
    try {
      store.clear();
      refresh();
      plantEmptyLeaf();
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
  }

  /** Clears the tree after a bulkload that has failed; a second failure is added to the first. */
  void clearAfter(Throwable failed) {
    try {
      clear();
    } catch (RuntimeException second) {
      store.leftHalfway(failed);
      failed.addSuppressed(second);
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public long size() {
    return meta[SIZE];
  }

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

  @Override
  public MemoryUse memory() {
    return store;
  }

  @Override
  public void flush() {
    store.flush();
  }

  @Override
  public boolean isClosed() {
    return store.isClosed();
  }

  @Override
  public void close() {
    modifications.changes++;
    store.close();
  }

  // ---------------------------------------------------------------- search

  /** Goes down to the leaf page where {@code key} is or belongs and notes the path. */
  int findPath(long key) {
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

  /** What is thrown where a key has no way down: every inner page's last key is its bound. */
  static ConcurrentModificationException torn(int page) {
    return new ConcurrentModificationException(
        "page " + page + " leads nowhere: the index was changed by another thread");
  }

  // ---------------------------------------------------------------- insert

  /** Counts an entry that the tree has inserted. */
  void inserted() {
    meta[SIZE]++;
    modifications.changes++;
  }

  /** Counts a value that was replaced in place, where cursors work on copies of it. */
  void replaced() {
    if (cursorsCopy) {
      modifications.changes++;
    }
  }

  /**
   * Inserts an entry that is not there into the leaf page to which the path leads, splitting it and
   * pages above it as needed.
   *
   * @throws MemoryLimitException if a split finds no memory; nothing has changed then
   */
  void insert(long key, long value) {
    long at = store.pin(path[0]);
    boolean fits = false;
    try {
      fits = format.insert(pages, at, key, value);
    } finally {
      store.unpin(at, fits);
    }
    if (!fits) {
      splitAndInsert(key, value);
    }
    inserted();
  }

  private void splitAndInsert(long key, long value) {
    int spareCount = allocateForSplits();
    try {
      splitAndInsert(key, value, spareCount);
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
  }

  private void splitAndInsert(long key, long value, int allocated) {
    int spareCount = allocated;
    boolean atEdge = isAtRightEdge(key);
    int left = path[0];
    int right = spares[--spareCount];
    long separator = split(left, right, 0, atEdge);
    insertInto(key <= separator ? left : right, key, value);
    for (int level = 1; ; level++) {
      levelChanges.changed(level);
      if (level == height()) {
        growRoot(separator, left, right, spares[--spareCount]);
        break;
      }
      int parent = path[level];
      if (replaceChild(parent, separator, left, right)) {
        break;
      }
      int sibling = spares[--spareCount];
      long upper = split(parent, sibling, level, atEdge);
      if (!replaceChild(separator <= upper ? parent : sibling, separator, left, right)) {
        throw torn(parent);
      }
      separator = upper;
      left = parent;
      right = sibling;
    }
    while (spareCount > 0) {
      store.free(spares[--spareCount]);
    }
  }

  /**
   * Allocates every page that splits from the path's leaf page upwards may need, before anything is
   * changed. Returns how many; the first ones are for the highest levels.
   */
  private int allocateForSplits() {
    int needed = 1;
    int level = 1;
    while (level < height() && mayOverflow(path[level])) {
      level++;
      needed++;
    }
    if (level == height()) {
      needed++;
    }
    int allocated = 0;
    try {
      while (allocated < needed) {
        spares[allocated] = allocate();
        allocated++;
      }
      return needed;
    } catch (RuntimeException refused) {
      while (allocated > 0) {
        store.free(spares[--allocated]);
      }
      throw refused;
    }
  }

  private boolean mayOverflow(int page) {
    long at = store.pin(page);
    try {
      return format.mayOverflow(pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Tells whether {@code key}, to which the path leads, belongs behind all keys of the tree. */
  private boolean isAtRightEdge(long key) {
    return (height() == 1 || isInLastChild(path[1], key)) && isAboveAll(path[0], key);
  }

  /** Tells whether {@code key} belongs into the last child of the last page of a level. */
  private boolean isInLastChild(int page, long key) {
    long at = store.pin(page);
    try {
      return PageHeader.next(pages, at) == 0
          && format.lowerBound(pages, at, key) == format.lastPlace(pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  private boolean isAboveAll(int page, long key) {
    long at = store.pin(page);
    try {
      return format.lowerBound(pages, at, key) == PageFormat.NONE;
    } finally {
      store.unpin(at, false);
    }
  }

  /**
   * Moves the upper half of a page, or at the right edge what has to make room for what is new, to
   * {@code right}, which becomes its neighbour. Returns the last key that is left.
   */
  private long split(int left, int right, int level, boolean atEdge) {
    long from = store.pin(left);
    long to = store.pin(right);
    try {
      int count = format.load(pages, from, scratchKeys, scratchPayloads, 0);
      int kept = count / 2;
      if (atEdge) {
        kept = level == 0 ? count : count - 1;
      }
      format.initialize(pages, to, right, level);
      format.store(pages, to, scratchKeys, scratchPayloads, kept, count - kept);
      if (kept < count) {
        format.store(pages, from, scratchKeys, scratchPayloads, 0, kept);
      }
      if (level > 0) {
        int next = PageHeader.next(pages, from);
        PageHeader.next(pages, from, right);
        PageHeader.previous(pages, to, left);
        PageHeader.next(pages, to, next);
        linkBack(next, right);
      }
      return scratchKeys[kept - 1];
    } finally {
      store.unpin(from, true);
      store.unpin(to, true);
    }
  }

  private void linkBack(int page, int previous) {
    if (page != 0) {
      long at = store.pin(page);
      PageHeader.previous(pages, at, previous);
      store.unpin(at, true);
    }
  }

  private void insertInto(int page, long key, long payload) {
    long at = store.pin(page);
    boolean fits = false;
    try {
      fits = format.insert(pages, at, key, payload);
    } finally {
      store.unpin(at, true);
    }
    if (!fits) {
      throw torn(page);
    }
  }

  /**
   * In an inner page, makes two entries of the one for {@code left}: up to {@code separator} it is
   * {@code left} as before, above it {@code right}. Returns false if the page has to be split.
   */
  private boolean replaceChild(int page, long separator, int left, int right) {
    long at = store.pin(page);
    boolean fits = false;
    try {
      fits = format.insert(pages, at, separator, left);
      if (fits) {
        int after = format.nextPlace(pages, at, format.lowerBound(pages, at, separator));
        format.payload(pages, at, after, right);
      }
      return fits;
    } finally {
      store.unpin(at, fits);
    }
  }

  private void growRoot(long separator, int left, int right, int newRoot) {
    long at = store.pin(newRoot);
    try {
      format.initialize(pages, at, newRoot, height());
      scratchKeys[0] = separator;
      scratchKeys[1] = Long.MAX_VALUE;
      scratchPayloads[0] = left;
      scratchPayloads[1] = right;
      format.store(pages, at, scratchKeys, scratchPayloads, 0, 2);
    } finally {
      store.unpin(at, true);
    }
    meta[ROOT] = newRoot;
    meta[HEIGHT]++;
  }

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    store.beforeChange();
    long at = store.pin(findPath(key));
    boolean found = false;
    int count = 0;
    try {
      int place = format.lowerBound(pages, at, key);
      found = place != PageFormat.NONE && format.key(pages, at, place) == key;
      if (found) {
        format.remove(pages, at, place);
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
    store.beforeChange();
    long at = store.pin(findLeaf(key));
    try {
      int place = format.lowerBound(pages, at, key);
      format.payload(pages, at, place, value);
    } finally {
      store.unpin(at, true);
    }
    replaced();
  }

  /**
   * Counts an entry that the tree has removed from the leaf page to which the path leads, and which
   * now has {@code count} entries; gives pages back.
   */
  void removed(long key, int count) {
    meta[SIZE]--;
    modifications.changes++;
    if (count > format.leafCapacity / 4) {
      return;
    }
    try {
      giveBack(key, count);
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
  }

  /** Merges or drops the path's pages from the leaf page up, as long as they have few entries. */
  private void giveBack(long key, int count) {
    int left = count;
    int capacity = format.leafCapacity;
    for (int level = 0; level + 1 < height() && left < capacity / 4 + 1; level++) {
      boolean gone = left == 0 ? dropPage(level, key) : mergePage(level, key, left);
      if (!gone) {
        break;
      }
      left = count(path[level + 1]);
      capacity = format.innerCapacity;
    }
    shrinkRoot();
  }

  private int count(int page) {
    long at = store.pin(page);
    int count = PageHeader.count(pages, at);
    store.unpin(at, false);
    return count;
  }

  /** Takes the path's empty page of a level out of its parent. */
  private boolean dropPage(int level, long key) {
    levelChanges.changed(level + 1);
    long at = store.pin(path[level + 1]);
    try {
      int place = format.lowerBound(pages, at, key);
      int before = format.previousPlace(pages, at, place);
      if (before != PageFormat.NONE && place == format.lastPlace(pages, at)) {
        // The parent's bound stays: the child before takes the place of the one that goes.
        int child = format.child(pages, at, before);
        raiseBound(child, level, format.key(pages, at, place));
        format.payload(pages, at, place, child);
        place = before;
      }
      format.remove(pages, at, place);
    } finally {
      store.unpin(at, true);
    }
    release(path[level], level);
    return true;
  }

  /** Makes {@code bound} the bound of a page, and of the last page below it on every level. */
  private void raiseBound(int page, int level, long bound) {
    int last = page;
    for (int at = level; at > 0; at--) {
      last = raiseLastKey(last, bound);
    }
  }

  /** Makes {@code bound} the last key of an inner page and returns the last child. */
  private int raiseLastKey(int page, long bound) {
    long at = store.pin(page);
    int child;
    try {
      int place = format.lastPlace(pages, at);
      child = format.child(pages, at, place);
      format.remove(pages, at, place);
    } finally {
      store.unpin(at, true);
    }
    insertInto(page, bound, child);
    return child;
  }

  /**
   * Merges the path's page of a level, which has {@code count} entries, with the sibling after or
   * before it, if three quarters of a page hold both and the siblings have the same parent.
   */
  private boolean mergePage(int level, long key, int count) {
    int page = path[level];
    int most = 3 * (level == 0 ? format.leafCapacity : format.innerCapacity) / 4;
    long at = store.pin(path[level + 1]);
    boolean merges = false;
    try {
      int place = format.lowerBound(pages, at, key);
      int after = format.nextPlace(pages, at, place);
      int before = format.previousPlace(pages, at, place);
      if (after != PageFormat.NONE && fits(format.child(pages, at, after), count, most)) {
        int right = format.child(pages, at, after);
        append(page, right, level);
        format.payload(pages, at, after, page);
        format.remove(pages, at, place);
        merges = true;
      } else if (before != PageFormat.NONE && fits(format.child(pages, at, before), count, most)) {
        int left = format.child(pages, at, before);
        append(left, page, level);
        format.payload(pages, at, place, left);
        format.remove(pages, at, before);
        merges = true;
      }
    } finally {
      store.unpin(at, merges);
    }
    return merges;
  }

  private boolean fits(int sibling, int count, int most) {
    return count(sibling) + count <= most;
  }

  /** Moves the entries of {@code right} to the page before it and gives {@code right} back. */
  private void append(int left, int right, int level) {
    levelChanges.changed(level + 1);
    long from = store.pin(right);
    long to = store.pin(left);
    try {
      int count = format.load(pages, to, scratchKeys, scratchPayloads, 0);
      int moved = format.load(pages, from, scratchKeys, scratchPayloads, count);
      format.store(pages, to, scratchKeys, scratchPayloads, 0, count + moved);
    } finally {
      store.unpin(from, false);
      store.unpin(to, true);
    }
    release(right, level);
  }

  /** Takes a page out of the chain of its level and gives it back. */
  private void release(int page, int level) {
    if (level > 0) {
      long at = store.pin(page);
      int next = PageHeader.next(pages, at);
      int previous = PageHeader.previous(pages, at);
      store.unpin(at, false);
      linkBack(next, previous);
      linkForth(previous, next);
    }
    store.free(page);
  }

  private void linkForth(int page, int next) {
    if (page != 0) {
      long at = store.pin(page);
      PageHeader.next(pages, at, next);
      store.unpin(at, true);
    }
  }

  /** Makes the only child of the root the root, as often as there is but one. */
  private void shrinkRoot() {
    while (height() > 1 && count(root()) <= 1) {
      levelChanges.changed(height());
      int root = root();
      int child = onlyChild(root);
      if (child == 0) { // only where threads have torn the tree
        initializeLeaf(root);
        meta[HEIGHT] = 1;
        return;
      }
      store.free(root);
      meta[ROOT] = child;
      meta[HEIGHT]--;
    }
  }

  /** Returns the only child of an inner page, or 0 if it has none. */
  private int onlyChild(int page) {
    long at = store.pin(page);
    try {
      int place = format.firstPlace(pages, at);
      return place == PageFormat.NONE ? 0 : format.child(pages, at, place);
    } finally {
      store.unpin(at, false);
    }
  }
}
