// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeMethod;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Options of a join.
 *
 * @param type which rows are in the output
 * @param method how keys are looked up; {@code AUTO} chooses the fastest method for each batch
 * @param batchSize the most rows read from the outer side at a time, or {@link #CHOSEN_BATCH_SIZE}
 * @param inOrder whether rows come out in the order of the outer side; if not, buffered lookups are
 *     faster, because they need not restore it
 * @param residual a further condition for rows with equal keys, or null
 */
public record JoinOptions(
    JoinType type,
    ProbeMethod method,
    int batchSize,
    boolean inOrder,
    @Nullable ResidualPredicate residual) {

  /**
   * Lets the join choose the batch size: {@value #SMALL_BATCH} rows, or about a million if lookups
   * are sorted or buffered.
   */
  public static final int CHOSEN_BATCH_SIZE = 0;

  /**
   * Beyond this, lookups in groups gain no more, and a batch no longer fits into the first-level
   * cache.
   */
  static final int SMALL_BATCH = 256;

  /** Large enough for the nodes of a large index to be used by several rows each. */
  static final int LARGE_BATCH = 1 << 20;

  /**
   * An inner join in the order of the outer side, which chooses the method and the batch size
   * itself.
   */
  public static final JoinOptions DEFAULT =
      new JoinOptions(JoinType.INNER, ProbeMethod.AUTO, CHOSEN_BATCH_SIZE, true, null);

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if {@code batchSize} is negative
   */
  public JoinOptions {
    Objects.requireNonNull(type, "type is null");
    Objects.requireNonNull(method, "method is null");
    if (batchSize < 0) {
      throw new IllegalArgumentException(
          "batchSize is " + batchSize + " rows; it must be positive, or 0 to let the join choose");
    }
  }

  /** Returns these options with another join type. */
  public JoinOptions withType(JoinType other) {
    return new JoinOptions(other, method, batchSize, inOrder, residual);
  }

  /** Returns these options with another lookup method. */
  public JoinOptions withMethod(ProbeMethod other) {
    return new JoinOptions(type, other, batchSize, inOrder, residual);
  }

  /** Returns these options with another batch size, in rows. */
  public JoinOptions withBatchSize(int rows) {
    return new JoinOptions(type, method, rows, inOrder, residual);
  }

  /**
   * Returns these options with rows in the order of the outer side if true, or in any order if
   * false.
   */
  public JoinOptions withInOrder(boolean keepsOrder) {
    return new JoinOptions(type, method, batchSize, keepsOrder, residual);
  }

  /** Returns these options with a further condition for rows with equal keys, or null for none. */
  public JoinOptions withResidual(@Nullable ResidualPredicate predicate) {
    return new JoinOptions(type, method, batchSize, inOrder, predicate);
  }
}
