// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import dev.espalier.support.Message;
import java.util.concurrent.locks.ReentrantLock;

/** Enters operations into the queue, for many threads at once, and makes room there. */
final class PioWriter {
  /* Overview
   *
   * A write that looks holds the latch of its key until its operation is in the queue, and so does
   * one that does not look; so the writes of a key follow one another. Entering the queue takes
   * another latch, for as long as it takes to enter a page in memory. Who finds the queue full
   * flushes it, or waits for the one who does: only then does a write wait for another's.
   *
   * Locks are taken in this order: latch of a key, flushing, appending, the tree alone.
   */

  private enum Outcome {
    ENTERED,
    QUEUE_IS_FULL,
    HAS_TO_LOOK_AGAIN
  }

  /** Growth of the tree by a write that has not looked. */
  private static final int UNKNOWN_GROWTH = 2;

  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage entries;
  private final OperationQueue queue;
  private final PioSearch search;
  private final BatchUpdate batch;
  private final ReentrantLock flushing;
  private final ReentrantLock appending;
  private final Operations single = new Operations(0);
  private final KeyLatch[] keys = KeyLatch.forAllKeys();

  /**
   * What was in use when a flush last brought nothing for want of memory, or -1. As long as that is
   * so, a write first tries to do without another flush.
   */
  private long refusedPages = -1;

  /** What the store said when it last refused a page. */
  private MemoryLimitException refusal = new MemoryLimitException("no page was refused yet");

  PioWriter(PioStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.entries = tree.entries;
    this.queue = tree.queue;
    this.search = tree.search;
    this.batch = new BatchUpdate(tree);
    this.flushing = tree.flushing;
    this.appending = tree.appending;
  }

  // ---------------------------------------------------------------- one key

  /** Stores or removes without having looked what is there. */
  void writeBlind(int kind, long key, long value) {
    tree.change.begin();
    KeyLatch latch = KeyLatch.acquire(keys, key);
    try {
      announce(kind, key, value);
      write(kind, key, value, UNKNOWN_GROWTH, 0);
    } finally {
      latch.release();
    }
  }

  /**
   * Stores a value, or does so if the key has none.
   *
   * @return the value before, or {@code missing}
   */
  long put(long key, long value, boolean replaces, long missing) {
    tree.change.begin();
    KeyLatch latch = KeyLatch.acquire(keys, key);
    try {
      while (true) {
        int generation = tree.generation;
        long previous = search.look(key, missing, null, latch);
        boolean isThere = latch.wasThere;
        if (isThere && !replaces) {
          return previous;
        }
        announce(Message.PUT, key, value);
        if (write(Message.PUT, key, value, isThere ? 0 : 1, generation)) {
          return previous;
        }
      }
    } finally {
      latch.release();
    }
  }

  /** Stores a value if the key has none, and tells whether it did. */
  boolean insert(long key, long value) {
    tree.change.begin();
    KeyLatch latch = KeyLatch.acquire(keys, key);
    try {
      while (true) {
        int generation = tree.generation;
        search.look(key, 0, null, latch);
        if (latch.wasThere) {
          return false;
        }
        announce(Message.PUT, key, value);
        if (write(Message.PUT, key, value, 1, generation)) {
          return true;
        }
      }
    } finally {
      latch.release();
    }
  }

  /** Replaces the value of a key, if that is there, and tells whether it did. */
  boolean replace(long key, long value) {
    return replace(key, true, 0, value);
  }

  /** Replaces the value of a key, if that is there and has the expected value. */
  boolean replace(long key, long expected, long value) {
    return replace(key, false, expected, value);
  }

  private boolean replace(long key, boolean whicheverItIs, long expected, long value) {
    tree.change.begin();
    KeyLatch latch = KeyLatch.acquire(keys, key);
    try {
      while (true) {
        int generation = tree.generation;
        long previous = search.look(key, 0, null, latch);
        if (!latch.wasThere || !(whicheverItIs || previous == expected)) {
          return false;
        }
        announce(Message.PUT, key, value);
        if (write(Message.PUT, key, value, 0, generation)) {
          return true;
        }
      }
    } finally {
      latch.release();
    }
  }

