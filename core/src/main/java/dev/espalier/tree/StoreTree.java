// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.MemoryUse;
import dev.espalier.memory.PageStore;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.LevelChanges;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all trees in a {@link PageStore} have in common: the store's meta words and the stamp among
 * them, the memory of the pages, the counts that cursors and waiting probes watch, and how a tree
 * is opened, cleared and closed.
 *
 * <p>The fields are for the hot paths of the trees, which read them directly.
 */
public abstract class StoreTree extends IndexStructure {
  /** Bytes of a page unless given: what the papers and most database systems come out at. */
  public static final int DEFAULT_PAGE_BYTES = 16 << 10;

  /** More levels than a tree of 2^31 pages reaches whose root splits only when it is full. */
  public static final int MAX_HEIGHT = 64;

  /** The meta word that says which kind of tree, and of which geometry, is in the store. */
  public static final int STAMP = 0;

  /** The meta word of the root; a tree without one has the page it begins with. */
  public static final int ROOT = 1;

  /** The meta word of the number of levels. */
  public static final int HEIGHT = 2;

  /** The meta word of the number of entries, or {@link #UNKNOWN}. */
  public static final int SIZE = 3;

  /** The first meta word that each kind of tree uses as it likes. */
  public static final int FIRST_OWN = 4;

  /**
   * The page that a tree names while it has none: should the memory be closed before it has, those
   * who look for the tree find that out.
   */
  protected static final int FIRST_PAGE = 1;

  /** The size after writes that have not looked at what was there. */
  public static final long UNKNOWN = -1;

  public final PageStore store;
  public final long[] meta;

  /** Whether cursors copy what they stand on, because pages that are not pinned may go away. */
  public final boolean cursorsCopy;

  /** The pages; read anew after every allocation. */
  public MemorySegment pages;

  /** Address of the first byte of the pages, for prefetching. */
  public long base;

  /** Counts the changes after which a cursor's place may no longer be where it was. */
  public final ChangeCount modifications = new ChangeCount();

  /** Counts the changes after which the places of buffered probes may be void. */
  public final LevelChanges levelChanges;

  /**
   * Takes a store, which belongs to the tree from now on. The subclass calls {@link #open} when it
   * is ready.
   *
   * @param probedLevels levels that probes may wait in, and one more
   */
  protected StoreTree(PageStore store, int probedLevels) {
    this.store = store;
    this.meta = store.meta();
    this.cursorsCopy = !store.pagesStay();
    this.levelChanges = new LevelChanges(probedLevels);
    this.pages = store.segment();
    this.base = pages.address();
  }

  /**
   * Returns a number for this kind of tree and its geometry: a store made by another is refused.
   */
  protected abstract long stamp();

  /** Makes the empty tree in an empty store: its pages and its meta words but the stamp. */
  protected abstract void plant();

  /** Returns the change of the one writer. */
  protected abstract StoreChange change();

  /**
   * Makes an empty tree in an empty store, which may tell the geometry that it is to have. Returns
   * whether a tree was there instead.
   *
   * @throws IllegalArgumentException if the tree in the store is not of this kind and geometry
   */
  protected final boolean open() {
    boolean isThere = isThere();
    if (!isThere) {
      plantStamped();
    }
    readSize();
    store.whenMetaIsWanted(this::writeSize); // Only now: one that is refused leaves all as it was.
    return isThere;
  }

  private boolean isThere() {
    if (meta[STAMP] == 0) {
      return false;
    }
    if (meta[STAMP] != stamp()) {
      throw new IllegalArgumentException(
          "store holds a tree of another kind or geometry: its stamp is %x, not %x"
              .formatted(meta[STAMP], stamp()));
    }
    return meta[HEIGHT] != 0 || store.pagesInUse() != 0;
  }

  private void plantStamped() {
    plant();
    meta[STAMP] = stamp();
  }

  public final int root() {
    return (int) meta[ROOT];
  }

  public final int height() {
    return (int) meta[HEIGHT];
  }

  /** Returns the number of levels of the tree whose meta words these are, 0 if there is none. */
  public static int height(long[] meta) {
    return (int) meta[HEIGHT];
  }

  /** Returns the number of entries of the tree whose meta words these are, or {@link #UNKNOWN}. */
  public static long size(long[] meta) {
    return Math.max(meta[SIZE], UNKNOWN);
  }

  /** Takes the number of entries from its meta word, if the tree counts elsewhere meanwhile. */
  protected void readSize() {}

  /** Writes the number of entries to its meta word, if the tree counts elsewhere. */
  protected void writeSize() {}

  /** Keeps the number of entries that a pass over all of them has found. */
  public void counted(long entries) {
    meta[SIZE] = entries;
  }

