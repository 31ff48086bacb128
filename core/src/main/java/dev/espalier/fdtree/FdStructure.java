// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.DeadRanges;
import dev.espalier.tree.RangeRemoval;
import dev.espalier.tree.StoreChange;
import dev.espalier.tree.StoreTree;
import java.util.Arrays;

/** The head tree and the runs of one FD-tree, and what changes them. */
final class FdStructure extends StoreTree {
  /* Overview
   *
   *   head tree   a root and leaves: at most `batch` messages, and fences to the pages of run 1
   *   run i       an extent of pages, written once from end to end: at most batch * ratio^i
   *               messages, and fences to the pages of run i + 1
   *
   * A message is a put or a tombstone, the paper's filter entry; of each key the one highest up
   * counts. A fence has the first key of a page of the next run and its number in that run. The
   * last fence whose key is not above a key leads to the only page that can have it.
   *
   * Messages enter the head tree. When it is full, it is merged with run 1 up to the first run that
   * has room for all their messages, into a new run; the runs between then have fences only. If no
   * run has room, all are merged into the run that fits.
   *
   * Of a range with many entries, the messages leave the head tree, and become tombstones in runs, but
   * nothing in the deepest (FdCut). Merges drop both, and all are merged once nothing outnumbers the
   * messages; a removal that is large beside what is left merges all itself if three quarters are.
   *
   * Room is kept for merging everything beside what there is. When that is used up, messages of the
   * head tree are applied to older ones of their keys, as far as there are any; then entries are
   * overwritten and removed where they are, and new ones refused.
   *
   * Invariants, checked by FdVerifier. In brackets those of the algorithm's usual description.
   *   I1  Keys ascend in the head tree and in each run; only a fence may have the key of the message
   *       behind it.                                                                          [D1]
   *   I2  Elements, messages and tombstones are counted right, and all pages of a run are full but
   *       the last.
   *   I3  A run has one fence for each page of the next, in order, with its first key; the deepest
   *       has none.                                                                     [D3, D4, D6]
   *   I4  A page names the last fence in the pages before it.                             [D2, D5]
   *   I5  The deepest run has no tombstone; without runs there is none in the head tree. What is
   *       nothing any more is in the deepest run only.                                        [D6]
   *   I6  Pages are in use by the store's account, in one place each, and no others are.
   *   I7  A leaf of the head tree has keys between its separators.
   *   I8  A run has no more messages than its capacity.                                       [D7]
   *   I9  The size, where it is known, is the number of keys whose first message is a put.
   *   I10 No key has an entry that is in a range which readers have found dead.
   *
   * Deviations from the paper:
   *   D1  An internal fence is a number in the header of each page, not an entry.
   *   D2  One merge of all runs down to the one that has room, not one after the other.
   *   D3  A deletion always leaves a tombstone, also if the key is in the head tree: the paper's
   *       removal there lets an older entry below reappear.
   *   D4  The head tree has two levels, and is limited by messages: fences can't fill it.
   *   D5  What a full memory leaves possible: the room kept, and changes in place; and ranges.
   */

  /** The meta word of the number of messages in the head tree. */
  static final int HEAD = FIRST_OWN;

  private static final int SHAPE = FIRST_OWN + 1;

  /** "FDTR" and a version. */
  private static final long OWN_STAMP = 0x4644_5452_0000_0001L;

  static final int MIN_PAGE_BYTES = 1024;

  /**
   * Of each entry that a removal of a range copies, so many elements are nothing: a merge costs
   * about ten times what it costs to remove an entry from a page.
   */
  private static final int MOST_NOTHING = 3;

  final RunPage layout;
  final RootPage rootLayout;
  final HeadTree head;
  final StoreChange change;
  final int ratio;

  /** Where cursors have found nothing but what was removed. */
  final DeadRanges dead = new DeadRanges();

  /** Most messages of the head tree. */
  final int batch;

