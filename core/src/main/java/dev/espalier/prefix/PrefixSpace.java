// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a prefix B+-tree for many threads has in addition to its pages: their latches and versions,
 * the operations under way, and the pages that are not in the tree: those that writers are about to
 * put into it, and those that have left it and wait until nobody can reach them.
 *
 * <p>Pages that wait are linked as chains are, in two lists whose first pages are in the meta
 * words, so that a checkpoint has them, too. When no operation is left that could reach those of
 * the older list, they are freed, and the newer list becomes the older.
 */
final class PrefixSpace {
  final Latches latches;
  final Epochs epochs;

  /** Held by the one who changes the structure of the tree: inner pages, and the root. */
  final ReentrantLock structure = new ReentrantLock();

  /**
   * Shared by those who show a value where it lies, for as long as its reader takes; taken by those
   * who are to have the tree alone, before all else. So nobody waits for a reader with another lock
   * in his hands.
   */
  final ReentrantReadWriteLock readers = new ReentrantReadWriteLock();

  /** Counts how often all pages were replaced, and the closing. */
  volatile int generation;

  private final PrefixStructure tree;
  private final PageStore store;

  /** Held to allocate and free pages; taken outside operations only. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Pages that were allocated and are not part of the tree yet. */
  private final AtomicInteger outside = new AtomicInteger();

  /** The epoch in which the last page of the older list had left; guarded by this. */
  private long olderLeft;

  PrefixSpace(PrefixStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.latches = new Latches(store::isClosed);
    this.epochs = new Epochs(store::isClosed);
  }

  // ---------------------------------------------------------------- allocate

  /**
   * Allocates a page that is to become part of the tree: {@link #used} or {@link #giveBack}
   * follows. Outside operations.
   */
  int allocate() {
    if (epochs.isAlone()) {
      int page = store.allocate();
      tree.refresh();
      return page;
    }
    lock.lock();
    try {
      freeUnreachable();
      int page = store.allocationMoves() ? allocateAlone() : store.allocate();
      outside.incrementAndGet();
      return page;
    } finally {
      lock.unlock();
    }
  }

  private int allocateAlone() {
    epochs.beginAlone();
    try {
      int page = store.allocate();
      tree.refresh();
      return page;
    } finally {
      epochs.endAlone();
    }
  }

  void used(int pages) {
    if (!epochs.isAlone()) {
      outside.addAndGet(-pages);
    }
  }

