// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;

/**
 * Stores values of type {@code V} as longs.
 *
 * <p>Every codec throws {@link NullPointerException} for a null value, and may be used by several
 * threads at once.
 */
public interface ValueCodec<V> {

  /**
   * Returns the long to store for {@code value}.
   *
   * @throws IllegalArgumentException if the value is outside the range of this codec; the message
   *     names the value and the range
   */
  long encode(V value);

  /** Returns the value for which {@link #encode} returned {@code stored}. */
  V decode(long stored);

  /**
   * Returns the name by which an index remembers this codec, so as to refuse others, or null if it
   * does not: see {@link CodecMarks}. A codec that reads what another one has written may have its
   * mark. Never change the mark of a codec that is in use.
   */
  default @Nullable String mark() {
    return null;
  }

  /** Returns a codec for longs. */
  static ValueCodec<Long> ofLong() {
    return Codecs.LongCodec.INSTANCE;
  }

  /**
   * Returns a codec for ints, stored as the same number. Decoding a long outside the range of int
   * throws {@link ArithmeticException}.
   */
  static ValueCodec<Integer> ofInt() {
    return Codecs.IntCodec.INSTANCE;
  }

  /** Returns a codec for doubles, stored as {@link Double#doubleToRawLongBits}. */
  static ValueCodec<Double> ofDouble() {
    return Codecs.DoubleValueCodec.INSTANCE;
  }

  /**
   * Returns a codec for floats, stored as {@link Float#floatToRawIntBits}. Decoding a long outside
   * the range of int throws {@link ArithmeticException}.
   */
  static ValueCodec<Float> ofFloat() {
    return Codecs.FloatValueCodec.INSTANCE;
  }

  /** Returns a codec for dates, stored as in {@link KeyCodec#ofLocalDate}. */
  static ValueCodec<LocalDate> ofLocalDate() {
    return Codecs.LocalDateCodec.INSTANCE;
  }

  /** Returns a codec for dates with a time, stored as in {@link KeyCodec#ofLocalDateTime}. */
  static ValueCodec<LocalDateTime> ofLocalDateTime() {
    return Codecs.LocalDateTimeCodec.INSTANCE;
  }

  /** Returns a codec for instants, stored as in {@link KeyCodec#ofInstant}. */
  static ValueCodec<Instant> ofInstant() {
    return Codecs.InstantCodec.INSTANCE;
  }
}
