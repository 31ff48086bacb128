// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.io.SlotPageStore.Need;
import org.jspecify.annotations.Nullable;

/**
 * Lets writers of a store in: each goes through the gate, waits until there are pages and a log for
 * what all that are within may yet do, and takes its locks.
 */
final class WriterEntrance {
  /** More pages for one record are promised by a writer that is alone. */
  private static final int MOST_PAGES = (32 << 10) - 1;

  /** How often a writer of several indexes looks for free locks before it keeps others out. */
  private static final int MOST_LOOKS = 8;

  /** In place of the number of a lock: that there was a thread alone, or none is lacking. */
  private static final int GATE = -1;

  private static final int TAKEN = -2;

  /** In place of the number of a lock: that this thread has to be alone. */
  private static final int ALONE = -3;

  /** In place of the number of a lock: that this thread has to wait until fewer are within. */
  private static final int CROWDED = -4;

  private final StoreState state;
  private final WriterGate gate;
  private final Transactions transactions;
  private final boolean keepsRoomForAll;
  private final boolean looksWithin;

  /** The most writers at once: all pages that they pin together are half of the pool. */
  private final int mostWriters;

  WriterEntrance(StoreState state) {
    this.state = state;
    this.gate = state.gate;
    this.transactions = state.transactions;
    this.keepsRoomForAll = state.environment.keeps(Rule.LOG_ROOM_IS_FOR_ALL_WRITERS);
    this.looksWithin = state.environment.keeps(Rule.WRITERS_ARE_WITHIN_BEFORE_THEY_LOOK);
    this.mostWriters = Math.max(1, state.pool.frames.sure / (2 * state.pool.mostPins()));
  }

  /**
   * Lets a writer in with its locks, or else returns why there is no room for it.
   *
   * @param locks those of the keys that are written; the first one keeps how it has entered
   * @param pages that it may change
   * @param bytes of its record
   * @param alone whether it is to be alone, whatever it needs
   */
  @Nullable NoSlotException enterIfRoom(
      SlotPageStore store, IndexLock[] locks, long pages, int bytes, Need need, boolean alone) {
    int logBytes = LogRecord.logBytes(bytes);
    long all = pages + SlotPageStore.CHANGE_SLOTS;
    boolean isLarge = bytes > WriterGate.MOST_BYTES || logBytes > WriterGate.MOST_BYTES;
    long entering =
        alone || isLarge || all > MOST_PAGES ? WriterGate.ALONE : WriterGate.promise(all, logBytes);
    try {
      int first = GATE;
      int looks = 0;
      while (first != TAKEN) {
        if (first == ALONE || looks == MOST_LOOKS) {
          entering = WriterGate.ALONE;
          first = Math.max(first, GATE);
        }
        first = tryTake(first, store, locks, entering, pages, logBytes, need);
        looks += first == CROWDED ? 0 : 1;
      }
      return null;
    } catch (NoSlotException full) {
      return full;
    }
  }

  /**
   * Waits for one lock with no other in its hands and outside the gate, and then takes the others
   * if they are free. So threads can't wait for one another in a circle, whatever is called with a
   * lock held, as readers of values and sources are; and no reader waits while a writer waits for
   * its turn.
   *
   * @param first the lock to wait for, or what is to be waited for in its place
   * @return {@link #TAKEN}, or the lock that was not free; then this thread has none
   */
  private int tryTake(
      int first,
      SlotPageStore store,
      IndexLock[] locks,
      long promise,
      long pages,
      int logBytes,
      Need need) {
    boolean hadToKeepVersions = !looksWithin && looksEarly();
    long entered = enter(first, locks, promise);
    if (entered < 0) {
      return entered == WriterGate.OUT ? GATE : CROWDED;
    }
    boolean isAlone = entered == WriterGate.ALONE;
    boolean keepsVersions = looksWithin ? transactions.areEntering() : hadToKeepVersions;
    int taken = 0;
    boolean hasTaken = false;
    try {
      store.beforeChange();
      if (keepsVersions && !isAlone) {
        return ALONE;
      }
      // Who has waited for room is one of those for whom there is, whoever looks in meanwhile.
      int most = first == CROWDED ? Integer.MAX_VALUE : mostWriters;
      if (!ensureRoom(store, isAlone, most, pages, logBytes, need)) {
        return CROWDED;
      }
      for (; taken < locks.length; taken++) {
        IndexLock lock = locks[taken];
        if (lock.isOfKeys() && !isAlone) {
          lock.take();
        } else if (!lock.isOfKeys() && taken != first && !lock.tryTake()) {
          return taken;
        }
      }
      locks[0].entered = entered;
      hasTaken = true;
      if (isAlone) {
        transactions.beginTurn();
      }
      return TAKEN;
    } finally {
      if (!hasTaken) {
        for (int i = 0; i < locks.length; i++) {
          if (i == first || (i < taken && !(isAlone && locks[i].isOfKeys()))) {
            locks[i].release();
          }
        }
        gate.leave(entered);
      }
    }
  }

  /** Looks before it is within whether versions are to be kept, which a test shows to be wrong. */
  private boolean looksEarly() {
    boolean areEntering = transactions.areEntering();
    transactions.reach(Transactions.Place.NOT_YET_WITHIN);
    return areEntering;
  }

  /** Waits for a lock, the gate, or room; returns how this thread has entered, if it has. */
  private long enter(int first, IndexLock[] locks, long promise) {
    boolean alone = promise == WriterGate.ALONE;
    if (first == GATE) {
      if (!alone) {
        return gate.enter(promise);
      }
      gate.enterAlone();
      return WriterGate.ALONE;
    }
    if (first == CROWDED) {
      return gate.enterWhen(promise, this::mayBeWithin);
    }
    locks[first].take();
    long entered;
    if (alone) {
      entered = gate.tryEnterAlone() ? WriterGate.ALONE : WriterGate.OUT;
    } else {
      entered = gate.tryEnter(promise);
    }
    if (entered < 0) {
      locks[first].release();
    }
    return entered;
  }

  /** Tells whether all may be within that are in a sum of the gate. */
  private boolean mayBeWithin(long sum) {
    return WriterGate.writers(sum) <= mostWriters && (!keepsRoomForAll || state.log.mayNeed(sum));
  }

  /**
   * Makes sure that there is room for what all that are within may yet do.
   *
   * @param most writers that may be within
   * @return whether so many may be within
   */
  private boolean ensureRoom(
      SlotPageStore store, boolean isAlone, int most, long pages, int logBytes, Need need) {
    long sum = isAlone ? 0 : gate.sum();
    if (WriterGate.writers(sum) > most) {
      return false;
    }
    store.ensureSlots(isAlone ? pages : WriterGate.pages(sum) - SlotPageStore.CHANGE_SLOTS, need);
    try {
      if (!isAlone && keepsRoomForAll) {
        return state.log.ensureRoom(gate, sum, 0, state.header.checkpoint());
      }
      ensureLogRoom(logBytes);
      return true;
    } catch (PageFileException failed) {
      throw ofLogRoom(failed);
    }
  }

  /** Returns the failure to make room in the log: if only that is lacking, nothing is wrong. */
  PageFileException ofLogRoom(PageFileException failed) {
    return SlotSpace.isFull(failed)
        ? new NoSlotException(failed)
        : state.condition.noteFailure(failed);
  }

  /**
   * Makes sure that the log has room for a record, while this thread is alone.
   *
   * @throws PageFileException if it has none
   */
  void ensureLogRoom(int bytes) {
    state.log.ensureRoom(bytes, state.header.checkpoint());
  }
}
