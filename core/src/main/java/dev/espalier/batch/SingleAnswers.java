// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.node.Bits;
import org.jspecify.annotations.Nullable;

/** Hands the answers of a bulk to a consumer one by one. */
final class SingleAnswers {
  private SingleAnswers() {}

  /** Calls the consumer for each answer, then throws what it threw first. */
  static void handOut(
      AnswerConsumer consumer,
      long[] tags,
      long[] keys,
      long[] values,
      long[] found,
      int from,
      int to) {
    @Nullable Throwable failure = null;
    for (int i = from; i < to; i++) {
      try {
        consumer.answer(tags[i], keys[i], values[i], Bits.has(found, i));
      } catch (RuntimeException | Error thrown) {
        failure = failure == null ? thrown : failure;
      }
    }
    Answers.throwUnchecked(failure);
  }
}
