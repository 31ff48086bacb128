// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Keys;
import dev.espalier.support.BulkloadInput;
import dev.espalier.support.ClosedRange;
import dev.espalier.support.DeadRanges;
import dev.espalier.tree.RangeRemoval;
import dev.espalier.tree.StoreChange;
import dev.espalier.tree.StoreTree;

/**
 * What both COLAs stand on: a page of messages at the top, and searches in levels below it, each an
 * extent of pages.
 */
abstract class MessageLevels extends StoreTree {
  /** The meta word of the page that says where the levels are. */
  static final int MANIFEST = ROOT;

  /** The meta word of the top page. */
  static final int TOP = FIRST_OWN;

  static final int MIN_PAGE_BYTES = 1024;

  final ElementPage layout;

  /** Most messages of the top page: the geometry's batch, if a page has room for it. */
  final int batch;

  final StoreChange change;

  /** Where cursors have found nothing but what was removed. */
  final DeadRanges dead = new DeadRanges();

  MessageLevels(PageStore store, int batch) {
    int pageBytes = store.pageBytes();
    if (pageBytes < MIN_PAGE_BYTES) {
      throw new IllegalArgumentException(
          "pageBytes is " + pageBytes + "; a COLA needs at least " + MIN_PAGE_BYTES);
    }
    super(store, 2); // To probes that wait, the whole index is one level.
    this.layout = new ElementPage(pageBytes);
    this.batch = Math.min(batch, layout.capacity);
    this.change = new StoreChange(this);
  }

  @Override
  protected StoreChange change() {
    return change;
  }

  // ---------------------------------------------------------------- for the trees

  /** Returns the number of messages in all sources. */
  abstract long messages();

  /** Returns the number of tombstones, those in the top page apart. */
  abstract long tombstones();

  /**
   * Enters a message, a put or with any value a tombstone, into a change that has begun.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room; nothing has changed then
   */
  abstract void enter(long key, long value, boolean isPut);

  /** Writes a put after a look at what is there. */
  final void put(long key, long value, boolean isNew) {
    change.begin();
    enterPut(key, value);
    change.commit(isNew ? 1 : 0);
  }

  /** Revives the key at last: what makes room walks over it, and may find that it is dead. */
  private void enterPut(long key, long value) {
    try {
      enter(key, value, true);
    } finally {
      dead.revive(key);
    }
  }

  /** Writes a message without having looked what is there. */
  final void writeBlind(long key, long value, boolean isPut) {
    change.begin();
    if (isPut) {
      enterPut(key, value);
    } else {
      enter(key, value, false);
    }
    counted(UNKNOWN);
    change.commit(0);
  }

  /** Removes a key that has an entry; with the last one all tombstones go, if it is known to be. */
  final void remove(long key) {
    if (meta[SIZE] == 1) {
      clear();
      return;
    }
    change.begin();
    enter(key, 0, false);
    change.commit(-1);
  }

  /**
   * Removes the entries between two keys: a few by a message each, {@link RangeRemoval#MANY} or
   * more in all levels where they are. Returns how many there were.
   */
  final long removeRange(long from, boolean fromInclusive, long to, boolean toInclusive) {
    ClosedRange range = ClosedRange.of(from, fromInclusive, to, toInclusive);
    checkOpen();
    change.begin();
    long removed = RangeRemoval.remove(this, range, dead, this::remove, this::cut);
    dropNothing(removed);
    return removed;
  }

  private long cut(long first, long last) {
    long removed = RangeRemoval.count(cursor(), first, last);
    try {
      cutLevels(first, last, removed);
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
    change.commit(-removed);
    return removed;
  }

  /**
   * Takes all messages for the keys from {@code first} to {@code last} out of the levels, the
   * deepest first, so that none reappears that another hides. No page is allocated.
   *
   * @param entries how many of the keys have an entry
   */
  abstract void cutLevels(long first, long last, long entries);

  /**
   * Makes the levels anew if most of their elements are nothing any more and the range that was
   * removed is large enough to pay for that.
   */
  abstract void dropNothing(long removed);

  /**
   * Takes the messages for the keys from {@code first} to {@code last} out of the top, in order.
   */
  final void cutTop(long first, long last) {
    long page = store.pin((int) meta[TOP]);
    boolean isChanged = false;
    try {
      int count = Math.clamp(ElementPage.number(pages, page), 0, batch);
      int from = Keys.lowerBoundBinary(pages, page + layout.keysOffset, count, first);
      int to = count;
      if (last < Long.MAX_VALUE) {
        to = Keys.lowerBoundBinary(pages, page + layout.keysOffset, count, last + 1);
      }
      if (from < to) {
        isChanged = true;
        layout.remove(pages, page, from, to, count);
      }
    } finally {
      store.unpin(page, isChanged);
    }
  }

  @Override
  public final LongCursor cursor() {
    return cursor(dead);
  }

  /** Returns a cursor that skips some ranges, and adds to them. */
  abstract LongCursor cursor(DeadRanges skipped);

  /** Fills this empty index with all of the input. */
  abstract void fill(BulkloadInput input);

  /** Takes the pages of the manifest and the top, and says that there are no entries. */
  final void plantTop() {
    dead.clear();
    meta[TOP] = FIRST_PAGE;
    meta[HEIGHT] = 1;
    meta[SIZE] = 0;
    int manifest = store.allocate();
    int top = store.allocate();
    refresh();
    meta[MANIFEST] = manifest;
    meta[TOP] = top;
    clearTop(top);
  }

  /** Makes a page a top without messages. */
  final void clearTop(int top) {
    long page = store.pin(top);
    ElementPage.number(pages, page, 0);
    layout.clearBits(pages, page);
    store.unpin(page, true);
  }

  // ---------------------------------------------------------------- the whole

  @Override
  public final long sizeEstimate() {
    long known = knownSize();
    return known >= 0 ? known : Math.max(0, messages() - 2 * tombstones());
  }

  @Override
  public final void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener) {
    checkOpen();
    change.begin();
    BulkloadInput.checkStart(fillFactor, size());
    clear();
    load(entries, total, listener, this::fill);
  }

  // ---------------------------------------------------------------- search

  /**
   * Returns the first position of a level from {@code low} on whose key is not below {@code key},
   * or {@code high}. O(log (high - low)).
   */
  final long lowerBound(Level level, long low, long high, long key) {
    return low >= high ? high : lowerBound(level, pageOf(level, low, high, key), low, high, key);
  }

  /** As {@link #lowerBound(Level, long, long, long)}, in the page where the key belongs. */
  final long lowerBound(Level level, long number, long low, long high, long key) {
    long start = number * layout.capacity;
    int from = (int) Math.max(low - start, 0);
    int to = (int) Math.min(high - start, layout.capacity);
    long page = store.pin(level.firstPage() + (int) number);
    try {
      long keys = page + layout.keysOffset + ((long) from << 3);
      return start + from + Keys.lowerBoundBinary(pages, keys, to - from, key);
    } finally {
      store.unpin(page, false);
    }
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
}
