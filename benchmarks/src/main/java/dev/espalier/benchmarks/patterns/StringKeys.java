// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Keys of 20 bytes that sort as their numbers do, and values of 8. */
final class StringKeys {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** What all keys begin with. */
  private static final byte[] PREFIX = "tenant17/id/".getBytes(StandardCharsets.US_ASCII);

  private StringKeys() {}

  static byte[] key(long number) {
    byte[] key = Arrays.copyOf(PREFIX, PREFIX.length + Long.BYTES);
    MemorySegment.ofArray(key).set(LONG, PREFIX.length, number ^ Long.MIN_VALUE);
    return key;
  }

  static long number(MemorySegment key) {
    return key.get(LONG, PREFIX.length) ^ Long.MIN_VALUE;
  }

  static long number(byte[] key) {
    return number(MemorySegment.ofArray(key));
  }

  static byte[] value(long number) {
    byte[] value = new byte[Long.BYTES];
    MemorySegment.ofArray(value).set(LONG, 0, number);
    return value;
  }

  static long numberOfValue(byte[] value) {
    return MemorySegment.ofArray(value).get(LONG, 0);
  }
}
