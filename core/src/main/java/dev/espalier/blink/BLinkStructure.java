// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import dev.espalier.tree.StoreChange;
import dev.espalier.tree.StoreTree;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * A B-link tree: how a page is found and latched, and all that concerns the whole. What writers do
 * is {@link BLinkWriter}'s, splits are {@link BLinkSplit}'s, pages that have become empty {@link
 * BLinkRemoval}'s, and what is in a page is up to a {@link LinkedPageFormat}.
 */
final class BLinkStructure extends StoreTree {
  /* Overview
   *
   * A B+-tree whose pages have a high key and a link to the right neighbour (Lehman and Yao, 1981):
   *
   *     parent     [ ... 40 | 90 ... ]
   *                     /      \
   *     children   [.. 22 ] -> [23 .. 40] -> [41 .. 90] -> ...
   *                high 22      high 40       high 90
   *
   * Here the page with the high key 40 was split, and the parent does not know it yet. A search for
   * 30 comes to the left half, sees that its key is above the high key, and goes right. So every step
   * of a split is one change of one page, and the tree is right after each.
   *
   *   Search. Readers take no latch. They read a page, and look whether its version is still what it
   *   was; if not, they read it again. The page cannot leave the tree meanwhile (Epochs). If it is in
   *   memory, it is not even pinned, so they write nothing that others read; one that has made room
   *   for another meanwhile is pinned and read again.
   *   Insert. The leaf is latched; a writer that finds the key above its high key goes right. If the
   *   leaf is full, it is split first: the new right half is written, then, in one change, the left
   *   half loses it, links to it and is marked as split incompletely. Then the left half and its
   *   parent are latched, the separator is inserted above, and the mark is taken away. Each writer
   *   that comes upon a mark does that, so nothing is lost if the one who split has failed.
   *   Delete. A leaf that becomes empty leaves the tree at once, with the inner pages that have only
   *   it; its keys become those of a neighbour with the same parent. Whoever still gets to such a
   *   page begins at the root again.
   *
   * Latches are taken from children to parents, and from left to right on a level. Their holders may
   * read from a file meanwhile; readers do not wait for them.
   *
   * The root's number is one word, so that it changes at once; its level is in the page.
   *
   * Invariants, checked by BLinkVerifier while nothing else happens:
   *   I1  The keys of a page ascend strictly.
   *   I2  The keys of a page are above the high key of its left neighbour, and not above its own; the
   *       last page of each level, and only that, has the high key Long.MAX_VALUE.
   *   I3  right and left chain the pages of each level in order, both ways, and end in none.
   *   I4  The root is on the level that the height says, and each page one level below those that
   *       lead to it.
   *   I5  The children of the pages of a level, in order, are the pages of the level below but those
   *       whose left neighbour is marked as split incompletely; the upper bound of each is its high
   *       key, or that of the last of the pages that came out of it. The root alone has no parent.
   *   I6  Counts are from 0 to the capacity in leaves, and from 1 in inner pages. No page of the tree
   *       is marked as one that has left it; the last page of a level is not marked as split.
   *   I7  The size is the number of entries in the leaves.
   *   I8  Pages are in use by the store's account, none is reached twice, and no other is in use but
   *       those that have left the tree and wait.
   *
   * Deviations:
   *   D1  Lehman and Yao keep no left links and delete nothing. Left links, the mark and the removal
   *       of empty pages are as in PostgreSQL's nbtree; but keys may move to the left neighbour, too,
   *       because whoever comes to a removed page starts anew. So any leaf can go, the last as well.
   *   D2  Pages that are not empty are not merged (Johnson and Shasha: free at empty).
   *   D3  A writer that splits has no stack: it goes down again to the level above. The latch of the
   *       left half is given back in between; the mark says what is left to do.
   *   D4  A split at the right edge moves nothing, so that ascending keys leave full pages; where a
   *       format has seen a run of inserts, what is above it moves.
   */

  private static final VarHandle META = MethodHandles.arrayElementVarHandle(long[].class);

  /**
   * Pages that a search goes through at most: far more than levels and splits that are not done.
   */
  private static final int MOST_HOPS = 1 << 16;

  /** Stands for the look of a page that is to be pinned. */
  static final long PINNED = -1;

  final LinkedPageFormat format;
  final Latches latches;
  final Epochs epochs;
  final BLinkSpace space;
  final BLinkSplit splits;
  final BLinkRemoval removals;
  private final StoreChange change;

  /** For each thread how many changes it has made. */
  private final ThreadLocal<long[]> ownChanges = ThreadLocal.withInitial(() -> new long[1]);

