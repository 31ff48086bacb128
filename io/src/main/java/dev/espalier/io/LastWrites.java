// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.Arrays;

/** Finds the last write to each key, in the order of the keys: by a radix sort, byte by byte. */
final class LastWrites {
  private static final int RADIX = 256;

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
    int[] other = new int[count];
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      // The sign is turned round, so that the order of the bytes is that of the keys.
      long flip = shift == Long.SIZE - Byte.SIZE ? 0x80 : 0;
      int[] starts = new int[RADIX + 1];
      for (int i = 0; i < count; i++) {
        starts[digit(keys[i], shift, flip) + 1]++;
      }
      if (count > 0 && starts[digit(keys[0], shift, flip) + 1] == count) {
        continue; // all keys have the same
      }
      for (int i = 0; i < RADIX; i++) {
        starts[i + 1] += starts[i];
      }
      for (int i = 0; i < count; i++) {
        other[starts[digit(keys[order[i]], shift, flip)]++] = order[i];
      }
      int[] sorted = other;
      other = order;
      order = sorted;
    }
    int last = 0;
    for (int i = 0; i < count; i++) {
      if (i + 1 == count || keys[order[i]] != keys[order[i + 1]]) {
        order[last++] = order[i];
      }
    }
    return Arrays.copyOf(order, last);
  }

  private static int digit(long key, int shift, long flip) {
    return (int) ((key >>> shift & 0xff) ^ flip);
  }
}
