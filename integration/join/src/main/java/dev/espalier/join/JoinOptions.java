// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeMethod;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a join is made with.
 *
 * @param type which rows it gives
 * @param method how the index is probed; {@code AUTO} decides for each batch by what a probe costs
 * @param batchSize most rows that are read from the outer side at a time, or {@link
 *     #CHOSEN_BATCH_SIZE}
 * @param inOrder whether rows come out in the order of the outer side; if not, buffered probing is
 *     spared to put them back
 * @param residual what must hold besides equal keys, or null
 */
public record JoinOptions(
    JoinType type,
    ProbeMethod method,
    int batchSize,
    boolean inOrder,
    @Nullable ResidualPredicate residual) {

  /**
   * As many rows as the method gains from: {@value #SMALL_BATCH}, or about a million where probes
   * are sorted or buffered.
   */
  public static final int CHOSEN_BATCH_SIZE = 0;

  /** Where grouped lookups gain no more, and a batch still fits into the first-level cache. */
  static final int SMALL_BATCH = 256;

  /** So many that the nodes of a large index are used more than once. */
  static final int LARGE_BATCH = 1 << 20;

  /** An inner join, in order, with the method and the batch size of choice. */
  public static final JoinOptions DEFAULT =
      new JoinOptions(JoinType.INNER, ProbeMethod.AUTO, CHOSEN_BATCH_SIZE, true, null);

  /** Checks the parts. */
  public JoinOptions {
    Objects.requireNonNull(type, "type is null");
    Objects.requireNonNull(method, "method is null");
    if (batchSize < 0) {
      throw new IllegalArgumentException(
          "batchSize is " + batchSize + " rows; it must be positive, or 0 for the size of choice");
    }
  }

  /** Returns these options with another join type. */
  public JoinOptions withType(JoinType other) {
    return new JoinOptions(other, method, batchSize, inOrder, residual);
  }

  /** Returns these options with another way to probe. */
  public JoinOptions withMethod(ProbeMethod other) {
    return new JoinOptions(type, other, batchSize, inOrder, residual);
  }

  /** Returns these options with another batch size, in rows. */
  public JoinOptions withBatchSize(int rows) {
    return new JoinOptions(type, method, rows, inOrder, residual);
  }

  /** Returns these options with rows in the order of the outer side, or in any order. */
  public JoinOptions withInOrder(boolean keepsOrder) {
    return new JoinOptions(type, method, batchSize, keepsOrder, residual);
  }

  /** Returns these options with a predicate besides that keys are equal. */
  public JoinOptions withResidual(ResidualPredicate predicate) {
    return new JoinOptions(type, method, batchSize, inOrder, predicate);
  }
}
