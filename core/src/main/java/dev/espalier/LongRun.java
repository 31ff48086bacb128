// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Entries that lie together in memory, filled by {@link LongCursor#nextRun}: a window into the
 * index, or a copy where a window is not possible (in descending views, behind a lock, in trees for
 * many threads, and in files, whose pages may leave memory).
 *
 * <p>Entry {@code i} has its key at {@code keysOffset() + i * stride()} and its value at {@code
 * valuesOffset() + i * stride()} of {@link #segment()}, both as longs in native byte order. The
 * stride is 8 bytes, or -8 in a descending scan over memory in ascending order. Fast loops read the
 * segment directly.
 */
public final class LongRun {
  private MemorySegment segment = MemorySegment.NULL;
  private long keysOffset;
  private long valuesOffset;
  private int stride = Long.BYTES;
  private int count;

  /** Creates an empty run, to be filled by {@link LongCursor#nextRun}. */
  public LongRun() {}

  /** Returns the number of entries. */
  public int count() {
    return count;
  }

  /** Returns the read-only memory that holds the entries. */
  public MemorySegment segment() {
    return segment;
  }

  /** Returns the offset of the first key in the segment, in bytes. */
  public long keysOffset() {
    return keysOffset;
  }

  /** Returns the offset of the first value in the segment, in bytes. */
  public long valuesOffset() {
    return valuesOffset;
  }

  /** Returns the distance from one key, or value, to the next, in bytes: 8 or -8. */
  public int stride() {
    return stride;
  }

  /**
   * Returns key {@code i}, counted from 0.
   *
   * @throws IndexOutOfBoundsException if there is no entry {@code i}
   */
  public long key(int i) {
    return segment.get(
        ValueLayout.JAVA_LONG, keysOffset + (long) Objects.checkIndex(i, count) * stride);
  }

  /**
   * Returns value {@code i}, counted from 0.
   *
   * @throws IndexOutOfBoundsException if there is no entry {@code i}
   */
  public long value(int i) {
    return segment.get(
        ValueLayout.JAVA_LONG, valuesOffset + (long) Objects.checkIndex(i, count) * stride);
  }

  /**
   * Fills this run; called by cursors.
   *
   * @param segment read-only memory
   * @param keysOffset byte offset of the first key
   * @param valuesOffset byte offset of the first value
   * @param stride bytes from one entry to the next, 8 or -8
   * @param count number of entries
   */
  public void set(
      MemorySegment segment, long keysOffset, long valuesOffset, int stride, int count) {
    this.segment = segment;
    this.keysOffset = keysOffset;
    this.valuesOffset = valuesOffset;
    this.stride = stride;
    this.count = count;
  }

  /** Keeps only the first {@code count} entries; called by cursors of bounded views. */
  public void truncate(int count) {
    Objects.checkFromIndexSize(0, count, this.count);
    this.count = count;
  }
}
