// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.LongEntrySource;
import java.util.Random;

/**
 * The entries of all trees that are measured: the entry of rank {@code r} has a key proportional to
 * {@code r}, and {@code r} as value, so that answers can be checked.
 */
public final class Entries {
  /** Between two keys, so that keys and their ranks are not the same. */
  private static final int SPACING = 3;

  private static final int PROBE_SHUFFLE_SEED = 7;

  private Entries() {}

  public static long key(long rank) {
    return rank * SPACING;
  }

  /** Returns {@code count} entries in ascending order. */
  public static LongEntrySource ascending(int count) {
    return ascending(count, 1);
  }

  /** Returns {@code count} entries in ascending order, of rank 0, {@code step}, twice that... */
  public static LongEntrySource ascending(int count, int step) {
    return new LongEntrySource() {
      private int entry = -1;

      @Override
      public boolean next() {
        entry = Math.min(entry + 1, count);
        return entry < count;
      }

      @Override
      public long key() {
        return Entries.key(value());
      }

      @Override
      public long value() {
        return (long) entry * step;
      }
    };
  }

  /**
   * Returns keys of any tree of so many entries, shuffled (thesis 4.2.2).
   *
   * @param count how many
   * @param distinct how many different ones, or fewer if the tree has fewer; they are repeated
   */
  public static long[] probes(int entries, int count, int distinct) {
    int[] ranks = shuffled(entries, PROBE_SHUFFLE_SEED);
    long[] probes = new long[count];
    for (int i = 0; i < count; i++) {
      probes[i] = key(ranks[i % Math.min(distinct, entries)]);
    }
    return probes;
  }

  /** Returns what the answers to {@code probes} add up to: the ranks of the keys. */
  public static long sumOfRanks(long[] probes) {
    long sum = 0;
    for (long probe : probes) {
      sum += probe / SPACING;
    }
    return sum;
  }

  /** Returns what the keys of {@code count} entries add up to. */
  public static long sumOfKeys(int count) {
    return SPACING * sumOfValues(count);
  }

  /** Returns what the values of {@code count} entries add up to. */
  public static long sumOfValues(int count) {
    return (long) count * (count - 1) / 2;
  }

  /** Returns the numbers below {@code count} in an order that the seed decides on. */
  public static int[] shuffled(int count, int seed) {
    int[] numbers = new int[count];
    Random random = new Random(seed);
    for (int i = 0; i < count; i++) {
      int other = random.nextInt(i + 1);
      numbers[i] = numbers[other];
      numbers[other] = i;
    }
    return numbers;
  }
}
