// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A column of 64-bit integers in Arrow's layout: an {@code Int64} array, or a time or date that is
 * stored as one. Nothing is copied.
 *
 * @param values longs in native byte order, for rows before {@code offset} as well
 * @param validity a bit for each row, least significant bit first, set if the row is not null, for
 *     rows before {@code offset} as well; an empty segment if no row is null
 * @param offset rows in the segments before the first row of the column, as in a slice
 * @param count number of rows
 */
public record LongColumn(MemorySegment values, MemorySegment validity, long offset, long count) {

  /** Stands for no bitmap. */
  private static final MemorySegment NO_NULLS = MemorySegment.ofArray(new byte[0]);

  /**
   * Checks that the segments have room for the rows.
   *
   * @throws IllegalArgumentException if {@code offset} or {@code count} is negative, or a segment
   *     is too short
   */
  public LongColumn {
    Objects.requireNonNull(values, "values");
    Objects.requireNonNull(validity, "validity");
    Columns.checkRows(offset, count);
    if (values.byteSize() / Long.BYTES - offset < count) {
      throw new IllegalArgumentException(
          "values has %d bytes; %d rows from row %d need %d"
              .formatted(values.byteSize(), count, offset, (offset + count) * Long.BYTES));
    }
    Validity.check(validity, offset + count);
  }

  /** Returns a column of the first {@code count} rows of an array that may have nulls. */
  public static LongColumn of(MemorySegment values, MemorySegment validity, long count) {
    return new LongColumn(values, validity, 0, count);
  }

  /** Returns a column of the first {@code count} rows of an array without nulls. */
  public static LongColumn withoutNulls(MemorySegment values, long count) {
    return new LongColumn(values, NO_NULLS, 0, count);
  }

  /** Returns whether the column has a validity bitmap. */
  public boolean hasValidity() {
    return validity.byteSize() != 0;
  }

  /**
   * Returns whether a row is not null.
   *
   * @throws IndexOutOfBoundsException if there is no such row
   */
  public boolean isValid(long row) {
    return Validity.has(validity, offset + Objects.checkIndex(row, count));
  }

  /**
   * Returns the value of a row. That of a null may be any number.
   *
   * @throws IndexOutOfBoundsException if there is no such row
   */
  public long value(long row) {
    return values.get(JAVA_LONG_UNALIGNED, (offset + Objects.checkIndex(row, count)) * Long.BYTES);
  }

  /** Copies the values of rows into the front of an array. */
  void read(long row, long[] array, int rows) {
    long from = (offset + row) * Long.BYTES;
    MemorySegment.copy(values, JAVA_LONG_UNALIGNED, from, array, 0, rows);
  }

  /** Copies the front of an array into the values of rows. */
  void write(long row, long[] array, int rows) {
    long to = (offset + row) * Long.BYTES;
    MemorySegment.copy(array, 0, values, JAVA_LONG_UNALIGNED, to, rows);
  }
}
