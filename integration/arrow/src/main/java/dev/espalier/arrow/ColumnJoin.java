// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import dev.espalier.LongIndex;
import dev.espalier.join.IndexNestedLoopJoin;
import dev.espalier.join.JoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.JoinType;
import dev.espalier.join.OuterSource;
import dev.espalier.join.ResidualPredicate;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The index-nested-loop join with a column as its outer side, one record batch after another. The
 * output identifies rows of the batch by number, so that the engine can pick the rows of its other
 * columns.
 *
 * <p>A null key has no partner: an inner or semi join leaves its row out, a left or anti join
 * includes it in the output.
 *
 * <p>A join allocates memory once, as {@link IndexNestedLoopJoin} does, and is used by one thread
 * at a time.
 */
public final class ColumnJoin implements AutoCloseable {
  private final JoinType type;
  private final Batch batch = new Batch();
  private final IndexNestedLoopJoin join;

  /**
   * Creates a join with an index, which the caller continues to own.
   *
   * @param options the type of the join and how to look up keys; a residual predicate receives row
   *     numbers as payloads
   */
  public ColumnJoin(LongIndex inner, JoinOptions options) {
    this.type = options.type();
    ResidualPredicate residual = options.residual();
    this.join =
        new IndexNestedLoopJoin(
            batch,
            inner,
            options.withResidual(
                (key, row, value) ->
                    batch.keys.isValid(row)
                        && (residual == null || residual.test(key, row, value))));
  }

  /**
   * Joins a batch.
   *
   * @param keys the keys of the batch's rows
   * @param rows receives the number of each row of the output, from 0
   * @param values receives the value of each row of the output, or null if it has no partner;
   *     untouched in a semi or anti join
   * @return how many rows the output has
   * @throws IllegalArgumentException if {@code rows} or, unless the join is a semi or anti join,
   *     {@code values} has fewer rows than {@code keys}, is read-only, or {@code values} has no
   *     validity bits
   * @throws IllegalStateException if the index or this join is closed
   */
  public long join(LongColumn keys, LongColumn rows, LongColumn values) {
    checkRoom(keys, rows, "rows");
    if (rows.values().isReadOnly()) {
      throw new IllegalArgumentException("rows is read-only");
    }
    if (type.hasInnerValues()) {
      checkRoom(keys, values, "values");
      Columns.checkReceives(values, "values");
    }
    if (batch.isClosed) {
      throw new IllegalStateException("the join is closed");
    }
    batch.keys = keys;
    join.open();
    try {
      long count = 0;
      while (join.next()) {
        count = append(join.batch(), rows, values, count);
      }
      return count;
    } finally {
      join.close();
      batch.keys = Batch.NONE;
    }
  }

  private static void checkRoom(LongColumn keys, LongColumn output, String name) {
    Objects.requireNonNull(output, name);
    if (output.count() < keys.count()) {
      throw new IllegalArgumentException(
          "%s has %d rows; it must have at least as many as keys, %d"
              .formatted(name, output.count(), keys.count()));
    }
  }

  private long append(JoinBatch joined, LongColumn rows, LongColumn values, long from) {
    long[] row = batch.scratch(joined.count());
    for (int i = 0; i < joined.count(); i++) {
      row[i] = joined.outerPayload(i);
    }
    rows.write(from, row, joined.count());
    setValid(rows, from, joined.count());
    if (type.hasInnerValues()) {
      for (int i = 0; i < joined.count(); i++) {
        row[i] = joined.innerValue(i);
      }
      values.write(from, row, joined.count());
      setMatched(values, from, joined);
    }
    return from + joined.count();
  }

  private static void setValid(LongColumn column, long from, int count) {
    if (column.hasValidity()) {
      for (int done = 0; done < count; done += Long.SIZE) {
        int some = Math.min(Long.SIZE, count - done);
        Validity.write(column.validity(), column.offset() + from + done, some, -1);
      }
    }
  }

  private static void setMatched(LongColumn column, long from, JoinBatch joined) {
    for (int done = 0; done < joined.count(); done += Long.SIZE) {
      int some = Math.min(Long.SIZE, joined.count() - done);
      long word = 0;
      for (int i = 0; i < some; i++) {
        word |= (joined.isMatched(done + i) ? 1L : 0) << i;
      }
      Validity.write(column.validity(), column.offset() + from + done, some, word);
    }
  }

  /** Ends the join. Does not close the index. */
  @Override
  public void close() {
    batch.isClosed = true;
    join.close();
  }

  /** The rows of one batch after another, with their numbers as payloads. */
  private static final class Batch implements OuterSource {
    static final LongColumn NONE = LongColumn.withoutNulls(MemorySegment.ofArray(new long[0]), 0);

    private LongColumn keys = NONE;
    private long position;
    private boolean isClosed;
    private long[] scratch = {};

    @Override
    public void open() {
      position = 0;
    }

    @Override
    public int nextBatch(long[] batchKeys, long[] payloads) {
      int rows = (int) Math.min(batchKeys.length, keys.count() - position);
      keys.read(position, batchKeys, rows);
      for (int row = 0; row < rows; row++) {
        payloads[row] = position + row;
      }
      position += rows;
      return rows;
    }

    long[] scratch(int rows) {
      if (scratch.length < rows) {
        scratch = new long[rows];
      }
      return scratch;
    }

    @Override
    public void close() {}
  }
}
