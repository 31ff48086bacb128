// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.Region;
import java.lang.foreign.MemorySegment;

/**
 * The memory of buffers: segments of equal size, linked into one cyclic list per buffer (buffering
 * paper, 4.2). What is released last is taken first, because it is likely to be cached. What a
 * record is, its subclasses know.
 *
 * <p>A record's position is its number in all of the memory, so that the end of a buffer is one
 * number: where the next record goes, or, on the border of a segment, where the last segment ended.
 */
public abstract class Segments implements AutoCloseable {
  /** What the end of a buffer without a segment is: position 0 belongs to no buffer. */
  public static final int EMPTY = 0;

  /** The records. */
  protected final MemorySegment memory;

  private final int recordBytes;
  private final int segmentShift;

  /** Non-zero within a segment, 0 where a position is the border between two. */
  private final int withinSegment;

  private final Region region;

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
  protected Segments(int recordBytes, int records, int segments, HugePages hugePages) {
    this.recordBytes = recordBytes;
    this.segmentShift = Integer.numberOfTrailingZeros(records);
    this.withinSegment = records - 1;
    this.next = new int[segments + 1];
    this.available = segments;
    long bytes = ((long) (segments + 1) << segmentShift) * recordBytes;
    this.region = Region.ofPages(bytes, hugePages);
    this.memory = region.segment();
  }

  /** Releases all segments of all buffers, which must be forgotten. */
  public final void reset() {
    free = 0;
    untouched = 1;
    available = next.length - 1;
  }

  /** Returns how many segments no buffer has; at 0 none must be added. */
  public final int available() {
    return available;
  }

  /** Returns the bytes of all segments that were in use since the last reset. */
  public final long usedBytes() {
    return ((long) untouched << segmentShift) * recordBytes;
  }

  /** Tells whether the next record of the buffer that ends at {@code end} needs a new segment. */
  public final boolean isFull(int end) {
    return (end & withinSegment) == 0;
  }

  /** Adds a segment to a buffer that has none or whose last one is full; returns its beginning. */
  public final int extend(int end) {
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

  /** Returns the last segment of the buffer that ends at {@code end}. */
  public final int lastSegment(int end) {
    return (end - 1) >>> segmentShift;
  }

  /** Returns the segment after another, the first after the last. */
  public final int nextSegment(int segment) {
    return next[segment];
  }

  /** Returns the position of a segment's first record. */
  public final int begin(int segment) {
    return segment << segmentShift;
  }

  /**
   * Returns the position behind a segment's last record, of the buffer that ends at {@code end}.
   */
  public final int end(int segment, int end) {
    return segment == lastSegment(end) ? end : (segment + 1) << segmentShift;
  }

  /** Takes back a segment, whose successor must be known by then. */
  public final void release(int segment) {
    next[segment] = free;
    free = segment;
    available++;
  }

  @Override
  public final void close() {
    region.close();
  }
}
