// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.batch.AnswerConsumer;

/** Keeps what a consumer throws, so that it gets all other answers nevertheless. */
final class GuardedConsumer implements AnswerConsumer.Bulk {
  private final AnswerConsumer consumer;
  private final KeptFailure failure;

  GuardedConsumer(AnswerConsumer consumer, KeptFailure failure) {
    this.consumer = consumer;
    this.failure = failure;
  }

  @Override
  public void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
    try {
      consumer.values(tags, keys, values, found, from, to);
    } catch (RuntimeException | Error thrown) {
      failure.keep(thrown);
    }
  }

  @Override
  public void entry(long tag, long key, long value) {
    try {
      consumer.entry(tag, key, value);
    } catch (RuntimeException | Error thrown) {
      failure.keep(thrown);
    }
  }

  @Override
  public void end(long tag) {
    try {
      consumer.end(tag);
    } catch (RuntimeException | Error thrown) {
      failure.keep(thrown);
    }
  }
}
