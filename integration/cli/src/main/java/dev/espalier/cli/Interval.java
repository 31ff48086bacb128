// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Tells now and then that an interval is over, each time to one of the threads that ask. */
final class Interval {
  private final LongSupplier clock;
  private final long start;
  private final long nanos;
  private final AtomicLong end;

  /**
   * Begins.
   *
   * @param nanos the length of an interval; 0 for one that is never over
   * @param clock the present time in nanoseconds, as of {@link System#nanoTime}
   */
  Interval(long nanos, LongSupplier clock) {
    this.clock = clock;
    this.start = clock.getAsLong();
    this.nanos = nanos;
    this.end = new AtomicLong(start + nanos);
  }

  /** Returns how many nanoseconds have passed since the first interval began. */
  long passed() {
    return clock.getAsLong() - start;
  }

  /** Tells whether the interval is over and no other thread was told; then the next one begins. */
  boolean isOver() {
    long now = clock.getAsLong();
    long last = end.get();
    return nanos > 0 && now - last >= 0 && end.compareAndSet(last, now + nanos);
  }
}
