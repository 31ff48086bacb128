// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * The outer side of a join: a source of rows in batches. Each row has a key to look up, and a
 * payload that identifies the row (a row number, a handle, an offset into a batch of the caller).
 *
 * <p>Engines in the iterator model implement it on top of the child operator. Unchecked exceptions
 * pass through the join.
 */
public interface OuterSource {

  /** Starts at the first row. Called by {@link IndexNestedLoopJoin#open}. */
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
   * IndexNestedLoopJoin#close}.
   */
  void close();

  /**
   * Returns a source of the rows of two arrays, which are not copied.
   *
   * @throws IllegalArgumentException if the arrays differ in length
   */
  static OuterSource of(long[] keys, long[] payloads) {
    return new ArrayOuterSource(keys, payloads);
  }
}
