// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads and copies bytes of keys. */
final class PageKeys {
  private static final ValueLayout.OfLong BIG_ENDIAN =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private PageKeys() {}

  /**
   * Returns the first eight bytes of a part of a key as a number that compares as they do; zeros
   * stand for those that a shorter part lacks. The eight bytes before it can be read: they are some
   * of the key, or of its page.
   *
   * @param bytes of the part; none if negative
   */
  static long word(MemorySegment memory, long at, int bytes) {
    int read = Math.min(bytes, Long.BYTES);
    if (read <= 0) {
      return Long.MIN_VALUE;
    }
    return bits(memory, at, read) ^ Long.MIN_VALUE;
  }

  private static long bits(MemorySegment memory, long at, int bytes) {
    return memory.get(BIG_ENDIAN, at + bytes - Long.BYTES) << (Long.SIZE - Byte.SIZE * bytes);
  }

  /** Compares so many bytes of two parts, of which each can be read as for {@link #word}. */
  static int compare(MemorySegment a, long aFrom, MemorySegment b, long bFrom, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      long x = word(a, aFrom + i, bytes - i);
      long y = word(b, bFrom + i, bytes - i);
      if (x != y) {
        return x < y ? -1 : 1;
      }
    }
    return 0;
  }

  /** Returns how many of so many bytes two parts have in common, read as for {@link #word}. */
  static int common(MemorySegment memory, long a, long b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      int read = Math.min(bytes - i, Long.BYTES);
      long differ = bits(memory, a + i, read) ^ bits(memory, b + i, read);
      if (differ != 0) {
        return i + (Long.numberOfLeadingZeros(differ) >>> 3);
      }
    }
    return Math.max(bytes, 0);
  }

  static void copy(MemorySegment from, long at, byte[] into, int to, int bytes) {
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, into, to, bytes);
  }
}
