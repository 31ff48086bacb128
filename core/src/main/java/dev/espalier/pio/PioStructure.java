// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.PageStore;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.support.Message;
import dev.espalier.tree.StoreChange;
import dev.espalier.tree.StoreTree;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A PIO B-tree: nodes, operation queue, and who may use them when. How the queue is emptied is
 * {@link BatchUpdate}; what is written to it, {@link PioWriter}; how a key is looked up, {@link
 * PioSearch}.
 */
final class PioStructure extends StoreTree {
  /* Overview
   *
   *   write      -> operation queue (OperationQueue)        newest
   *                   | full: BatchUpdate takes bcnt operations in the order of keys
   *                   v
   *   level h-1      root [ 30 | 60 ]
   *   level 1        [..] [..] [..]        each knows all segments of the leaves below it
   *   level 0        leaf = | segment 0 | segment 1 | .. L - 1 |                       oldest first
   *
   * Inner nodes are as in a B+-tree. A leaf has up to L segments, each a page of operations; what is
   * new enters its last segment. So a batch update reads and writes one page of a leaf, whatever L
   * is. When all segments are full the leaf shrinks: of each key the newest operation is left, and
   * no deletion. If it is still too full, it is split; if it is nearly empty, it is merged with a
   * sibling or takes some of its entries.
   *
   * What a key's value is, its newest operation says: first the queue's appended pages tell, the
   * newest first, then the queue's sorted part, then the segments of its leaf, the last first.
   *
   * Pages are read many at a time (psync): a search for many keys, and so a batch update, goes down
   * level by level, and reads the nodes of each in waves of at most PioMax pages (MultiPathSearch).
   * A range scan asks for the leaves ahead of it in waves, too (PioCursor).
   *
   * Many threads write and search (decision 39). What is being flushed stays in the queue until all
   * of it is in leaves, so a search, which asks the queue first, does not care how far a flush has
   * come. While a search is under way (Epochs), only two kinds of pages change, whose versions it
   * looks at: the queue's newest page, and last segments of leaves. For all else the one who does it
   * has the tree alone (beginAlone). Writers: PioWriter; searches: PioSearch; ranges that are
   * removed: PioCut.
   *
   * All of a tree is in its store: its pages, and in the meta words its stamp, root, height, size if
   * it is known, the queue's directory and counts, the operations in leaves, and L. So the queue
   * survives a checkpoint as it is, and opening the store again opens the tree again. The paper's
   * log records are the store's: a redo record is that of its log; flushes need none, neither their
   * begin and end nor for undoing, because a checkpoint has all of a flush or nothing, and replaying
   * an operation that a leaf has already got changes nothing.
   *
   * Invariants, checked by PioVerifier; in brackets the number of the algorithm sheet:
   *   I1  Every path from the root to a leaf has the height's length, at least 2, and a page's level
   *       says where on it the page is [P4].
   *   I2  An inner node has from 1 to F children; a root above level 1 has two.
   *   I3  The separators of an inner node ascend strictly, and lie in its interval: not below the
   *       separator before it, below the one after it [P4].
   *   I4  The keys of a segment ascend strictly and lie in the leaf's interval [P3].
   *   I5  A leaf has from 1 to L segments; a segment has at most as many operations as there is room
   *       for, and those before the last are not empty [P2, P10].
   *   I6  An operation is a PUT, or a DELETE whose value is 0.
   *   I7  Pages are in use by the store's account, and none is reached twice.
   *   I8  The store has no other page in use.
   *   I9  The sorted part of the queue is full but for its last page, and ascends strictly; each
   *       appended page ascends strictly, and none is empty [P1].
   *   I10 The leaves have as many more PUTs than DELETEs as the tree says.
   *   I11 The size, if it is known, is the number of keys whose newest operation is a PUT [P6].
   *   I12 No key has an entry that is in a range which readers have found dead.
   *
   * Deviations from the paper; in brackets the mistake or recommendation of the sheet:
   *   D1  Pages of operations, in the queue and in leaves, are sorted each by itself, and have one
   *       operation of a key: what the page is being written for anyway makes it quick to search.
   *       So deletion cancels insertion within a page at once.
   *   D2  The LSMap is in the parents of leaves, which list the segments, so it is as durable as
   *       they are, costs no memory, and needs no rebuilding [14].
   *   D3  A multi-path search goes through whole levels, not depth first: beside the pages of one
   *       wave it needs 12 bytes for each key [1 to 5]. Each child comes with its part of the keys.
   *   D4  A batch update puts a leaf's fence into its parent at once, not when all its siblings are
   *       done: the parent stays in the pool, so it is written as often [6 to 11]. After each
   *       leaf, all is a tree again. So a store that is full refuses leaves, not the whole batch.
   *   D5  A segment is a page, read with the others of its leaf in one wave, not by one large read:
   *       a store moves pages as it likes.
   *   D6  bcnt operations are those that follow in the order of keys, round and round [16].
   *   D7  An inner node merges with a sibling, but takes no children from it. The leaf that is last
   *       to have anything removed by a call that looked becomes the only one.
   *   D8  Where there is no memory for what a batch update needs, a write goes to where its key's
   *       newest operation is, or to its leaf, if there is room.
   *   D9  The index is locked for what changes nodes, not for a whole flush. Beside a flush, the
   *       queue may have a quarter more pages.
   */

