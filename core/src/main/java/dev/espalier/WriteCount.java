// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the beginnings and the ends of writes, so that readers that take no lock can tell whether
 * a write has come between. Writers exclude one another; readers write nothing.
 */
final class WriteCount {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(WriteCount.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * How often a reader looks at the count before it gives up: about as long as a write of one entry
   * takes.
   */
  private static final int SPINS = 64;

  /** Odd while a write is going on. */
  @SuppressWarnings("unused") // Used through COUNT.
  private long count;

  /** Begins a write. It changes nothing before readers can see that it has begun. */
  void begin() {
    COUNT.setOpaque(this, (long) COUNT.getOpaque(this) + 1);
    VarHandle.releaseFence();
  }

  /** Ends a write. */
  void end() {
    COUNT.setRelease(this, (long) COUNT.getOpaque(this) + 1);
  }

  /** Returns the count, after a short wait if a write is going on. */
  long get() {
    long now = (long) COUNT.getAcquire(this);
    for (int spins = 0; isWriting(now) && spins < SPINS; spins++) {
      Thread.onSpinWait();
      now = (long) COUNT.getAcquire(this);
    }
    return now;
  }

  /** Tells whether a count was taken while a write was going on. */
  static boolean isWriting(long count) {
    return (count & 1) != 0;
  }

  /**
   * Tells whether no write has begun since a count was taken, so that what was read is consistent.
   */
  boolean isStill(long earlier) {
    VarHandle.acquireFence();
    return (long) COUNT.getOpaque(this) == earlier;
  }
}
