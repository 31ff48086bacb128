// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The outer side of a join: a source of rows in batches. Each row has a key to look up, and a
 * payload that identifies the row (a row number, a handle, an offset into a batch of the caller).
 *
 * <p>Engines in the iterator model implement it on top of the child operator. Unchecked exceptions
 * pass through the join.
 */
public interface OuterSource {

  /** Starts at the first row. Called by {@link BatchJoin#open}. */
  void open();

  /**
   * Writes the next rows to the front of two arrays, whose length is the batch size of the join.
   *
   * <p>Batched lookups gain less if a source returns fewer rows at a time.
   *
   * @param keys receives the key of each row
   * @param payloads receives the payload of each row
   * @return the number of rows, from 1 to the arrays' length, or 0 at the end
   */
  int nextBatch(long[] keys, long[] payloads);

  /**
   * Finishes reading. {@link #open} may be called again afterwards. Called by {@link
   * BatchJoin#close}.
   */
  void close();

  /**
   * Returns a source of the rows of two arrays, which are not copied.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   */
  static OuterSource of(long[] keys, long[] payloads) {
    Objects.requireNonNull(keys, "keys is null");
    Objects.requireNonNull(payloads, "payloads is null");
    if (keys.length != payloads.length) {
      throw new IllegalArgumentException(
          "keys and payloads differ in length: keys.length=%d, payloads.length=%d"
              .formatted(keys.length, payloads.length));
    }
    return of(MemorySegment.ofArray(keys), MemorySegment.ofArray(payloads));
  }

  /**
   * Returns a source of the keys of an array, which is not copied. The payload of each is the
   * number of its row, from 0.
   */
  static OuterSource of(long[] keys) {
    return of(MemorySegment.ofArray(Objects.requireNonNull(keys, "keys is null")));
  }

  /**
   * Returns a source of the rows of two segments of longs in native byte order, which are not
   * copied.
   *
   * @throws IllegalArgumentException if the segments differ in size, or their size is not a
   *     multiple of 8 bytes
   */
  static OuterSource of(MemorySegment keys, MemorySegment payloads) {
    Objects.requireNonNull(keys, "keys is null");
    Objects.requireNonNull(payloads, "payloads is null");
    if (keys.byteSize() != payloads.byteSize()) {
      throw new IllegalArgumentException(
          "keys and payloads differ in size: keys has %d bytes, payloads has %d"
              .formatted(keys.byteSize(), payloads.byteSize()));
    }
    return new SegmentOuterSource(keys, payloads);
  }

  /**
   * Returns a source of the keys of a segment of longs in native byte order, which is not copied.
   * The payload of each is the number of its row, from 0.
   *
   * @throws IllegalArgumentException if the size of the segment is not a multiple of 8 bytes
   */
  static OuterSource of(MemorySegment keys) {
    return new SegmentOuterSource(Objects.requireNonNull(keys, "keys is null"), null);
  }
}
