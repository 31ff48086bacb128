// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.Message;
import dev.espalier.tree.StoreChange;
import dev.espalier.tree.StoreTree;

/**
 * A tree of pages whose inner pages have buffers, and what is written to it: messages that enter
 * the root's buffer. How they go down from there is {@link BEpsilonFlush}; how a key is looked up,
 * the hot part, is the tree's.
 */
final class BEpsilonStructure extends StoreTree {
  /* Overview
   *
   * Level 0 are the leaves, which hold the entries. An inner page holds children, separators, and a
   * buffer of messages to keys below it: PUT a value, DELETE, or ADD to the value.
   *
   *     root   [ 30 | 60 | 90 ]  (12 put) (35 delete) (61 put) (62 add) (95 put)          newest
   *            /    |    |    \
   *     inner [..] [..] [..] [..]  each with a buffer of its own
   *            |
   *     leaf  entries                                                                     oldest
   *
   * A write enters a message into the root's buffer and is done. Two messages of one key in one
   * buffer become one at once. When the root's buffer is full, some of it moves a level down, into
   * the buffer of a child, which may first have to send some of its own further down; from the lowest
   * inner pages messages move into leaves, where they are applied and are gone. So a page far down
   * is written once for many messages.
   *
   * What a key's value is, all pages on the way to it tell: the highest PUT or DELETE is the newest
   * and ends the search, the ADDs above it are added to what it says, or to what the leaf has.
   *
   * While the root is a leaf, writes go to it directly.
   *
   * A range is removed in place: leaf by leaf, with the messages above it (BEpsilonCut).
   *
   * All of a tree is in its store: its pages, and in the store's meta words its stamp, its root, its
   * height, its size if it is known, and the number of entries in its leaves. Opening the store again
   * opens the tree again.
   *
   * A page is pinned while it is worked on and not longer, at most three at a time but for batches.
   *
   * Invariants, checked by BEpsilonVerifier; in brackets the number of the algorithm sheet:
   *   I1  Every path from the root to a leaf has the height's length, and a page's level says where on
   *       it the page is [E1].
   *   I2  An inner page has from 1 to fanout children; a root that is one has two, or messages [E1].
   *   I3  The separators of an inner page and the keys of a leaf ascend strictly, and lie in the
   *       page's interval: above the separator before it, not above the one after it [E2].
   *   I4  The messages of a buffer ascend strictly by key and lie in the page's interval, so that each
   *       is in the run of the child that its key belongs to [E3].
   *   I5  A leaf has at most as many entries as there is room for, a buffer as many messages [E5].
   *   I6  A message is a PUT, a DELETE whose value is 0, or an ADD; in leaves there are none [E7].
   *   I7  Pages are in use by the store's account, and none is reached twice [E13].
   *   I8  The store has no other page in use [E13].
   *   I9  The leaves have as many entries as the tree says.
   *   I10 The size, if it is known, is the number of entries after all messages.
   *   I11 No key has an entry that is in a range which readers have found dead.
   *
   * Of the sheet's other invariants, E4, E8 and E9 speak of sequence numbers, which there are none of
   * (D1), E6 of counts that are not kept (D2), E14 of what the store does. E10, E11, E12 and E15 say
   * what operations do, and are tested as such.
   *
   * Deviations from the sheet:
   *   D1  Messages have no sequence number. A key has one message in a buffer, and messages move past
   *       none, so of two messages the one further up is newer. The log of a store has its own numbers.
   *   D2  A buffer is one sorted array over all children, in which the run of each child is found by
   *       the separators. No counts have to be kept right, and pages merge or split without messages
   *       being sent down first (B6.2).
   *   D3  Pages are never over full: what moves down moves only as far as there is room, and a full
   *       child sends messages down first. So each move of messages is a change of its own, after which
   *       the tree is sound (BEpsilonFlush).
   *   D4  Removal is lazy: pages with a quarter or less merge with a sibling where three quarters hold
   *       both, but none takes children or entries from another, and an inner page may have one child.
   *       When the last entry goes by a remove that looked, the tree becomes an empty leaf, whatever
   *       its buffers hold.
   *   D5  Where there is no memory for the pages that a flush needs, a write goes to where its key's
   *       newest message or entry is, or to its leaf, if there is room. So what needs no memory in a
   *       B+-tree needs none here.
   */

  /** The meta word of the number of entries in all leaves. */
  static final int LEAF_ENTRIES = FIRST_OWN;

  /** Runs that are tried before a write is refused: more would take long in a tree that is full. */
  private static final int TRIES = 64;

