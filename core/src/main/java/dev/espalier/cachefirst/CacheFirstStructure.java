// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static dev.espalier.memory.Words.copy;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryUse;
import dev.espalier.memory.PageStore;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.LevelChanges;
import dev.espalier.tree.IndexStructure;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * A B+-tree of small nodes that are placed into pages, and what changes it once a leaf has been
 * found: splits of nodes and of pages, and lazy deletion. How a leaf is found, the hot part, is the
 * tree's.
 */
final class CacheFirstStructure implements IndexStructure {
  /* Overview
   *
   * A B+-tree whose nodes are a few lines wide, as suits the cache; each lies in a slot of a page
   * (fpB+ 3.2, figure 8). There are three kinds of pages for nodes:
   *
   *     nonleaf page      the top-level node and what of its descendants fits
   *        |      \
   *        |       overflow page   leaf parents that did not fit beside their parents
   *        |      /
   *     leaf page         leaves that follow one another
   *
   * A node that lies in its parent's page has an in-page level one above its parent's; all others are
   * top-level nodes of their pages, with in-page level 0. In an inner node, the keys of child i are
   * above separator i - 1 and not above separator i; the outermost ones are without bound. So a
   * child that goes leaves its keys to a neighbour without any other node being touched.
   *
   * Before a tree inserts or removes, it descends and notes in `path` the node of every level, and
   * in `slots` which child it took.
   *
   * Insertion into a full leaf. The full inner nodes above the leaf are split, the highest first, so
   * that every split finds room in its parent, and the path is found again after each, because splits
   * move nodes. Each split allocates first, and leaves a whole tree behind: when the store refuses a
   * page, the entries are what they were.
   *
   *   Inner split:  the upper half of A becomes its sibling B. B goes into A's page if that has a
   *         free slot. Otherwise a leaf parent goes to an overflow page with room, and for a higher
   *         node A's page is split (figure 9c): B becomes a top-level node of another page, and takes
   *         its descendants in A's page with it.
   *   Leaf page split:  the second half of the leaves of a full page goes to a new page; they are
   *         found through the page's back pointer and the chain of the leaf parents.
   *   Leaf split:  within its page.
   *
   * Pages with free slots are in two lists, one for nonleaf pages and one for overflow pages. The
   * numbers of the leaf pages are in the external jump-pointer array, a LeafPageArray.
   *
   * All of a tree is in its store: its pages, and in the store's meta words the stamp of its geometry,
   * the root, the height, the size, the array's first chunk and the heads of the two lists.
   *
   * A page is pinned while it is worked on and not longer, at most two at a time but for batches.
   *
   * Invariants, checked by CacheFirstVerifier:
   *   I1  The keys of a node ascend strictly.
   *   I2  The keys below child i of an inner node are above separator i - 1 and not above separator i.
   *   I3  Every path from the root to a leaf has the height's length; leaves are in leaf pages, inner
   *       nodes in nonleaf pages, or leaf parents in overflow pages.
   *   I4  A leaf's count is from 1 to its capacity, but a root that is a leaf may be empty; an inner
   *       node has from 1 child to its capacity, a root that is one at least two.
   *   I5  The size is the number of entries in the leaves.
   *   I6  next and previous chain the leaf parents in order, both ways, and end in none; no other
   *       inner node is chained.
   *   I7  Unused key slots hold Keys.PADDING.
   *   I8  A node lies in a slot of a page that is in use, and its bit in the slot map is set; none is
   *       reached twice.
   *   I9  A page of nodes has no other bits set in its slot map, and its count is that of the bits.
   *   I10 An inner node in the page of its parent has an in-page level one above that; other inner
   *       nodes have 0.
   *   I11 The leaves of a leaf page follow one another, and the page points back to the parent of the
   *       first of them, or to none if the root is a leaf.
   *   I12 The jump-pointer array lists the leaf pages in order, in chunks that are not empty and
   *       chained both ways, and every leaf page names the chunk that lists it. With one leaf page
   *       only, there is none.
   *   I13 The lists of pages with room hold the nonleaf pages and the overflow pages that have a free
   *       slot and no others, chained both ways.
   *   I14 The store has no other page in use.
   *
   * Deviations from fpB+ 3.2:
   *   D1  A child pointer is one int: the page, and in its low bits the line in the page. That is
   *       enough for 256 GiB of pages of any size, and an inner node has a sixth more children than with
   *       page and line apart.
   *   D2  Leaves have no sibling links, and leaf parents are chained both ways: scans in either
   *       direction find the next leaf in its parent (decision 4), and a leaf that moves or goes has
   *       no neighbour to be told.
   *   D3  At the right edge of the tree, a split moves only what is new, on nodes, leaf pages and
   *       chunks, so that ascending inserts leave them full.
   *   D4  When A's page is split, it is B's descendants that move. If none of them is in A's page, B
   *       would be alone in its new page; it goes to a nonleaf page with room instead, if there is one.
   *   D5  Full inner nodes are split from the highest down. The paper goes upwards, but B's move would
   *       then take along children that are just being split, and a refused page would come too late.
   *   D6  A new root goes into the page of the old one if that has room, one level above.
   *   D7  Deletion is lazy, but an empty node is taken out, and an empty page given back. The keys of
   *       a leaf that goes are left to a neighbour in its page, if it has one in its parent.
   *   D8  A leaf page names the chunk of the jump-pointer array exactly, not by a hint, so that no
   *       search can go astray. When a chunk is split, the pages that move are told: one for each
   *       leaf page split, on average.
   */