  /** From 1 to {@link #depth}; what is deeper is empty. */
  final Run[] runs = new Run[RootPage.MOST_RUNS + 2];

  int depth;

  /** Pages written by merges, for those who count work. */
  long written;

  /** Whether there is known to be room for as many messages as the head tree still takes. */
  private boolean roomy;

  private final FdMerge merge;

  private final RunReader settling;

  /** Whether no message of the head tree is known to have an older one of its key below. */
  private boolean isSettled;

  FdStructure(PageStore store, FdTree.Geometry geometry) {
    int pageBytes = store.pageBytes();
    if (pageBytes < MIN_PAGE_BYTES) {
      throw new IllegalArgumentException(
          "pageBytes is " + pageBytes + "; an FD-tree needs at least " + MIN_PAGE_BYTES);
    }
    super(store, 2); // To probes that wait, the whole index is one level.
    this.layout = new RunPage(pageBytes);
    this.rootLayout = new RootPage(pageBytes);
    this.head = new HeadTree(this);
    this.change = new StoreChange(this);
    // Leaves are at least half full, and fences are fewer than half of the messages.
    this.ratio = Math.min(geometry.ratio(), layout.capacity / 4);
    this.batch = Math.min(geometry.headPages(), rootLayout.capacity / 2 - 1) * layout.capacity / 2;
    this.merge = new FdMerge(this);
    this.settling = new RunReader(this);
    Arrays.fill(runs, Run.EMPTY);
    if (open()) {
      if (meta[SHAPE] != shape()) {
        throw new IllegalArgumentException(
            "store holds an FD-tree of another geometry: %x, not %x"
                .formatted(meta[SHAPE], shape()));
      }
      readRuns();
    }
  }

  /**
   * Returns the proportions of the tree that a store holds, or the default ones if it holds none.
   */
  static FdTree.Geometry geometryIn(PageStore store) {
    long[] meta = store.meta();
    if (meta[STAMP] != OWN_STAMP) {
      return FdTree.Geometry.DEFAULT;
    }
    int capacity = new RunPage(store.pageBytes()).capacity;
    int headPages = Math.ceilDiv(2 * (int) meta[SHAPE], capacity);
    return new FdTree.Geometry((int) (meta[SHAPE] >>> 32), headPages);
  }

  private long shape() {
    return (long) ratio << 32 | batch;
  }

  @Override
  protected long stamp() {
    return OWN_STAMP;
  }

  @Override
  protected StoreChange change() {
    return change;
  }

  @Override
  protected void plant() {
    dead.clear();
    merge.keep();
    meta[ROOT] = FIRST_PAGE;
    meta[HEIGHT] = 1;
    meta[SIZE] = 0;
    meta[HEAD] = 0;
    meta[SHAPE] = shape();
    Arrays.fill(runs, Run.EMPTY);
    depth = 0;
    roomy = false;
    int root = store.allocate();
    int leaf = store.allocate();
    refresh();
    meta[ROOT] = root;
    long page = store.pin(leaf);
    RunPage.count(pages, page, 0);
    RunPage.before(pages, page, 0);
    store.unpin(page, true);
    page = store.pin(root);
    RootPage.count(pages, page, 1);
    rootLayout.set(pages, page, 0, Long.MIN_VALUE, leaf);
    store.unpin(page, true);
  }

  private void readRuns() {
    Arrays.fill(runs, Run.EMPTY);
    depth = Math.clamp(meta[HEIGHT] - 1, 0, RootPage.MOST_RUNS);
    long root = store.pin(root());
    for (int k = 1; k <= depth; k++) {
      runs[k] = RootPage.run(pages, root, k);
    }
    store.unpin(root, false);
  }

  @Override
  protected StoreTree over(PageStore other) {
    return new FdStructure(
        other, new FdTree.Geometry(ratio, Math.ceilDiv(2 * batch, layout.capacity)));
  }

