// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.HugePages;
import dev.espalier.support.Segments;

/**
 * The memory of buffers of queries. A record has five words: the query's coordinates, and its
 * number.
 */
final class QuerySegments extends Segments {
  private static final int RECORD_BYTES = 40;

  /** Takes memory, as {@link Segments}. */
  QuerySegments(int records, int segments) {
    super(RECORD_BYTES, records, segments, HugePages.WHEN_GROWN);
  }

  /** Writes a record. */
  void write(int at, double minX, double minY, double maxX, double maxY, int query) {
    long offset = (long) at * RECORD_BYTES;
    putLong(memory, offset, Double.doubleToRawLongBits(minX));
    putLong(memory, offset + 8, Double.doubleToRawLongBits(minY));
    putLong(memory, offset + 16, Double.doubleToRawLongBits(maxX));
    putLong(memory, offset + 24, Double.doubleToRawLongBits(maxY));
    putLong(memory, offset + 32, query);
  }

  double minX(int at) {
    return Double.longBitsToDouble(getLong(memory, (long) at * RECORD_BYTES));
  }

  double minY(int at) {
    return Double.longBitsToDouble(getLong(memory, (long) at * RECORD_BYTES + 8));
  }

  double maxX(int at) {
    return Double.longBitsToDouble(getLong(memory, (long) at * RECORD_BYTES + 16));
  }

  double maxY(int at) {
    return Double.longBitsToDouble(getLong(memory, (long) at * RECORD_BYTES + 24));
  }

  int query(int at) {
    return (int) getLong(memory, (long) at * RECORD_BYTES + 32);
  }
}
