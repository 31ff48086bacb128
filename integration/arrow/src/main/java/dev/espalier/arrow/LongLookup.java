// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import dev.espalier.LongIndex;
import java.util.Objects;

/**
 * Looks up columns of keys in an index of longs, and writes columns of values.
 *
 * <p>Passes keys and answers through two arrays, which are as long as the longest column so far,
 * but at most a million rows: 16 MiB at most. A lookup is used by one thread at a time; several
 * lookups may share an index.
 */
public final class LongLookup {
  /** Enough for buffered lookups of indexes far larger than the caches to pay. */
  private static final int MOST_ROWS = 1 << 20;

  private final LongIndex index;
  private long[] keys = {};
  private long[] values = {};
  private long[] found = {};

  /** Creates a lookup over an index, which the caller continues to own. */
  public LongLookup(LongIndex index) {
    this.index = Objects.requireNonNull(index, "index");
  }

  /**
   * Looks up every key: row {@code i} of {@code answers} becomes the value of row {@code i} of
   * {@code column}, or null if that is null or not in the index. Rows of the same segments outside
   * of {@code answers} stay as they are. The two columns may be the same one, but must not overlap
   * otherwise.
   *
   * <p>Larger batches are faster per key, up to a million rows.
   *
   * @param column the keys
   * @param answers receives the values; has validity bits, and as many rows as {@code column}
   * @return how many rows of {@code answers} are not null
   * @throws IllegalArgumentException if the columns differ in count, or {@code answers} is
   *     read-only or without validity bits
   * @throws IllegalStateException if the index is closed
   */
  public long getAll(LongColumn column, LongColumn answers) {
    Columns.checkEqualCounts(column.count(), answers.count());
    Columns.checkReceives(answers, "answers");
    reserve((int) Math.min(column.count(), MOST_ROWS));
    long present = 0;
    for (long row = 0; row < column.count(); row += MOST_ROWS) {
      present += lookUp(column, answers, row, (int) Math.min(column.count() - row, MOST_ROWS));
    }
    return present;
  }

  private void reserve(int rows) {
    if (keys.length < rows) {
      keys = new long[rows];
      values = new long[rows];
      found = new long[(rows + Long.SIZE - 1) / Long.SIZE];
    }
  }

  private long lookUp(LongColumn column, LongColumn answers, long row, int rows) {
    column.read(row, keys, rows);
    index.getAll(keys, 0, values, 0, rows, found);
    answers.write(row, values, rows);
    long present = 0;
    for (int done = 0; done < rows; done += Long.SIZE) {
      int some = Math.min(Long.SIZE, rows - done);
      long valid = Validity.read(column.validity(), column.offset() + row + done, some);
      long bits = found[done / Long.SIZE] & valid;
      Validity.write(answers.validity(), answers.offset() + row + done, some, bits);
      present += Long.bitCount(bits);
    }
    return present;
  }
}
