// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;

/**
 * Finds the last write to each key, in the order of the keys.
 *
 * <p>What is sorted are numbers that have the highest bits of a key above the number of its write:
 * the system sorts longs by vector instructions, and never has to look at a key. Where keys agree
 * in those bits and not in the others, they are sorted once more among themselves.
 */
final class LastWrites {
  /** Fewer are sorted one by one. */
  private static final int FEW = 24;

  private LastWrites() {}

  /**
   * Returns the writes that are the last ones to their keys, in ascending order of the keys.
   *
   * @param keys of the writes, in the order in which they were made
   * @param count how many
   */
  static int[] of(long[] keys, int count) {
    int[] order = new int[count];
    Arrays.setAll(order, i -> i);
    sort(keys, order, 0, count);
    int last = 0;
    for (int i = 0; i < count; i++) {
      if (i + 1 == count || keys[order[i]] != keys[order[i + 1]]) {
        order[last++] = order[i];
      }
    }
    return Arrays.copyOf(order, last);
  }

  /** Sorts some writes by their keys; those to the same key stay as they are. */
  private static void sort(long[] keys, int[] order, int from, int to) {
    if (to - from <= FEW) {
      insertionSort(keys, order, from, to);
      return;
    }
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = from; i < to; i++) {
      least = Math.min(least, keys[order[i]]);
      most = Math.max(most, keys[order[i]]);
    }
    int numberBits = Integer.SIZE - Integer.numberOfLeadingZeros(to - from - 1);
    int keyBits = Long.SIZE - Long.numberOfLeadingZeros(most - least);
    int cut = Math.max(0, keyBits + numberBits - Long.SIZE);
    long[] sorted = new long[to - from];
    for (int i = 0; i < sorted.length; i++) {
      long key = (keys[order[from + i]] - least) >>> cut;
      sorted[i] = ((key << numberBits) | i) ^ Long.MIN_VALUE; // which is compared as signed
    }
    Arrays.sort(sorted);
    int[] before = Arrays.copyOfRange(order, from, to);
    int mask = (1 << numberBits) - 1;
    for (int i = 0; i < sorted.length; i++) {
      order[from + i] = before[(int) sorted[i] & mask];
    }
    if (cut > 0) {
      sortEqual(keys, order, from, sorted, numberBits);
    }
  }

  /** Sorts among themselves the writes whose keys agree in the bits that were looked at. */
  private static void sortEqual(long[] keys, int[] order, int from, long[] sorted, int numberBits) {
    int first = 0;
    for (int i = 1; i <= sorted.length; i++) {
      if (i == sorted.length || sorted[i] >>> numberBits != sorted[first] >>> numberBits) {
        if (i - first > 1) {
          sort(keys, order, from + first, from + i);
        }
        first = i;
      }
    }
  }

  private static void insertionSort(long[] keys, int[] order, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int write = order[i];
      int at = i;
      for (; at > from && keys[order[at - 1]] > keys[write]; at--) {
        order[at] = order[at - 1];
      }
      order[at] = write;
    }
  }
}
