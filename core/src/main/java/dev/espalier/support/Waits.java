// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import java.util.concurrent.locks.LockSupport;

/**
 * Waiting that an interrupt does not end; a thread that was interrupted is interrupted again
 * afterwards.
 */
public final class Waits {
  private Waits() {}

  /** Sleeps for a while. */
  public static void nap(long nanos) {
    long end = System.nanoTime() + nanos;
    boolean interrupted = false;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      // With the status set, parking returns at once; so it does once after a status was set.
      interrupted |= Thread.interrupted();
      LockSupport.parkNanos(left);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until a thread has ended. */
  public static void awaitEnd(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
