// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets the writers of a store in together, or one of them alone. A writer is within from before its
 * change until its record is in the log; so whoever is alone finds no change without its record.
 *
 * <p>Writers also say here what room they may yet need, so that each can make sure that there is
 * enough for all.
 */
final class WriterGate {
  /* Overview
   *
   * Writers count themselves in words that lie in lines of their own, each thread in one of them:
   *
   *     | bytes of the log, 28 | pages, 26 | writers, 10 |
   *
   * The fields of all words together do not overflow. Whoever wants to be alone takes the lock,
   * says so in `alone`, and waits until all words are 0; each writer that leaves wakes it. A writer
   * counts itself first and looks at `alone` afterwards, and the other way round for the one that
   * wants to be alone: one of the two sees the other. A writer that sees it uncounts itself and
   * waits for the lock.
   *
   * Whoever is within must not wait for anything that is held by a thread that waits for the gate.
   */

  /** What {@link #enter} returns to a thread that is alone; its promises are not counted. */
  static final long ALONE = 0;

  /** What {@link #tryEnter} returns if another thread is alone, or is about to be. */
  static final long OUT = -1;

  /** What {@link #enter} returns if there are too many writers: one has to be alone. */
  static final long CROWDED = -2;

  /** The most bytes of the log for writers that are not alone. */
  static final int MOST_BYTES = 32 << 10;

  private static final int WRITERS_BITS = 10;
  private static final int PAGES_BITS = 26;
  private static final int BYTES_SHIFT = WRITERS_BITS + PAGES_BITS;
  private static final long WRITERS = (1L << WRITERS_BITS) - 1;
  private static final long PAGES = (1L << PAGES_BITS) - 1;

  /** Words of memory from one counter to the next: two lines, as processors fetch them in pairs. */
  private static final int STRIDE = 16;

  private static final int MOST_STRIPES = 32;

  /** The most writers in one word. */
  private static final long MOST_IN_STRIPE = (WRITERS + 1) / MOST_STRIPES - 1;

  /** How often a thread looks before it sleeps, which costs more than a short write. */
  private static final int SPINS = 100;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final int stripes;
  private final long[] words;

  /** Whether the one that is alone waits for those within; without it, a test shows what breaks. */
  private final boolean waits;

  /** Held by the one that is alone, and for a moment by those that have waited for it. */
  private final ReentrantLock lock = new ReentrantLock();

  /** The thread that is alone, or waits until it is. */
  private volatile @Nullable Thread alone;

  WriterGate() {
    this(true);
  }

  WriterGate(boolean waits) {
    this.waits = waits;
    int processors = Runtime.getRuntime().availableProcessors();
    this.stripes = Math.clamp(2L * Integer.highestOneBit(processors), 4, MOST_STRIPES);
    this.words = new long[(stripes + 1) * STRIDE];
  }

  // ---------------------------------------------------------------- together

  /**
   * Returns what a writer may yet need, to be passed to {@link #enter}.
   *
   * @param pages fewer than 32 Ki
   * @param bytes of the log, at most {@link #MOST_BYTES}
   */
  static long promise(long pages, int bytes) {
    return (long) bytes << BYTES_SHIFT | pages << WRITERS_BITS | 1;
  }

  /**
   * Waits until no other thread is alone, and enters.
   *
   * @return what {@link #leave} is to be called with, or {@link #CROWDED}
   */
  long enter(long promise) {
    long entered = tryEnter(promise);
    while (entered == OUT) {
      awaitTurn();
      entered = tryEnter(promise);
    }
    return entered;
  }

  /**
   * Enters unless another thread is alone, or is about to be.
   *
   * @return what {@link #leave} is to be called with, {@link #OUT} or {@link #CROWDED}
   */
  long tryEnter(long promise) {
    Thread other = alone;
    if (other != null) {
      if (!other.equals(Thread.currentThread())) {
        return OUT;
      }
      lock.lock();
      return ALONE;
    }
    int at = word();
    long before;
    do {
      before = (long) WORD.getVolatile(words, at);
      if ((before & WRITERS) == MOST_IN_STRIPE) {
        return CROWDED;
      }
    } while (!WORD.compareAndSet(words, at, before, before + promise));
    if (alone == null) {
      return promise;
    }
    leave(promise);
    return OUT;
  }

  /** Returns the place of the word of this thread. */
  private int word() {
    return (((int) Thread.currentThread().threadId() & (stripes - 1)) + 1) * STRIDE;
  }

  /** Leaves, after having entered or been alone. */
  void leave(long entered) {
    if (entered == ALONE) {
      leaveAlone();
      return;
    }
    WORD.getAndAdd(words, word(), -entered);
    Thread waiting = alone;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
  }

  private void awaitTurn() {
    for (int spins = 0; spins < SPINS; spins++) {
      if (alone == null) {
        return;
      }
      Thread.onSpinWait();
    }
    lock.lock();
    try {
      // The one that was alone has left.
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- alone

  /** Waits until no other thread is within; until {@link #leaveAlone} none enters. */
  void enterAlone() {
    lock.lock();
    becomeAlone(Long.MAX_VALUE);
  }

  /**
   * Does what {@link #enterAlone} does unless another thread is alone, or is about to be, and tells
   * whether it has.
   */
  boolean tryEnterAlone() {
    return lock.tryLock() && becomeAlone(Long.MAX_VALUE);
  }

  /** Does what {@link #enterAlone} does if it takes no longer, and tells whether it has. */
  boolean tryEnterAlone(long nanos) {
    long end = System.nanoTime() + nanos;
    return Waiting.tryLock(lock, nanos) && becomeAlone(Math.max(0, end - System.nanoTime()));
  }

  /** Waits for those within, with the lock held; gives it back if that takes too long. */
  private boolean becomeAlone(long nanos) {
    if (lock.getHoldCount() > 1) {
      return true;
    }
    alone = Thread.currentThread();
    if (!waits || awaitAll(nanos)) {
      return true;
    }
    leaveAlone();
    return false;
  }

  private boolean awaitAll(long nanos) {
    long begin = System.nanoTime();
    boolean interrupted = false;
    boolean isInTime = true;
    for (int spins = 0; isInTime && sum() != 0; spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      if (nanos == Long.MAX_VALUE) {
        LockSupport.park(this);
      } else {
        long left = nanos - (System.nanoTime() - begin);
        isInTime = left > 0;
        LockSupport.parkNanos(this, left);
      }
      interrupted |= Thread.interrupted(); // Set, it would end every wait at once.
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return isInTime;
  }

  /** Tells whether this thread is alone. */
  boolean isAlone() {
    return Thread.currentThread().equals(alone);
  }

  /** Lets others enter. */
  void leaveAlone() {
    if (lock.getHoldCount() == 1) {
      alone = null;
    }
    lock.unlock();
  }

  // ---------------------------------------------------------------- promises

  /**
   * Returns what all that are within may yet need, and those that have left have not left out: what
   * they have used is used by now.
   */
  long sum() {
    long sum = 0;
    for (int stripe = 1; stripe <= stripes; stripe++) {
      sum += (long) WORD.getVolatile(words, stripe * STRIDE);
    }
    return sum;
  }

  /** Returns how many writers there are in a {@link #sum}. */
  static int writers(long sum) {
    return (int) (sum & WRITERS);
  }

  /** Returns how many pages were promised in a {@link #sum}. */
  static long pages(long sum) {
    return sum >>> WRITERS_BITS & PAGES;
  }

  /** Returns how many bytes of the log were promised in a {@link #sum}. */
  static long bytes(long sum) {
    return sum >>> BYTES_SHIFT;
  }
}
