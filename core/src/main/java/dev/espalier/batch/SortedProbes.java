// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;

/**
 * Keys in ascending order, each with the place where it was: a radix sort from the least
 * significant digit on, which leaves out digits that are all the same. O(n) for each of the up to
 * six digits.
 */
final class SortedProbes {
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = (Long.SIZE + DIGIT_BITS - 1) / DIGIT_BITS;
  private static final int VALUES = 1 << DIGIT_BITS;

  long[] keys;
  int[] places;
  private long[] otherKeys;
  private int[] otherPlaces;
  private final int[][] counts = new int[DIGITS][VALUES];

  SortedProbes(int capacity) {
    keys = new long[capacity];
    places = new int[capacity];
    otherKeys = new long[capacity];
    otherPlaces = new int[capacity];
  }

  /** Takes {@code count} keys and sorts them. */
  void sort(long[] from, int first, int count) {
    for (int[] digit : counts) {
      Arrays.fill(digit, 0);
    }
    for (int i = 0; i < count; i++) {
      long key = from[first + i];
      keys[i] = key;
      places[i] = i;
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][digit(key, digit)]++;
      }
    }
    for (int digit = 0; digit < DIGITS; digit++) {
      if (counts[digit][digit(keys[0], digit)] < count) {
        sortBy(digit, count);
      }
    }
  }

  private void sortBy(int digit, int count) {
    int[] next = counts[digit];
    int sum = 0;
    for (int value = 0; value < VALUES; value++) {
      int here = next[value];
      next[value] = sum;
      sum += here;
    }
    for (int i = 0; i < count; i++) {
      int at = next[digit(keys[i], digit)]++;
      otherKeys[at] = keys[i];
      otherPlaces[at] = places[i];
    }
    long[] sortedKeys = otherKeys;
    otherKeys = keys;
    keys = sortedKeys;
    int[] sortedPlaces = otherPlaces;
    otherPlaces = places;
    places = sortedPlaces;
  }

  /** Returns a digit; the sign is turned round, so that digits are in the order of the keys. */
  private static int digit(long key, int digit) {
    return (int) ((key ^ Long.MIN_VALUE) >>> (digit * DIGIT_BITS)) & (VALUES - 1);
  }
}
