// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.Region;
import java.lang.foreign.MemorySegment;

/**
 * The memory of buffers of queries: segments of equal size, linked into one cyclic list per buffer
 * (buffering paper, 4.2). What is released last is taken first, because it is likely to be cached.
 *
 * <p>A record has five words: the query's coordinates, and its number. A record's position is its
 * number in all of the memory, so that the end of a buffer is one number: where the next record
 * goes, or, on the border of a segment, where the last segment ended.
 */
final class QuerySegments implements AutoCloseable {
  /** What the end of a buffer without a segment is: position 0 belongs to no buffer. */
  static final int EMPTY = 0;

  private static final int RECORD_BYTES = 40;

  private final int segmentShift;
  private final int withinSegment;
  private final Region region;
  private final MemorySegment memory;

  /** The next segment of the same buffer, or of the free ones; segment 0 stands for none. */
  private final int[] next;

  private int free;
  private int untouched = 1;
  private int available;

  /**
   * Takes memory.
   *
   * @param records of one segment, a power of two
   * @param segments how many there are
   * @throws dev.espalier.memory.MemoryLimitException if the system refuses it
   */
  QuerySegments(int records, int segments) {
    this.segmentShift = Integer.numberOfTrailingZeros(records);
    this.withinSegment = records - 1;
    this.next = new int[segments + 1];
    this.available = segments;
    long bytes = ((long) (segments + 1) << segmentShift) * RECORD_BYTES;
    this.region = Region.ofPages(bytes, HugePages.WHEN_GROWN);
    this.memory = region.segment();
  }

  /** Releases all segments of all buffers, which must be forgotten. */
  void reset() {
    free = 0;
    untouched = 1;
    available = next.length - 1;
  }

  /** Returns how many segments no buffer has. */
  int available() {
    return available;
  }

  /** Returns the bytes of all segments that were in use since the last reset. */
  long usedBytes() {
    return ((long) untouched << segmentShift) * RECORD_BYTES;
  }

  /** Tells whether the next record of the buffer that ends at {@code end} needs a new segment. */
  boolean isFull(int end) {
    return (end & withinSegment) == 0;
  }

  /** Adds a segment to a buffer that has none or whose last one is full; returns its beginning. */
  int extend(int end) {
    int segment = free;
    if (segment == 0) {
      segment = untouched++;
    } else {
      free = next[segment];
    }
    available--;
    if (end == EMPTY) {
      next[segment] = segment;
    } else {
      int last = lastSegment(end);
      next[segment] = next[last];
      next[last] = segment;
    }
    return segment << segmentShift;
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

  /** Returns the last segment of the buffer that ends at {@code end}. */
  int lastSegment(int end) {
    return (end - 1) >>> segmentShift;
  }

  /** Returns the segment after another, the first after the last. */
  int nextSegment(int segment) {
    return next[segment];
  }

  /** Returns the position of a segment's first record. */
  int begin(int segment) {
    return segment << segmentShift;
  }

  /**
   * Returns the position behind a segment's last record, of the buffer that ends at {@code end}.
   */
  int end(int segment, int end) {
    return segment == lastSegment(end) ? end : (segment + 1) << segmentShift;
  }

  /** Takes back a segment, whose successor must be known by then. */
  void release(int segment) {
    next[segment] = free;
    free = segment;
    available++;
  }

  @Override
  public void close() {
    region.close();
  }
}