  /** Frees a page that nobody has reached. */
  void giveBack(int page) {
    lock.lock();
    try {
      store.free(page);
      used(1);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Allocates pages, as {@link #allocate()} does: all or none.
   *
   * @return the generation in which they were allocated; in another one, they are void
   */
  int allocate(int[] pages) {
    int taken = 0;
    lock.lock();
    try {
      for (; taken < pages.length; taken++) {
        pages[taken] = allocate();
      }
      return generation;
    } catch (RuntimeException | Error refused) {
      while (taken > 0) {
        giveBack(pages[--taken]);
      }
      throw refused;
    } finally {
      lock.unlock();
    }
  }

  /** Finds room for a long value, as {@link PieceSpace#place} does. */
  PlacedValue place(int bytes) {
    lock.lock();
    try {
      return tree.pieces.place(bytes, generation);
    } finally {
      lock.unlock();
    }
  }

  /** Frees the room of a value that nobody has reached, unless all pages were replaced since. */
  void giveBack(PlacedValue placed) {
    lock.lock();
    try {
      if (placed.generation == generation) {
        tree.pieces.giveBack(placed);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Frees pages that nobody has reached, unless all pages were replaced since.
   *
   * @param taken the generation in which they were allocated
   */
  void giveBack(int[] pages, int taken) {
    lock.lock();
    try {
      if (taken == generation) {
        for (int page : pages) {
          giveBack(page);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Does the same with the pages of a chain, if there is one.
   *
   * @param first its first page, or 0
   */
  void giveBackChain(int first, int taken) {
    if (first == 0) {
      return;
    }
    lock.lock();
    try {
      if (taken == generation) {
        for (int page = first; page != 0; ) {
          int next = tree.chain.next(page);
          giveBack(page);
          page = next;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many pages in use are with writers. */
  int outside() {
    return outside.get();
  }

  // ---------------------------------------------------------------- leave

  /** Has a page wait to which nothing in the tree leads, and tells readers that it has left. */
  void retire(int page) {
    long at = store.pin(page);
    latches.beginChange(page);
    try {
      Chain.becomeChain(tree.pages, at);
    } finally {
      latches.endChange(page);
      store.unpin(at, true);
    }
    leave(page);
  }

  /** Has the pages of a chain wait to which nothing in the tree leads. */
  synchronized void leave(int first) {
    tree.chain.append(first, (int) tree.meta[PrefixStructure.WAITING]);
    tree.meta[PrefixStructure.WAITING] = first;
  }

  /** Frees what nobody can reach any more. Outside operations. */
  void free() {
    lock.lock();
    try {
      freeUnreachable();
    } finally {
      lock.unlock();
    }
  }

  /** Does the same with the lock held. */
  private void freeUnreachable() {
    int first = unreachable();
    if (first == 0) {
      return;
    }
    try {
      tree.chain.free(first);
    } catch (RuntimeException | Error failed) {
      store.leftHalfway(failed);
      throw failed;
    }
  }

  private synchronized int unreachable() {
    long[] meta = tree.meta;
    if (meta[PrefixStructure.WAITING_LONGER] == 0) {
      if (meta[PrefixStructure.WAITING] == 0) {
        return 0;
      }
      age();
    }
    if (!isUnreachable(olderLeft)) {
      return 0;
    }
    int first = (int) meta[PrefixStructure.WAITING_LONGER];
    age();
    return first;
  }

  /**
   * Tells whether no operation is left that could reach what has left in an epoch. With the lock
   * held, so that nobody begins to be alone meanwhile.
   */
  synchronized boolean isUnreachable(long left) {
    while (!epochs.isUnreachable(left)) {
      if (!epochs.advance()) {
        return false;
      }
    }
    return true;
  }

  /** Makes the newer list the older one. */
  private void age() {
    tree.meta[PrefixStructure.WAITING_LONGER] = tree.meta[PrefixStructure.WAITING];
    tree.meta[PrefixStructure.WAITING] = 0;
    olderLeft = epochs.now();
  }

  // ---------------------------------------------------------------- alone

  /** Does something while nobody else is in the tree. Outside operations. */
  <T extends @Nullable Object> T alone(Supplier<T> task) {
    readers.writeLock().lock();
    try {
      return aloneBesideNoReader(task);
    } finally {
      readers.writeLock().unlock();
    }
  }

  /** Does the same, unless a value is being shown where it lies. */
  void aloneIfNobodyReads(Runnable task) {
    if (!readers.writeLock().tryLock()) {
      return;
    }
    try {
      aloneBesideNoReader(
          () -> {
            task.run();
            return true;
          });
    } finally {
      readers.writeLock().unlock();
    }
  }

  private <T extends @Nullable Object> T aloneBesideNoReader(Supplier<T> task) {
    structure.lock();
    lock.lock();
    try {
      if (epochs.isAlone()) {
        return task.get();
      }
      epochs.beginAlone();
      try {
        return task.get();
      } finally {
        epochs.endAlone();
      }
    } finally {
      lock.unlock();
      structure.unlock();
    }
  }

  /** Tells cursors that a page is not what they have copied; by the one who has the tree alone. */
  void touched(int page) {
    latches.beginChange(page);
    latches.endChange(page);
  }

  /** Tells cursors and writers that all pages were replaced; by the one who has the tree alone. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Nobody else does it then.
  void replaced() {
    outside.set(0);
    generation++;
  }

  /** Tells cursors to look whether the index is closed. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Whatever the number is, it is another.
  void closed() {
    generation++;
  }
}
