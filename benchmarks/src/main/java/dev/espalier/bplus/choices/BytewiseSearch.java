// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/**
 * Binary search whose comparison goes byte by byte, from the most significant on, and loads each
 * byte: what {@code memcmp} does with keys of any length (thesis 5.4).
 */
final class BytewiseSearch {
  private static final int HIGHEST_BYTE = Long.SIZE - Byte.SIZE;

  private BytewiseSearch() {}

  /** Returns how many of {@code count} ascending keys are smaller than {@code key}. */
  static int lowerBound(MemorySegment nodes, long offset, int count, long key) {
    int low = 0;
    int length = count;
    while (length > 1) {
      int half = length >>> 1;
      low += isLess(nodes, offset + ((long) (low + half - 1) << 3), key) ? half : 0;
      length -= half;
    }
    return low + (length == 1 && isLess(nodes, offset + ((long) low << 3), key) ? 1 : 0);
  }

  private static boolean isLess(MemorySegment nodes, long at, long key) {
    // With the sign turned over, bytes have the order of longs.
    long wanted = key ^ Long.MIN_VALUE;
    for (int shift = HIGHEST_BYTE; shift >= 0; shift -= Byte.SIZE) {
      int ours = (int) ((Words.getLong(nodes, at) ^ Long.MIN_VALUE) >>> shift) & 0xff;
      int theirs = (int) (wanted >>> shift) & 0xff;
      if (ours != theirs) {
        return ours < theirs;
      }
    }
    return false;
  }
}
