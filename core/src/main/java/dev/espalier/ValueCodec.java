// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;

/**
 * Stores values of type {@code V} as longs.
 *
 * <p>Every codec throws {@link NullPointerException} for a null value, and is safe for use by
 * several threads.
 */
public interface ValueCodec<V> {

  /**
   * Returns the long that stands for {@code value}.
   *
   * @throws IllegalArgumentException if no long stands for it; the message names value and range
   */
  long encode(V value);

  /** Returns the value that {@code encode} made {@code stored} from. */
  V decode(long stored);

  /** Values that are longs. */
  static ValueCodec<Long> ofLong() {
    return Codecs.LongCodec.INSTANCE;
  }

  /**
   * Values that are ints, stored as the same number. Decoding a long that is no int is an {@link
   * ArithmeticException}.
   */
  static ValueCodec<Integer> ofInt() {
    return Codecs.IntCodec.INSTANCE;
  }

  /** Values that are doubles, stored as {@link Double#doubleToRawLongBits} gives them. */
  static ValueCodec<Double> ofDouble() {
    return Codecs.DoubleValueCodec.INSTANCE;
  }

  /** Values that are floats, stored as {@link Float#floatToRawIntBits} gives them. */
  static ValueCodec<Float> ofFloat() {
    return Codecs.FloatValueCodec.INSTANCE;
  }

  /** Values that are dates, stored as {@link KeyCodec#ofLocalDate} does. */
  static ValueCodec<LocalDate> ofLocalDate() {
    return Codecs.LocalDateCodec.INSTANCE;
  }

  /** Values that are dates with a time, stored as {@link KeyCodec#ofLocalDateTime} does. */
  static ValueCodec<LocalDateTime> ofLocalDateTime() {
    return Codecs.LocalDateTimeCodec.INSTANCE;
  }

  /** Values that are instants, stored as {@link KeyCodec#ofInstant} does. */
  static ValueCodec<Instant> ofInstant() {
    return Codecs.InstantCodec.INSTANCE;
  }
}
