// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Stores keys of type {@code K} as longs, keeping their order: {@code encode(a) < encode(b)}
 * exactly when {@code a} sorts before {@code b}.
 *
 * <p>{@link CompositeKey} makes codecs for keys of two or three numbers.
 *
 * <p>Every codec throws {@link NullPointerException} for a null key, and may be used by several
 * threads at once.
 */
public interface KeyCodec<K> {

  /**
   * Returns the long to store for {@code key}.
   *
   * @throws IllegalArgumentException if the key is outside the range of this codec; the message
   *     names the key and the range
   */
  long encode(K key);

  /** Returns the key for which {@link #encode} returned {@code stored}. */
  K decode(long stored);

  /** Returns the order of the keys, or null if it is the natural order of {@code K}. */
  default @Nullable Comparator<? super K> comparator() {
    return null;
  }

  /**
   * Returns the name by which an index remembers this codec, so as to refuse others, or null if it
   * does not: see {@link CodecMarks}. A codec that reads what another one has written may have its
   * mark. Never change the mark of a codec that is in use.
   */
  default @Nullable String mark() {
    return null;
  }

  /** Returns a codec for longs in signed order. */
  static KeyCodec<Long> ofLong() {
    return Codecs.LongCodec.INSTANCE;
  }

  /** Returns a codec for longs in the order of {@link Long#compareUnsigned}. */
  static KeyCodec<Long> ofUnsignedLong() {
    return Codecs.UnsignedLongCodec.INSTANCE;
  }

  /**
   * Returns a codec for ints, stored as the same number. Decoding a long outside the range of int
   * throws {@link ArithmeticException}.
   */
  static KeyCodec<Integer> ofInt() {
    return Codecs.IntCodec.INSTANCE;
  }

  /**
   * Returns a codec for doubles in the order of {@link Double#compare}: -0.0 before 0.0, and NaN
   * last. All NaNs are the same key.
   */
  static KeyCodec<Double> ofDouble() {
    return Codecs.DoubleKeyCodec.INSTANCE;
  }

  /**
   * Returns a codec for floats in the order of {@link Float#compare}: -0.0 before 0.0, and NaN
   * last. All NaNs are the same key. Decoding a long outside the range of int throws {@link
   * ArithmeticException}.
   */
  static KeyCodec<Float> ofFloat() {
    return Codecs.FloatKeyCodec.INSTANCE;
  }

  /** Returns a codec for dates, stored as days since 1970-01-01. Every date fits. */
  static KeyCodec<LocalDate> ofLocalDate() {
    return Codecs.LocalDateCodec.INSTANCE;
  }

  /**
   * Returns a codec for dates with a time, from 1677-09-21 to 2262-04-11, stored as nanoseconds
   * since 1970-01-01T00:00.
   */
  static KeyCodec<LocalDateTime> ofLocalDateTime() {
    return Codecs.LocalDateTimeCodec.INSTANCE;
  }

  /**
   * Returns a codec for instants, from 1677-09-21 to 2262-04-11, stored as nanoseconds since
   * 1970-01-01T00:00Z.
   */
  static KeyCodec<Instant> ofInstant() {
    return Codecs.InstantCodec.INSTANCE;
  }
}
