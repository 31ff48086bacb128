// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.MemoryUse;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.ChangeCount;
import dev.espalier.support.LevelChanges;
import dev.espalier.tree.IndexStructure;
import java.lang.foreign.MemorySegment;

/**
 * What both COLAs stand on: a page of messages at the top, and searches in levels below it, each an
 * extent of pages.
 */
abstract class MessageLevels implements IndexStructure {
  /** The store's meta words; height and size are where all trees on pages have them. */
  static final int STAMP = 0;

  static final int MANIFEST = 1;
  static final int HEIGHT = 2;
  static final int SIZE = 3;
  static final int TOP = 4;

  /** The size while it is not known. */
  static final long UNKNOWN = -1;

  static final int MIN_PAGE_BYTES = 1024;

  final PageStore store;
  final ElementPage layout;

  /** Most messages of the top page: the geometry's batch, if a page has room for it. */
  final int batch;

  final long[] meta;
  final ChangeCount modifications = new ChangeCount();

  /** For probes that wait: the whole index is one level to them. */
  final LevelChanges levelChanges = new LevelChanges(2);

  /** The pages; read anew after every allocation. */
  MemorySegment pages;

  MessageLevels(PageStore store, int batch) {
    int pageBytes = store.pageBytes();
    if (pageBytes < MIN_PAGE_BYTES) {
      throw new IllegalArgumentException(
          "pages have " + pageBytes + " bytes; a COLA needs " + MIN_PAGE_BYTES + " at least");
    }
    this.store = store;
    this.layout = new ElementPage(pageBytes);
    this.batch = Math.min(batch, layout.capacity);
    this.meta = store.meta();
    this.pages = store.segment();
  }

  // ---------------------------------------------------------------- for the trees

  /** Makes the empty structure in an empty store. */
  abstract void plant();

  /** Returns the number of messages in all sources. */
  abstract long messages();

  /** Returns the number of tombstones, those in the top page apart. */
  abstract long tombstones();

  /**
   * Writes a message: a put, or with any value a tombstone.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; nothing has changed then
   */
  abstract void write(long key, long value, boolean isPut);

  /** Removes a key that has an entry; with the last one all tombstones go, if it is known to be. */
  final void remove(long key) {
    if (meta[SIZE] == 1) {
      clear();
      return;
    }
    write(key, 0, false);
    changeSize(-1);
  }

  /** Fills this empty index; it is empty again if that fails. */
  abstract void load(LongEntrySource entries, long total, ProgressListener listener);

  /** Takes the pages of the manifest and the top, and says that there are no entries. */
  final void plantTop() {
    int manifest = store.allocate();
    int top = store.allocate();
    refresh();
    clearTop(top);
    meta[MANIFEST] = manifest;
    meta[TOP] = top;
    meta[HEIGHT] = 1;
    meta[SIZE] = 0;
  }

  /** Makes a page a top without messages. */
  final void clearTop(int top) {
    long page = store.pin(top);
    ElementPage.number(pages, page, 0);
    layout.clearBits(pages, page);
    store.unpin(page, true);
  }

  final void refresh() {
    pages = store.segment();
  }

  // ---------------------------------------------------------------- the whole

  /** O(1) after writes that search, one pass over all levels after blind ones. */
  @Override
  public final long size() {
    if (meta[SIZE] == UNKNOWN) {
      meta[SIZE] = countEntries();
    }
    return meta[SIZE];
  }

  @Override
  public final long sizeEstimate() {
    long size = meta[SIZE];
    return size != UNKNOWN ? size : Math.max(0, messages() - 2 * tombstones());
  }

  @Override
  public final boolean isEmpty() {
    return meta[SIZE] == UNKNOWN ? !cursor().first() : meta[SIZE] == 0;
  }

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    store.beforeChange();
    BulkloadInput.checkStart(fillFactor, size());
    load(entries, total, listener);
  }

  @Override
  public final MemoryUse memory() {
    return store;
  }

  @Override
  public final void flush() {
    store.flush();
  }

  @Override
  public final boolean isClosed() {
    return store.isClosed();
  }

  @Override
  public final void close() {
    modifications.changes++;
    store.close();
  }

  // ---------------------------------------------------------------- sizes

  /** Notes that there are so many entries more, if it is known how many there were. */
  final void changeSize(int by) {
    if (meta[SIZE] != UNKNOWN) {
      meta[SIZE] += by;
    }
  }

  // ---------------------------------------------------------------- search

  /**
   * Returns the first position of a level from {@code low} on whose key is not below {@code key},
   * or {@code high}. O(log (high - low)).
   */
  final long lowerBound(Level level, long low, long high, long key) {
    if (low >= high) {
      return high;
    }
    long number = pageOf(level, low, high, key);
    long start = number * layout.capacity;
    int from = (int) Math.max(low - start, 0);
    int to = (int) Math.min(high - start, layout.capacity);
    long page = store.pin(level.firstPage() + (int) number);
    int slot =
        from
            + Keys.lowerBoundBinary(
                pages, page + layout.keysOffset + ((long) from << 3), to - from, key);
    store.unpin(page, false);
    return start + slot;
  }

  /**
   * Returns which of a level's pages to search for a key that belongs to the positions {@code low}
   * to {@code high}: the last whose first key is not above it.
   */
  final long pageOf(Level level, long low, long high, long key) {
    long first = layout.pageOf(Math.min(low, high - 1));
    long last = layout.pageOf(high - 1);
    while (first < last) {
      long middle = (first + last + 1) >>> 1;
      long page = store.pin(level.firstPage() + (int) middle);
      if (layout.key(pages, page, 0) <= key) {
        first = middle;
      } else {
        last = middle - 1;
      }
      store.unpin(page, false);
    }
    return first;
  }

  // ---------------------------------------------------------------- clear

  /** A second failure is added to the first. */
  final void clearAfter(Throwable failed) {
    try {
      clear();
    } catch (RuntimeException second) {
      store.leftHalfway(failed);
      failed.addSuppressed(second);
    }
  }

  @Override
  public final void clear() {
    checkOpen();
    store.beforeChange();
    modifications.changes++;
    levelChanges.changedAll();
    try {
      store.clear();
      refresh();
      plant();
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
  }
}