  /** Counts how often all pages were replaced. */
  volatile int generation;

  BLinkStructure(PageStore store, LinkedPageFormat format) {
    super(store, 2); // To probes that wait, the whole tree is one level.
    this.format = format;
    this.latches = new Latches(store::isClosed);
    this.epochs = new Epochs(store::isClosed);
    this.space = new BLinkSpace(this);
    this.splits = new BLinkSplit(this);
    this.removals = new BLinkRemoval(this);
    this.change = new StoreChange(this);
    if (open()) {
      space.load();
    }
  }

  @Override
  protected long stamp() {
    return format.stamp();
  }

  @Override
  protected void plant() {
    meta[ROOT] = FIRST_PAGE;
    meta[HEIGHT] = 1;
    counted(0);
    int page = allocate();
    long at = store.pin(page);
    format.initialize(pages, at, page, 0);
    store.unpin(at, true);
    meta[ROOT] = page;
  }

  @Override
  protected StoreChange change() {
    return change;
  }

  /** Ends a change that has failed halfway, so that the pages are no tree any more. */
  void abandon(Throwable failed) {
    change.abandon(failed);
  }

  // ---------------------------------------------------------------- meta words

  int rootPage() {
    return (int) (long) META.getAcquire(meta, ROOT);
  }

  /** Makes a page the root, which has as many levels. */
  void rootPage(int page, int height) {
    META.setRelease(meta, ROOT, (long) page);
    META.setOpaque(meta, HEIGHT, (long) height);
  }

  // ---------------------------------------------------------------- size

  @Override
  protected void readSize() {
    counted(meta[SIZE]);
  }

  /** Operations count entries as they end; the meta word is behind until it is wanted. */
  @Override
  protected void writeSize() {
    META.setOpaque(meta, SIZE, epochs.entries());
  }

  @Override
  public void counted(long entries) {
    super.counted(entries);
    epochs.count(entries - epochs.entries());
  }

  /** A removal may be counted before the insert that it undoes. */
  @Override
  protected long knownSize() {
    return Math.max(0, epochs.entries());
  }

  /** Looks for an entry if there seems to be none: the counts of threads are read one by one. */
  @Override
  public boolean isEmpty() {
    return knownSize() == 0 && !cursor().first();
  }

  /** Returns how many entries there may be in as many leaves as there are pages. O(1). */
  long mostEntries() {
    return (long) store.pagesInUse() * format.leafCapacity;
  }

  // ---------------------------------------------------------------- changes

  /** Counts a change that the cursors of this thread are to see. */
  void noteOwnChange() {
    ownChanges.get()[0]++;
  }

  /** Returns how many changes this thread has made. */
  long ownChanges() {
    return ownChanges.get()[0];
  }

  // ---------------------------------------------------------------- search

  /**
   * Returns the page of a level that covers a key, or did when it was read; 0 if there is no such
   * level. Within an operation of {@link #epochs}.
   */
  int find(int level, long key) {
    int page = rootPage();
    for (int hops = 0; ; hops++) {
      int next = next(page, key, level);
      if (next == LinkedPage.HERE) {
        return page;
      }
      if (next == LinkedPage.ABOVE_THE_ROOT) {
        return 0;
      }
      page = next == LinkedPage.GONE ? rootPage() : next;
      checkHops(hops, page);
    }
  }

  /** Reads a page as {@link LinkedPageFormat#next}. */
  private int next(int page, long key, int level) {
    for (long look = store.look(page); ; look = PINNED) {
      long at = begin(page, look);
      int next;
      long version;
      do {
        version = latches.version(page);
        next = format.next(pages, at, page, key, level);
      } while (!latches.isStill(page, version));
      if (end(look, at)) {
        if (look >= 0) {
          store.noteLooks(1);
        }
        return next;
      }
    }
  }

  /** Returns where a page is to be read that a look has found, or else is pinned now. */
  long begin(int page, long look) {
    return look < 0 ? store.pin(page) : store.offset(look);
  }

  /** Ends the reading of a page; tells whether it was the page's bytes that were read. */
  boolean end(long look, long at) {
    if (look >= 0) {
      return store.isStill(look);
    }
    store.unpin(at, false);
    return true;
  }

  /** Checks that a search ends, and leads to a page. */
  static void checkHops(int hops, int page) {
    if (page <= 0 || hops > MOST_HOPS) {
      throw Torn.torn("a search leads to page " + page + " after " + hops + " pages");
    }
  }

  // ---------------------------------------------------------------- latch

