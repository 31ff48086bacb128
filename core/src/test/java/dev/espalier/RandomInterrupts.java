// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that makes this at random moments. The thread says when a call has ended
 * ({@link #afterCall}); the status must be set then if it was interrupted meanwhile.
 */
public final class RandomInterrupts implements AutoCloseable {
  /** The longest time between the end of one call and the next interrupt. */
  private static final int MOST_NANOS = 300_000;

  private final Thread interrupted = Thread.currentThread();
  private final AtomicInteger noticed = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private final long seed;
  private final Thread interrupting;
  private volatile boolean isClosed;
  private volatile @Nullable String lost;

  /**
   * Begins.
   *
   * @param count how often to interrupt
   */
  public RandomInterrupts(long seed, int count) {
    this.seed = seed;
    this.interrupting = Thread.ofPlatform().daemon().start(() -> interrupt(count));
  }

  /** Tells whether there are interrupts to come; the thread is to make calls until then. */
  public boolean goOn() {
    return interrupting.isAlive();
  }

  /** To be called by the thread after each of its calls; clears the interrupt status. */
  public void afterCall() {
    if (Thread.interrupted()) {
      noticed.incrementAndGet();
    }
    calls.incrementAndGet();
  }

  private void interrupt(int count) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 1; i <= count && !isClosed; i++) {
      LockSupport.parkNanos(random.nextInt(MOST_NANOS));
      interrupted.interrupt();
      int ended = calls.get(); // A call that ends from now on, or the one after it, must notice.
      while (noticed.get() < i && !isClosed) {
        if (calls.get() >= ended + 2 && noticed.get() < i) {
          lost = "interrupt %d of seed %d is lost".formatted(i, seed);
          return;
        }
        LockSupport.parkNanos(1_000); // The other thread may need this processor.
      }
    }
  }

  /**
   * Ends.
   *
   * @throws AssertionError if the status was not set after a call during which it was set
   */
  @Override
  public void close() {
    isClosed = true;
    while (interrupting.isAlive()) {
      LockSupport.parkNanos(10_000);
      Thread.interrupted();
    }
    Thread.interrupted();
    if (lost != null) {
      throw new AssertionError(lost);
    }
  }
}
