// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.experiment.Sums;

/**
 * Entries that an index is filled with and asked for: number {@code n} has {@code n} as value, and
 * a key by the order.
 *
 * @param order in which they are written
 * @param count how many
 */
record NumberedEntries(KeyOrder order, int count) {
  /** Bytes of a key and a value. */
  static final int ENTRY_BYTES = 16;

  /** Keys of one call of {@code getAll}: several groups of probes that descend together. */
  static final int BATCH = 256;

  /** Writes all of them, without a look at what is there. */
  void set(LongIndex index) {
    set(index, 0);
  }

  /** Writes those from number {@code from} on, without a look at what is there. */
  void set(LongIndex index, int from) {
    for (int number = from; number < count; number++) {
      index.set(order.key(number), number);
    }
  }

  /** Writes all of them, each after a look at what is there. */
  void put(LongIndex index) {
    for (int number = 0; number < count; number++) {
      index.put(order.key(number), number);
    }
  }

  /** Fills an empty index at once; ascending order only. */
  void bulkload(LongIndex index) {
    LongEntrySource source =
        new LongEntrySource() {
          private int number = -1;

          @Override
          public boolean next() {
            return ++number < count;
          }

          @Override
          public long key() {
            return order.key(number);
          }

          @Override
          public long value() {
            return number;
          }
        };
    index.bulkload(source, 1.0, count, ProgressListener.NONE);
  }

  /** Returns the number of an entry taken at random, the same for the same {@code probe}. */
  private int random(int probe) {
    return (int) Math.unsignedMultiplyHigh(KeyOrder.scattered(probe), count);
  }

  /** Looks up random entries, probe {@code from} to {@code to}; returns how many are not found. */
  int missing(LongIndex index, int from, int to) {
    int missing = 0;
    for (int probe = from; probe < to; probe++) {
      int number = random(probe);
      missing += index.get(order.key(number)) == number ? 0 : 1;
    }
    return missing;
  }

  /** As {@link #missing}, by batches of {@link #BATCH}. */
  int missingFromBatches(LongIndex index, int from, int to) {
    long[] keys = new long[BATCH];
    long[] values = new long[BATCH];
    int missing = 0;
    for (int first = from; first < to; first += BATCH) {
      int probes = Math.min(BATCH, to - first);
      for (int i = 0; i < probes; i++) {
        keys[i] = order.key(random(first + i));
      }
      index.getAll(keys, 0, values, 0, probes);
      for (int i = 0; i < probes; i++) {
        missing += values[i] == random(first + i) ? 0 : 1;
      }
    }
    return missing;
  }

  /** Returns what {@link Sums#ofEntries} finds in an index with all of them. */
  long sum() {
    long sum = 0;
    for (int number = 0; number < count; number++) {
      sum += order.key(number) + number;
    }
    return sum;
  }
}
