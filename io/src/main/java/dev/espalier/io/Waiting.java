// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waiting that an interrupt does not end; a thread that was interrupted is interrupted again
 * afterwards.
 */
final class Waiting {
  private Waiting() {}

  /** What is waited for. */
  @FunctionalInterface
  private interface Wait {
    void attempt() throws InterruptedException;
  }

  /** Waits for a latch. */
  static void await(CountDownLatch latch) {
    uninterruptibly(latch::await);
  }

  /** Waits until all tasks of threads that were shut down have run. */
  static void awaitEnd(ExecutorService threads) {
    uninterruptibly(() -> threads.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
  }

  /** Sleeps for a while. */
  static void nap(long nanos) {
    long end = System.nanoTime() + nanos;
    uninterruptibly(() -> TimeUnit.NANOSECONDS.sleep(end - System.nanoTime()));
  }

  /** Takes a lock if it comes free in time. */
  static boolean tryLock(ReentrantLock lock, long nanos) {
    long end = System.nanoTime() + nanos;
    boolean[] taken = {false};
    uninterruptibly(() -> taken[0] = lock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS));
    return taken[0];
  }

  private static void uninterruptibly(Wait wait) {
    boolean interrupted = false;
    while (true) {
      try {
        wait.attempt();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