  final LeafPage leaf;
  final InnerPage inner;
  final StoreChange change;

  /** Where cursors have found nothing but what was removed. */
  final DeadRanges dead = new DeadRanges();

  final BEpsilonMerge merge;
  final BEpsilonFlush flush;
  private final FlushPolicy policy;
  private final long stamp;

  /** Opens the tree in a store, or makes an empty one in an empty store. */
  BEpsilonStructure(PageStore store, int fanout, FlushPolicy policy) {
    super(store, 2); // To probes that wait, the whole tree is one level.
    this.leaf = new LeafPage(store.pageBytes());
    this.inner = new InnerPage(store.pageBytes(), fanout);
    this.policy = policy;
    this.change = new StoreChange(this);
    this.merge = new BEpsilonMerge(this);
    this.flush = new BEpsilonFlush(this, policy);
    this.stamp = stamp(policy, fanout, store.pageBytes());
    open();
  }

  private static long stamp(FlushPolicy policy, int fanout, int pageBytes) {
    long kind = policy == FlushPolicy.FULLEST_CHILD ? 0x4245 : 0x4252;
    return kind << 48 | (long) fanout << 32 | pageBytes;
  }

  /** Returns the geometry of the B^&epsilon;-tree that a store holds, or else the default one. */
  static BEpsilonTree.Geometry geometryIn(PageStore store) {
    int fanout = (int) (store.meta()[STAMP] >>> 32) & 0xffff;
    boolean isThere =
        store.meta()[STAMP] == stamp(FlushPolicy.FULLEST_CHILD, fanout, store.pageBytes());
    return isThere
        ? new BEpsilonTree.Geometry(fanout)
        : BEpsilonTree.Geometry.forPages(store.pageBytes());
  }

  @Override
  protected long stamp() {
    return stamp;
  }

  @Override
  protected BEpsilonStructure over(PageStore other) {
    return new BEpsilonStructure(other, inner.fanout, policy);
  }

  @Override
  protected StoreChange change() {
    return change;
  }

  @Override
  protected void plant() {
    meta[ROOT] = FIRST_PAGE;
    meta[HEIGHT] = 1;
    int page = allocate();
    meta[ROOT] = page;
    becomeEmptyLeaf(page);
  }

