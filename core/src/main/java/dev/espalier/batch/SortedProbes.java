// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Arrays;

/**
 * Sorts keys, noting the original place of each. Uses radix sort: starting with the most
 * significant digit until a part fits into the cache, and within that part starting with the least
 * significant one. Digits that are equal in all keys are skipped. O(n) for each of at most sixteen
 * digits.
 */
final class SortedProbes {
  /** Few enough for the TLB to hold a page of memory for each value of a digit. */
  private static final int DIGIT_BITS = 8;

  private static final int DIGITS = Long.SIZE / DIGIT_BITS;
  private static final int VALUES = 1 << DIGIT_BITS;

  /**
   * How many keys, with room for both copies of them and of their places, fit into a second-level
   * cache.
   */
  private static final int CACHED = 1 << 15;

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

  /** Copies and sorts {@code count} keys. */
  void sort(long[] from, int first, int count) {
    for (int i = 0; i < count; i++) {
      keys[i] = from[first + i];
      places[i] = i;
    }
    if (!sortRange(0, count)) {
      exchange();
    }
  }

  /**
   * Sorts the keys of a range.
   *
   * @return whether the result is in the same arrays; otherwise it is in the other ones
   */
  private boolean sortRange(int from, int to) {
    if (to - from <= CACHED) {
      return sortCached(from, to);
    }
    int shift = Math.max(0, differingBits(from, to) - DIGIT_BITS);
    int[] ends = count(from, to, shift);
    divide(from, to, ends, shift);
    exchange();
    for (int part = 0; part < VALUES; part++) {
      int begin = part == 0 ? from : ends[part - 1];
      boolean isInPlace = shift == 0 || sortRange(begin, ends[part]);
      if (!isInPlace) {
        System.arraycopy(otherKeys, begin, keys, begin, ends[part] - begin);
        System.arraycopy(otherPlaces, begin, places, begin, ends[part] - begin);
      }
    }
    exchange();
    return false;
  }

  /** Returns the number of low bits in which the keys of a range differ. */
  private int differingBits(int from, int to) {
    long differing = 0;
    for (int i = from + 1; i < to; i++) {
      differing |= keys[i] ^ keys[from];
    }
    return Long.SIZE - Long.numberOfLeadingZeros(differing);
  }

  /** Counts the keys of a range by digit. */
  private int[] count(int from, int to, int shift) {
    int[] counts = new int[VALUES];
    for (int i = from; i < to; i++) {
      counts[digit(keys[i], shift)]++;
    }
    return counts;
  }

  /**
   * Distributes a range by a digit into the other arrays. Replaces the counts by the ends of the
   * parts.
   */
  private void divide(int from, int to, int[] counts, int shift) {
    int sum = from;
    for (int value = 0; value < VALUES; value++) {
      int here = counts[value];
      counts[value] = sum;
      sum += here;
    }
    long[] fromKeys = keys;
    int[] fromPlaces = places;
    long[] toKeys = otherKeys;
    int[] toPlaces = otherPlaces;
    for (int i = from; i < to; i++) {
      long key = fromKeys[i];
      int digit = digit(key, shift);
      int at = counts[digit];
      counts[digit] = at + 1;
      toKeys[at] = key;
      toPlaces[at] = fromPlaces[i];
    }
  }

  private boolean sortCached(int from, int to) {
    if (from == to) {
      return true;
    }
    for (int[] digit : counts) {
      Arrays.fill(digit, 0);
    }
    for (int i = from; i < to; i++) {
      long key = keys[i];
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][digit(key, digit * DIGIT_BITS)]++;
      }
    }
    boolean isInPlace = true;
    for (int digit = 0; digit < DIGITS; digit++) {
      if (counts[digit][digit(keys[from], digit * DIGIT_BITS)] < to - from) {
        divide(from, to, counts[digit], digit * DIGIT_BITS);
        exchange();
        isInPlace = !isInPlace;
      }
    }
    if (!isInPlace) {
      exchange();
    }
    return isInPlace;
  }

  private void exchange() {
    long[] sortedKeys = otherKeys;
    otherKeys = keys;
    keys = sortedKeys;
    int[] sortedPlaces = otherPlaces;
    otherPlaces = places;
    places = sortedPlaces;
  }

  /** Returns a digit of a key, with the sign bit flipped, so that digits sort as keys do. */
  private static int digit(long key, int shift) {
    return (int) ((key ^ Long.MIN_VALUE) >>> shift) & (VALUES - 1);
  }
}
