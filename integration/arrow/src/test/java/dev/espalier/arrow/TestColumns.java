// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Columns of objects, written by other code than the one under test. */
final class TestColumns {
  /** What nulls and rows outside of a column hold. */
  static final long GARBAGE = 3;

  private TestColumns() {}

  /** Returns a column with rows of garbage before and behind it. */
  static LongColumn longs(List<@Nullable Long> rows, int offset) {
    long[] values = new long[offset + rows.size() + 1];
    byte[] bits = new byte[values.length / 8 + 1];
    java.util.Arrays.fill(values, GARBAGE);
    for (int i = 0; i < rows.size(); i++) {
      Long row = rows.get(i);
      if (row != null) {
        values[offset + i] = row;
        bits[(offset + i) / 8] |= (byte) (1 << (offset + i) % 8);
      }
    }
    return new LongColumn(
        MemorySegment.ofArray(values), MemorySegment.ofArray(bits), offset, rows.size());
  }

  /** Returns a column whose nulls have bytes as well. */
  static BytesColumn bytes(List<byte @Nullable []> rows, int offset) {
    byte[] garbage = {(byte) GARBAGE};
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    int[] offsets = new int[offset + rows.size() + 1];
    byte[] bits = new byte[offsets.length / 8 + 1];
    for (int i = 0; i < offset + rows.size(); i++) {
      byte @Nullable [] row = i < offset ? null : rows.get(i - offset);
      bytes.writeBytes(row == null ? garbage : row);
      offsets[i + 1] = bytes.size();
      if (row != null) {
        bits[i / 8] |= (byte) (1 << i % 8);
      }
    }
    return new BytesColumn(
        MemorySegment.ofArray(bytes.toByteArray()),
        MemorySegment.ofArray(offsets),
        MemorySegment.ofArray(bits),
        offset,
        rows.size());
  }

  /** Returns the values of a column. */
  static List<@Nullable Long> read(LongColumn column, long count) {
    List<@Nullable Long> rows = new java.util.ArrayList<>();
    for (long row = 0; row < count; row++) {
      long at = column.offset() + row;
      boolean valid =
          !column.hasValidity()
              || (column.validity().get(ValueLayout.JAVA_BYTE, at / 8) >> (at % 8) & 1) == 1;
      rows.add(valid ? column.values().getAtIndex(ValueLayout.JAVA_LONG, at) : null);
    }
    return rows;
  }
}
