// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * A column of byte strings or strings in Arrow's layout: a {@code Binary} or {@code Utf8} array,
 * with offsets of 32 bits. Nothing is copied. UTF-8 sorts in the order of its code points.
 *
 * @param bytes the bytes of all rows
 * @param offsets ints in native byte order, for rows before {@code offset} as well, and one more:
 *     where each row begins in {@code bytes}, which is where the row before it ends
 * @param validity a bit for each row, as in {@link LongColumn}
 * @param offset rows in {@code offsets} and {@code validity} before the first row of the column
 * @param count number of rows
 */
public record BytesColumn(
    MemorySegment bytes, MemorySegment offsets, MemorySegment validity, long offset, int count) {

  /**
   * Checks that offsets and validity have room for the rows. The offsets themselves are checked
   * when a row is read.
   *
   * @throws IllegalArgumentException if {@code offset} or {@code count} is negative, or a segment
   *     is too short
   */
  public BytesColumn {
    Objects.requireNonNull(bytes, "bytes");
    Objects.requireNonNull(offsets, "offsets");
    Objects.requireNonNull(validity, "validity");
    Columns.checkRows(offset, count);
    if (count > 0 && offsets.byteSize() / Integer.BYTES - offset <= count) {
      throw new IllegalArgumentException(
          "offsets has %d bytes; %d rows from row %d need %d"
              .formatted(offsets.byteSize(), count, offset, (offset + count + 1) * Integer.BYTES));
    }
    Validity.check(validity, offset + count);
  }

  /** Returns a column of the first {@code count} rows of an array that may have nulls. */
  public static BytesColumn of(
      MemorySegment bytes, MemorySegment offsets, MemorySegment validity, int count) {
    return new BytesColumn(bytes, offsets, validity, 0, count);
  }

  /** Returns a column of the first {@code count} rows of an array without nulls. */
  public static BytesColumn withoutNulls(MemorySegment bytes, MemorySegment offsets, int count) {
    return new BytesColumn(bytes, offsets, MemorySegment.ofArray(new byte[0]), 0, count);
  }

  /** Returns the rows from one to another, which is exclusive. */
  BytesColumn slice(int from, int to) {
    return new BytesColumn(bytes, offsets, validity, offset + from, to - from);
  }

  /**
   * Returns whether a row is not null.
   *
   * @throws IndexOutOfBoundsException if there is no such row
   */
  public boolean isValid(int row) {
    return Validity.has(validity, offset + Objects.checkIndex(row, count));
  }

  /**
   * Returns the bytes of a row, without a copy. Those of a null may be any bytes.
   *
   * @throws IndexOutOfBoundsException if there is no such row, or its offsets descend or are
   *     outside of the bytes
   */
  public MemorySegment value(int row) {
    long at = (offset + Objects.checkIndex(row, count)) * Integer.BYTES;
    long from = offsets.get(JAVA_INT_UNALIGNED, at);
    return bytes.asSlice(from, offsets.get(JAVA_INT_UNALIGNED, at + Integer.BYTES) - from);
  }

  /** Returns how many bytes a row has; negative if its offsets descend. */
  long bytesOf(int row) {
    long at = (offset + row) * Integer.BYTES;
    return (long) offsets.get(JAVA_INT_UNALIGNED, at + Integer.BYTES)
        - offsets.get(JAVA_INT_UNALIGNED, at);
  }

  /**
   * Returns the rows as a batch for a {@link dev.espalier.bytes.BytesIndex}, without a copy. A
   * batch has no nulls: a null row becomes whatever bytes it has.
   */
  public PackedBytes packed() {
    return count == 0
        ? PackedBytes.of(List.of()) // An empty array of Arrow may lack its one offset.
        : new PackedBytes(bytes, offsets.asSlice(offset * Integer.BYTES), count);
  }
}