  /**
   * Removes an entry.
   *
   * @return its value, or {@code missing}
   */
  long remove(long key, long missing) {
    return remove(key, true, 0, missing);
  }

  /** Removes an entry, if it is there and has the expected value. */
  boolean removeIf(long key, long expected) {
    return remove(key, false, expected, ~expected) == expected;
  }

  private long remove(long key, boolean whicheverItIs, long expected, long missing) {
    tree.change.begin();
    KeyLatch latch = KeyLatch.acquire(keys, key);
    try {
      long previous;
      int generation;
      do {
        generation = tree.generation;
        previous = search.look(key, missing, null, latch);
        if (!latch.wasThere || !(whicheverItIs || previous == expected)) {
          return missing;
        }
        announce(Message.DELETE, key, 0);
      } while (!write(Message.DELETE, key, 0, -1, generation));
      if (tree.knownSize() == 0) {
        tree.becomeEmptyIfNothingIsLeft();
      }
      return previous;
    } finally {
      latch.release();
    }
  }

  private void announce(int kind, long key, long value) {
    if (kind == Message.PUT) {
      store.beforeSet(key, value);
    } else {
      store.beforeRemoval(key);
    }
  }

  // ---------------------------------------------------------------- queue

  /**
   * Enters an operation into the queue, after making room there if needed; with the latch of its
   * key held.
   *
   * @param growth how many entries more there are then
   * @param generation of the tree in which was looked what is there
   * @return false if all was replaced since, or a range removed, so that one has to look again
   * @throws MemoryLimitException if there is no room and none can be made; no entry has changed
   *     then
   */
  private boolean write(int kind, long key, long value, int growth, int generation) {
    Outcome outcome = enter(kind, key, value, growth, generation);
    if (outcome == Outcome.QUEUE_IS_FULL) {
      outcome = enterOrFlush(kind, key, value, growth, generation);
    }
    return outcome != Outcome.HAS_TO_LOOK_AGAIN;
  }

  private Outcome enter(int kind, long key, long value, int growth, int generation) {
    appending.lock();
    try {
      if (generation != tree.generation && growth != UNKNOWN_GROWTH) {
        return Outcome.HAS_TO_LOOK_AGAIN;
      }
      revive(kind, key);
      boolean isEntered =
          queue.enter(kind, key, value) || queue.enterNextPage(kind, key, value, isBesideFlush());
      if (isEntered) {
        commit(growth);
      }
      return isEntered ? Outcome.ENTERED : Outcome.QUEUE_IS_FULL;
    } finally {
      appending.unlock();
    }
  }

  /** Lets readers find a key again that is about to be put; with {@link #appending} held. */
  private void revive(int kind, long key) {
    if (kind == Message.PUT) {
      tree.dead.beforePut(key);
    }
  }

  private boolean isBesideFlush() {
    return flushing.isLocked() && !flushing.isHeldByCurrentThread();
  }

  private void commit(int growth) {
    if (growth == UNKNOWN_GROWTH) {
      tree.meta[PioStructure.SIZE] = PioStructure.UNKNOWN;
    }
    tree.change.commit(growth == UNKNOWN_GROWTH ? 0 : growth);
    tree.noteOwnChange();
  }

  private Outcome enterOrFlush(int kind, long key, long value, int growth, int generation) {
    flushing.lock();
    try {
      tree.change.begin(); // Who flushed before may have failed.
      Outcome outcome = enter(kind, key, value, growth, generation);
      if (outcome == Outcome.QUEUE_IS_FULL) {
        makeRoomAndEnter(kind, key, value, growth);
        return Outcome.ENTERED;
      }
      return outcome;
    } finally {
      flushing.unlock();
    }
  }

  private void makeRoomAndEnter(int kind, long key, long value, int growth) {
    if (!hasRoomToChange(0)) { // Sorting the queue would already change all of its pages.
      if (apply(kind, key, value, growth) || writeInPlace(kind, key, value, growth)) {
        return;
      }
      throw refusal;
    }
    while (!enterAlone(kind, key, value, growth)) {
      boolean isStillFull = refusedPages == store.pagesInUse();
      if (isStillFull && writeInPlace(kind, key, value, growth)) {
        return;
      }
      if (!flushSome()) {
        if (!isStillFull && writeInPlace(kind, key, value, growth)) {
          return;
        }
        throw refusal;
      }
    }
  }

