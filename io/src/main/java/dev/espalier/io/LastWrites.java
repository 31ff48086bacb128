// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;

/**
 * Finds the last write to each key, in the order of the keys.
 *
 * <p>It sorts numbers that have the highest bits of a key above the number of its write: the system
 * sorts longs with vector instructions and on several cores, and never has to look at a key. Keys
 * that agree in those bits but not in the others are sorted once more among themselves.
 */
final class LastWrites {
  /** Fewer are sorted one by one. */
  private static final int FEW = 24;

  private LastWrites() {}

  /**
   * Returns the writes that are the last ones to their keys, in ascending order of the keys.
   *
   * @param entries in the order in which they were written
   */
  static int[] of(Entries entries) {
    int count = entries.count();
    int[] order = new int[count];
    Arrays.setAll(order, i -> i);
    int last = sort(entries, order, 0, count);
    return last == count ? order : Arrays.copyOf(order, last);
  }

  /**
   * Sorts some writes by their keys, and keeps the last one to each.
   *
   * @return where those that are kept end
   */
  private static int sort(Entries entries, int[] order, int from, int to) {
    if (to - from <= FEW) {
      insertionSort(entries, order, from, to);
      return keepLast(entries, order, from, to);
    }
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = from; i < to; i++) {
      long key = entries.key(order[i]);
      least = Math.min(least, key);
      most = Math.max(most, key);
    }
    int numberBits = Integer.SIZE - Integer.numberOfLeadingZeros(to - from - 1);
    int keyBits = Long.SIZE - Long.numberOfLeadingZeros(most - least);
    int cut = Math.max(0, keyBits + numberBits - Long.SIZE);
    long[] sorted = new long[to - from];
    for (int i = 0; i < sorted.length; i++) {
      long key = (entries.key(order[from + i]) - least) >>> cut;
      sorted[i] = ((key << numberBits) | i) ^ Long.MIN_VALUE; // which is compared as signed
    }
    Arrays.parallelSort(sorted);
    int[] before = Arrays.copyOfRange(order, from, to);
    int mask = (1 << numberBits) - 1;
    for (int i = 0; i < sorted.length; i++) {
      order[from + i] = before[(int) sorted[i] & mask];
    }
    return keepLastOfEqual(entries, order, from, sorted, numberBits, cut > 0);
  }

  /**
   * Keeps the last write to each key, of writes that are sorted by the bits that were looked at.
   *
   * @param differ whether keys that agree in those bits may differ in others
   */
  private static int keepLastOfEqual(
      Entries entries, int[] order, int from, long[] sorted, int numberBits, boolean differ) {
    int kept = from;
    int first = 0;
    for (int i = 1; i <= sorted.length; i++) {
      if (i < sorted.length && sorted[i] >>> numberBits == sorted[first] >>> numberBits) {
        continue;
      }
      if (i - first > 1 && differ) {
        int end = sort(entries, order, from + first, from + i);
        System.arraycopy(order, from + first, order, kept, end - from - first);
        kept += end - from - first;
      } else {
        order[kept++] = order[from + i - 1];
      }
      first = i;
    }
    return kept;
  }

  /** Keeps the last write to each key, of writes that are sorted. */
  private static int keepLast(Entries entries, int[] order, int from, int to) {
    int kept = from;
    for (int i = from; i < to; i++) {
      if (i + 1 == to || entries.key(order[i]) != entries.key(order[i + 1])) {
        order[kept++] = order[i];
      }
    }
    return kept;
  }

  private static void insertionSort(Entries entries, int[] order, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int write = order[i];
      int at = i;
      for (; at > from && entries.key(order[at - 1]) > entries.key(write); at--) {
        order[at] = order[at - 1];
      }
      order[at] = write;
    }
  }
}
