// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.batch.AnswerConsumer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps all answers, of any threads; can hold the stream's thread up in the first one. */
final class AnswerLog implements AnswerConsumer.Bulk {
  /** What each tag was answered: the value, or the entries as keys and values. */
  final Map<Long, List<Long>> answers = new LinkedHashMap<>();

  final AtomicInteger answered = new AtomicInteger();
  final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch gate;
  private final Map<Long, List<Long>> entries = new LinkedHashMap<>();

  private AnswerLog(int gates) {
    this.gate = new CountDownLatch(gates);
  }

  static AnswerLog open() {
    return new AnswerLog(0);
  }

  static AnswerLog gated() {
    return new AnswerLog(1);
  }

  void openGate() {
    gate.countDown();
  }

  @Override
  public void values(long[] tags, long[] keys, long[] values, long[] found, int from, int to) {
    reached.countDown();
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    for (int i = from; i < to; i++) {
      answer(tags[i], List.of(values[i]));
    }
  }

  @Override
  public synchronized void entry(long tag, long key, long value) {
    entries.computeIfAbsent(tag, _ -> new ArrayList<>()).addAll(List.of(key, value));
  }

  @Override
  public synchronized void end(long tag) {
    List<Long> found = entries.remove(tag);
    answer(tag, found == null ? List.of() : found);
  }

  private synchronized void answer(long tag, List<Long> answer) {
    if (answers.put(tag, answer) != null) {
      throw new AssertionError("two answers for " + tag);
    }
    answered.incrementAndGet();
  }
}