  /** The meta word of the page that lists the pages of the queue. */
  static final int DIRECTORY = FIRST_OWN;

  /** The meta word of the queue's counts. */
  static final int QUEUE = FIRST_OWN + 1;

  /** The meta word of how many more PUTs than DELETEs there are in leaves. */
  static final int IN_LEAVES = FIRST_OWN + 2;

  /** The meta word of L. */
  private static final int SHAPE = FIRST_OWN + 3;

  /** "PIOB" and a version. */
  private static final long OWN_STAMP = 0x5049_4F42_0000_0001L;

  private static final VarHandle META = MethodHandles.arrayElementVarHandle(long[].class);

  final EntryPage entries;
  final InnerPage inner;
  final PioBTree.Geometry geometry;
  final StoreChange change;
  final OperationQueue queue;
  final LeafUpdate leaves;
  final PioSearch search;
  final PioWriter writer;

  /** Knows which searches are under way; the tree is alone for what they must not meet. */
  final Epochs epochs;

  /** Versions of leaves' segments, by page, and of the queue's newest page. */
  final Latches versions;

  /** Held by the one who sorts the queue or flushes it, or has the tree alone. */
  final ReentrantLock flushing = new ReentrantLock();

  /** Held to enter the queue, to allocate and free pages, and by the one who has the tree alone. */
  final ReentrantLock appending = new ReentrantLock();

  /** Where readers have found only what was removed (decision 71). */
  final DeadKeys dead = new DeadKeys(appending);

  /**
   * Counts how often all entries were replaced, or a part of a range removed: what was looked up
   * before may be wrong.
   */
  volatile int generation;

  /** For each thread the number of its last change, by which its cursors see it. */
  private final ThreadLocal<long[]> ownChanges = ThreadLocal.withInitial(() -> new long[1]);

  private final String choice;

  /**
   * Opens the tree in a store, or makes an empty one in an empty store.
   *
   * @param choice why it has this geometry; empty if that was not chosen for its work
   */
  PioStructure(PageStore store, PioBTree.Geometry geometry, String choice) {
    super(store, 2); // To probes that wait, the whole tree is one level.
    this.geometry = geometry;
    this.choice = choice;
    this.entries = new EntryPage(store.pageBytes());
    this.inner = new InnerPage(store.pageBytes(), geometry.leafSegments());
    this.change = new StoreChange(this);
    this.queue = new OperationQueue(this, geometry);
    this.leaves = new LeafUpdate(this);
    this.epochs = new Epochs(store::isClosed);
    this.versions = new Latches(store::isClosed);
    this.search = new PioSearch(this);
    this.writer = new PioWriter(this);
    if (open()) {
      checkShape();
      queue.open();
    }
  }

  /** Returns L of the tree in a store, or the given one if the store is empty. */
  static int leafSegments(PageStore store, int ifEmpty) {
    long[] meta = store.meta();
    return meta[STAMP] == OWN_STAMP ? (int) meta[SHAPE] : ifEmpty;
  }

  private void checkShape() {
    if (meta[SHAPE] != geometry.leafSegments()) {
      throw new IllegalArgumentException(
          "store holds a PIO B-tree with leaves of %d segments, not %d"
              .formatted(meta[SHAPE], geometry.leafSegments()));
    }
  }

  @Override
  protected long stamp() {
    return OWN_STAMP;
  }

  @Override
  protected PioStructure over(PageStore other) {
    return new PioStructure(other, geometry, choice);
  }

  @Override
  protected void adopted() {
    queue.open();
    allWasReplaced();
  }

  @Override
  public String choice() {
    return choice;
  }

  @Override
  protected StoreChange change() {
    return change;
  }