  /** More levels than a tree reaches whose root splits only when it is full. */
  static final int MAX_HEIGHT = 64;

  /** The store's meta words that the tree uses. */
  static final int STAMP = 0;

  static final int ROOT = 1;
  static final int HEIGHT = 2;
  static final int SIZE = 3;
  static final int FIRST_CHUNK = 4;
  static final int NONLEAF_ROOM = 5;
  static final int OVERFLOW_ROOM = 6;

  private static final int STAMP_WIDTH_SHIFT = 32;
  private static final long STAMP_KIND = 0x4346_0000_0000_0000L;

  final IndexOptions options;
  final PageStore store;
  final CacheFirstPage page;
  final CacheFirstInner inner;
  final CacheFirstLeaf leaf;
  final LeafPageArray leafPages;

  /** The pages; read anew after every allocation. */
  MemorySegment pages;

  /** Address of the first byte of the pages, for prefetching. */
  long base;

  final long[] meta;

  /** Counts the changes after which a cursor's place may no longer be where it was. */
  final ChangeCount modifications = new ChangeCount();

  /** Counts the changes after which the places of buffered probes may be void. */
  final LevelChanges levelChanges = new LevelChanges(MAX_HEIGHT + 1);

  /** For each level, the node on the way to the key that is about to be inserted or removed. */
  final int[] path = new int[MAX_HEIGHT];

  /** For each level above the leaves, the slot of the child taken there. */
  final int[] slots = new int[MAX_HEIGHT];

  /** Whether cursors copy what they stand on, because pages that are not pinned may go away. */
  final boolean cursorsCopy;

  CacheFirstStructure(IndexOptions options, PageStore store, int width) {
    this.options = options;
    this.store = store;
    this.page = new CacheFirstPage(store.pageBytes(), width);
    this.inner = new CacheFirstInner(width);
    this.leaf = new CacheFirstLeaf(width);
    this.meta = store.meta();
    this.cursorsCopy = !store.keepsPlaces();
    this.pages = store.segment();
    this.base = pages.address();
    this.leafPages = new LeafPageArray(this);
    long stamp = stamp(store.pageBytes(), width);
    if (meta[STAMP] == 0) {
      plantEmptyLeaf();
    } else if (meta[STAMP] != stamp) {
      throw new IllegalArgumentException(
          "store holds a tree with pages of another format: its stamp is %x, not %x"
              .formatted(meta[STAMP], stamp));
    }
  }

  /** Returns the width of the nodes of the tree in a store, or 0 if none of this kind is in it. */
  static int widthIn(PageStore store) {
    int width = (int) (store.meta()[STAMP] >>> STAMP_WIDTH_SHIFT) & 0xffff;
    return store.meta()[STAMP] == stamp(store.pageBytes(), width) ? width : 0;
  }

  private static long stamp(int pageBytes, int width) {
    return STAMP_KIND | (long) width << STAMP_WIDTH_SHIFT | pageBytes;
  }

