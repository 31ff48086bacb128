// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work in a transaction that is done again if its commit is refused. */
final class Attempts {
  /** How often work is done beside others before they have to wait. */
  private static final int BESIDE_OTHERS = 8;

  private Attempts() {}

  /**
   * Does work in transactions until one commits.
   *
   * @param checkpoints the lock that is to be taken before the gate
   */
  static <T extends @Nullable Object> T transact(
      Supplier<Transaction> begin,
      Function<Transaction, T> work,
      Lock checkpoints,
      WriterGate gate) {
    for (int i = 0; i < BESIDE_OTHERS; i++) {
      try {
        return attempt(begin, work);
      } catch (TransactionConflictException | TransactionTooOldException refused) {
        // Once more.
      }
    }
    gate.enterAlone(checkpoints);
    try {
      return attempt(begin, work);
    } finally {
      gate.leaveAlone();
      checkpoints.unlock();
    }
  }

  private static <T extends @Nullable Object> T attempt(
      Supplier<Transaction> begin, Function<Transaction, T> work) {
    try (Transaction transaction = begin.get()) {
      T result = work.apply(transaction);
      transaction.commit();
      return result;
    }
  }
}
