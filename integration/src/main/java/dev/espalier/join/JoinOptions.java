// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import java.util.Objects;

/**
 * What a join is made with.
 *
 * @param type which rows it gives
 * @param method how the index is probed
 * @param batchSize most rows that are read from the outer side at a time
 */
public record JoinOptions(JoinType type, ProbeMethod method, int batchSize) {

  /** Where batched lookups gain no more, and a batch still fits into the first-level cache. */
  public static final int DEFAULT_BATCH_SIZE = 256;

  /** An inner join, batched. */
  public static final JoinOptions DEFAULT =
      new JoinOptions(JoinType.INNER, ProbeMethod.BATCHED, DEFAULT_BATCH_SIZE);

  /** Checks the parts. */
  public JoinOptions {
    Objects.requireNonNull(type, "type is null");
    Objects.requireNonNull(method, "method is null");
    if (batchSize < 1) {
      throw new IllegalArgumentException(
          "batchSize is " + batchSize + " rows; it must be positive");
    }
  }

  /** Returns these options with another join type. */
  public JoinOptions withType(JoinType other) {
    return new JoinOptions(other, method, batchSize);
  }

  /** Returns these options with another way to probe. */
  public JoinOptions withMethod(ProbeMethod other) {
    return new JoinOptions(type, other, batchSize);
  }

  /** Returns these options with another batch size, in rows. */
  public JoinOptions withBatchSize(int rows) {
    return new JoinOptions(type, method, rows);
  }
}
