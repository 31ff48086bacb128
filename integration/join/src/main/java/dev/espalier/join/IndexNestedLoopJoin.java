// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongIndex;
import java.util.Objects;

/**
 * The index-nested-loop join: for each row of the outer side, looks its key up in an index.
 *
 * <p>An operator for engines of the iterator model, pulled batch by batch:
 *
 * {@snippet :
 * try (var join = new IndexNestedLoopJoin(outer, orders, JoinOptions.DEFAULT)) {
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
 * <p>Over an index far larger than the cache, large batches are buffered on their way down ({@link
 * dev.espalier.batch.BatchLookup}), which takes another 16 bytes per row while they are. A forced
 * method other than {@code SINGLE} needs the index itself, not one behind a lock.
 *
 * <p>It allocates once, 25 bytes per row of the batch size, and streams: rows come out in the order
 * in which the outer side gives them, unless the options allow any. The index is neither owned nor
 * closed. It may be written between two calls of {@link #next}; the rows then come from different
 * states of it. A join is for one thread; many joins may read one index.
 *
 * <p>Any value may be stored in the index. One that equals its {@code missingValue()} is told from
 * an absent key by a second, single lookup. Absent keys take it too, and so cost about twice as
 * much as keys that are found; only single probes of a join without inner values need just one
 * lookup.
 */
public final class IndexNestedLoopJoin implements AutoCloseable {
  private final OuterSource outer;
  private final JoinBatch batch;
  private final BatchProbe probe;

  private boolean open;
  private boolean atEnd;
  private long rowsIn;
  private long rowsOut;
  private long batches;
  private int largestBatch;

  /**
   * Makes a join that is yet to be opened.
   *
   * @throws IllegalStateException if the index is closed and the batch size is to be chosen for it
   */
  public IndexNestedLoopJoin(OuterSource outer, LongIndex inner, JoinOptions options) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    Objects.requireNonNull(inner, "inner is null");
    Objects.requireNonNull(options, "options is null");
    this.batch = new JoinBatch(options.type(), BatchProbe.batchSize(inner, options));
    this.probe = new BatchProbe(inner, options, batch);
  }

  /**
   * Opens the outer side and stands before the first batch. A closed join may be opened again.
   *
   * @throws IllegalStateException if the join is open
   */
  public void open() {
    if (open) {
      throw new IllegalStateException("the join is open already");
    }
    outer.open();
    open = true;
    atEnd = false;
    rowsIn = 0;
    rowsOut = 0;
    batches = 0;
    largestBatch = 0;
  }

  /**
   * Moves to the next batch of output, which has a row at least. Returns false at the end.
   *
   * @throws IllegalStateException if the join is not open, the index is closed, or the outer side
   *     gives an impossible number of rows
   */
  public boolean next() {
    checkOpen();
    batch.clear();
    while (!atEnd && batch.count() == 0) {
      int rows = readOuter();
      if (rows == 0) {
        atEnd = true;
      } else {
        probe.probe(rows);
        batch.keep(rows);
        rowsOut += batch.count();
      }
    }
    return !atEnd;
  }

  /** Returns the rows that {@link #next} moved to; always the same object. */
  public JoinBatch batch() {
    return batch;
  }

  /** Returns what was done since the join was opened last. */
  public JoinStatistics statistics() {
    return new JoinStatistics(rowsIn, rowsOut, batches, largestBatch, probe.choice());
  }

  /** Closes the outer side, not the index. Does nothing if the join is not open. */
  @Override
  public void close() {
    if (open) {
      open = false;
      batch.clear();
      probe.close();
      outer.close();
    }
  }

  private int readOuter() {
    int rows = outer.nextBatch(batch.keys, batch.payloads);
    if (rows < 0 || rows > batch.keys.length) {
      throw new IllegalStateException(
          "the outer side gave " + rows + " rows for a batch of " + batch.keys.length);
    }
    if (rows > 0) {
      rowsIn += rows;
      batches++;
      largestBatch = Math.max(largestBatch, rows);
    }
    return rows;
  }

  private void checkOpen() {
    if (!open) {
      throw new IllegalStateException("the join is not open");
    }
  }
}
