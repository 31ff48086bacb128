// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

/**
 * Sorts pairs of longs in two parallel arrays, by the first and then by the second. A radix sort
 * from the lowest byte of the second to the highest of the first. Bytes that all pairs share are
 * left out, and so are all of those of the second if they ascend in the order in which they come.
 * O(n) for each of at most sixteen bytes.
 */
final class PairSort {
  private static final int DIGITS = Long.BYTES;
  private static final int RADIX = 1 << Byte.SIZE;

  long[] first;
  long[] second;
  private long[] otherFirst = {};
  private long[] otherSecond = {};

  /** Sorts copies of the pairs of two arrays of the same length. */
  PairSort(long[] first, long[] second) {
    this.first = first.clone();
    this.second = second.clone();
    if (!isSorted()) {
      otherFirst = new long[first.length];
      otherSecond = new long[first.length];
      if (!ascends(second)) {
        sortBySecond();
      }
      sortByFirst();
      otherFirst = new long[0];
      otherSecond = otherFirst;
    }
  }

  private boolean isSorted() {
    for (int i = 1; i < first.length; i++) {
      if (first[i - 1] > first[i] || (first[i - 1] == first[i] && second[i - 1] > second[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean ascends(long[] column) {
    for (int i = 1; i < column.length; i++) {
      if (column[i - 1] > column[i]) {
        return false;
      }
    }
    return true;
  }

  private void sortBySecond() {
    int[][] counts = counts(second);
    for (int digit = 0; digit < DIGITS; digit++) {
      if (makePlaces(counts[digit], second.length)) {
        scatter(second, first, otherSecond, otherFirst, digit, counts[digit]);
        exchange();
      }
    }
  }

  private void sortByFirst() {
    int[][] counts = counts(first);
    for (int digit = 0; digit < DIGITS; digit++) {
      if (makePlaces(counts[digit], first.length)) {
        scatter(first, second, otherFirst, otherSecond, digit, counts[digit]);
        exchange();
      }
    }
  }

  private static int[][] counts(long[] column) {
    int[][] counts = new int[DIGITS][RADIX];
    for (long number : column) {
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][digit(number, digit)]++;
      }
    }
    return counts;
  }

  /**
   * Replaces counts by the places of the first pair of each value.
   *
   * @return whether there is more than one value
   */
  private static boolean makePlaces(int[] counts, int all) {
    int sum = 0;
    for (int value = 0; value < RADIX; value++) {
      int here = counts[value];
      if (here == all) {
        return false;
      }
      counts[value] = sum;
      sum += here;
    }
    return true;
  }

  private static void scatter(
      long[] by, long[] along, long[] toBy, long[] toAlong, int digit, int[] places) {
    for (int i = 0; i < by.length; i++) {
      int place = places[digit(by[i], digit)]++;
      toBy[place] = by[i];
      toAlong[place] = along[i];
    }
  }

  private void exchange() {
    long[] sortedFirst = otherFirst;
    otherFirst = first;
    first = sortedFirst;
    long[] sortedSecond = otherSecond;
    otherSecond = second;
    second = sortedSecond;
  }

  /** Returns a byte, with the sign bit flipped, so that bytes sort as signed longs do. */
  private static int digit(long number, int digit) {
    return (int) ((number ^ Long.MIN_VALUE) >>> (digit * Byte.SIZE)) & (RADIX - 1);
  }

  /** Drops all pairs but the first of equal ones. Returns how many are left. */
  int dropEqual() {
    int kept = 0;
    for (int i = 0; i < first.length; i++) {
      if (kept == 0 || first[i] != first[kept - 1] || second[i] != second[kept - 1]) {
        first[kept] = first[i];
        second[kept] = second[i];
        kept++;
      }
    }
    return kept;
  }
}