  // ---------------------------------------------------------------- alone

  /** Does something while nobody else is in the tree; what is done may do so, too. */
  void alone(Runnable task) {
    flushing.lock();
    try {
      if (epochs.isAlone()) {
        task.run();
        return;
      }
      beginAlone();
      try {
        task.run();
      } finally {
        endAlone();
      }
    } finally {
      flushing.unlock();
    }
  }

  /**
   * Waits until this thread, which holds {@link #flushing}, has the tree alone; does nothing if it
   * has. Whoever holds pages pinned may not.
   */
  void beginAlone() {
    if (epochs.isAlone()) {
      return;
    }
    appending.lock();
    try {
      epochs.beginAlone();
    } catch (RuntimeException | Error closed) {
      appending.unlock();
      throw closed;
    }
  }

  /** Lets others into the tree again; does nothing if they may be there. */
  void endAlone() {
    if (epochs.isAlone()) {
      epochs.endAlone();
      appending.unlock();
    }
  }

  /** Notes a change that the cursors of this thread are to see; with {@link #appending} held. */
  void noteOwnChange() {
    ownChanges.get()[0] = modifications.changes;
  }

  /** Returns the number of this thread's last change. */
  long ownChanges() {
    return ownChanges.get()[0];
  }

  /** Notes that all entries were replaced, by the thread that has the tree alone. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread has the tree alone.
  private void allWasReplaced() {
    generation++;
    dead.clear();
    modifications.changes++;
    noteOwnChange();
  }

  /**
   * Notes that so many entries were removed, which were all between two keys, by the thread that
   * has the tree alone.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread has the tree alone.
  void partWasRemoved(long first, long last, int entries) {
    change.commit(-entries);
    generation++;
    noteOwnChange();
    if (entries >= DeadWalk.WORTH) {
      dead.ranges.add(first, last); // in place of all those that it holds
    }
    writer.forgetRefusals();
  }

  // ---------------------------------------------------------------- plant

  @Override
  protected void plant() {
    meta[ROOT] = FIRST_PAGE;
    meta[DIRECTORY] = FIRST_PAGE;
    meta[HEIGHT] = 2;
    meta[SHAPE] = geometry.leafSegments();
    queue.plant();
    int root = allocate();
    int leaf = allocate();
    becomeEmpty(root, leaf);
  }

  /** Makes two pages the root and its only leaf. */
  private void becomeEmpty(int root, int leaf) {
    long at = store.pin(root);
    inner.initialize(pages, at, 1);
    inner.segment(pages, at, 0, 0, leaf);
    store.unpin(at, true);
    at = store.pin(leaf);
    EntryPage.initialize(pages, at, EntryPage.LEAF);
    store.unpin(at, true);
    meta[ROOT] = root;
    meta[HEIGHT] = 2;
    meta[SIZE] = 0;
    meta[IN_LEAVES] = 0;
  }

