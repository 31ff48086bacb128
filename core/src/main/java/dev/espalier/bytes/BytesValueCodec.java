// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores values of type {@code V} as byte strings.
 *
 * <p>Every codec throws {@link NullPointerException} for a null value, and may be used by several
 * threads at once. Time and memory are proportional to the number of bytes of a value.
 */
public interface BytesValueCodec<V> {

  /**
   * Returns the bytes to store for {@code value}, in an array that the caller only reads.
   *
   * @throws IllegalArgumentException if the value can't be stored
   */
  byte[] encode(V value);

  /**
   * Returns the value for which {@link #encode} returned {@code stored}, an array that the caller
   * hands over to this codec.
   *
   * @throws IllegalArgumentException if {@code encode} never returns these bytes
   */
  V decode(byte[] stored);

  /**
   * Returns the name by which an index remembers this codec, so as to refuse others, or null if it
   * does not: see {@link dev.espalier.CodecMarks}. A codec that reads what another one has written
   * may have its mark. Never change the mark of a codec that is in use.
   */
  default @Nullable String mark() {
    return null;
  }

  /**
   * Returns a codec for strings, in UTF-8. A string with half of a surrogate pair can't be stored.
   */
  static BytesValueCodec<String> ofString() {
    return BytesCodecs.StringCodec.INSTANCE;
  }

  /**
   * Returns a codec for byte arrays. {@code containsValue} and {@code equals} of maps compare
   * arrays by identity.
   */
  static BytesValueCodec<byte[]> ofBytes() {
    return BytesCodecs.ArrayCodec.INSTANCE;
  }

  /** Returns a codec for longs, in 8 bytes, the most significant first. */
  static BytesValueCodec<Long> ofLong() {
    return BytesCodecs.LongValueCodec.INSTANCE;
  }

  /** Returns a codec for ints, in 4 bytes, the most significant first. */
  static BytesValueCodec<Integer> ofInt() {
    return BytesCodecs.IntValueCodec.INSTANCE;
  }

  /** Returns a codec for UUIDs, in 16 bytes. */
  static BytesValueCodec<UUID> ofUuid() {
    return BytesCodecs.UuidCodec.INSTANCE;
  }

  /** Returns a codec for tuples, such as rows, as {@link BytesKeyCodec#ofTuple} does. */
  static BytesValueCodec<List<@Nullable Object>> ofTuple() {
    return BytesCodecs.TupleCodec.INSTANCE;
  }
}
