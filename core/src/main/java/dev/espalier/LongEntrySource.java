// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

/**
 * A sequence of entries, read one after the other without boxing: the input of {@link
 * LongIndex#bulkload}. Every {@link LongCursor} is one.
 */
public interface LongEntrySource {

  /** Moves to the next entry; the first call moves to the first entry. Returns false at the end. */
  boolean next();

  /** Returns the current entry's key. */
  long key();

  /** Returns the current entry's value. */
  long value();

  /**
   * Returns a source of the first {@code count} entries of two arrays, which are not copied.
   *
   * @throws IndexOutOfBoundsException if {@code count} is negative or greater than the length of
   *     either array
   */
  static LongEntrySource of(long[] keys, long[] values, int count) {
    return new ArrayEntrySource(keys, values, count);
  }
}
