// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.Region;
import java.lang.foreign.MemorySegment;

/**
 * The memory of buffers: segments of equal size, which are linked into one cyclic list per buffer
 * (buffering paper, 4.2). What is released last is taken first, because it is likely to be cached.
 *
 * <p>A segment holds {@code records} records of two words, a key and a tag. A record's position is
 * its number in all of the memory, so that the end of a buffer is one number: where the next record
 * goes, or, on the border of a segment, where the last segment ended.
 */
final class SegmentPool implements AutoCloseable {
  private static final int RECORD_SHIFT = 4;

  /** What the end of a buffer without a segment is: position 0 belongs to no buffer. */
  static final int EMPTY = 0;

  private final int segmentShift;

  /** Non-zero within a segment, 0 where a position is the border between two. */
  final int withinSegment;

  private final Region region;
  private final MemorySegment memory;

  /** The next segment of the same buffer, or of the free ones; segment 0 stands for none. */
  private final int[] next;

  private int free;
  private int untouched = 1;

  /**
   * Takes memory.
   *
   * @param records of one segment, a power of two
   * @param segments how many there are
   * @throws dev.espalier.memory.MemoryLimitException if the system refuses it
   */
  SegmentPool(int records, int segments, HugePages hugePages) {
    this.segmentShift = Integer.numberOfTrailingZeros(records);
    this.withinSegment = records - 1;
    this.next = new int[segments + 1];
    long bytes = (long) (segments + 1) << segmentShift << RECORD_SHIFT;
    this.region = Region.ofPages(bytes, hugePages);
    this.memory = region.segment();
  }

  /** Returns the bytes of all segments that were ever in use. */
  long usedBytes() {
    return (long) untouched << segmentShift << RECORD_SHIFT;
  }

  /** Adds a record to the buffer that ends at {@code end}; returns where it ends then. */
  int append(int end, long key, long tag) {
    int at = (end & withinSegment) == 0 ? extend(end) : end;
    long offset = (long) at << RECORD_SHIFT;
    putLong(memory, offset, key);
    putLong(memory, offset + Long.BYTES, tag);
    return at + 1;
  }

  /** Tells whether no segment is left: what needs one then must not be appended. */
  boolean isExhausted() {
    return free == 0 && untouched == next.length;
  }

  /** Adds a segment to a buffer that has none or whose last one is full; returns its beginning. */
  private int extend(int end) {
    int segment = free;
    if (segment == 0) {
      segment = untouched++;
    } else {
      free = next[segment];
    }
    if (end == EMPTY) {
      next[segment] = segment;
    } else {
      int last = lastSegment(end);
      next[segment] = next[last];
      next[last] = segment;
    }
    return segment << segmentShift;
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

  /** Copies records into two arrays, from 0 on. */
  void read(int from, int count, long[] keys, long[] tags) {
    for (int i = 0; i < count; i++) {
      long offset = (long) (from + i) << RECORD_SHIFT;
      keys[i] = getLong(memory, offset);
      tags[i] = getLong(memory, offset + Long.BYTES);
    }
  }

  /** Takes back a segment, whose successor must be known by then. */
  void release(int segment) {
    next[segment] = free;
    free = segment;
  }

  @Override
  public void close() {
    region.close();
  }
}