  /** Makes a page the root and only page. */
  private void becomeEmptyLeaf(int page) {
    dead.clear();
    long at = store.pin(page);
    try {
      NodePage.initialize(pages, at, 0);
    } finally {
      store.unpin(at, true);
    }
    meta[ROOT] = page;
    meta[HEIGHT] = 1;
    meta[SIZE] = 0;
    meta[LEAF_ENTRIES] = 0;
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public LongCursor cursor() {
    return new BEpsilonCursor(this, dead);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    new BEpsilonBulkload(this, fillFactor, size()).load(entries, total, listener);
  }

  @Override
  public void verify(ProgressListener listener) {
    BEpsilonVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return view(root(), height() - 1);
  }

  /**
   * Reads a page: of an inner page the children, not the messages. What can't be is refused: a walk
   * over all children would not end.
   */
  private NodeView view(int page, int level) {
    if (!store.isInUse(page)) {
      throw new InvariantViolationException("I7", "page " + page + " is not in use");
    }
    boolean isLeaf = level == 0;
    long at = store.pin(page);
    try {
      int itsLevel = NodePage.level(pages, at);
      int count = NodePage.count(pages, at);
      int most = isLeaf ? leaf.capacity : inner.fanout;
      if (itsLevel != level || count < (isLeaf ? 0 : 1) || count > most) {
        throw new InvariantViolationException(
            itsLevel != level ? "I1" : "I2",
            "page %d of level %d has level %d and count %d of %d"
                .formatted(page, level, itsLevel, count, most));
      }
      long[] keys = new long[isLeaf ? count : count - 1];
      long[] payloads = new long[count];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = isLeaf ? LeafPage.key(pages, at, i) : InnerPage.separator(pages, at, i);
      }
      for (int i = 0; i < count; i++) {
        payloads[i] = isLeaf ? leaf.value(pages, at, i) : inner.child(pages, at, i);
      }
      int bytes = store.pageBytes();
      return isLeaf
          ? NodeView.leaf(at, bytes, count, most, i -> keys[i], i -> payloads[i])
          : NodeView.inner(
              at,
              bytes,
              level,
              count - 1,
              most - 1,
              i -> keys[i],
              i -> view((int) payloads[i], level - 1));
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- size

  /** While the root is a leaf, its count is the answer. */
  @Override
  protected long knownSize() {
    return height() == 1 ? meta[LEAF_ENTRIES] : super.knownSize();
  }

  /**
   * Returns the number of entries if it is known, or else of those that are in leaves, whatever the
   * messages that are still above them will do to it.
   */
  @Override
  public long sizeEstimate() {
    long known = knownSize();
    return known >= 0 ? known : meta[LEAF_ENTRIES];
  }

  // ---------------------------------------------------------------- write

  /** Writes without having looked what is there. */
  void writeBlind(int kind, long key, long value) {
    write(kind, key, value);
    meta[SIZE] = height() == 1 ? meta[LEAF_ENTRIES] : UNKNOWN;
    change.commit(0);
  }

  /** Puts a value after a look at what is there. */
  void put(long key, long value, boolean isThere) {
    write(Message.PUT, key, value);
    change.commit(isThere ? 0 : 1);
  }

  /** Removes a key that is there. */
  void remove(long key) {
    write(Message.DELETE, key, 0);
    change.commit(-1);
    if (meta[SIZE] == 0 && height() > 1) {
      becomeEmpty();
    }
  }

  /** Removes the entries between two keys by whole leaves. Returns how many there were. */
  long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    checkOpen();
    change.begin();
    return range.isEmpty() ? 0 : new BEpsilonCut(this).remove(range.first(), range.last());
  }

  /**
   * Enters a message into the root, after making room there if needed; the change is then to be
   * committed.
   *
   * @throws MemoryLimitException if there is none and none can be made; no entry has changed then
   */
  private void write(int kind, long key, long value) {
    change.begin();
    if (kind != Message.DELETE) {
      dead.revive(key);
    }
    try {
      while (!enter(kind, key, value)) {
        try {
          flush.makeRoom(0);
        } catch (MemoryLimitException full) {
          if (writeInPlace(kind, key, value)) {
            return;
          }
          flush.makeRoom(TRIES);
        }
      }
    } catch (RuntimeException | Error refused) {
      change.abandon();
      throw refused;
    }
  }

  /** Enters a message into the root's buffer, or applies it to a root that is a leaf. */
  private boolean enter(int kind, long key, long value) {
    long at = store.pin(root());
    boolean done = false;
    try {
      if (height() == 1) {
        done = writeToLeaf(at, kind, key, value);
      } else {
        done = inner.enter(pages, at, kind, key, value);
      }
      return done;
    } finally {
      store.unpin(at, done);
    }
  }

  private boolean writeToLeaf(long at, int kind, long key, long value) {
    int grown = leaf.write(pages, at, kind, key, value);
    if (grown == LeafPage.FULL) {
      return false;
    }
    meta[LEAF_ENTRIES] += grown;
    return true;
  }

  /**
   * Does what a message says where the newest is that is known of its key, which takes no memory; a
   * DELETE removes all that is known. Returns false if nothing is known and the leaf has no room.
   */
  private boolean writeInPlace(int kind, long key, long value) {
    int[] path = change.path;
    int page = root();
    for (int level = height() - 1; level > 0; level--) {
      path[level] = page;
      long at = store.pin(page);
      boolean known = false;
      try {
        known =
            kind == Message.DELETE
                ? inner.remove(pages, at, key)
                : inner.combine(pages, at, kind, key, value);
        page = inner.child(pages, at, inner.childSlot(pages, at, key));
      } finally {
        store.unpin(at, known);
      }
      if (known && kind != Message.DELETE) {
        return true;
      }
    }
    path[0] = page;
    long at = store.pin(page);
    boolean done = false;
    try {
      done = writeToLeaf(at, kind, key, value);
    } finally {
      store.unpin(at, done);
    }
    if (kind == Message.DELETE) {
      merge.giveBack(key);
    }
    return done;
  }

  // ---------------------------------------------------------------- become empty

  /** Makes the tree an empty leaf, by taking back all other pages: that needs no memory. */
  void becomeEmpty() {
    replaced();
    try {
      int root = root();
      freeBelow(root, height() - 1);
      becomeEmptyLeaf(root);
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  private void freeBelow(int page, int level) {
    for (int slot = 0, child; level > 0 && (child = childOrNone(page, slot)) != 0; slot++) {
      freeBelow(child, level - 1);
      store.free(child);
    }
  }

  /** Returns a child of an inner page, or 0 behind the last. */
  private int childOrNone(int page, int slot) {
    long at = store.pin(page);
    try {
      return slot < inner.checkedChildren(pages, at) ? inner.child(pages, at, slot) : 0;
    } finally {
      store.unpin(at, false);
    }
  }
}
