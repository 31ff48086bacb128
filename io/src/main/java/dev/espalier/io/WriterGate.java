// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
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
   * Writers count themselves in words that lie in lines of their own, each thread in one of them,
   * or in another one if that is full:
   *
   *     | bytes of the log, 28 | pages, 26 | writers, 10 |
   *
   * The fields of all words together do not overflow. Whoever wants to be alone takes the lock,
   * says so in `alone`, and waits until all words are 0; each writer that leaves wakes it. A writer
   * counts itself first and looks at `alone` afterwards, and the other way round for the one that
   * wants to be alone: one of the two sees the other. A writer that sees it uncounts itself, waits
   * for the lock, and counts itself while it has that.
   *
   * A writer that finds too many within does the same as the one that wants to be alone, until they
   * are few enough (decision 85). It keeps nobody out who could have entered, is woken by those that
   * leave, and its turn comes in the order of the lock.
   *
   * Whoever is within must not wait for anything that is held by a thread that waits for the gate.
   */

  /** What {@link #enter} returns to a thread that is alone; its promises are not counted. */
  static final long ALONE = 0;

  /** What {@link #tryEnter} returns if another thread is alone, or is about to be. */
  static final long OUT = -1;

  /** What {@link #enter} returns if there are too many writers, for whom {@link #enterWhen} is. */
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

  /** What {@link #enter} returns has the number of a word above this, and below it the promise. */
  private static final int STRIPE_SHIFT = 58;

  private static final long PROMISE = (1L << STRIPE_SHIFT) - 1;

  /** How often a thread looks before it sleeps, which costs more than a short write. */
  private static final int SPINS = 100;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final int stripes;
  private final long[] words;

  /** Whether the one that is alone waits for those within; without it, a test shows what breaks. */
  private final boolean waits;

  /** Held by the one that is alone, and for a moment by those that have waited for it. */
  private final ReentrantLock lock = new ReentrantLock();

  /** The thread that is alone, or waits until it is, or until there is room for one more. */
  private volatile @Nullable Thread alone;

  /** How often a thread was alone; with the lock held. */
  private long turns;

  /** What a test does before a thread sleeps that waits for those within. */
  Runnable beforeSleep = () -> {};

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
    return entered == OUT ? enterInTurn(promise) : entered;
  }

  private long enterInTurn(long promise) {
    for (int spins = 0; spins < SPINS; spins++) {
      if (alone == null) {
        long entered = tryEnter(promise);
        if (entered != OUT) {
          return entered;
        }
      }
      Thread.onSpinWait();
    }
    lock.lock();
    try {
      return tryEnter(promise); // The one that was alone has left, and nobody else is before this.
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until so few are within that this writer may be, too, and enters. Nobody else enters
   * meanwhile.
   *
   * @param mayBe tells of a {@link #sum} whether all of them may be within; of one writer it is
   *     true
   * @return what {@link #leave} is to be called with
   */
  long enterWhen(long promise, LongPredicate mayBe) {
    LongPredicate isRoom =
        sum -> writers(sum) < stripes * MOST_IN_STRIPE && mayBe.test(sum + promise);
    lock.lock();
    alone = Thread.currentThread();
    try {
      long entered;
      do {
        awaitSum(isRoom, Long.MAX_VALUE);
        entered = count(promise);
      } while (entered == CROWDED); // Those that count themselves for a moment may fill the words.
      return entered;
    } finally {
      leaveAlone();
    }
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
    return stay(count(promise));
  }

  /**
   * Counts this thread, which {@link #stay} must follow.
   *
   * @return what {@link #leave} is to be called with, or {@link #CROWDED}
   */
  long count(long promise) {
    int stripe = (int) Thread.currentThread().threadId() & (stripes - 1);
    int full = 0;
    while (true) {
      int at = word(stripe);
      long before = (long) WORD.getVolatile(words, at);
      if ((before & WRITERS) == MOST_IN_STRIPE) {
        if (++full == stripes) {
          return CROWDED;
        }
        stripe = (stripe + 1) & (stripes - 1);
      } else if (WORD.compareAndSet(words, at, before, before + promise)) {
        return promise | (long) stripe << STRIPE_SHIFT;
      }
    }
  }

  /**
   * Looks whether another thread is alone, or is about to be, and then uncounts this one.
   *
   * @return what {@link #count} has returned, or {@link #OUT}
   */
  long stay(long counted) {
    if (alone == null) {
      return counted;
    }
    if (counted != CROWDED) {
      leave(counted);
    }
    return OUT;
  }

  /** Returns the place of a word. */
  private static int word(int stripe) {
    return (stripe + 1) * STRIDE;
  }

  /** Leaves, after having entered or been alone. */
  void leave(long entered) {
    if (entered == ALONE) {
      leaveAlone();
      return;
    }
    WORD.getAndAdd(words, word((int) (entered >>> STRIPE_SHIFT)), -(entered & PROMISE));
    Thread waiting = alone;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
  }

  // ---------------------------------------------------------------- alone

  /** Waits until no other thread is within; until {@link #leaveAlone} none enters. */
  void enterAlone() {
    lock.lock();
    becomeAlone(Long.MAX_VALUE);
  }

  /** Takes a lock and then does the same; if that fails, the lock is given back. */
  void enterAlone(Lock first) {
    boolean isAlone = false;
    first.lock();
    try {
      enterAlone();
      isAlone = true;
    } finally {
      if (!isAlone) {
        first.unlock();
      }
    }
  }

  /**
   * Does what {@link #enterAlone()} does unless another thread is alone, or is about to be, and
   * tells whether it has.
   */
  boolean tryEnterAlone() {
    return lock.tryLock() && becomeAlone(Long.MAX_VALUE);
  }

  /** Does what {@link #enterAlone()} does if it takes no longer, and tells whether it has. */
  boolean tryEnterAlone(long nanos) {
    long end = System.nanoTime() + nanos;
    return Waiting.tryLock(lock, nanos) && becomeAlone(Math.max(0, end - System.nanoTime()));
  }

  /** Waits for those within, with the lock held; gives it back if that takes too long, or fails. */
  private boolean becomeAlone(long nanos) {
    if (lock.getHoldCount() > 1) {
      return true;
    }
    boolean isAlone = false;
    alone = Thread.currentThread();
    try {
      isAlone = !waits || awaitSum(sum -> sum == 0, nanos);
      turns += isAlone ? 1 : 0;
      return isAlone;
    } finally {
      if (!isAlone) {
        leaveAlone();
      }
    }
  }

  /** Waits until those within are few enough, with the lock held and this thread in `alone`. */
  private boolean awaitSum(LongPredicate isEnough, long nanos) {
    long begin = System.nanoTime();
    boolean interrupted = false;
    boolean isInTime = true;
    for (int spins = 0; isInTime && !isEnough.test(sum()); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      beforeSleep.run();
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

  /** Returns how often a thread was alone so far. */
  long turns() {
    lock.lock();
    try {
      return turns;
    } finally {
      lock.unlock();
    }
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
