// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import dev.espalier.bytes.KeyOrder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Entries of byte strings in memory and in temporary files: the length of the key and that of the
 * value, each an int in native byte order, then the bytes of both.
 */
final class Records {
  /** Bytes before those of the key. */
  static final int HEADER = 2 * Integer.BYTES;

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

  /** Returns the number of bytes of the record at {@code at}. */
  static long bytes(MemorySegment memory, long at) {
    return bytes(keyBytes(memory, at), valueBytes(memory, at));
  }

  /** Returns the number of bytes of a record whose key and value have so many bytes. */
  static long bytes(long keyBytes, long valueBytes) {
    return HEADER + keyBytes + valueBytes;
  }

  static void putLengths(MemorySegment memory, long at, int keyBytes, int valueBytes) {
    memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, keyBytes);
    memory.set(ValueLayout.JAVA_INT_UNALIGNED, at + Integer.BYTES, valueBytes);
  }

  /** Returns the head of a key: if two heads differ, the keys are in the same order. */
  static long head(MemorySegment memory, long at) {
    return KeyOrder.head(memory, at + HEADER, keyBytes(memory, at));
  }

  /** Compares the keys of two records. */
  static int compareKeys(MemorySegment left, long leftAt, MemorySegment right, long rightAt) {
    int leftBytes = keyBytes(left, leftAt);
    int rightBytes = keyBytes(right, rightAt);
    int shared = Math.min(leftBytes, rightBytes);
    int order = KeyOrder.compare(left, leftAt + HEADER, right, rightAt + HEADER, shared);
    return order != 0 ? order : Integer.compare(leftBytes, rightBytes);
  }
}
