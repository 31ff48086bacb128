// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.bytes.PackedBytes;

/**
 * The outer side of a join whose keys are byte strings: like {@link OuterSource}, but with the keys
 * of a batch one after another, as in an Arrow column.
 */
public interface BytesOuterSource {

  /** Starts at the first row. Called when the join is opened. */
  void open();

  /**
   * Returns the keys of the next rows.
   *
   * @param payloads receives the payload of each row; its length is the batch size of the join
   * @return as many keys as payloads, from 1 to that length, or none at the end; they stay as they
   *     are until the next call
   */
  PackedBytes nextBatch(long[] payloads);

  /** Finishes reading. {@link #open} may be called again. Called when the join is closed. */
  void close();

  /**
   * Returns a source of rows whose keys and payloads are in memory, and are not copied.
   *
   * @throws IllegalArgumentException if there are more keys than payloads, or fewer
   */
  static BytesOuterSource of(PackedBytes keys, long[] payloads) {
    return new PackedOuterSource(keys, payloads);
  }
}
