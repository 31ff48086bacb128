// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.LongIndex;
import java.util.Objects;

/**
 * The index-nested-loop join: looks up the key of each row of the outer side in an index, the inner
 * side.
 *
 * <p>An operator in the iterator model, which produces its output batch by batch:
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
 * <p>If the index is far larger than the cache, the lookups of large batches are buffered ({@link
 * dev.espalier.batch.BatchLookup}), which temporarily takes another 16 bytes per row. An index
 * behind a lock supports the methods {@code AUTO} and {@code SINGLE} only.
 *
 * <p>A join allocates memory once, about 25 bytes per row of the batch size. Rows come out in the
 * order of the outer side, unless the options allow any order. Closing the join does not close the
 * index. The index may be changed between two calls of {@link #next}; later rows then reflect its
 * new state. A join is used by one thread at a time; several joins may read the same index.
 *
 * <p>The index may hold any values, including its {@code missingValue()}: a row has a partner if
 * its key is present. Each key is looked up once.
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
   * Creates a join, which must then be opened.
   *
   * @param outer the outer side, opened and closed by the join
   * @param inner the index to look up keys in
   * @param options the type of the join, and how to look up keys
   * @throws IllegalStateException if the index is closed and the options leave the batch size to
   *     the join
   */
  public IndexNestedLoopJoin(OuterSource outer, LongIndex inner, JoinOptions options) {
    this.outer = Objects.requireNonNull(outer, "outer is null");
    Objects.requireNonNull(inner, "inner is null");
    Objects.requireNonNull(options, "options is null");
    this.batch = new JoinBatch(options.type(), BatchProbe.batchSize(inner, options));
    this.probe = new BatchProbe(inner, options, batch);
  }

  /**
   * Opens the outer side, and positions the join before the first batch. A closed join may be
   * opened again.
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
   * Moves to the next batch of output, which has at least one row. Returns false at the end.
   *
   * @throws IllegalStateException if the join is not open, the index is closed, or the outer side
   *     returns an impossible number of rows
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

  /** Returns the batch that {@link #next} moved to; always the same object. */
  public JoinBatch batch() {
    return batch;
  }

  /** Returns counters of what the join has done since it was last opened. */
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
          "the outer side returned " + rows + " rows for a batch of " + batch.keys.length);
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
