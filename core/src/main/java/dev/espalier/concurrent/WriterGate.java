// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps writers out while one thread does something to the whole tree. Each writer counts itself in
 * a line that it shares with few others. Readers do not come by here.
 */
final class WriterGate {
  /** What {@link #enter} returns to the thread that has the tree alone. */
  private static final int UNCOUNTED = -1;

  /** Longs between two counters: two cache lines, which are often fetched together. */
  private static final int STRIDE = 16;

  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

  private final BooleanSupplier isClosed;
  private final int stripes = Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors());

  /** Writers under way, by stripe. */
  private final long[] counts = new long[stripes * STRIDE];

  /** Held by the thread that has the tree alone, or waits for that. */
  private final ReentrantLock turn = new ReentrantLock();

  private volatile boolean isShut;
  private volatile @Nullable Thread alone;

  WriterGate(BooleanSupplier isClosed) {
    this.isClosed = isClosed;
  }

  /** Begins a write. Returns what {@link #exit} takes. */
  int enter() {
    int counter = ((int) Thread.currentThread().threadId() & (stripes - 1)) * STRIDE;
    for (int tries = 0; ; tries++) {
      if (!isShut) {
        COUNT.getAndAdd(counts, counter, 1L);
        if (!isShut) {
          return counter;
        }
        COUNT.getAndAdd(counts, counter, -1L);
      }
      if (isAlone()) {
        return UNCOUNTED;
      }
      pause(tries);
    }
  }

  /** Ends a write. */
  void exit(int counter) {
    if (counter != UNCOUNTED) {
      COUNT.getAndAdd(counts, counter, -1L);
    }
  }

  /**
   * Does something while no other thread writes; from outside a write, or from within such a task.
   *
   * @throws IllegalStateException if the index is closed meanwhile
   */
  void alone(Runnable task) {
    if (isAlone()) {
      task.run();
      return;
    }
    turn.lock();
    try {
      isShut = true;
      for (int tries = 0; !haveEnded(); tries++) {
        pause(tries);
      }
      alone = Thread.currentThread();
      task.run();
    } finally {
      alone = null;
      isShut = false;
      turn.unlock();
    }
  }

  @SuppressWarnings("ReferenceEquality") // A thread is only ever itself.
  private boolean isAlone() {
    return alone == Thread.currentThread();
  }

  private boolean haveEnded() {
    for (int stripe = 0; stripe < stripes; stripe++) {
      if ((long) COUNT.getVolatile(counts, stripe * STRIDE) != 0) {
        return false;
      }
    }
    return true;
  }

  private void pause(int tries) {
    Versions.pause(tries);
    if (isClosed.getAsBoolean()) {
      throw new IllegalStateException("the index is closed");
    }
  }
}