  /** Makes the tree empty by giving back its pages, but for the queue's: that needs no memory. */
  void becomeEmpty() {
    replaced();
    try {
      int root = root();
      int leaf = freeBelow(root, height() - 1, 0);
      becomeEmpty(root, leaf);
      queue.clear();
      writer.forgetRefusals();
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  /** Frees what is below a node but for one leaf page, which is returned. */
  private int freeBelow(int page, int level, int kept) {
    int leaf = kept;
    int children = children(page);
    for (int child = 0; child < children; child++) {
      for (int i = 0; i < inner.leafSegments; i++) {
        int below = segment(page, child, i);
        if (level == 1 && leaf == 0) {
          leaf = below;
        } else if (below != 0) {
          leaf = level > 1 ? freeBelow(below, level - 1, leaf) : leaf;
          store.free(below);
        }
      }
    }
    return leaf;
  }

  private int children(int page) {
    long at = store.pin(page);
    try {
      return inner.checkedChildren(pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  private int segment(int page, int child, int segment) {
    long at = store.pin(page);
    try {
      return inner.segment(pages, at, child, segment);
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public LongCursor cursor() {
    return new PioSharedCursor(this);
  }

  @Override
  public void bulkload(
      LongEntrySource source, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    alone(
        () -> {
          new PioBulkload(this, fillFactor, size()).load(source, total, listener);
          allWasReplaced();
        });
  }

  @Override
  public void clear() {
    checkOpen();
    alone(
        () -> {
          super.clear();
          writer.forgetRefusals();
          allWasReplaced();
        });
  }

  @Override
  public long shrink(ProgressListener listener) {
    checkOpen();
    long[] given = new long[1];
    alone(() -> given[0] = super.shrink(listener));
    return given[0];
  }

  @Override
  public void flush() {
    alone(super::flush);
  }

  @Override
  public void verify(ProgressListener listener) {
    checkOpen();
    alone(() -> PioVerifier.verify(this, listener));
  }

  @Override
  protected long knownSize() {
    return Math.max((long) META.getOpaque(meta, SIZE), UNKNOWN);
  }

  /** What others write while a pass counts the entries may be counted or not. */
  @Override
  public long size() {
    long known = knownSize();
    if (known >= 0) {
      return known;
    }
    long before = changesNow();
    long entries = countEntries();
    appending.lock();
    try {
      if (modifications.changes == before) {
        counted(entries);
      }
    } finally {
      appending.unlock();
    }
    return entries;
  }

  private long changesNow() {
    appending.lock();
    try {
      return modifications.changes;
    } finally {
      appending.unlock();
    }
  }

  /** Gives back all pages if the last entry was removed, and nobody has written since. */
  void becomeEmptyIfNothingIsLeft() {
    alone(
        () -> {
          if (knownSize() == 0) {
            becomeEmpty();
          }
        });
  }

  /**
   * Returns the number of entries if it is known, or else one that differs from it by the
   * operations whose keys have others below them.
   */
  @Override
  public long sizeEstimate() {
    long known = knownSize();
    return known >= 0 ? known : Math.max(meta[IN_LEAVES], 0) + queue.sorted();
  }

  /** The pages stay as long as this operation lasts. */
  @Override
  public <T> T whileNodesStay(Supplier<T> look) {
    checkOpen();
    int operation = epochs.enter();
    try {
      return look.get();
    } finally {
      epochs.exit(operation);
    }
  }

  /** A root that is the parent of a single leaf is left out. */
  @Override
  public NodeView rootView() {
    NodeView root = innerView(root(), height() - 1);
    return height() == 2 && root.children() == 1 ? root.child(0) : root;
  }

  /** Reads a node of the tree without the queue; what can't be one is refused. */
  private NodeView innerView(int page, int level) {
    checkInUse(page);
    long at = store.pin(page);
    try {
      int children = EntryPage.count(pages, at);
      boolean isInner =
          EntryPage.level(pages, at) == level && children > 0 && children <= inner.capacity;
      if (!isInner) {
        throw new InvariantViolationException(
            "I1", "page %d is no inner node of level %d".formatted(page, level));
      }
      long[] separators = new long[children - 1];
      int[][] below = new int[children][];
      for (int i = 0; i < children; i++) {
        below[i] = new int[level == 1 ? inner.segments(pages, at, i) : 1];
        for (int j = 0; j < below[i].length; j++) {
          below[i][j] = inner.segment(pages, at, i, j);
        }
        if (i < separators.length) {
          separators[i] = InnerPage.separator(pages, at, i);
        }
      }
      return NodeView.inner(
          at,
          store.pageBytes(),
          level,
          separators.length,
          inner.capacity - 1,
          i -> separators[i],
          i -> level == 1 ? leafView(below[i]) : innerView(below[i][0], level - 1));
    } finally {
      store.unpin(at, false);
    }
  }

  private NodeView leafView(int[] segments) {
    Operations merged = new Operations(entries.capacity);
    long first = 0;
    MemorySegment copy = MemorySegment.ofArray(new long[store.pageBytes() / Long.BYTES]);
    for (int i = 0; i < segments.length; i++) {
      checkInUse(segments[i]);
      long at = store.pin(segments[i]);
      try {
        first = i == 0 ? at : first;
        entries.copyPage(pages, at, copy, versions, segments[i]);
      } finally {
        store.unpin(at, false);
      }
      merged.apply(entries, copy, 0, 0, entries.checkedCount(copy, 0));
    }
    merged.dropDeletes();
    return NodeView.leaf(
        first,
        (long) segments.length * store.pageBytes(),
        merged.count,
        inner.leafSegments * entries.capacity,
        i -> ofOpen(merged.keys[i]),
        i -> ofOpen(merged.values[i]));
  }

  private long ofOpen(long copied) {
    checkOpen();
    return copied;
  }

  private void checkInUse(int page) {
    if (!store.isInUse(page)) {
      throw new InvariantViolationException("I7", "page " + page + " is not in use");
    }
  }

  /** Returns by how much an operation in a leaf changes the count of what is in leaves. */
  static int weight(int kind) {
    return kind == Message.PUT ? 1 : -1;
  }
}