  private void plantEmptyLeaf() {
    int number = allocate();
    initialize(number, CacheFirstPage.LEAF);
    int node = takeSlot(number);
    long at = pin(node);
    leaf.initialize(pages, at);
    unpin(at, true);
    meta[STAMP] = stamp(page.pageBytes, page.width);
    meta[ROOT] = node;
    meta[HEIGHT] = 1;
    meta[SIZE] = 0;
  }

  int root() {
    return (int) meta[ROOT];
  }

  int height() {
    return (int) meta[HEIGHT];
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

  /** What is thrown where the tree can't be what a single thread has made it. */
  static ConcurrentModificationException torn(String what) {
    return new ConcurrentModificationException(what + ": the index was changed by another thread");
  }

  // ---------------------------------------------------------------- pages and slots

  /** Pins the page of a node and returns the node's place. */
  long pin(int node) {
    return store.pin(page.pageOf(node)) + page.offsetOf(node);
  }

  void unpin(long at, boolean changed) {
    store.unpin(at, changed);
  }

  /** Allocates a page and follows the memory if it has moved. */
  int allocate() {
    int number = store.allocate();
    refresh();
    if (number > -1 >>> page.lineBits) {
      store.free(number);
      throw new MemoryLimitException("the index has the most pages it can have: " + (number - 1));
    }
    return number;
  }

  private void refresh() {
    pages = store.segment();
    base = pages.address();
  }

  void initialize(int number, int kind) {
    long at = store.pin(number);
    CacheFirstPage.initialize(pages, at, kind);
    store.unpin(at, true);
  }

  /** Allocates and makes a page; one for inner nodes comes into its list. */
  int newPage(int kind) {
    int number = allocate();
    initialize(number, kind);
    if (hasRoomList(kind)) {
      linkPage(number, kind);
    }
    return number;
  }

  private static boolean hasRoomList(int kind) {
    return kind == CacheFirstPage.NONLEAF || kind == CacheFirstPage.OVERFLOW;
  }

  private static int roomList(int kind) {
    return kind == CacheFirstPage.NONLEAF ? NONLEAF_ROOM : OVERFLOW_ROOM;
  }

  /** Puts a page at the head of the list of those with room. */
  void linkPage(int number, int kind) {
    int head = (int) meta[roomList(kind)];
    long at = store.pin(number);
    CacheFirstPage.next(pages, at, head);
    CacheFirstPage.previous(pages, at, 0);
    store.unpin(at, true);
    if (head != 0) {
      long to = store.pin(head);
      CacheFirstPage.previous(pages, to, number);
      store.unpin(to, true);
    }
    meta[roomList(kind)] = number;
  }

  /**
   * Takes a page out of the list that begins with {@code head}, and returns what it begins with.
   */
  int unlinkPage(int number, int head) {
    long at = store.pin(number);
    int next = CacheFirstPage.next(pages, at);
    int previous = CacheFirstPage.previous(pages, at);
    CacheFirstPage.next(pages, at, 0);
    CacheFirstPage.previous(pages, at, 0);
    store.unpin(at, true);
    if (next != 0) {
      long to = store.pin(next);
      CacheFirstPage.previous(pages, to, previous);
      store.unpin(to, true);
    }
    if (previous == 0) {
      return next;
    }
    long to = store.pin(previous);
    CacheFirstPage.next(pages, to, next);
    store.unpin(to, true);
    return head;
  }

  private void leaveRoomList(int number, int kind) {
    int list = roomList(kind);
    meta[list] = unlinkPage(number, (int) meta[list]);
  }

  /** Returns the free slots of a page. */
  private int room(int number) {
    long at = store.pin(number);
    int room = page.slots - CacheFirstPage.count(pages, at);
    store.unpin(at, false);
    return room;
  }

  private int kind(int number) {
    long at = store.pin(number);
    int kind = CacheFirstPage.kind(pages, at);
    store.unpin(at, false);
    return kind;
  }

  /** Takes a slot of a page that has a free one, and returns the node there, not yet made. */
  int takeSlot(int number) {
    long at = store.pin(number);
    int slot = page.takeSlot(pages, at);
    int kind = CacheFirstPage.kind(pages, at);
    boolean full = CacheFirstPage.count(pages, at) == page.slots;
    store.unpin(at, true);
    if (slot < 0) {
      throw torn("page " + number + " has no free slot");
    }
    if (full && hasRoomList(kind)) {
      leaveRoomList(number, kind);
    }
    return page.node(number, slot);
  }

  /** Gives the slot of an inner node back, and its page if that is empty then. */
  private void freeInner(int node) {
    int number = page.pageOf(node);
    long at = store.pin(number);
    CacheFirstPage.freeSlot(pages, at, page.slotOf(node));
    int kind = CacheFirstPage.kind(pages, at);
    int count = CacheFirstPage.count(pages, at);
    store.unpin(at, true);
    if (count == page.slots - 1) {
      linkPage(number, kind);
    }
    if (count == 0) {
      leaveRoomList(number, kind);
      store.free(number);
    }
  }

  // ---------------------------------------------------------------- nodes

  int innerCount(int node) {
    long at = pin(node);
    try {
      return inner.checkedCount(pages, at);
    } finally {
      unpin(at, false);
    }
  }

  int child(int node, int slot) {
    long at = pin(node);
    int child = inner.child(pages, at, slot);
    unpin(at, false);
    return child;
  }

  private void child(int node, int slot, int child) {
    long at = pin(node);
    inner.child(pages, at, slot, child);
    unpin(at, true);
  }

  int next(int node) {
    long at = pin(node);
    int next = inner.next(pages, at);
    unpin(at, false);
    return next;
  }

  int previous(int node) {
    long at = pin(node);
    int previous = inner.previous(pages, at);
    unpin(at, false);
    return previous;
  }

  /** Makes {@code right} the leaf parent after {@code left}; either may be 0, for none. */
  void chain(int left, int right) {
    if (left != 0) {
      long at = pin(left);
      inner.next(pages, at, right);
      unpin(at, true);
    }
    if (right != 0) {
      long at = pin(right);
      inner.previous(pages, at, left);
      unpin(at, true);
    }
  }

  void firstParent(int leafPage, int parent) {
    long at = store.pin(leafPage);
    CacheFirstPage.firstParent(pages, at, parent);
    store.unpin(at, true);
  }

  /** Returns the page of the leaf before a child of a leaf parent, 0 if there is none. */
  private int pageBefore(int parent, int slot) {
    if (slot > 0) {
      return page.pageOf(child(parent, slot - 1));
    }
    int previous = previous(parent);
    return previous == 0 ? 0 : page.pageOf(child(previous, Math.max(innerCount(previous) - 1, 0)));
  }

  /** Lets the leaf pages whose first leaves are children of {@code parent} point back to it. */
  private void claimFirstLeaves(int parent) {
    int count = innerCount(parent);
    int before = pageBefore(parent, 0);
    for (int i = 0; i < count; i++) {
      int leafPage = page.pageOf(child(parent, i));
      if (leafPage != before) {
        firstParent(leafPage, parent);
      }
      before = leafPage;
    }
  }

  /** Sets the in-page level of a node, and of its descendants in its page. */
  private void setInPageLevel(int node, int inPageLevel, int level) {
    if (inPageLevel > page.slots || level < 1) {
      throw torn("a node lies in the page of more ancestors than there are");
    }
    long at = pin(node);
    inner.level(pages, at, inPageLevel);
    unpin(at, true);
    int count = level == 1 ? 0 : innerCount(node);
    for (int i = 0; i < count; i++) {
      int child = child(node, i);
      if (page.pageOf(child) == page.pageOf(node)) {
        setInPageLevel(child, inPageLevel + 1, level - 1);
      }
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public long size() {
    return meta[SIZE];
  }

  @Override
  public LongCursor cursor() {
    return new CacheFirstCursor(this);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    new CacheFirstBulkload(this, fillFactor).load(entries, total, listener);
  }

  @Override
  public void verify(ProgressListener listener) {
    CacheFirstVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(root(), height() - 1);
  }

  /** A count that can't be is refused: a walk over all children would not end. */
  private NodeView view(int node, int level) {
    boolean isLeaf = level == 0;
    long at = pin(node);
    try {
      int count =
          NodeView.checkedCount(
              "I4",
              node,
              level,
              isLeaf ? leaf.count(pages, at) : inner.count(pages, at),
              isLeaf ? 0 : 1,
              isLeaf ? leaf.capacity : inner.capacity);
      long[] keys = new long[isLeaf ? count : count - 1];
      long[] payloads = new long[count];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = leaf.key(pages, at, i);
      }
      for (int i = 0; i < count; i++) {
        payloads[i] = isLeaf ? leaf.value(pages, at, i) : inner.child(pages, at, i);
      }
      long offset = Integer.toUnsignedLong(node) << CacheLine.SHIFT;
      return isLeaf
          ? NodeView.leaf(offset, leaf.bytes, count, leaf.capacity, i -> keys[i], i -> payloads[i])
          : NodeView.inner(
              offset,
              leaf.bytes,
              level,
              count - 1,
              inner.keySlots,
              i -> keys[i],
              i -> view((int) payloads[i], level - 1));
    } finally {
      unpin(at, false);
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

  /** Goes down to the leaf where {@code key} is or belongs and notes the path. */
  int findPath(long key) {
    int node = root();
    for (int level = height() - 1; level > 0; level--) {
      long at = pin(node);
      int slot = inner.lowerBound(pages, at, key);
      path[level] = node;
      slots[level] = slot;
      node = inner.child(pages, at, slot);
      unpin(at, false);
    }
    path[0] = node;
    return node;
  }

  /** Returns the leaf where {@code key} is or belongs. */
  int findLeaf(long key) {
    int node = root();
    for (int level = height() - 1; level > 0; level--) {
      long at = pin(node);
      node = inner.child(pages, at, inner.lowerBound(pages, at, key));
      unpin(at, false);
    }
    return node;
  }

  // ---------------------------------------------------------------- insert and split

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
   * Inserts an entry that is not there into the full leaf to which the path leads, by splits.
   *
   * @throws MemoryLimitException if a split finds no memory; the entries are what they were then,
   *     though inner nodes may have been split
   */
  void splitAndInsert(long key, long value) {
    modifications.changes++;
    boolean atEdge = isAtRightEdge(key);
    int highest = 0;
    while (highest + 1 < height() && innerCount(path[highest + 1]) == inner.capacity) {
      highest++;
    }
    try {
      if (highest + 1 == height()) {
        growRoot();
      }
      for (int level = highest; level > 0; level--) {
        findPath(key);
        splitInner(level, atEdge);
      }
      findPath(key);
      splitLeaf(key, value, atEdge);
      shrinkRoot();
    } catch (MemoryLimitException full) {
      shrinkRoot();
      throw full;
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
    meta[SIZE]++;
  }

  /** Tells whether {@code key}, to which the path leads, belongs behind all keys of the tree. */
  private boolean isAtRightEdge(long key) {
    for (int level = height() - 1; level > 0; level--) {
      if (slots[level] != innerCount(path[level]) - 1) {
        return false;
      }
    }
    long at = pin(path[0]);
    boolean isAbove = leaf.lowerBound(pages, at, key) == leaf.capacity;
    unpin(at, false);
    return isAbove;
  }

  /** Puts a root with a single child above the root. */
  private void growRoot() {
    levelChanges.changed(height());
    int old = root();
    int number = page.pageOf(old);
    if (kind(number) != CacheFirstPage.NONLEAF || room(number) == 0) {
      number = newPage(CacheFirstPage.NONLEAF);
    }
    int node = takeSlot(number);
    long at = pin(node);
    inner.initialize(pages, at);
    inner.child(pages, at, 0, old);
    inner.count(pages, at, 1);
    unpin(at, true);
    meta[ROOT] = node;
    meta[HEIGHT]++;
    if (height() == 2) {
      firstParent(page.pageOf(old), node);
    }
    setInPageLevel(node, 0, height() - 1);
  }

  /** Splits the full inner node of a level on the path, whose parent has room. */
  private void splitInner(int level, boolean atEdge) {
    levelChanges.changed(level + 1);
    int node = path[level];
    int kept = atEdge ? inner.capacity - 1 : inner.capacity / 2;
    int number = page.pageOf(node);
    boolean movesDescendants = false;
    if (room(number) == 0) {
      movesDescendants = level > 1 && hasChildInPage(node, kept);
      number = pageForSibling(level, movesDescendants);
    }
    int right = takeSlot(number);
    long from = pin(node);
    long to = pin(right);
    long separator;
    try {
      inner.initialize(pages, to);
      separator = inner.split(pages, from, kept, inner.checkedCount(pages, from), to);
    } finally {
      unpin(from, true);
      unpin(to, true);
    }
    if (level == 1) {
      chain(right, next(node));
      chain(node, right);
      claimFirstLeaves(right);
    }
    if (movesDescendants) {
      moveChildren(right, page.pageOf(node), level);
    }
    int parent = path[level + 1];
    setInPageLevel(right, inPageLevelBelow(parent, right), level);
    long at = pin(parent);
    try {
      inner.insert(pages, at, slots[level + 1], separator, right);
    } finally {
      unpin(at, true);
    }
  }

  /** Tells whether a child from slot {@code from} on is in the page of the node. */
  private boolean hasChildInPage(int node, int from) {
    int count = innerCount(node);
    for (int i = from; i < count; i++) {
      if (page.pageOf(child(node, i)) == page.pageOf(node)) {
        return true;
      }
    }
    return false;
  }

  /** Returns another page for the sibling of an inner node whose page is full. */
  private int pageForSibling(int level, boolean takesDescendants) {
    int kind = level == 1 ? CacheFirstPage.OVERFLOW : CacheFirstPage.NONLEAF;
    int withRoom = (int) meta[roomList(kind)];
    return withRoom == 0 || takesDescendants ? newPage(kind) : withRoom;
  }

  /** Returns the in-page level that a child of {@code parent} has. */
  private int inPageLevelBelow(int parent, int child) {
    if (page.pageOf(parent) != page.pageOf(child)) {
      return 0;
    }
    long at = pin(parent);
    int level = inner.level(pages, at) + 1;
    unpin(at, false);
    return level;
  }

  /** Moves the descendants of a node that are in page {@code from} into the page of the node. */
  private void moveChildren(int node, int from, int level) {
    int count = innerCount(node);
    for (int i = 0; i < count; i++) {
      int child = child(node, i);
      if (page.pageOf(child) == from) {
        int moved = moveInner(child, page.pageOf(node), level - 1);
        child(node, i, moved);
        if (level > 2) {
          moveChildren(moved, from, level - 1);
        }
      }
    }
  }

  /** Moves an inner node and returns where it is then; its parent is yet to be told. */
  private int moveInner(int node, int number, int level) {
    int moved = takeSlot(number);
    copyNode(node, moved);
    freeInner(node);
    if (level == 1) {
      chain(previous(moved), moved);
      chain(moved, next(moved));
      claimFirstLeaves(moved);
    }
    return moved;
  }

  private void copyNode(int from, int to) {
    long source = pin(from);
    long target = pin(to);
    try {
      copy(pages, source, target, inner.bytes);
    } finally {
      unpin(source, false);
      unpin(target, true);
    }
  }

  /** Splits the full leaf at the end of the path, whose parent has room, and inserts an entry. */
  private void splitLeaf(long key, long value, boolean atEdge) {
    levelChanges.changed(1);
    int number = page.pageOf(path[0]);
    if (room(number) == 0) {
      int right = newLeafPage(number);
      if (atEdge) {
        firstParent(right, path[1]);
        number = right;
      } else {
        splitLeafPage(number, right);
        number = page.pageOf(findPath(key));
      }
    }
    int node = path[0];
    int right = takeSlot(number);
    long from = pin(node);
    long to = pin(right);
    long separator;
    try {
      leaf.initialize(pages, to);
      int count = leaf.checkedCount(pages, from);
      int kept = atEdge ? count : count / 2;
      if (kept == 0) {
        throw torn("a leaf to be split is empty");
      }
      leaf.split(pages, from, kept, count, to);
      separator = leaf.key(pages, from, kept - 1);
      long at = key <= separator ? from : to;
      int slot = leaf.lowerBound(pages, at, key);
      leaf.insert(pages, at, slot, leaf.count(pages, at), key, value);
    } finally {
      unpin(from, true);
      unpin(to, true);
    }
    long at = pin(path[1]);
    try {
      inner.insert(pages, at, slots[1], separator, right);
    } finally {
      unpin(at, true);
    }
  }

  /** Allocates a leaf page and lists it behind another. */
  private int newLeafPage(int before) {
    int number = newPage(CacheFirstPage.LEAF);
    try {
      leafPages.insertAfter(before, number);
    } catch (MemoryLimitException full) {
      store.free(number);
      throw full;
    }
    return number;
  }

  /** Moves the second half of the leaves of a page to a new one. */
  private void splitLeafPage(int number, int right) {
    long header = store.pin(number);
    int parent = CacheFirstPage.firstParent(pages, header);
    int leaves = CacheFirstPage.count(pages, header);
    store.unpin(header, false);
    if (leaves > page.slots) {
      throw torn("page " + number + " has more leaves than slots");
    }
    int slot = 0;
    while (page.pageOf(child(parent, slot)) != number) {
      slot++;
      if (slot >= innerCount(parent)) {
        throw torn("page " + number + " does not point back to the parent of a leaf in it");
      }
    }
    for (int i = 0; i < leaves; i++) {
      int node = child(parent, slot);
      if (page.pageOf(node) != number) {
        throw torn("the leaves of page " + number + " do not follow one another");
      }
      if (i == leaves / 2) {
        firstParent(right, parent);
      }
      if (i >= leaves / 2) {
        int moved = takeSlot(right);
        copyNode(node, moved);
        child(parent, slot, moved);
        freeLeaf(node);
      }
      slot++;
      if (slot >= innerCount(parent) && i + 1 < leaves) {
        parent = next(parent);
        slot = 0;
      }
    }
  }

  /** Gives the slot of a leaf back and returns how many leaves its page has then. */
  int freeLeaf(int node) {
    long at = store.pin(page.pageOf(node));
    CacheFirstPage.freeSlot(pages, at, page.slotOf(node));
    int count = CacheFirstPage.count(pages, at);
    store.unpin(at, true);
    return count;
  }

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    store.beforeChange();
    long at = pin(findPath(key));
    boolean found = false;
    int count = 0;
    try {
      count = leaf.checkedCount(pages, at);
      int slot = leaf.lowerBound(pages, at, key);
      found = slot < count && leaf.key(pages, at, slot) == key;
      if (found) {
        leaf.remove(pages, at, slot, count);
      }
    } finally {
      unpin(at, found);
    }
    if (found) {
      removed(count - 1);
    }
  }

  /** Sets the value of {@code key}, which is there. */
  void setValue(long key, long value) {
    store.beforeChange();
    long at = pin(findLeaf(key));
    try {
      leaf.value(pages, at, leaf.lowerBound(pages, at, key), value);
    } finally {
      unpin(at, true);
    }
    replaced();
  }

  /**
   * Counts an entry that the tree has removed from the leaf to which the path leads, and which now
   * has {@code count} entries; takes empty nodes out.
   */
  void removed(int count) {
    meta[SIZE]--;
    modifications.changes++;
    if (count > 0 || height() == 1) {
      return;
    }
    try {
      giveBack();
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
  }

  /** Takes the path's empty leaf out, and inner nodes that are empty then. */
  private void giveBack() {
    dropLeaf();
    for (int level = 1; level + 1 < height() && innerCount(path[level]) == 0; level++) {
      if (level == 1) {
        chain(previous(path[level]), next(path[level]));
      }
      removeChild(level + 1, slots[level + 1], false);
      freeInner(path[level]);
    }
    shrinkRoot();
  }

  private void dropLeaf() {
    int parent = path[1];
    int slot = slots[1];
    int number = page.pageOf(path[0]);
    boolean isFirst = pageBefore(parent, slot) != number;
    removeChild(1, slot, slot > 0 && page.pageOf(child(parent, slot - 1)) == number);
    if (freeLeaf(path[0]) == 0) {
      leafPages.remove(number);
      store.free(number);
    } else if (isFirst) {
      firstParent(number, slot < innerCount(parent) ? parent : next(parent));
    }
  }

  private void removeChild(int level, int slot, boolean toPrevious) {
    levelChanges.changed(level);
    int parent = path[level];
    long at = pin(parent);
    try {
      inner.remove(pages, at, slot, toPrevious);
    } finally {
      unpin(at, true);
    }
  }

  /** Makes the only child of the root the root, as often as there is but one. */
  private void shrinkRoot() {
    while (height() > 1 && innerCount(root()) == 1) {
      levelChanges.changed(height());
      int old = root();
      int child = child(old, 0);
      meta[ROOT] = child;
      meta[HEIGHT]--;
      if (height() == 1) {
        firstParent(page.pageOf(child), 0);
      } else {
        setInPageLevel(child, 0, height() - 1);
      }
      freeInner(old);
    }
  }
}
