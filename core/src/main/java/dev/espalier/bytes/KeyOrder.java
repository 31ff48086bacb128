// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The order of keys: that of their bytes, as unsigned numbers; a key comes before those that it is
 * a prefix of.
 */
public final class KeyOrder {
  private static final ValueLayout.OfLong BIG_ENDIAN =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private KeyOrder() {}

  /**
   * Returns the first eight bytes of a part of a key as a number that compares as they do; a
   * shorter part is padded with zeros.
   */
  public static long head(MemorySegment key, long from, int bytes) {
    if (bytes >= Long.BYTES) {
      return key.get(BIG_ENDIAN, from) ^ Long.MIN_VALUE;
    }
    if (from + bytes >= Long.BYTES) {
      return word(key, from, bytes);
    }
    long head = 0;
    for (int i = 0; i < bytes; i++) {
      head |= (key.get(ValueLayout.JAVA_BYTE, from + i) & 0xffL) << (56 - 8 * i);
    }
    return head ^ Long.MIN_VALUE;
  }

  /**
   * Does the same as {@link #head}, but without a loop: if there are fewer than eight bytes, some
   * of the eight before them are read too, but have no influence.
   */
  public static long word(MemorySegment memory, long from, int bytes) {
    if (bytes <= 0) {
      return Long.MIN_VALUE;
    }
    int some = Math.min(bytes, Long.BYTES);
    long word = memory.get(BIG_ENDIAN, from + some - Long.BYTES);
    return (word << (Long.SIZE - Byte.SIZE * some)) ^ Long.MIN_VALUE;
  }

  /** Writes the first {@code bytes} bytes from which a head was made. */
  public static void bytesOf(long head, byte[] into, int at, int bytes) {
    long all = head ^ Long.MIN_VALUE;
    for (int i = 0; i < bytes; i++) {
      into[at + i] = (byte) (all >>> (56 - 8 * i));
    }
  }

  /** Compares {@code bytes} bytes of two memory segments. */
  public static int compare(MemorySegment a, long aFrom, MemorySegment b, long bFrom, int bytes) {
    int i = 0;
    for (; i <= bytes - Long.BYTES; i += Long.BYTES) {
      long x = a.get(BIG_ENDIAN, aFrom + i);
      long y = b.get(BIG_ENDIAN, bFrom + i);
      if (x != y) {
        return Long.compareUnsigned(x, y);
      }
    }
    for (; i < bytes; i++) {
      int x = a.get(ValueLayout.JAVA_BYTE, aFrom + i) & 0xff;
      int y = b.get(ValueLayout.JAVA_BYTE, bFrom + i) & 0xff;
      if (x != y) {
        return x - y;
      }
    }
    return 0;
  }

  /**
   * Does the same as {@link #compare(MemorySegment, long, MemorySegment, long, int)}, by words
   * only: eight bytes before both may be read, but have no influence.
   */
  public static int compareWords(
      MemorySegment a, long aFrom, MemorySegment b, long bFrom, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      long x = word(a, aFrom + i, bytes - i);
      long y = word(b, bFrom + i, bytes - i);
      if (x != y) {
        return x < y ? -1 : 1;
      }
    }
    return 0;
  }

  /** Compares two whole keys. */
  public static int compare(MemorySegment a, MemorySegment b) {
    int common = (int) Math.min(a.byteSize(), b.byteSize());
    int order = compare(a, 0, b, 0, common);
    return order != 0 ? order : Long.compare(a.byteSize(), b.byteSize());
  }
}
