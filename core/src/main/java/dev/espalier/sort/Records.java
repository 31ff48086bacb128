// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Entries of byte strings in memory and in temporary files: the length of the key and that of the
 * value, each an int in native byte order, then the bytes of both.
 */
final class Records {
  /** Bytes before those of the key. */
  static final int HEADER = 2 * Integer.BYTES;

  private static final ValueLayout.OfLong BIG_ENDIAN =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Records() {}

  static int keyBytes(MemorySegment memory, long at) {
    return memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
  }

  static int valueBytes(MemorySegment memory, long at) {
    return memory.get(ValueLayout.JAVA_INT_UNALIGNED, at + Integer.BYTES);
  }

  /** Returns where the value of the record at {@code at} begins. */
  static long valueAt(MemorySegment memory, long at) {
    return at + HEADER + keyBytes(memory, at);
  }

  /** Returns the bytes of the record at {@code at}. */
  static long bytes(MemorySegment memory, long at) {
    return bytes(keyBytes(memory, at), valueBytes(memory, at));
  }

  /** Returns the bytes of a record with a key and a value of so many bytes. */
  static long bytes(long keyBytes, long valueBytes) {
    return HEADER + keyBytes + valueBytes;
  }

  static void putLengths(MemorySegment memory, long at, int keyBytes, int valueBytes) {
    memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, keyBytes);
    memory.set(ValueLayout.JAVA_INT_UNALIGNED, at + Integer.BYTES, valueBytes);
  }

  /**
   * Returns the first eight bytes of a key as a number; a shorter key is filled up with zeros. If
   * two heads differ, unsigned, the keys are in the same order.
   */
  static long head(MemorySegment memory, long at) {
    int bytes = keyBytes(memory, at);
    if (bytes >= Long.BYTES) {
      return memory.get(BIG_ENDIAN, at + HEADER);
    }
    long head = 0;
    for (int i = 0; i < bytes; i++) {
      long digit = Byte.toUnsignedLong(memory.get(ValueLayout.JAVA_BYTE, at + HEADER + i));
      head |= digit << (Long.SIZE - (i + 1) * Byte.SIZE);
    }
    return head;
  }

  /** Compares the keys of two records as unsigned bytes. */
  static int compareKeys(MemorySegment left, long leftAt, MemorySegment right, long rightAt) {
    long leftBytes = keyBytes(left, leftAt);
    long rightBytes = keyBytes(right, rightAt);
    long leftKey = leftAt + HEADER;
    long rightKey = rightAt + HEADER;
    long at =
        MemorySegment.mismatch(
            left, leftKey, leftKey + leftBytes, right, rightKey, rightKey + rightBytes);
    if (at < 0) {
      return 0;
    }
    if (at == leftBytes || at == rightBytes) {
      return Long.compare(leftBytes, rightBytes);
    }
    return Byte.compareUnsigned(
        left.get(ValueLayout.JAVA_BYTE, leftKey + at),
        right.get(ValueLayout.JAVA_BYTE, rightKey + at));
  }
}