  /** Allocates a page and follows the memory if it has moved, as cursors then have to. */
  public int allocate() {
    int page = store.allocate();
    modifications.changes++; // What needs the page may yet be refused another.
    refresh();
    return page;
  }

  /** Reads anew where the pages are, after an allocation. */
  public final void refresh() {
    pages = store.segment();
    base = pages.address();
  }

  // ---------------------------------------------------------------- clear

  @Override
  public void clear() {
    checkOpen();
    change().begin();
    replaced();
    try {
      store.clear();
      refresh();
      plantStamped();
    } catch (RuntimeException | Error failed) {
      change().abandon(failed);
      throw failed;
    }
  }

  /** Clears the tree after a bulkload that has failed; a second failure is added to the first. */
  private void clearAfter(Throwable failed) {
    try {
      clear();
    } catch (RuntimeException second) {
      store.leftHalfway(failed);
      failed.addSuppressed(second);
    }
  }

  /** Tells cursors and waiting probes that all of the tree was replaced. */
  public final void replaced() {
    modifications.changes++;
    levelChanges.changedAll();
  }

  // ---------------------------------------------------------------- bulkload

  /**
   * Fills the empty tree; it is empty again if that fails.
   *
   * @param fill reads the input to its end
   */
  public final void load(
      LongEntrySource entries,
      long total,
      ProgressListener listener,
      Consumer<BulkloadInput> fill) {
    try {
      BulkloadInput input = new BulkloadInput(entries, total, listener);
      fill.accept(input);
      counted(input.loaded());
      input.finish();
    } catch (RuntimeException | Error failed) {
      clearAfter(failed);
      throw failed;
    }
    replaced();
  }

  // ---------------------------------------------------------------- the whole

  /** Returns the number of entries if it is known, else {@link #UNKNOWN}. */
  protected long knownSize() {
    return size(meta);
  }

  /** O(1) if the size is known; a pass over all entries after writes that have not looked. */
  @Override
  public long size() {
    long known = knownSize();
    if (known >= 0) {
      return known;
    }
    long entries = countEntries();
    counted(entries);
    return entries;
  }

  @Override
  public boolean isEmpty() {
    long known = knownSize();
    return known >= 0 ? known == 0 : !cursor().first();
  }

  @Override
  public final MemoryUse memory() {
    return store;
  }

  @Override
  public final @Nullable Path file() {
    return store.file();
  }

  @Override
  protected final String closedMessage(String tree) {
    return store.closedMessage(tree);
  }

  // ---------------------------------------------------------------- shrink

  /** Opens another tree of this kind and geometry. */
  protected abstract StoreTree over(PageStore other);

  /** Reads anew what is kept beside the store, which has taken the pages of another. */
  protected void adopted() {}

  @Override
  protected final long memoryLimit() {
    return store instanceof MemoryPageStore pagesInMemory ? pagesInMemory.limit() : 0;
  }

  @Override
  protected final @Nullable IndexStructure twin(long limit) {
    if (!(store instanceof MemoryPageStore mine) || limit < store.pageBytes()) {
      return null;
    }
    MemoryPageStore another = mine.another(limit);
    try {
      return over(another);
    } catch (MemoryLimitException _) {
      another.close();
      return null;
    }
  }

  @Override
  protected final void adopt(IndexStructure twin) {
    change().begin();
    ((MemoryPageStore) store).adopt((MemoryPageStore) ((StoreTree) twin).store);
    refresh();
    replaced();
    adopted();
  }

  // ---------------------------------------------------------------- salvage

  /**
   * Returns a cursor over one leaf page of a tree whose pages are its nodes, whatever leads to that
   * page. The tree must not be used for anything else.
   */
  protected LongCursor leafCursor(int page) {
    meta[ROOT] = page;
    meta[HEIGHT] = 1;
    meta[SIZE] = UNKNOWN;
    return cursor();
  }

  /** Returns the {@link #leafCursor} of an index whose structure is a tree in a store. */
  public static LongCursor leafCursor(AbstractIndex index, int page) {
    return ((StoreTree) index.structure).leafCursor(page);
  }

  // ---------------------------------------------------------------- close

  /** In memory a pin is mere arithmetic; elsewhere it would be left behind. */
  @Override
  public final boolean allowsTornReads() {
    return store instanceof MemoryPageStore;
  }

  @Override
  public final void expectTornReads() {
    if (store instanceof MemoryPageStore mine) {
      mine.expectReaders();
    }
  }

  @Override
  public void flush() {
    store.flush();
  }

  @Override
  public final boolean isClosed() {
    return store.isClosed();
  }

  @Override
  public final void close() {
    try {
      store.close();
    } finally {
      modifications.countClose();
    }
  }
}
