// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * A transaction was ended because it was the oldest when what the store keeps for open transactions
 * reached its limit. It has changed nothing.
 */
public final class TransactionTooOldException extends RuntimeException {
  private static final long serialVersionUID = 1;

  TransactionTooOldException(long limit) {
    super(
        "the transaction was ended as the oldest: its writes and those of others since it began"
            + " need more memory than the limit of %d bytes".formatted(limit));
  }
}
