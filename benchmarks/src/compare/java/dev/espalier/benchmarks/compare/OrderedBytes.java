// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import java.nio.ByteBuffer;

/** Longs as eight big-endian bytes whose unsigned order is the order of the longs. */
final class OrderedBytes {

  private OrderedBytes() {}

  /** Returns the long whose big-endian bytes stand for {@code key}. */
  static long bits(long key) {
    return key ^ Long.MIN_VALUE;
  }

  /** Returns the key of {@link #bits}. */
  static long key(long bits) {
    return bits ^ Long.MIN_VALUE;
  }

  static byte[] encode(long key) {
    return ByteBuffer.allocate(Long.BYTES).putLong(bits(key)).array();
  }

  static long decode(byte[] bytes) {
    return key(ByteBuffer.wrap(bytes).getLong());
  }
}
