// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Torn;
import java.util.Arrays;

/**
 * The operation queue, OPQ in the paper: updates that have not reached their leaves. It lies in
 * pages of the tree's store, so what is in it survives a checkpoint without being flushed.
 *
 * <pre>
 *   directory   [ numbers of the pages, in this order ]
 *   sorted      (10 put) (13 delete) .. | (20 put) ..   full pages, and one that may not be
 *   appended    (2 put) (90 put) ..     | (11 delete)   each page sorted by itself, the newest last
 * </pre>
 *
 * An operation enters the newest page. When as many pages as the sort period allows are full, they
 * are merged into the sorted part, where of a key only its newest operation is left.
 */
final class OperationQueue {
  /** Has the version of the newest page, which is the only one that others may see changing. */
  static final int VERSION = 0;

  /** The place of an operation that is not there. */
  static final long NOWHERE = -1;

  private static final int SORTED_SHIFT = 32;
  private static final int APPENDED_SHIFT = 16;
  private static final int PAGES_MASK = (1 << APPENDED_SHIFT) - 1;

  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage layout;
  private final long[] meta;

  /** Most pages that the directory has room for. */
  private final int mostListed;

  /** Most pages: O. */
  final int mostPages;

  /** Most pages that are appended before they are merged: the sort period. */
  private final int mostAppended;

  /** The pages that were allocated. */
  final QueueDirectory directory;

  /** Number of operations in the sorted part. */
  private int sorted;

  /** Written after what it counts, so that searches need no latch. */
  private volatile int appendedPages;

  /** The first key of each page of the sorted part. */
  private long[] firstKeys = new long[4];

  /** What is being merged into the sorted part. */
  private final Operations appended;

  /** The key after those flushed last: where the next flush begins. */
  private long nextKey = Long.MIN_VALUE;

