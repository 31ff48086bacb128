// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows which operations are under way, by epochs: a page that was taken out of the tree in one
 * epoch is reached by none that began in the next, so it can be used again once all have ended that
 * began before. Nobody waits for that.
 *
 * <p>What replaces the whole tree, or moves its memory, must have it alone: {@link #beginAlone}
 * waits until all operations have ended, and makes new ones wait.
 *
 * <p>An operation also counts the entries that it has inserted or removed, as it ends, in the word
 * that it writes anyway. So writers of one tree share no count, and whoever has the tree alone
 * finds the count exact.
 */
public final class Epochs {
  /* Overview
   *
   * Each thread has one word for even epochs and one for odd ones, each in a pair of cache lines
   * that few other threads write:
   *
   *     | entries inserted less those removed, 44 | operations under way, 20 |
   *
   * A word may go below 0 and over, where one thread inserts what another removes. The sum of all
   * words is right nevertheless, as numbers of 44 bits wrap around: a tree has fewer than 2^43.
   */

  /** What {@link #enter} returns to the thread that has the tree alone. */
  private static final int UNCOUNTED = -1;

  /** Longs between two counters: two cache lines, which are often fetched together. */
  private static final int STRIDE = 16;

  private static final int OPERATION_BITS = 20;
  private static final long OPERATIONS = (1L << OPERATION_BITS) - 1;
  private static final long ENTRY = 1L << OPERATION_BITS;

  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

  private final BooleanSupplier isClosed;
  private final int stripes = Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors());

  /**
   * The words, two for each stripe: for even and odd epochs. None shares a line with the length of
   * the array, which every access reads.
   */
  final long[] counts = new long[(2 * stripes + 1) * STRIDE];

  /** The epoch; negative while a thread has the tree alone, or waits for that. */
  private volatile long epoch = 2;

  private volatile @Nullable Thread alone;

  public Epochs(BooleanSupplier isClosed) {
    this.isClosed = isClosed;
  }

  // ---------------------------------------------------------------- operations

  /** Begins an operation. Returns what {@link #exit} takes. */
  public int enter() {
    int stripe = stripe();
    for (int tries = 0; ; tries++) {
      long now = epoch;
      if (now < 0) {
        if (isAlone()) {
          return UNCOUNTED;
        }
        Latches.pause(tries, isClosed);
        continue;
      }
      int counter = counter(stripe, now);
      COUNT.getAndAdd(counts, counter, 1L);
      if (epoch == now) {
        return counter;
      }
      COUNT.getAndAdd(counts, counter, -1L);
    }
  }

  /** Ends an operation. */
  public void exit(int counter) {
    if (counter != UNCOUNTED) {
      COUNT.getAndAdd(counts, counter, -1L);
    }
  }

  /**
   * Ends an operation that has inserted or removed entries.
   *
   * @param entries how many more there are
   */
  public void exit(int counter, long entries) {
    if (counter == UNCOUNTED) {
      count(entries);
    } else {
      COUNT.getAndAdd(counts, counter, entries * ENTRY - 1);
    }
  }

  private int stripe() {
    return (int) Thread.currentThread().threadId() & (stripes - 1);
  }

  private static int counter(int stripe, long epoch) {
    return (2 * stripe + (int) (epoch & 1) + 1) * STRIDE;
  }

  /** Tells whether all operations have ended that began in epochs of a parity. */
  private boolean haveEnded(long parity) {
    for (int stripe = 0; stripe < stripes; stripe++) {
      if (((long) COUNT.getVolatile(counts, counter(stripe, parity)) & OPERATIONS) != 0) {
        return false;
      }
    }
    return true;
  }

  // ---------------------------------------------------------------- entries

  /** Counts entries, within an operation or alone. */
  public void count(long entries) {
    COUNT.getAndAdd(counts, counter(stripe(), 0), entries * ENTRY);
  }

  /**
   * Returns how many entries were counted. Exact if no operation that changes entries is under way;
   * beside others it may be off by what they count meanwhile, and even be negative. O(processors).
   */
  public long entries() {
    long sum = 0;
    for (int at = STRIDE; at < counts.length; at += STRIDE) {
      sum += (long) COUNT.getVolatile(counts, at) & ~OPERATIONS;
    }
    return sum >> OPERATION_BITS;
  }

  // ---------------------------------------------------------------- pages to be used again

  /** Returns the epoch in which a page leaves the tree that was unlinked before this call. */
  public long now() {
    return Math.abs(epoch);
  }

  /**
   * Begins the next epoch if no operation of the one before this is left; by one thread at a time.
   */
  public boolean advance() {
    long now = epoch;
    if (now < 0 || !haveEnded(now - 1)) {
      return false;
    }
    epoch = now + 1;
    return true;
  }

  /** Tells whether no operation is left that could reach a page which left in an epoch. */
  public boolean isUnreachable(long left) {
    return now() >= left + 2;
  }

  // ---------------------------------------------------------------- alone

  @SuppressWarnings("ReferenceEquality") // A thread is only ever itself.
  public boolean isAlone() {
    return alone == Thread.currentThread();
  }

  /** Waits until this thread has the tree alone; by one thread at a time, outside operations. */
  public void beginAlone() {
    long now = epoch;
    epoch = -now;
    try {
      for (int tries = 0; !haveEnded(0) || !haveEnded(1); tries++) {
        Latches.pause(tries, isClosed);
      }
    } catch (RuntimeException | Error closed) {
      epoch = now;
      throw closed;
    }
    alone = Thread.currentThread();
  }

  /** Lets operations go on. All pages that left the tree are unreachable. */
  public void endAlone() {
    alone = null;
    epoch = -epoch + 2;
  }
}
