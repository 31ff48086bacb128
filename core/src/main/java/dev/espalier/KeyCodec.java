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
 * <p>Every codec throws {@link NullPointerException} for a null key, and is safe for use by several
 * threads.
 */
public interface KeyCodec<K> {

  /**
   * Returns the long that stands for {@code key}.
   *
   * @throws IllegalArgumentException if no long stands for it; the message names key and range
   */
  long encode(K key);

  /** Returns the key that {@code encode} made {@code stored} from. */
  K decode(long stored);

  /** Returns the order that is kept, or null for the natural order of {@code K}. */
  default @Nullable Comparator<? super K> comparator() {
    return null;
  }

  /** Keys that are longs, in signed order. */
  static KeyCodec<Long> ofLong() {
    return Codecs.LongCodec.INSTANCE;
  }

  /** Keys that are longs, in the order of {@link Long#compareUnsigned}. */
  static KeyCodec<Long> ofUnsignedLong() {
    return Codecs.UnsignedLongCodec.INSTANCE;
  }

  /**
   * Keys that are ints, stored as the same number. Decoding a long that is no int is an {@link
   * ArithmeticException}.
   */
  static KeyCodec<Integer> ofInt() {
    return Codecs.IntCodec.INSTANCE;
  }

  /**
   * Keys that are doubles, in the order of {@link Double#compare}: -0.0 before 0.0, NaN last. All
   * NaNs are one key.
   */
  static KeyCodec<Double> ofDouble() {
    return Codecs.DoubleKeyCodec.INSTANCE;
  }

  /** Keys that are floats, in the order of {@link Float#compare}, as {@link #ofDouble}. */
  static KeyCodec<Float> ofFloat() {
    return Codecs.FloatKeyCodec.INSTANCE;
  }

  /** Keys that are dates, stored as days since 1970-01-01. Every date fits. */
  static KeyCodec<LocalDate> ofLocalDate() {
    return Codecs.LocalDateCodec.INSTANCE;
  }

  /**
   * Keys that are dates with a time, stored as nanoseconds since 1970-01-01T00:00. Those from
   * 1677-09-21 to 2262-04-11 fit.
   */
  static KeyCodec<LocalDateTime> ofLocalDateTime() {
    return Codecs.LocalDateTimeCodec.INSTANCE;
  }

  /**
   * Keys that are instants, stored as nanoseconds since 1970-01-01T00:00Z. Those from 1677-09-21 to
   * 2262-04-11 fit.
   */
  static KeyCodec<Instant> ofInstant() {
    return Codecs.InstantCodec.INSTANCE;
  }
}
