// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * Entries one after the other, without boxing: what {@link LongIndex#bulkload} reads. A {@link
 * LongCursor} is one.
 */
public interface LongEntrySource {

  /** Moves to the next entry; the first call moves to the first. Returns false at the end. */
  boolean next();

  /** Returns the current entry's key. */
  long key();

  /** Returns the current entry's value. */
  long value();

  /**
   * Returns the first {@code count} entries of two arrays, which are not copied.
   *
   * @throws IndexOutOfBoundsException if {@code count} is negative or above either array's length
   */
  static LongEntrySource of(long[] keys, long[] values, int count) {
    return new ArrayEntrySource(keys, values, count);
  }
}
