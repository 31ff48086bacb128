// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;

/** A time that passes when a test says so. */
final class ManualTicker implements Ticker {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // It may overflow.

  void advance(long nanos) {
    now.addAndGet(nanos);
  }

  @Override
  public long nanoTime() {
    return now.get();
  }

  /** Looks at the time again and again, since nobody signals that it has passed. */
  @Override
  public void await(Condition condition, long nanos) throws InterruptedException {
    condition.await(1, TimeUnit.MILLISECONDS);
  }
}
