// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import dev.espalier.tree.StoreTree;
import java.util.ConcurrentModificationException;

/**
 * A B+-tree of small nodes that are placed into pages, and what changes it once a leaf has been
 * found. Where there is room is {@link CacheFirstSpace}'s to say, splits are {@link
 * CacheFirstSplit}'s, lazy deletion {@link CacheFirstRemoval}'s. How a leaf is found, the hot part,
 * is the tree's.
 */
final class CacheFirstStructure extends StoreTree {
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
   * Before a tree inserts or removes, it descends and notes in the change's `path` the node of every
   * level, and in `slots` which child it took.
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

  // The store's meta words that this tree has of its own.
  static final int FIRST_CHUNK = FIRST_OWN;
  static final int NONLEAF_ROOM = FIRST_OWN + 1;
  static final int OVERFLOW_ROOM = FIRST_OWN + 2;

  private static final int STAMP_WIDTH_SHIFT = 32;
  private static final long STAMP_KIND = 0x4346_0000_0000_0000L;

  final CacheFirstPage page;
  final CacheFirstInner inner;
  final CacheFirstLeaf leaf;
  final CacheFirstChange change;
  final CacheFirstSpace space;
  final LeafPageArray leafPages;
  final CacheFirstRemoval removal;
  final CacheFirstSplit splits;

  CacheFirstStructure(PageStore store, int width) {
    super(store, MAX_HEIGHT + 1);
    this.page = new CacheFirstPage(store.pageBytes(), width);
    this.inner = new CacheFirstInner(width);
    this.leaf = new CacheFirstLeaf(width);
    this.change = new CacheFirstChange(this);
    this.space = new CacheFirstSpace(this);
    this.leafPages = new LeafPageArray(this);
    this.removal = new CacheFirstRemoval(this);
    this.splits = new CacheFirstSplit(this);
    open();
  }

  /** Returns the width of the nodes of the tree in a store, or 0 if none of this kind is in it. */
  static int widthIn(PageStore store) {
    int width = (int) (store.meta()[STAMP] >>> STAMP_WIDTH_SHIFT) & 0xffff;
    return store.meta()[STAMP] == stamp(store.pageBytes(), width) ? width : 0;
  }

  private static long stamp(int pageBytes, int width) {
    return STAMP_KIND | (long) width << STAMP_WIDTH_SHIFT | pageBytes;
  }

  @Override
  protected long stamp() {
    return stamp(page.pageBytes, page.width);
  }

  @Override
  protected CacheFirstStructure over(PageStore other) {
    return new CacheFirstStructure(other, page.width);
  }

  @Override
  protected CacheFirstChange change() {
    return change;
  }

  @Override
  protected void plant() {
    meta[ROOT] = page.node(FIRST_PAGE, 0);
    meta[HEIGHT] = 1;
    meta[SIZE] = 0;
    int node = space.takeSlot(space.newPage(CacheFirstPage.LEAF));
    long at = pin(node);
    leaf.initialize(pages, at);
    unpin(at, true);
    meta[ROOT] = node;
  }

  // ---------------------------------------------------------------- the whole

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

  /** What is thrown where the tree can't be what a single thread has made it. */
  static ConcurrentModificationException torn(String what) {
    return Torn.torn(what);
  }

  // ---------------------------------------------------------------- pages

  /** Pins the page of a node and returns the node's place. */
  long pin(int node) {
    return store.pin(page.pageOf(node)) + page.offsetOf(node);
  }

  void unpin(long at, boolean changed) {
    store.unpin(at, changed);
  }

  @Override
  public int allocate() {
    int number = super.allocate();
    if (number > -1 >>> page.lineBits) {
      store.free(number);
      throw new MemoryLimitException("the index has the most pages it can have: " + (number - 1));
    }
    return number;
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

  void child(int node, int slot, int child) {
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
  int pageBefore(int parent, int slot) {
    if (slot > 0) {
      return page.pageOf(child(parent, slot - 1));
    }
    int previous = previous(parent);
    return previous == 0 ? 0 : page.pageOf(child(previous, Math.max(innerCount(previous) - 1, 0)));
  }

  /** Lets the leaf pages whose first leaves are children of {@code parent} point back to it. */
  void claimFirstLeaves(int parent) {
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
  void setInPageLevel(int node, int inPageLevel, int level) {
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

  // ---------------------------------------------------------------- search

  /** Goes down to the leaf where {@code key} is or belongs and notes the path. */
  int findPath(long key) {
    int[] path = change.path;
    int[] slots = change.slots;
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

  // ---------------------------------------------------------------- delete

  /** Removes {@code key} if it is there. */
  void remove(long key) {
    change.begin();
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
    change.begin();
    long at = pin(findLeaf(key));
    try {
      leaf.value(pages, at, leaf.lowerBound(pages, at, key), value);
    } finally {
      unpin(at, true);
    }
    change.commitInPlace();
  }

  /**
   * Counts an entry that the tree has removed from the leaf to which the path leads, and which now
   * has {@code count} entries; takes empty nodes out.
   */
  void removed(int count) {
    change.commit(-1);
    if (count > 0 || height() == 1) {
      return;
    }
    try {
      removal.giveBack();
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }
}
