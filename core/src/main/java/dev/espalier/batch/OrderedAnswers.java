// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import dev.espalier.node.Bits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Holds answers back until all are known, and passes them to the consumer in the order of the
 * probes (buffering paper, 4.3). The tags of probes in the buffers are their sequence numbers,
 * which are their places in a result buffer.
 */
final class OrderedAnswers extends Answers {
  private static final long[] NOTHING = {};

  private long[] tags = new long[Probes.CAPACITY];
  private long[] keys = new long[Probes.CAPACITY];
  private long[] values = new long[Probes.CAPACITY];

  /**
   * Which keys are absent, by sequence number: most keys are present, and those cost no write to a
   * random place.
   */
  private long[] absent = new long[Bits.words(Probes.CAPACITY)];

  private int count;

  /** What probes for entries have found, in the order of the probes. */
  private final List<Found> entries = new ArrayList<>();

  /** The keys and values found by a probe, alternating. */
  private static final class Found {
    final int sequence;
    long[] words = NOTHING;
    int length;

    Found(int sequence) {
      this.sequence = sequence;
    }

    void add(long key, long value) {
      if (length == words.length) {
        words = Arrays.copyOf(words, Math.max(4, 2 * length));
      }
      words[length++] = key;
      words[length++] = value;
    }
  }

  OrderedAnswers(LongIndex index, Operations operations, AnswerConsumer consumer) {
    super(index, operations, consumer);
  }

  /** Reserves the place of a probe for a key; returns its tag in the buffers. */
  int expectValue(long tag, long key) {
    if (count == tags.length) {
      tags = Arrays.copyOf(tags, 2 * count);
      keys = Arrays.copyOf(keys, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
      absent = Arrays.copyOf(absent, Bits.words(2 * count));
    }
    tags[count] = tag;
    keys[count] = key;
    return count++;
  }

  /** Reserves the place of a probe for entries; returns the tag of its operation. */
  int expectEntries(long tag) {
    entries.add(new Found(expectValue(tag, 0)));
    return entries.size() - 1;
  }

  @Override
  public void answered(
      long[] sequences, long[] itsKeys, long[] itsValues, long[] itsFound, int from, int to) {
    done += to - from;
    for (int i = from; i < to; i++) {
      values[(int) sequences[i]] = itsValues[i];
    }
    for (int i = Bits.nextMissing(itsFound, from, to); i < to; ) {
      Bits.add(absent, (int) sequences[i]);
      i = Bits.nextMissing(itsFound, i + 1, to);
    }
  }

  @Override
  void entry(long tag, long key, long value) {
    entries.get((int) tag).add(key, value);
  }

  @Override
  void end(long tag) {}

  @Override
  int kept() {
    return count;
  }

  @Override
  void deliver() {
    int words = Bits.words(count);
    for (int i = 0; i < words; i++) {
      absent[i] = ~absent[i];
    }
    int next = 0;
    for (Found one : entries) {
      deliverValues(next, one.sequence, absent);
      guarded(() -> deliver(one));
      next = one.sequence + 1;
    }
    deliverValues(next, count, absent);
    entries.clear();
    Arrays.fill(absent, 0, words, 0);
    count = 0;
  }

  private void deliverValues(int from, int to, long[] found) {
    if (from < to) {
      guarded(() -> consumer.values(tags, keys, values, found, from, to));
    }
  }

  private void deliver(Found one) {
    long tag = tags[one.sequence];
    for (int i = 0; i < one.length; i += 2) {
      consumer.entry(tag, one.words[i], one.words[i + 1]);
    }
    consumer.end(tag);
  }
}