  OperationQueue(PioStructure tree, PioBTree.Geometry geometry) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.entries;
    this.meta = tree.meta;
    this.directory = new QueueDirectory(tree);
    this.mostListed = Math.min(directory.capacity(), PAGES_MASK);
    this.mostPages = Math.min(geometry.queuePages(), mostListed);
    int period = Math.max(geometry.sortPeriod() / layout.capacity, 1);
    this.mostAppended = Math.clamp(period, 1, Math.max(mostPages / 8, 1));
    this.appended = new Operations(layout.capacity);
  }

  // ---------------------------------------------------------------- whole

  /** Makes an empty queue: its directory. */
  void plant() {
    sorted = 0;
    appendedPages = 0;
    nextKey = Long.MIN_VALUE;
    directory.plant();
    save();
  }

  /** Reads what is kept beside the pages. */
  void open() {
    long counts = meta[PioStructure.QUEUE];
    int allocated = Math.min((int) counts & PAGES_MASK, mostListed);
    directory.open(allocated);
    sorted = Math.clamp(counts >>> SORTED_SHIFT, 0, allocated * layout.capacity);
    appendedPages =
        Math.clamp((counts >>> APPENDED_SHIFT) & PAGES_MASK, 0, allocated - sortedPages());
    nextKey = Long.MIN_VALUE;
    readFirstKeys(0);
  }

  private void save() {
    meta[PioStructure.QUEUE] =
        (long) sorted << SORTED_SHIFT | (long) appendedPages << APPENDED_SHIFT | directory.count();
  }

  /** Forgets all operations, and frees their pages. */
  void clear() {
    sorted = 0;
    appendedPages = 0;
    while (directory.count() > 0) {
      store.free(directory.removeLast());
    }
    save();
  }

  boolean isEmpty() {
    return sorted == 0 && appendedPages == 0;
  }

  int sorted() {
    return sorted;
  }

  int sortedPages() {
    return (sorted + layout.capacity - 1) / layout.capacity;
  }

  /** Returns how many pages there are for operations. */
  int pages() {
    return directory.count();
  }

  int appendedPages() {
    return appendedPages;
  }

  /** Returns the number of operations, those of one key counted once for each appended page. */
  int count() {
    int count = sorted;
    for (int i = 0; i < appendedPages; i++) {
      long at = store.pin(directory.number(sortedPages() + i));
      try {
        count += layout.checkedCount(tree.pages, at);
      } finally {
        store.unpin(at, false);
      }
    }
    return count;
  }

  // ---------------------------------------------------------------- search

  /**
   * Finds the newest operation of a key. Within an epoch no page is removed meanwhile, and all but
   * the newest stay as they are.
   *
   * @return its place: that of its page, which is then pinned, and its slot, which may be another
   *     by the time it is read; or {@link #NOWHERE}
   */
  long find(long key) {
    int pages = sortedPages();
    int newest = pages + appendedPages - 1;
    if (newest >= pages) {
      long place;
      long version;
      do {
        version = tree.versions.version(VERSION);
        place = findIn(directory.number(newest), key);
        if (place != NOWHERE) {
          return place;
        }
      } while (!tree.versions.isStill(VERSION, version));
    }
    for (int i = newest - 1; i >= pages; i--) {
      long place = findIn(directory.number(i), key);
      if (place != NOWHERE) {
        return place;
      }
    }
    int page = sortedPageOf(key, pages);
    return page < 0 ? NOWHERE : findIn(directory.number(page), key);
  }

  private long findIn(int number, long key) {
    long at = store.pin(number);
    int slot = -1;
    try {
      slot = layout.find(tree.pages, at, key);
    } finally {
      if (slot < 0) {
        store.unpin(at, false);
      }
    }
    if (slot >= 0) {
      return at + slot;
    }
    return NOWHERE;
  }

  /** Returns the last of the sorted pages that begins with no greater key, or -1. */
  private int sortedPageOf(long key, int pages) {
    int at = Arrays.binarySearch(firstKeys, 0, pages, key);
    return at < 0 ? -at - 2 : at;
  }

  /** Returns the sorted page that the operation of a key is in, if there is one. */
  int sortedPageOf(long key) {
    return Math.max(sortedPageOf(key, sortedPages()), 0);
  }

  /** Returns the number of a page, of the sorted ones and those appended behind them. */
  int number(int page) {
    return directory.number(page);
  }

  /** Returns the first key of a sorted page. */
  long firstKey(int page) {
    return firstKeys[page];
  }

  /** Returns the key of an operation of the sorted part. */
  long sortedKey(int position) {
    int page = position / layout.capacity;
    long at = store.pin(directory.number(page));
    try {
      return EntryPage.key(tree.pages, at, position - page * layout.capacity);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Returns how many operations of the sorted part have keys up to {@code key}. */
  int sortedUpTo(long key) {
    return key == Long.MAX_VALUE ? sorted : sortedBelow(key + 1);
  }

  /** Returns how many operations of the sorted part have keys below {@code key}. */
  int sortedBelow(long key) {
    int page = sortedPageOf(key, sortedPages());
    if (page < 0) {
      return 0;
    }
    long at = store.pin(directory.number(page));
    try {
      return page * layout.capacity + layout.lowerBound(tree.pages, at, key);
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- append

  /**
   * Appends an operation, by the thread that has the tree alone. Returns whether there was room: if
   * not, some have to be flushed first.
   */
  boolean append(int kind, long key, long value) {
    if (enter(kind, key, value)) {
      return true;
    }
    if (appendedPages >= mostAppended) {
      sort();
    }
    if (!hasNextPage(mostPages) && appendedPages > 0) {
      sort();
    }
    if (!hasNextPage(mostPages)) {
      return false;
    }
    startNextPage();
    return enter(kind, key, value);
  }

  /** Enters an operation into the newest page, beside searches. Returns whether it had room. */
  boolean enter(int kind, long key, long value) {
    if (appendedPages == 0) {
      return false;
    }
    long at = store.pin(directory.number(sortedPages() + appendedPages - 1));
    boolean entered = false;
    tree.versions.beginChange(VERSION);
    try {
      entered = layout.enter(tree.pages, at, kind, key, value);
    } finally {
      tree.versions.endChange(VERSION);
      store.unpin(at, entered);
    }
    return entered;
  }

  /**
   * Enters an operation into one more page, beside searches. Returns false if the queue has to be
   * sorted or flushed first, or if its next page would move all others.
   *
   * @param besideFlush whether another thread is emptying the queue: until it has, the queue may
   *     have a quarter more pages, which are not sorted
   */
  boolean enterNextPage(int kind, long key, long value, boolean besideFlush) {
    int most = besideFlush ? mostPages + Math.max(mostPages / 4, 1) : mostPages;
    if ((appendedPages >= mostAppended && !besideFlush)
        || !hasNextPage(Math.min(most, mostListed))) {
      return false;
    }
    startNextPage();
    return enter(kind, key, value);
  }

  private void startNextPage() {
    int appended = appendedPages;
    long at = store.pin(directory.number(sortedPages() + appended));
    try {
      EntryPage.initialize(tree.pages, at, EntryPage.QUEUE);
    } finally {
      store.unpin(at, true);
    }
    appendedPages = appended + 1;
    save();
  }

  /** Tells whether there is a page for the next operations, and allocates one if it may. */
  private boolean hasNextPage(int most) {
    int next = sortedPages() + appendedPages;
    if (next < directory.count() || next >= most) {
      return next < directory.count();
    }
    if (store.allocationMoves() && !tree.epochs.isAlone()) {
      return false;
    }
    int number;
    try {
      number = tree.allocate();
    } catch (MemoryLimitException refused) {
      tree.writer.noteRefusal(refused);
      return false;
    }
    directory.add(number);
    save();
    return true;
  }

  // ---------------------------------------------------------------- sort

  /**
   * Merges the appended pages into the sorted part, by the thread that has the tree alone.
   * O(operations).
   */
  void sort() {
    if (appendedPages == 0) {
      return;
    }
    try {
      appended.clear();
      directory.bring(sortedPages(), sortedPages() + appendedPages);
      for (int i = 0; i < appendedPages; i++) {
        long at = store.pin(directory.number(sortedPages() + i));
        try {
          int count = layout.checkedCount(tree.pages, at);
          appended.apply(layout, tree.pages, at, 0, count);
        } finally {
          store.unpin(at, false);
        }
      }
      overwrite();
      merge();
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
  }

  /** Overwrites the sorted operations of keys that were appended too, and leaves those new. */
  private void overwrite() {
    int pages = sortedPages();
    int kept = 0;
    int i = 0;
    while (i < appended.count) {
      int page = sortedPageOf(appended.keys[i], pages);
      if (page < 0) {
        keep(i++, kept++);
        continue;
      }
      long at = store.pin(directory.number(page));
      boolean changed = false;
      try {
        do {
          int slot = layout.find(tree.pages, at, appended.keys[i]);
          if (slot < 0) {
            keep(i, kept++);
          } else {
            layout.set(
                tree.pages, at, slot, appended.keys[i], appended.values[i], appended.kinds[i]);
            changed = true;
          }
          i++;
        } while (i < appended.count
            && (page + 1 == pages || appended.keys[i] < firstKeys[page + 1]));
      } finally {
        store.unpin(at, changed);
      }
    }
    appended.count = kept;
  }

  private void keep(int from, int to) {
    appended.keys[to] = appended.keys[from];
    appended.values[to] = appended.values[from];
    appended.kinds[to] = appended.kinds[from];
  }

  /** Merges keys that are not in the sorted part, beginning with the greatest. */
  private void merge() {
    int end = sorted;
    int firstChanged = sorted;
    for (int i = appended.count - 1; i >= 0; i--) {
      int position = sortedBelow(appended.keys[i]);
      move(position, position + i + 1, end - position);
      write(position + i, i);
      end = position;
      firstChanged = position;
    }
    sorted += appended.count;
    appendedPages = 0;
    readFirstKeys(firstChanged / layout.capacity);
    save();
  }

  private void write(int position, int from) {
    int page = position / layout.capacity;
    long at = store.pin(directory.number(page));
    layout.set(
        tree.pages,
        at,
        position - page * layout.capacity,
        appended.keys[from],
        appended.values[from],
        appended.kinds[from]);
    store.unpin(at, true);
  }

  /** Moves the last sorted operations to lower positions, whose pages are read in waves. */
  private void moveDown(int from, int to) {
    int some = directory.width() * layout.capacity;
    for (int moved = 0; moved < sorted - from; moved += some) {
      int count = Math.min(some, sorted - from - moved);
      int last = (from + moved + count - 1) / layout.capacity;
      directory.bring((to + moved) / layout.capacity, last + 1);
      move(from + moved, to + moved, count);
    }
  }

  /** Moves sorted operations to other positions, which may overlap theirs. */
  private void move(int from, int to, int count) {
    int left = count;
    boolean up = to > from;
    while (left > 0) {
      // The positions of the first, or for a move up of the last, operation that is left.
      int source = up ? from + left - 1 : from + count - left;
      int target = up ? to + left - 1 : to + count - left;
      int some = Math.min(left, Math.min(run(source, up), run(target, up)));
      int first = up ? some - 1 : 0;
      copy(source - first, target - first, some);
      left -= some;
    }
  }

  /** Returns how many positions its page has from a position on, or up to it. */
  private int run(int position, boolean up) {
    int slot = position % layout.capacity;
    return up ? slot + 1 : layout.capacity - slot;
  }

  /** Copies operations from one page to another, or within one. */
  private void copy(int from, int to, int count) {
    long source = store.pin(directory.number(from / layout.capacity));
    long target = store.pin(directory.number(to / layout.capacity));
    int slot = from % layout.capacity;
    layout.copy(tree.pages, source, slot, target, to % layout.capacity, count);
    store.unpin(target, true);
    store.unpin(source, false);
  }

  /** Notes the counts and first keys of sorted pages, which have changed from one on. */
  private void readFirstKeys(int from) {
    int pages = sortedPages();
    if (pages > firstKeys.length) {
      firstKeys = Arrays.copyOf(firstKeys, Math.max(pages, 2 * firstKeys.length));
    }
    for (int i = from; i < pages; i++) {
      long at = store.pin(directory.number(i));
      int count = Math.min(sorted - i * layout.capacity, layout.capacity);
      boolean differs = EntryPage.count(tree.pages, at) != count;
      if (differs) {
        EntryPage.count(tree.pages, at, count);
      }
      firstKeys[i] = EntryPage.key(tree.pages, at, 0);
      store.unpin(at, differs);
    }
  }

  // ---------------------------------------------------------------- flush

  /**
   * Takes the next operations in the order of keys, beginning where the flush before ended; after
   * the greatest key, from the least. They stay in the queue until {@link #flushed}. The queue is
   * sorted.
   *
   * @param most bcnt in the paper
   * @return the position of the first
   */
  int next(Operations to, int most) {
    to.clear();
    int from = sortedBelow(nextKey);
    from = from == sorted ? 0 : from;
    int count = Math.min(most, sorted - from);
    for (int done = 0; done < count; ) {
      int page = (from + done) / layout.capacity;
      int slot = (from + done) % layout.capacity;
      int some = Math.min(layout.capacity - slot, count - done);
      long at = store.pin(directory.number(page));
      try {
        if (slot + some > layout.checkedCount(tree.pages, at)) {
          throw Torn.torn("the queue's page " + directory.number(page) + " has too few operations");
        }
        for (int i = slot; i < slot + some; i++) {
          to.add(
              EntryPage.key(tree.pages, at, i),
              layout.value(tree.pages, at, i),
              layout.kind(tree.pages, at, i));
        }
      } finally {
        store.unpin(at, false);
      }
      done += some;
    }
    if (count > 0) {
      nextKey = to.keys[count - 1] + 1; // Beyond the greatest, the least.
    }
    return from;
  }

  /**
   * Removes operations that {@link #next} has taken, by the thread that has the tree alone. What
   * was appended since stays as it is.
   *
   * @param from what that returned
   * @param taken how many it took
   * @param refused those that have to stay, in the order of keys
   */
  void flushed(int from, int taken, Operations refused) {
    try {
      for (int i = 0; i < refused.count; i++) {
        appended.clear();
        appended.add(refused.keys[i], refused.values[i], refused.kinds[i]);
        write(from + i, 0);
      }
      int before = sortedPages();
      moveDown(from + taken, from + refused.count);
      sorted -= taken - refused.count;
      readFirstKeys(from / layout.capacity);
      if (appendedPages > 0 && sortedPages() < before) {
        directory.move(before, sortedPages(), appendedPages);
      }
      freeSurplus();
      save();
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
  }

  /**
   * Takes one of the pages behind the sorted ones, which is empty, out of the queue, by the thread
   * that has the tree alone.
   */
  void dropAppended(int page) {
    int appended = appendedPages - 1;
    directory.move(page + 1, page, sortedPages() + appended - page);
    appendedPages = appended;
    save();
  }

  /** Frees pages that were only needed beside a flush. */
  private void freeSurplus() {
    while (directory.count() > Math.max(mostPages, sortedPages() + appendedPages)) {
      store.free(directory.removeLast());
    }
  }
}
