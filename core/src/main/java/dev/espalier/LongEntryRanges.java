// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.foreign.MemorySegment;

/**
 * Entries in ascending key order, any range of which can be read by itself: the input of a bulkload
 * by several threads.
 */
public interface LongEntryRanges {

  /** Returns the number of entries. */
  long count();

  /**
   * Returns a source of the entries with numbers from {@code from} to {@code to - 1}, counted from
   * 0. Several threads may call this at once; each of them reads only its own sources.
   */
  LongEntrySource range(long from, long to);

  /**
   * Returns the entries of two arrays, which are not copied.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   */
  static LongEntryRanges of(long[] keys, long[] values) {
    Arguments.checkEqualLengths(keys, values);
    return new SegmentRanges(MemorySegment.ofArray(keys), MemorySegment.ofArray(values));
  }

  /**
   * Returns the entries of two memory segments, which are not copied: longs in native byte order.
   *
   * @throws IllegalArgumentException if the segments differ in size, or their size is not a
   *     multiple of 8 bytes
   */
  static LongEntryRanges of(MemorySegment keys, MemorySegment values) {
    return new SegmentRanges(keys, values);
  }
}
