// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One thread of a crew. The end of an operation is the beginning of the next. */
final class Worker {
  private static final long LONGEST_NANOS = 100_000_000_000L;

  /** A thousand histograms of three digits would take a quarter of a gigabyte. */
  private static final int DIGITS = 2;

  /** A virtual thread that never waits would keep all others waiting. */
  private static final int OPERATIONS_BEFORE_YIELD = 16;

  private static final int PERCENT = 100;

  private final Work work;
  private final EntryStates states;
  private final CheckedSession session;
  private final Draws.Sequence draws;
  private final SplittableRandom random;
  private final boolean isYielding;
  private final int[] order;
  private final Histogram latencies = histogram();
  private long end;

  /**
   * Makes one that has not begun.
   *
   * @param isYielding whether it lets others work now and then
   * @param order the entries that it inserts, if the work is to fill
   */
  Worker(
      Work work,
      EntryStates states,
      CheckedSession session,
      Draws.Sequence draws,
      boolean isYielding,
      int[] order) {
    this.work = work;
    this.states = states;
    this.session = session;
    this.draws = draws;
    this.random = draws.random();
    this.isYielding = isYielding;
    this.order = order;
  }

  static Histogram histogram() {
    return new Histogram(1, LONGEST_NANOS, DIGITS);
  }

  /** Works until the time is over or the work done. What it throws is the first failure. */
  void run(CountDownLatch start, Duration time, AtomicReference<@Nullable Throwable> failure) {
    try {
      start.await();
      work(time.toNanos(), failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // Virtual threads have no other way to take turns.
  private void work(long nanos, AtomicReference<@Nullable Throwable> failure) {
    long begin = System.nanoTime();
    long last = begin;
    boolean isFill = work.isFill();
    int done = 0;
    while (last - begin < nanos && !(isFill && done == order.length)) {
      if (isFill) {
        session.write(order[done]);
        states.acknowledge();
      } else {
        operate();
      }
      done++;
      long now = System.nanoTime();
      latencies.recordValue(Math.min(now - last, LONGEST_NANOS));
      last = now;
      if (isYielding && done % OPERATIONS_BEFORE_YIELD == 0) {
        Thread.yield();
        last = System.nanoTime();
      }
      if (failure.get() != null) {
        return;
      }
    }
    session.commit();
    states.acknowledge();
    end = System.nanoTime();
  }

  private void operate() {
    switch (work.operation(random.nextInt(PERCENT))) {
      case READ -> session.read(draws.next(states.count()));
      case UPDATE -> session.write(draws.next(states.count()));
      case INSERT -> insert();
      case SCAN -> session.scan(draws.next(states.count()), 1 + random.nextInt(work.mostScanned()));
      case READ_MODIFY_WRITE -> {
        long entry = draws.next(states.count());
        session.read(entry);
        session.write(entry);
      }
      case REMOVE -> session.remove(draws.next(states.count()));
    }
  }

  /** Inserts a new entry; if there is no room for one, updates another. */
  private void insert() {
    long entry = states.take();
    session.write(entry < 0 ? draws.next(states.count()) : entry);
    states.acknowledge();
  }

  /** Returns when it was done. */
  long end() {
    return end;
  }

  Histogram latencies() {
    return latencies;
  }

  void close() {
    session.close();
  }
}
