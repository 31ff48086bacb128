// SPDX-License-Identifier: Apache-2.0
package dev.espalier.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the beginnings and the ends of writes, so that readers that take no lock can tell whether
 * a write has come between. Writers exclude one another; readers write nothing.
 */
public final class WriteCount {
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

  /** How many writes of one thread contain one another; for the thread that writes. */
  private int depth;

  /** Makes a count of no writes. */
  public WriteCount() {}

  /**
   * Begins a write, which may be part of another one of the same thread. It changes nothing before
   * readers can see that it has begun.
   */
  public void begin() {
    if (depth++ == 0) {
      COUNT.setOpaque(this, (long) COUNT.getOpaque(this) + 1);
      VarHandle.releaseFence();
    }
  }

  /** Ends a write. */
  public void end() {
    if (--depth == 0) {
      COUNT.setRelease(this, (long) COUNT.getOpaque(this) + 1);
    }
  }

  /** Returns the count, after a short wait if a write is going on. */
  public long get() {
    long now = (long) COUNT.getAcquire(this);
    for (int spins = 0; isWriting(now) && spins < SPINS; spins++) {
      Thread.onSpinWait();
      now = (long) COUNT.getAcquire(this);
    }
    return now;
  }

  /** Tells whether a count was taken while a write was going on. */
  public static boolean isWriting(long count) {
    return (count & 1) != 0;
  }

  /**
   * Tells whether no write has begun since a count was taken, so that what was read is consistent.
   */
  public boolean isStill(long earlier) {
    VarHandle.acquireFence();
    return (long) COUNT.getOpaque(this) == earlier;
  }
}
