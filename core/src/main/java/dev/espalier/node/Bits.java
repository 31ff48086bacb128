// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import org.jspecify.annotations.Nullable;

/**
 * Sets of small numbers as bits: number {@code n} is in the set if bit {@code n % 64} of word
 * {@code n / 64} is set. Such a set tells which keys {@code getAll} has found.
 */
public final class Bits {
  private Bits() {}

  /** Returns the number of words for the numbers below {@code count}. */
  public static int words(int count) {
    return (int) ((count + Long.SIZE - 1L) / Long.SIZE);
  }

  /** Returns whether a number is in the set. */
  public static boolean has(long[] bits, int number) {
    return (bits[number >> 6] >>> number & 1) != 0;
  }

  /** Adds a number to the set. */
  public static void add(long[] bits, int number) {
    bits[number >> 6] |= 1L << number;
  }

  /** Returns the first number from {@code from} on that is not in the set, at most {@code end}. */
  public static int nextMissing(long[] bits, int from, int end) {
    for (int number = from; number < end; number = (number | (Long.SIZE - 1)) + 1) {
      long missing = ~bits[number >> 6] >>> number;
      if (missing != 0) {
        return Math.min(number + Long.numberOfTrailingZeros(missing), end);
      }
    }
    return end;
  }

  /**
   * Adds the numbers of a group, {@code from + i} for every bit {@code i} of a word.
   *
   * @param bits the set, or null to do nothing
   */
  public static void addGroup(long @Nullable [] bits, int from, long group) {
    if (bits == null || group == 0) {
      return;
    }
    int word = from >> 6;
    bits[word] |= group << from;
    if ((from & 63) != 0) {
      long rest = group >>> -from;
      if (rest != 0) {
        bits[word + 1] |= rest;
      }
    }
  }

  /** Returns how many numbers are in the first words of a set. */
  public static int count(long[] bits, int words) {
    int count = 0;
    for (int i = 0; i < words; i++) {
      count += Long.bitCount(bits[i]);
    }
    return count;
  }
}
