// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.LongEntrySource;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The keys and values that benchmarks work with. Entry {@code i} has the random-looking key {@code
 * key(i)}; keys are distinct, so the entries from {@code n} on are misses of the first {@code n}.
 * Values follow from keys, so that every answer can be checked.
 */
public final class WorkKeys {
  /** Keys lie in the middle quarter of the longs, so that there is room above them. */
  private static final int KEY_BITS = 62;

  private static final long MASK = (1L << KEY_BITS) - 1;
  private static final long ABOVE_ALL = 1L << (KEY_BITS - 1);

  private WorkKeys() {}

  /**
   * Returns the key of entry {@code i}: the mixer of SplitMix64 (Steele, Lea, Flood 2014) cut to 62
   * bits. Each step, multiplication by an odd number or a shift and exclusive or, can be undone, so
   * no key comes twice.
   */
  public static long key(long i) {
    long z = i * 0x9E3779B97F4A7C15L & MASK;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L & MASK;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL & MASK;
    return (z ^ z >>> 31) - ABOVE_ALL;
  }

  /** Returns key {@code i} of an ascending sequence that lies above all {@link #key keys}. */
  public static long ascendingKey(long i) {
    return ABOVE_ALL + i;
  }

  /** Returns the value that every benchmark stores for {@code key}. */
  public static long value(long key) {
    return Long.rotateLeft(key, 32) ^ 0x5555_5555_5555_5555L;
  }

  /** Returns the keys of {@code count} entries from entry {@code from} on. */
  public static long[] keys(long from, int count) {
    long[] keys = new long[count];
    Arrays.setAll(keys, i -> key(from + i));
    return keys;
  }

  /** Returns the values of some keys. */
  public static long[] values(long[] keys) {
    long[] values = new long[keys.length];
    Arrays.setAll(values, i -> value(keys[i]));
    return values;
  }

  /**
   * Returns {@code count} keys that each are of a random one of the first {@code entries} entries.
   */
  public static long[] probes(SplittableRandom random, long entries, int count) {
    long[] probes = new long[count];
    Arrays.setAll(probes, i -> key(random.nextLong(entries)));
    return probes;
  }

  /** Returns {@code count} keys that none of the first {@code entries} entries has. */
  public static long[] missingProbes(SplittableRandom random, long entries, int count) {
    long[] probes = new long[count];
    Arrays.setAll(probes, i -> key(random.nextLong(entries, 2 * entries)));
    return probes;
  }

  /** Returns the first {@code entries} entries in ascending order of keys. */
  public static LongEntrySource sorted(int entries) {
    long[] keys = keys(0, entries);
    Arrays.sort(keys);
    return new LongEntrySource() {
      private int at = -1;

      @Override
      public boolean next() {
        at++;
        return at < keys.length;
      }

      @Override
      public long key() {
        return keys[at];
      }

      @Override
      public long value() {
        return WorkKeys.value(keys[at]);
      }
    };
  }

  /** Returns the sum of the keys and values of the first {@code entries} entries. */
  public static long sum(long entries) {
    long sum = 0;
    for (long i = 0; i < entries; i++) {
      sum += key(i) + value(key(i));
    }
    return sum;
  }
}
