// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/**
 * Entries side by side in memory and in temporary files: 16 bytes each, the key and then the value,
 * in native byte order.
 */
final class Pairs {
  /** Bytes of an entry. */
  static final int BYTES = 2 * Long.BYTES;

  /** A digit of the sort is a byte of the key. */
  private static final int DIGITS = Long.BYTES;

  private static final int RADIX = 1 << Byte.SIZE;

  private Pairs() {}

  static long key(MemorySegment pairs, long pair) {
    return Words.getLong(pairs, pair * BYTES);
  }

  static long value(MemorySegment pairs, long pair) {
    return Words.getLong(pairs, pair * BYTES + Long.BYTES);
  }

  static void put(MemorySegment pairs, long pair, long key, long value) {
    Words.putLong(pairs, pair * BYTES, key);
    Words.putLong(pairs, pair * BYTES + Long.BYTES, value);
  }

  // ---------------------------------------------------------------- sort

  /**
   * Sorts pairs by key; those of the same key keep their order. A radix sort from the lowest byte
   * of the keys to the highest, which leaves out the bytes that all keys share. O(count).
   *
   * @param scratch as large as {@code pairs}
   * @return whether the sorted pairs are in {@code scratch}
   */
  static boolean sort(
      MemorySegment pairs, MemorySegment scratch, long count, SortProgress progress) {
    long[][] places = new long[DIGITS][RADIX];
    if (countDigits(pairs, count, places, progress)) {
      return false;
    }
    boolean inScratch = false;
    MemorySegment from = pairs;
    MemorySegment to = scratch;
    for (int digit = 0; digit < DIGITS; digit++) {
      if (makePlaces(places[digit], count)) {
        scatter(from, to, count, digit, places[digit], progress);
        MemorySegment sorted = to;
        to = from;
        from = sorted;
        inScratch = !inScratch;
      }
    }
    return inScratch;
  }

  /** Counts how often each digit occurs. Returns whether the pairs are in order already. */
  private static boolean countDigits(
      MemorySegment pairs, long count, long[][] counts, SortProgress progress) {
    boolean ascending = true;
    long before = Long.MIN_VALUE;
    for (long pair = 0; pair < count; pair++) {
      if (pair % SortProgress.REPORT_EVERY == 0) {
        progress.add(0);
      }
      long key = key(pairs, pair);
      ascending &= before <= key;
      before = key;
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][digit(key, digit)]++;
      }
    }
    return ascending;
  }

  /**
   * Replaces the count of each digit with the place where the first pair that has it belongs.
   *
   * @return false if all pairs have the same digit, which needs no sorting
   */
  private static boolean makePlaces(long[] counts, long count) {
    long place = 0;
    for (int digit = 0; digit < RADIX; digit++) {
      long occurrences = counts[digit];
      if (occurrences == count) {
        return false;
      }
      counts[digit] = place;
      place += occurrences;
    }
    return true;
  }

  private static void scatter(
      MemorySegment from,
      MemorySegment to,
      long count,
      int digit,
      long[] places,
      SortProgress progress) {
    for (long pair = 0; pair < count; pair++) {
      if (pair % SortProgress.REPORT_EVERY == 0) {
        progress.add(0);
      }
      long key = key(from, pair);
      put(to, places[digit(key, digit)]++, key, value(from, pair));
    }
  }

  /**
   * Returns a byte of a key with its sign bit flipped, so that unsigned order is the keys' order.
   */
  private static int digit(long key, int digit) {
    return (int) ((key ^ Long.MIN_VALUE) >>> (digit * Byte.SIZE)) & (RADIX - 1);
  }

  // ---------------------------------------------------------------- duplicates

  /**
   * Moves sorted pairs together so that one pair of each key is left.
   *
   * @return how many are left
   * @throws IllegalArgumentException if a key occurs twice and duplicates are refused
   */
  static long dropDuplicates(MemorySegment pairs, long count, Duplicates duplicates) {
    long kept = 0;
    for (long pair = 0; pair < count; pair++) {
      long key = key(pairs, pair);
      long value = value(pairs, pair);
      if (kept == 0 || key != key(pairs, kept - 1)) {
        put(pairs, kept++, key, value);
      } else {
        put(pairs, kept - 1, key, choose(duplicates, key, value(pairs, kept - 1), value));
      }
    }
    return kept;
  }

  /**
   * Returns the value that stays.
   *
   * @throws IllegalArgumentException if duplicates are refused
   */
  static long choose(Duplicates duplicates, long key, long earlier, long later) {
    return switch (duplicates) {
      case KEEP_FIRST -> earlier;
      case KEEP_LAST -> later;
      case REFUSE ->
          throw new IllegalArgumentException(
              "key %d occurs more than once, with the values %d and %d"
                  .formatted(key, earlier, later));
    };
  }
}