  /**
   * Latches the page of a level that covers a key, and returns it; 0 if there is no such level.
   * Within an operation.
   */
  int latch(int level, long key) {
    int page = find(level, key);
    for (int hops = 0; page != 0; hops++) {
      latches.latch(page);
      int next;
      try {
        next = next(page, key, level);
      } catch (RuntimeException | Error failed) {
        latches.unlatch(page);
        throw failed;
      }
      if (next == LinkedPage.HERE) {
        return page;
      }
      latches.unlatch(page);
      page = next == LinkedPage.GONE ? find(level, key) : next;
      if (page != 0) {
        checkHops(hops, page);
      }
    }
    return 0;
  }

  /** Changes a page that is latched; {@code at} is where it is pinned. */
  void change(int page, long at, PageChange pageChange) {
    latches.beginChange(page);
    try {
      pageChange.apply(pages, at);
    } finally {
      latches.endChange(page);
    }
  }

  /** Pins a page that is latched, if there is one, changes it and unpins it. */
  void pinAndChange(int page, PageChange pageChange) {
    if (page != 0) {
      long at = store.pin(page);
      try {
        change(page, at, pageChange);
      } finally {
        store.unpin(at, true);
      }
    }
  }

  /** A change of the bytes of one page. */
  interface PageChange {
    /** Makes the change, and waits for nothing. */
    void apply(MemorySegment pages, long at);
  }

  // ---------------------------------------------------------------- the whole

  /** Does something while nobody else is in the tree; what is done may do so, too. */
  private void alone(Runnable task) {
    space.alone(task);
  }

  @Override
  public void clear() {
    checkOpen();
    alone(
        () -> {
          adopted();
          super.clear();
        });
  }

  @Override
  public long shrink(ProgressListener listener) {
    checkOpen();
    long[] given = new long[1];
    alone(() -> given[0] = super.shrink(listener));
    return given[0];
  }

  /** Tells cursors that other pages are here now. */
  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread has the tree alone.
  protected void adopted() {
    generation++;
    modifications.changes++;
    space.forget();
    noteOwnChange();
  }

  @Override
  protected StoreTree over(PageStore other) {
    return new BLinkStructure(other, format);
  }

  @Override
  public LongCursor cursor() {
    return new BLinkCursor(this, 0);
  }

  @Override
  protected LongCursor leafCursor(int page) {
    return new BLinkCursor(this, page);
  }

  @Override
  public void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    alone(
        () -> {
          new BLinkBulkload(this, fillFactor).load(entries, total, listener);
          adopted();
        });
  }

  @Override
  public void verify(ProgressListener listener) {
    checkOpen();
    alone(() -> BLinkVerifier.verify(this, listener));
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

  @Override
  public NodeView rootView() {
    int root = rootPage();
    MemorySegment image = image(root);
    return view(root, LinkedPage.level(image, 0), image);
  }

  /** Copies a page as it is at one moment. */
  private MemorySegment image(int page) {
    if (!store.isInUse(page)) {
      throw new InvariantViolationException("I8", "page " + page + " is not in use");
    }
    MemorySegment image = MemorySegment.ofArray(new long[format.bytes / Long.BYTES]);
    long at = store.pin(page);
    try {
      long version;
      do {
        version = latches.version(page);
        Words.copy(pages, at, image, 0, format.bytes);
      } while (!latches.isStill(page, version));
    } finally {
      store.unpin(at, false);
    }
    return image;
  }

  /** Reads a page; what can't be is refused: a walk over all children would not end. */
  private NodeView view(int page, int level, MemorySegment image) {
    int count = LinkedPage.rawCount(image, 0);
    int capacity = format.capacity(level);
    boolean isOfLevel = level >= 0 && level < MAX_HEIGHT && LinkedPage.level(image, 0) == level;
    if (!isOfLevel || count < Math.min(level, 1) || count > capacity) {
      throw new InvariantViolationException(
          "I6",
          "page %d of level %d has level %d and count %d of %d"
              .formatted(page, level, LinkedPage.level(image, 0), count, capacity));
    }
    format.verify(image, 0, page);
    long[] keys = new long[count];
    long[] payloads = new long[count];
    format.load(image, 0, keys, payloads);
    long offset = (page - 1L) * format.bytes;
    return level == 0
        ? NodeView.leaf(offset, format.bytes, count, capacity, i -> keys[i], i -> payloads[i])
        : NodeView.inner(
            offset,
            format.bytes,
            level,
            count - 1,
            capacity - 1,
            i -> keys[i],
            i -> childView((int) payloads[i], level - 1));
  }

  private NodeView childView(int page, int level) {
    return view(page, level, image(page));
  }
}
