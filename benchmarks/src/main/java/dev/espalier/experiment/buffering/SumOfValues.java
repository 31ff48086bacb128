// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.batch.AnswerConsumer;

/** Adds up the answers to lookups. */
final class SumOfValues implements AnswerConsumer.Bulk {
  /** Of all values since it was last cleared. */
  long sum;

  /** How many they were. */
  long answers;

  @Override
  public void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
    long added = 0;
    for (int i = from; i < to; i++) {
      added += values[i];
    }
    sum += added;
    answers += to - from;
  }

  void clear() {
    sum = 0;
    answers = 0;
  }
}
