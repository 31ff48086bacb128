// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;

/**
 * The key of an entry that has a time: as bytes, entries are in the order of the user's key, then
 * of the time, then of a second number.
 *
 * <pre>
 *   the key, 00 written as 00 FF | 00 00 | time, 8 bytes | second, 8 bytes
 * </pre>
 *
 * The numbers are big-endian, with the sign bit inverted.
 *
 * @param key the user's key
 * @param time when a window starts, or a session ends
 * @param second the number of an entry among those of the same window, or when a session starts
 */
record TimedKey(Bytes key, long time, long second) {
  private static final int END_BYTES = 2;
  private static final int NUMBER_BYTES = 2 * Long.BYTES;

  Bytes encode() {
    byte[] bytes = encode(key, NUMBER_BYTES);
    ByteBuffer.wrap(bytes, bytes.length - NUMBER_BYTES, NUMBER_BYTES)
        .putLong(time ^ Long.MIN_VALUE)
        .putLong(second ^ Long.MIN_VALUE);
    return Bytes.wrap(bytes);
  }

  /** Returns what the bytes of all entries of a key begin with; it is below them. */
  static byte[] prefix(Bytes key) {
    return encode(key, 0);
  }

  /** Returns the lowest bytes of a key and a time. */
  static Bytes lowest(Bytes key, long time) {
    return new TimedKey(key, time, Long.MIN_VALUE).encode();
  }

  /** Returns the highest bytes of a key and a time. */
  static Bytes highest(Bytes key, long time) {
    return new TimedKey(key, time, Long.MAX_VALUE).encode();
  }

  private static byte[] encode(Bytes key, int more) {
    int zeros = 0;
    for (byte b : key.get()) {
      if (b == 0) {
        zeros++;
      }
    }
    byte[] bytes = new byte[key.get().length + zeros + END_BYTES + more];
    int at = 0;
    for (byte b : key.get()) {
      bytes[at++] = b;
      if (b == 0) {
        bytes[at++] = -1;
      }
    }
    return bytes;
  }

  static TimedKey decode(Bytes encoded) {
    byte[] bytes = encoded.get();
    int end = bytes.length - NUMBER_BYTES - END_BYTES;
    byte[] key = new byte[end];
    int length = 0;
    for (int at = 0; at < end; at++) {
      key[length++] = bytes[at];
      if (bytes[at] == 0) {
        at++; // Its FF.
      }
    }
    ByteBuffer numbers = ByteBuffer.wrap(bytes, end + END_BYTES, NUMBER_BYTES);
    return new TimedKey(
        Bytes.wrap(Arrays.copyOf(key, length)),
        numbers.getLong() ^ Long.MIN_VALUE,
        numbers.getLong() ^ Long.MIN_VALUE);
  }
}
