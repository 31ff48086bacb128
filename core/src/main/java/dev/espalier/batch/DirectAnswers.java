// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;

/** Passes answers to the consumer as they come. */
final class DirectAnswers extends Answers {

  DirectAnswers(LongIndex index, Operations operations, AnswerConsumer consumer) {
    super(index, operations, consumer);
  }

  @Override
  public void answered(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
    done += to - from;
    guarded(() -> consumer.values(tags, keys, values, found, from, to));
  }

  @Override
  void entry(long tag, long key, long value) {
    consumer.entry(tag, key, value);
  }

  @Override
  void end(long tag) {
    consumer.end(tag);
  }

  @Override
  int kept() {
    return 0;
  }

  @Override
  void deliver() {}
}
