// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.util.concurrent.locks.Condition;

/** The time, and waiting for it. */
interface Ticker {

  /** The time of this machine. */
  Ticker SYSTEM =
      new Ticker() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // The caller loops.
        public void await(Condition condition, long nanos) throws InterruptedException {
          condition.awaitNanos(nanos);
        }
      };

  /** Returns nanoseconds since some moment. */
  long nanoTime();

  /** Waits for a signal, or until the time has passed, or for no reason at all. */
  void await(Condition condition, long nanos) throws InterruptedException;
}
