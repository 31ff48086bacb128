// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

/** Checks of columns. */
final class Columns {
  private Columns() {}

  static void checkRows(long offset, long count) {
    if (offset < 0 || count < 0) {
      throw new IllegalArgumentException(
          "offset is %d and count is %d; neither may be negative".formatted(offset, count));
    }
  }

  static void checkEqualCounts(long keys, long values) {
    if (keys != values) {
      throw new IllegalArgumentException(
          "keys has %d rows and values has %d; both must have the same number"
              .formatted(keys, values));
    }
  }

  /** Checks that answers can be written into a column, nulls too. */
  static void checkReceives(LongColumn column, String name) {
    if (!column.hasValidity() && column.count() > 0) {
      throw new IllegalArgumentException(
          name + " has no validity bits, and so has no room for nulls");
    }
    if (column.values().isReadOnly() || column.validity().isReadOnly()) {
      throw new IllegalArgumentException(name + " is read-only");
    }
  }
}
