// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongIndex;
import dev.espalier.batch.ProbeChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An index-nested-loop join by several threads over one index. Each thread has its own {@link
 * IndexNestedLoopJoin}, takes the next batch of the outer side when it has joined the previous one,
 * and hands out its own output.
 *
 * {@snippet :
 * long[] sums = new long[2];
 * ParallelJoin.run(outer, orders, JoinOptions.DEFAULT, 2, (thread, rows) -> {
 *   for (int row = 0; row < rows.count(); row++) {
 *     sums[thread] += rows.innerValue(row);
 *   }
 * });
 * }
 *
 * <p>The rows of a batch are in the order that the options specify; batches come in any order. Any
 * index may be read by several threads, as long as nobody writes to it, or it is a {@link
 * dev.espalier.ConcurrentLongIndex}.
 *
 * <p>Each thread takes the memory of one join. If the batches are large, the outer side should have
 * many times as many rows, or some threads find nothing to do: see {@link
 * JoinOptions#withBatchSize}.
 */
public final class ParallelJoin {
  private final OuterSource outer;
  private final LongIndex inner;
  private final JoinOptions options;
  private final Output output;
  private final List<JoinStatistics> done = new ArrayList<>();

  private @Nullable Throwable failure;
  private volatile boolean isStopped;

  private ParallelJoin(OuterSource outer, LongIndex inner, JoinOptions options, Output output) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    this.inner = Objects.requireNonNull(inner, "inner is null");
    this.options = Objects.requireNonNull(options, "options is null");
    this.output = Objects.requireNonNull(output, "output is null");
  }

  /** Takes the output of a join. */
  @FunctionalInterface
  public interface Output {

    /**
     * Takes a batch of output, in the thread that has joined it; other threads may call this method
     * at the same time.
     *
     * @param thread the number of this thread, from 0
     * @param rows the rows, at least one; valid until this method returns
     */
    void accept(int thread, JoinBatch rows);
  }

  /**
   * Joins all rows of the outer side, and returns when all have been handed out. The calling thread
   * is the first of the threads that join. An interrupt does not shorten this, but the interrupt
   * status is kept; an exception from the output ends the join early.
   *
   * @param outer the outer side, opened and closed by this method, and read by one thread at a time
   * @param inner the index to look up keys in, which is not closed
   * @param options the type of the join, and how to look up keys
   * @param threads the number of threads that join, at least 1
   * @param output takes the rows
   * @return the counters of all threads together
   * @throws IllegalArgumentException if {@code threads} is not positive
   * @throws RuntimeException whatever the outer side, the index, the residual predicate or the
   *     output throws in one thread; the others have then stopped after their current batches
   */
  public static JoinStatistics run(
      OuterSource outer, LongIndex inner, JoinOptions options, int threads, Output output) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads is " + threads + "; it must be positive");
    }
    return new ParallelJoin(outer, inner, options, output).run(threads);
  }

  private JoinStatistics run(int threads) {
    outer.open();
    try {
      List<Thread> others = new ArrayList<>();
      try {
        for (int i = 1; i < threads; i++) {
          int number = i;
          others.add(Thread.ofPlatform().name("espalier-join-" + i).start(() -> work(number)));
        }
        work(0);
      } catch (Throwable failed) { // A thread could not be started.
        fail(failed);
      } finally {
        others.forEach(ParallelJoin::awaitEnd);
      }
    } finally {
      outer.close();
    }
    rethrow();
    return together();
  }

  /** Joins batches until there are no more, or another thread has failed. */
  private void work(int thread) {
    try (var join = new IndexNestedLoopJoin(new Share(), inner, options)) {
      join.open();
      while (join.next()) {
        output.accept(thread, join.batch());
      }
      synchronized (done) {
        done.add(join.statistics());
      }
    } catch (Throwable failed) {
      fail(failed);
    }
  }

  private void fail(Throwable failed) {
    isStopped = true;
    synchronized (done) {
      if (failure == null) {
        failure = failed;
      } else {
        failure.addSuppressed(failed);
      }
    }
  }

  /** Waits for a thread; an interrupt does not shorten this, and is kept. */
  private static void awaitEnd(Thread thread) {
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void rethrow() {
    synchronized (done) {
      switch (failure) {
        case null -> {}
        case RuntimeException thrown -> throw thrown;
        case Error thrown -> throw thrown;
        default -> throw new IllegalStateException(failure);
      }
    }
  }

  private JoinStatistics together() {
    long rowsIn = 0;
    long rowsOut = 0;
    long batches = 0;
    int largestBatch = 0;
    Optional<ProbeChoice> choice = Optional.empty();
    synchronized (done) {
      for (JoinStatistics one : done) {
        rowsIn += one.rowsIn();
        rowsOut += one.rowsOut();
        batches += one.batches();
        largestBatch = Math.max(largestBatch, one.largestBatch());
        choice = choice.or(one::choice);
      }
    }
    return new JoinStatistics(rowsIn, rowsOut, batches, largestBatch, choice);
  }

  /** The outer side, for one of several threads. */
  private final class Share implements OuterSource {
    @Override
    public void open() {}

    @Override
    public int nextBatch(long[] keys, long[] payloads) {
      synchronized (outer) {
        return isStopped ? 0 : outer.nextBatch(keys, payloads);
      }
    }

    @Override
    public void close() {}
  }
}