  @Override
  protected void adopted() {
    merge.keep();
    readRuns();
    roomy = false;
  }

  /** Takes an extent, and follows the memory if it has moved, as cursors then have to. */
  int allocate(int count) {
    int extent = store.allocate(count);
    modifications.changes++;
    refresh();
    return extent;
  }

  // ---------------------------------------------------------------- sizes

  /** Returns the most messages of a run, or as many as a long can say. */
  long capacity(int run) {
    long most = batch;
    for (int k = 0; k < run; k++) {
      most = most > Long.MAX_VALUE / ratio ? Long.MAX_VALUE : most * ratio;
    }
    return most;
  }

  /** Returns the first run that has room for so many messages, 0 for none. */
  int fitting(long messages) {
    int run = 0;
    while (messages > 0 && (run == 0 || capacity(run) < messages)) {
      if (++run > RootPage.MOST_RUNS) {
        throw new MemoryLimitException(messages + " messages need more runs than there can be");
      }
    }
    return run;
  }

  private long messages() {
    long sum = meta[HEAD];
    for (int k = 1; k <= depth; k++) {
      sum += runs[k].messages();
    }
    return sum;
  }

  private long tombstones() {
    long sum = 0;
    for (int k = 1; k <= depth; k++) {
      sum += runs[k].tombstones();
    }
    return sum;
  }

  /** Returns how many elements are nothing any more: the deepest run has no fences. */
  private long holes() {
    return runs[depth].elements() - runs[depth].messages();
  }

  @Override
  public long sizeEstimate() {
    long known = knownSize();
    return known >= 0 ? known : Math.max(0, messages() - 2 * tombstones());
  }

  // ---------------------------------------------------------------- write

  /** Writes a put after a look at what is there. */
  void put(long key, long value, boolean isNew) {
    change.begin();
    dead.revive(key);
    enter(key, value, RunPage.PUT);
    change.commit(isNew ? 1 : 0);
  }

  /** Writes a message without having looked what is there. */
  void writeBlind(long key, long value, int type) {
    change.begin();
    if (type == RunPage.PUT) {
      dead.revive(key);
    }
    enter(key, value, type);
    counted(UNKNOWN);
    change.commit(0);
  }

  /** Removes a key that has an entry. */
  void remove(long key) {
    if (meta[SIZE] == 1) {
      clear();
      return;
    }
    change.begin();
    enter(key, 0, RunPage.TOMBSTONE);
    change.commit(-1);
  }