  /** Enters an operation after sorting the queue, if that makes room. */
  private boolean enterAlone(int kind, long key, long value, int growth) {
    tree.beginAlone();
    try {
      revive(kind, key);
      boolean isEntered = queue.append(kind, key, value);
      if (isEntered) {
        commit(growth);
      }
      return isEntered;
    } finally {
      tree.endAlone();
    }
  }

  // ---------------------------------------------------------------- room

  /** Notes that the store has refused a page, for which there may be a way around. */
  void noteRefusal(MemoryLimitException refused) {
    refusal = refused;
  }

  /** Forgets what was refused, after everything was replaced or much was removed. */
  void forgetRefusals() {
    refusedPages = -1;
  }

  /** Tells whether the store has room for the pages that a flush of so many operations changes. */
  boolean hasRoomToChange(int operations) {
    try {
      store.ensureRoomToChange(queue.pages() + Math.min(operations, store.pagesInUse()));
      return true;
    } catch (MemoryLimitException full) {
      noteRefusal(full);
      return false;
    }
  }

  /** Makes room in the queue by a batch update; returns false if there is no memory for that. */
  private boolean flushSome() {
    int most = tree.geometry.batchCount();
    while (most > 1 && !hasRoomToChange(most)) {
      most /= 2;
    }
    boolean hasRoom = batch.flushSome(most);
    refusedPages = hasRoom ? -1 : store.pagesInUse();
    return hasRoom;
  }

  /**
   * Applies an operation to its leaf as a flush would, so that leaves shrink and merge; returns
   * false if the queue has one of its key, or the leaf no room.
   */
  private boolean apply(int kind, long key, long value, int growth) {
    tree.beginAlone();
    try {
      long place = queue.find(key);
      if (place != OperationQueue.NOWHERE) {
        store.unpin(place & -store.pageBytes(), false);
        return false;
      }
      revive(kind, key);
      single.clear();
      single.add(key, value, kind);
      tree.leaves.begin();
      boolean isDone = tree.leaves.apply(single, 0, 1) == 1;
      if (isDone) {
        commit(growth);
      }
      return isDone;
    } finally {
      tree.endAlone();
    }
  }

  /**
   * Does an operation where the newest is that is known of its key, or else in its leaf, which
   * takes no memory. Returns false if the leaf has no room.
   */
  private boolean writeInPlace(int kind, long key, long value, int growth) {
    tree.beginAlone();
    try {
      revive(kind, key);
      refusedPages = kind == Message.DELETE ? -1 : refusedPages;
      boolean isDone = overwriteNewest(kind, key, value);
      if (!isDone) {
        tree.leaves.path.find(key);
        isDone =
            overwriteInLeaf(kind, key, value)
                || kind == Message.DELETE
                || tree.leaves.enter(kind, key, value);
      }
      if (isDone) {
        commit(growth);
      }
      return isDone;
    } finally {
      tree.endAlone();
    }
  }

  private boolean overwriteNewest(int kind, long key, long value) {
    long place = queue.find(key);
    if (place == OperationQueue.NOWHERE) {
      return false;
    }
    overwrite(place, kind, key, value);
    return true;
  }

  private boolean overwriteInLeaf(int kind, long key, long value) {
    LeafPath path = tree.leaves.path;
    for (int i = path.segmentCount - 1; i >= 0; i--) {
      long at = store.pin(path.segments[i]);
      int slot = entries.find(tree.pages, at, key);
      if (slot >= 0) {
        tree.meta[PioStructure.IN_LEAVES] +=
            PioStructure.weight(kind) - PioStructure.weight(entries.kind(tree.pages, at, slot));
        overwrite(at + slot, kind, key, value);
        return true;
      }
      store.unpin(at, false);
    }
    return false;
  }

  private void overwrite(long place, int kind, long key, long value) {
    long at = place & -store.pageBytes();
    entries.set(tree.pages, at, (int) (place - at), key, value, kind);
    store.unpin(at, true);
  }
}
