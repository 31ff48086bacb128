// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Epochs;
import dev.espalier.tree.StoreTree;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Pages that are not in the tree: those that writers are about to put into it, and those that have
 * left it and wait until nobody can reach them. Whoever asks here holds no latch and is in no
 * operation, but to hand a page over.
 */
final class BLinkSpace {
  /** The meta word of the last page that has left the tree and waits, or 0. */
  static final int LAST_WAITING = StoreTree.FIRST_OWN;

  private final BLinkStructure tree;
  private final PageStore store;
  private final Epochs epochs;

  /** Held to allocate and free pages, and by the one who has the tree alone. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Pages that writers have taken and not yet used. */
  private final AtomicInteger spares = new AtomicInteger();

  private record Left(int page, long epoch) {}

  /**
   * Pages that have left the tree, the first to leave first; used under its own monitor. They are
   * linked in the store as well, for a checkpoint may come while they wait.
   */
  private final ArrayDeque<Left> left = new ArrayDeque<>();

  BLinkSpace(BLinkStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.epochs = tree.epochs;
  }

  /**
   * A page that a writer has taken. It is void once all pages have been replaced: then it is not in
   * use any more, or another's.
   *
   * @param generation of the tree
   */
  record Spare(int page, int generation) {}

  /**
   * Allocates a page that a writer may need: to be followed by {@link #giveBack}, or within the
   * operation that puts it into the tree, {@link #used}.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is no room
   */
  Spare take() {
    lock.lock();
    try {
      freeLeft();
      Spare spare = new Spare(allocate(), tree.generation);
      spares.incrementAndGet();
      return spare;
    } finally {
      lock.unlock();
    }
  }

  /** Allocates a page; with the lock held. */
  private int allocate() {
    if (!store.allocationMoves()) {
      return store.allocate();
    }
    int[] page = new int[1];
    alone(
        () -> {
          page[0] = store.allocate();
          tree.refresh();
        });
    return page[0];
  }

  /** Tells whether a page may be used; within an operation it stays so. */
  boolean isGood(Spare spare) {
    return spare.generation == tree.generation;
  }

  void used() {
    spares.decrementAndGet();
  }

  /** Gives back a page that was not used. */
  void giveBack(Spare spare) {
    lock.lock();
    try {
      if (isGood(spare)) {
        store.free(spare.page);
        spares.decrementAndGet();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Forgets all pages, which have been replaced; by the thread that has the tree alone. */
  void forget() {
    spares.set(0);
    synchronized (left) {
      left.clear();
    }
  }

  /**
   * Takes a page that no page of the tree leads to, and marks it as one that has left. It links to
   * the page that left before, so only a page that this thread has latched is changed.
   */
  void leave(int page) {
    synchronized (left) {
      Left before = left.peekLast();
      int linked = before == null ? 0 : before.page;
      tree.pinAndChange(
          page,
          (memory, at) -> {
            LinkedPage.flags(memory, at, LinkedPage.LEFT);
            LinkedPage.left(memory, at, linked);
          });
      tree.meta[LAST_WAITING] = page;
      left.addLast(new Left(page, epochs.now()));
    }
  }

  /**
   * Finds the pages that waited when the store was closed, which nobody can reach. The first that
   * left were freed first, so the links end at a page that does not wait any more, or has left
   * again since.
   */
  void load() {
    BitSet found = new BitSet();
    int page = (int) tree.meta[LAST_WAITING];
    while (store.isInUse(page) && !found.get(page)) {
      found.set(page);
      long at = store.pin(page);
      boolean waits = LinkedPage.hasLeft(tree.pages, at);
      int before = LinkedPage.left(tree.pages, at);
      store.unpin(at, false);
      if (!waits) {
        return;
      }
      left.addFirst(new Left(page, 0));
      page = before;
    }
  }

  /** Frees what nobody can reach any more. */
  void freeUnreachable() {
    synchronized (left) {
      if (left.isEmpty()) {
        return;
      }
    }
    lock.lock();
    try {
      freeLeft();
    } finally {
      lock.unlock();
    }
  }

  private void freeLeft() {
    for (int page = nextUnreachable(); page != 0; page = nextUnreachable()) {
      store.free(page);
    }
  }

  private int nextUnreachable() {
    synchronized (left) {
      Left first = left.peekFirst();
      if (first == null) {
        return 0;
      }
      while (!epochs.isUnreachable(first.epoch)) {
        if (!epochs.advance()) {
          return 0;
        }
      }
      left.removeFirst();
      if (left.isEmpty()) {
        tree.meta[LAST_WAITING] = 0;
      }
      return first.page;
    }
  }

  /** Returns how many pages wait, or are with writers. */
  int outside() {
    synchronized (left) {
      return left.size() + spares.get();
    }
  }

  /** Does something while nobody else is in the tree; what is done may call this again. */
  void alone(Runnable task) {
    lock.lock();
    try {
      if (epochs.isAlone()) {
        task.run();
        return;
      }
      epochs.beginAlone();
      try {
        task.run();
      } finally {
        epochs.endAlone();
      }
    } finally {
      lock.unlock();
    }
  }
}
