// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * The outer side of a join: rows that come in batches, each with the key to look up and a payload
 * that says which row it is (a row number, a handle, an offset into the caller's own batch).
 *
 * <p>An operator of an iterator-model engine implements it over its child. It may throw unchecked
 * exceptions, which pass through the join.
 */
public interface OuterSource {

  /** Begins at the first row. Called by {@link IndexNestedLoopJoin#open}. */
  void open();

  /**
   * Writes the next rows to the front of two arrays, which have the join's batch size as length.
   *
   * <p>A source that gives fewer rows at a time gains less from batched probes.
   *
   * @param keys takes each row's key
   * @param payloads takes each row's payload
   * @return the number of rows, from 1 to the arrays' length, or 0 at the end
   */
  int nextBatch(long[] keys, long[] payloads);

  /**
   * Ends the reading; {@link #open} may follow again. Called by {@link IndexNestedLoopJoin#close}.
   */
  void close();

  /**
   * Returns rows that lie in arrays, which are not copied.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   */
  static OuterSource of(long[] keys, long[] payloads) {
    return new ArrayOuterSource(keys, payloads);
  }
}
