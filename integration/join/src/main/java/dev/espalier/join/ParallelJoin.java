// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongIndex;
import java.util.Objects;
import java.util.function.Function;

/**
 * A join by several threads over one index. Each thread has its own join, takes the next batch of
 * the outer side when it has joined the previous one, and hands out its own output.
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
 * <p>Any join can be run so, by a function that makes one for each thread:
 *
 * {@snippet :
 * ParallelJoin.run(
 *     trades,
 *     share -> new AsOfJoin(share, quotes, JoinOptions.DEFAULT),
 *     2,
 *     (thread, rows) -> consume(rows));
 * }
 *
 * <p>The rows of a batch are in the order that the options specify; batches come in any order. Any
 * index may be read by several threads, as long as nobody writes to it, or it is a {@link
 * dev.espalier.ConcurrentLongIndex}.
 *
 * <p>Each thread takes the memory of one join, and where keys are byte strings a copy of those of a
 * batch. If the batches are large, the outer side should have many times as many rows, or some
 * threads find nothing to do: see {@link JoinOptions#withBatchSize}.
 *
 * <p>All these methods join all rows of the outer side, and return when all have been handed out.
 * The calling thread is the first of the threads that join. An interrupt does not shorten this, but
 * the interrupt status is kept; an exception from the output ends the join early. What the outer
 * side, the index, the residual predicate or the output throws in one thread is thrown when the
 * others have stopped, after their current batches.
 */
public final class ParallelJoin {
  private ParallelJoin() {}

  /**
   * Takes the output of a join.
   *
   * @param <B> the batch of rows
   */
  @FunctionalInterface
  public interface Output<B> {

    /**
     * Takes a batch of output, in the thread that has joined it; other threads may call this method
     * at the same time.
     *
     * @param thread the number of this thread, from 0
     * @param rows the rows, at least one; valid until this method returns
     */
    void accept(int thread, B rows);
  }

  /**
   * Joins all rows of the outer side by an {@link IndexNestedLoopJoin} in each thread.
   *
   * @param outer the outer side, opened and closed by this method, and read by one thread at a time
   * @param inner the index to look up keys in, which is not closed
   * @param options the type of the join, and how to look up keys
   * @param threads the number of threads that join, at least 1
   * @param output takes the rows
   * @return the counters of all threads together
   * @throws IllegalArgumentException if {@code threads} is not positive
   */
  public static JoinStatistics run(
      OuterSource outer,
      LongIndex inner,
      JoinOptions options,
      int threads,
      Output<JoinBatch> output) {
    Objects.requireNonNull(inner, "inner is null");
    Objects.requireNonNull(options, "options is null");
    return run(outer, share -> new IndexNestedLoopJoin(share, inner, options), threads, output);
  }

  /**
   * Joins all rows of the outer side.
   *
   * @param outer the outer side, opened and closed by this method, and read by one thread at a time
   * @param joins makes the join of each thread, called in that thread with a share of the outer
   *     side
   * @param threads the number of threads that join, at least 1
   * @param output takes the rows
   * @return the counters of all threads together
   * @throws IllegalArgumentException if {@code threads} is not positive
   */
  public static <B> JoinStatistics run(
      OuterSource outer,
      Function<? super OuterSource, ? extends BatchJoin<B>> joins,
      int threads,
      Output<B> output) {
    Objects.requireNonNull(outer, "outer is null");
    JoinCrew<B> crew = crew(joins, threads, output);
    return crew.run(outer::open, outer::close, () -> joins.apply(crew.share(outer)), threads);
  }

  /**
   * Joins all rows of an outer side with intervals, as {@link #run(OuterSource, Function, int,
   * Output)} does those of one with keys.
   */
  public static <B> JoinStatistics run(
      IntervalSource outer,
      Function<? super IntervalSource, ? extends BatchJoin<B>> joins,
      int threads,
      Output<B> output) {
    Objects.requireNonNull(outer, "outer is null");
    JoinCrew<B> crew = crew(joins, threads, output);
    return crew.run(outer::open, outer::close, () -> joins.apply(crew.share(outer)), threads);
  }

  /**
   * Joins all rows of an outer side whose keys are byte strings, as {@link #run(OuterSource,
   * Function, int, Output)} does those of one whose keys are longs.
   */
  public static <B> JoinStatistics run(
      BytesOuterSource outer,
      Function<? super BytesOuterSource, ? extends BatchJoin<B>> joins,
      int threads,
      Output<B> output) {
    Objects.requireNonNull(outer, "outer is null");
    JoinCrew<B> crew = crew(joins, threads, output);
    return crew.run(outer::open, outer::close, () -> joins.apply(crew.share(outer)), threads);
  }

  private static <B> JoinCrew<B> crew(
      Function<?, ? extends BatchJoin<B>> joins, int threads, Output<B> output) {
    Objects.requireNonNull(joins, "joins is null");
    Objects.requireNonNull(output, "output is null");
    if (threads < 1) {
      throw new IllegalArgumentException("threads is " + threads + "; it must be positive");
    }
    return new JoinCrew<>(output);
  }
}
