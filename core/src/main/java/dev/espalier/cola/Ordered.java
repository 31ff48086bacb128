// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.node.Keys;

/**
 * Comparisons without a branch, for keys of which nobody can predict which is smaller: a processor
 * that guesses wrong every other time takes three times as long.
 */
final class Ordered {
  /** Whether blocks are merged and searched by SIMD, where that is better. */
  static final boolean SIMD = Keys.SIMD && MergeNetwork.isWorthwhile();

  private Ordered() {}

  /** Returns -1, all bits set, if {@code a < b}, and 0 if not. */
  static long ifSmaller(long a, long b) {
    long difference = a - b; // Its sign is wrong if it does not fit into 64 bits.
    return (difference ^ ((a ^ b) & (difference ^ a))) >> (Long.SIZE - 1);
  }

  /**
   * Returns where the keys from {@code from} to {@code to - 1}, in order, are no longer below one.
   */
  static int lowerBound(long[] keys, int from, int to, long key) {
    int low = from;
    int length = to - from;
    while (length > 1) {
      int half = length >>> 1;
      low += half & (int) ifSmaller(keys[low + half - 1], key);
      length -= half;
    }
    return length == 1 ? low - (int) ifSmaller(keys[low], key) : low;
  }

  /** As {@link #lowerBound}, where few keys are below the one sought. */
  static int lowerBoundNear(long[] keys, int from, int to, long key) {
    return SIMD
        ? BlockVectors.lowerBoundNear(keys, from, to, key)
        : lowerBound(keys, from, to, key);
  }

  /**
   * Moves up to 64 words together, those that bits say, to a place that is not behind them.
   *
   * @return where their new places end
   */
  static int compress(long[] words, int from, int count, long kept, int to) {
    return SIMD
        ? BlockVectors.compress(words, from, count, kept, to)
        : compressOneByOne(words, from, count, kept, to);
  }

  static int compressOneByOne(long[] words, int from, int count, long kept, int to) {
    int end = to;
    for (int i = 0; i < count; i++) {
      words[end] = words[from + i];
      end += (int) (kept >>> i & 1);
    }
    return end;
  }
}
