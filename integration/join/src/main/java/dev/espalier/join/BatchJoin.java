// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * A join as an operator in the iterator model: it gives out its rows batch by batch. All joins of
 * this package are used alike:
 *
 * {@snippet :
 * try (BatchJoin<JoinBatch> join = new AsOfJoin(trades, quotes, JoinOptions.DEFAULT)) {
 *   join.open();
 *   while (join.next()) {
 *     JoinBatch rows = join.batch();
 *     for (int row = 0; row < rows.count(); row++) {
 *       consume(rows.outerPayload(row), rows.innerValue(row));
 *     }
 *   }
 * }
 * }
 *
 * <p>A join is used by one thread at a time; several joins may read the same index. {@link
 * ParallelJoin} has one join in each of several threads.
 *
 * @param <B> the batch of rows
 */
public interface BatchJoin<B> extends AutoCloseable {

  /**
   * Opens the outer side, and positions the join before the first batch. A closed join may be
   * opened again.
   *
   * @throws IllegalStateException if the join is open
   */
  void open();

  /**
   * Moves to the next batch of output, which has at least one row. Returns false at the end.
   *
   * @throws IllegalStateException if the join is not open, the index is closed, or the outer side
   *     returns an impossible number of rows
   */
  boolean next();

  /** Returns the batch that {@link #next} moved to; always the same object. */
  B batch();

  /** Returns counters of what the join has done since it was last opened. */
  JoinStatistics statistics();

  /** Closes the outer side, not the index. Does nothing if the join is not open. */
  @Override
  void close();
}