  /**
   * Removes the entries between two keys: a few by a message each, {@link RangeRemoval#MANY} or
   * more in the head tree and the runs where they are. Returns how many there were.
   */
  long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    checkOpen();
    change.begin();
    long removed = RangeRemoval.remove(this, range, dead, this::remove, this::cut);
    dropNothing(removed);
    return removed;
  }

  private long cut(long first, long last) {
    FdCut cut = new FdCut(this, first, last);
    long removed = cut.count();
    try {
      cut.remove();
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
    change.commit(-removed);
    return removed;
  }

  /**
   * Merges all if most of the elements are nothing any more and the range that was removed is large
   * enough to pay for that.
   */
  private void dropNothing(long removed) {
    long nothing = holes() + tombstones();
    if (RangeRemoval.isWorthCopying(removed, nothing, messages() - tombstones(), MOST_NOTHING)) {
      try {
        mergeAll();
        roomy = false; // Looked at when the next message comes.
      } catch (MemoryLimitException _) {
        // The runs stay as they are.
      }
    }
  }

  private void enter(long key, long value, int type) {
    if (depth == 0 && type == RunPage.TOMBSTONE) {
      head.remove(key);
    } else if (!roomy || meta[HEAD] >= batch || !head.enter(key, value, type)) {
      enterIntoFull(key, value, type);
    } else {
      isSettled = false;
    }
  }

  private void enterIntoFull(long key, long value, int type) {
    try {
      makeRoom();
      if (!enterHead(key, value, type)) {
        mergeDown();
        if (!hasRoom(1, 0) || !enterHead(key, value, type)) {
          throw new MemoryLimitException("there is no room in the head tree");
        }
      }
    } catch (MemoryLimitException refused) {
      roomy = false;
      if (!writeInPlace(key, value, type, 0)) {
        throw refused;
      }
    }
  }

  /** Returns whether there was room; where nothing is below, a tombstone needs none. */
  private boolean enterHead(long key, long value, int type) {
    isSettled = false;
    return (depth == 0 && type == RunPage.TOMBSTONE) || head.enter(key, value, type);
  }

  private void makeRoom() {
    if (meta[HEAD] >= batch) {
      mergeDown();
    }
    roomy = hasRoom(batch - meta[HEAD], 0);
    if (!roomy && depth > 0 && !hasRoom(1, 0)) { // A head tree alone needs no merge.
      settle();
      if (!hasRoom(1, 0)) {
        throw new MemoryLimitException(
            "the index has %d messages in %d pages, and there is no room to merge them"
                .formatted(messages(), store.pagesInUse()));
      }
    }
  }

  /** Merges the head tree with the runs down to the first that has room, or with all. */
  private void mergeDown() {
    long sum = meta[HEAD];
    long pagesWritten = 1;
    for (int k = 1; k < depth && 2 * tombstones() + holes() <= messages(); k++) {
      sum += runs[k].messages();
      pagesWritten += runs[k].pages() + 1L + sum / layout.capacity;
      if (sum <= capacity(k)) {
        if (!hasRoom(0, pagesWritten)) {
          break;
        }
        install(merge.into(k, k), k);
        return;
      }
    }
    mergeAll();
  }

  private void mergeAll() {
    install(merge.into(fitting(messages()), depth), depth);
  }

  /** Makes what a merge has written the head tree and the runs, and gives back what it has read. */
  private void install(Run[] merged, int sources) {
    long root;
    int[] oldLeaves;
    try { // Before anything has changed: reading may fail.
      oldLeaves = head.leaves();
      root = store.pin(root());
    } catch (RuntimeException | Error failed) {
      merge.discard(failed);
      throw failed;
    }
    Run[] old = runs.clone();
    int target = merged.length - 1;
    boolean isAll = sources == depth;
    depth = isAll ? target : depth;
    Arrays.fill(runs, 1, Math.max(sources, target) + 1, Run.EMPTY);
    System.arraycopy(merged, 1, runs, 1, target);
    for (int k = 1; k <= depth; k++) {
      RootPage.run(pages, root, k, runs[k]);
    }
    meta[HEIGHT] = depth + 1L;
    meta[HEAD] = merged[0].messages();
    writeLeaves(root, merged[0]);
    store.unpin(root, true);
    modifications.changes++;
    merge.keep();
    for (int leaf : oldLeaves) {
      store.free(leaf);
    }
    for (int k = 1; k <= sources; k++) {
      for (int i = 0; i < old[k].pages(); i++) {
        store.free(old[k].firstPage() + i);
      }
    }
  }

  private void writeLeaves(long root, Run leaves) {
    RootPage.count(pages, root, leaves.pages());
    for (int i = 0; i < leaves.pages(); i++) {
      long key = i == 0 ? Long.MIN_VALUE : merge.firstKeyOfLeaf(i);
      rootLayout.set(pages, root, i, key, leaves.firstPage() + i);
    }
  }

  /**
   * Tells whether, with so many messages more and so many pages less, there is room to merge all.
   */
  private boolean hasRoom(long more, long less) {
    long most = messages() + more;
    if (most > capacity(RootPage.MOST_RUNS)) {
      return false;
    }
    long extent = Math.ceilDiv(most, (long) layout.capacity);
    long above = 0;
    long elements = extent;
    for (int k = fitting(most); k > 0; k--) {
      elements = Math.max(1, Math.ceilDiv(elements, (long) layout.capacity));
      above += elements;
    }
    // Leaves are at least half full, so there are no more splits than that, nor than messages.
    long fences = runs[1].pages();
    long leaves = 2 * Math.ceilDiv(meta[HEAD] + more + fences, (long) layout.capacity) + 1;
    long splits = Math.clamp(leaves - head.countLeaves(), Math.min(more, 1), Math.max(more, 0));
    return store.hasRoom(extent + less, above + splits);
  }

  /**
   * Applies messages of the head tree where there are older ones of their keys, and takes them out
   * of the head tree, so that there is less to merge. O(head tree), but done once for what it has.
   */
  private void settle() {
    if (isSettled) {
      return;
    }
    modifications.changes++;
    settling.openHead();
    while (settling.findNext(false)) {
      long key = settling.key(true);
      int type = settling.isPut(true) ? RunPage.PUT : RunPage.TOMBSTONE;
      if (writeInPlace(key, settling.value(true), type, 1)) {
        head.remove(key);
      }
      settling.pass(true);
    }
    isSettled = true;
  }

  /**
   * Applies a message where the newest one of its key is, in a run from {@code first} on; 0 is the
   * head tree. Returns false if it is a put and there is none.
   */
  private boolean writeInPlace(long key, long value, int type, int first) {
    int number = head.leafOf(key);
    for (int k = 0; k <= depth; k++) {
      long root = store.pin(root()); // Before anything has changed: reading it may fail.
      long page;
      try {
        page = store.pin(number);
      } catch (RuntimeException | Error failed) {
        store.unpin(root, false);
        throw failed;
      }
      int bound = layout.upperBound(pages, page, key);
      int slot = k < first ? -1 : layout.find(pages, page, bound, key);
      int next = layout.fence(pages, page, bound);
      if (slot >= 0) {
        if (k > 0) {
          runs[k] = changeInRun(runs[k], page, slot, k == depth, value, type);
          RootPage.run(pages, root, k, runs[k]);
        } else {
          layout.set(pages, page, slot, value, type);
          isSettled &= type == RunPage.PUT;
        }
      }
      store.unpin(page, slot >= 0);
      store.unpin(root, slot >= 0);
      if (slot >= 0) {
        return true;
      }
      number = runs[k + 1].firstPage() + next;
    }
    return type == RunPage.TOMBSTONE;
  }

  private Run changeInRun(Run run, long page, int slot, boolean deepest, long value, int type) {
    int tombstones = layout.type(pages, page, slot) == RunPage.TOMBSTONE ? -1 : 0;
    int messages = 0;
    if (type == RunPage.TOMBSTONE && deepest) {
      layout.set(pages, page, slot, 0, RunPage.NOTHING);
      messages--;
    } else {
      layout.set(pages, page, slot, value, type);
      tombstones += type == RunPage.TOMBSTONE ? 1 : 0;
    }
    return new Run(
        run.firstPage(),
        run.pages(),
        run.elements(),
        run.messages() + messages,
        run.tombstones() + tombstones);
  }

  // ---------------------------------------------------------------- bulkload

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    change.begin();
    BulkloadInput.checkStart(fillFactor, size());
    clear();
    load(entries, total, listener, this::fill);
  }

  private void fill(BulkloadInput input) {
    Run[] loaded = merge.load(input);
    if (input.loaded() > 0) {
      install(loaded, 0);
    } else {
      clear();
    }
  }

  // ---------------------------------------------------------------- inspect

  @Override
  public LongCursor cursor() {
    return new FdCursor(this, dead);
  }

  @Override
  public void verify(ProgressListener listener) {
    FdVerifier.verify(this, listener);
  }

  @Override
  public NodeView rootView() {
    return new FdViews(this).head();
  }
}
