// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.VersionedRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a key was in a span of time that has ended; an entry of a history.
 *
 * @param from when it begins
 * @param to when the next one begins; if that is the same, the next one has not begun yet
 * @param value null if the key had none
 */
@SuppressWarnings("ArrayRecordComponent") // It is never compared.
record Version(long from, long to, byte @Nullable [] value) {
  private static final byte[] NO_VALUE = {0};
  private static final byte PRESENT = 1;

  static Version decode(KeyValue<TimedKey, byte[]> entry) {
    byte[] bytes = entry.value;
    return new Version(
        entry.key.second(),
        entry.key.time(),
        bytes[0] == PRESENT ? Arrays.copyOfRange(bytes, 1, bytes.length) : null);
  }

  /** Returns the bytes that {@link #decode} reads. */
  byte[] encodedValue() {
    if (value == null) {
      return NO_VALUE;
    }
    byte[] bytes = new byte[value.length + 1];
    bytes[0] = PRESENT;
    System.arraycopy(value, 0, bytes, 1, value.length);
    return bytes;
  }

  Bytes encodedKey(Bytes key) {
    return new TimedKey(key, to, from).encode();
  }

  /** Returns whether this is about a key without a value that has got none since. */
  boolean isOpen() {
    return from == to;
  }

  /** Returns what Kafka shows, or null if the key had no value. */
  @Nullable VersionedRecord<byte[]> shown() {
    return value == null ? null : new VersionedRecord<>(value, from, to);
  }
}
