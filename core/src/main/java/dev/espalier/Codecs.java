// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * The codecs that {@link KeyCodec} and {@link ValueCodec} hand out, and that of {@link
 * CompositeKey}.
 */
final class Codecs {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private Codecs() {}

  enum LongCodec implements KeyCodec<Long>, ValueCodec<Long> {
    INSTANCE;

    @Override
    public String mark() {
      return "long";
    }

    @Override
    public long encode(Long value) {
      return value;
    }

    @Override
    public Long decode(long stored) {
      return stored;
    }
  }

  enum UnsignedLongCodec implements KeyCodec<Long> {
    INSTANCE;

    @Override
    public String mark() {
      return "unsigned-long";
    }

    @Override
    public long encode(Long key) {
      return key ^ Long.MIN_VALUE;
    }

    @Override
    public Long decode(long stored) {
      return stored ^ Long.MIN_VALUE;
    }

    @Override
    public Comparator<Long> comparator() {
      return Long::compareUnsigned;
    }
  }

  enum IntCodec implements KeyCodec<Integer>, ValueCodec<Integer> {
    INSTANCE;

    @Override
    public String mark() {
      return "int";
    }

    @Override
    public long encode(Integer value) {
      return value;
    }

    @Override
    public Integer decode(long stored) {
      return toInt(stored);
    }
  }

  enum DoubleKeyCodec implements KeyCodec<Double> {
    INSTANCE;

    @Override
    public String mark() {
      return "double";
    }

    @Override
    public long encode(Double key) {
      return flipMagnitudeOfNegative(Double.doubleToLongBits(key));
    }

    @Override
    public Double decode(long stored) {
      return Double.longBitsToDouble(flipMagnitudeOfNegative(stored));
    }

    /**
     * Flips the magnitude bits of negative numbers. IEEE 754 stores sign and magnitude, so the bits
     * of negative numbers sort backwards; with their magnitude bits flipped, all bits sort as
     * signed integers. This function is its own inverse.
     */
    private static long flipMagnitudeOfNegative(long bits) {
      return bits ^ ((bits >> 63) & Long.MAX_VALUE);
    }
  }

  enum DoubleValueCodec implements ValueCodec<Double> {
    INSTANCE;

    @Override
    public String mark() {
      return "double";
    }

    @Override
    public long encode(Double value) {
      return Double.doubleToRawLongBits(value);
    }

    @Override
    public Double decode(long stored) {
      return Double.longBitsToDouble(stored);
    }
  }

  enum FloatKeyCodec implements KeyCodec<Float> {
    INSTANCE;

    @Override
    public String mark() {
      return "float";
    }

    @Override
    public long encode(Float key) {
      return flipMagnitudeOfNegative(Float.floatToIntBits(key));
    }

    @Override
    public Float decode(long stored) {
      return Float.intBitsToFloat(flipMagnitudeOfNegative(toInt(stored)));
    }

    /** Does the same as in {@code DoubleKeyCodec}, in 32 bits. */
    private static int flipMagnitudeOfNegative(int bits) {
      return bits ^ ((bits >> 31) & Integer.MAX_VALUE);
    }
  }

  enum FloatValueCodec implements ValueCodec<Float> {
    INSTANCE;

    @Override
    public String mark() {
      return "float";
    }

    @Override
    public long encode(Float value) {
      return Float.floatToRawIntBits(value);
    }

    @Override
    public Float decode(long stored) {
      return Float.intBitsToFloat(toInt(stored));
    }
  }

  /** The codec of a {@link CompositeKey}, which knows the bits. */
  record CompositeCodec<K>(ToLongFunction<K> encoder, LongFunction<K> decoder, Comparator<K> order)
      implements KeyCodec<K> {

    @Override
    public long encode(K key) {
      return encoder.applyAsLong(Objects.requireNonNull(key, "key"));
    }

    @Override
    public K decode(long stored) {
      return decoder.apply(stored);
    }

    @Override
    public Comparator<K> comparator() {
      return order;
    }
  }

  enum LocalDateCodec implements KeyCodec<LocalDate>, ValueCodec<LocalDate> {
    INSTANCE;

    @Override
    public String mark() {
      return "date";
    }

    @Override
    public long encode(LocalDate value) {
      return value.toEpochDay();
    }

    @Override
    public LocalDate decode(long stored) {
      return LocalDate.ofEpochDay(stored);
    }
  }

  enum LocalDateTimeCodec implements KeyCodec<LocalDateTime>, ValueCodec<LocalDateTime> {
    INSTANCE;

    @Override
    public String mark() {
      return "date-time";
    }

    private static final LocalDateTime MIN = INSTANCE.decode(Long.MIN_VALUE);
    private static final LocalDateTime MAX = INSTANCE.decode(Long.MAX_VALUE);

    @Override
    public long encode(LocalDateTime value) {
      if (value.isBefore(MIN) || value.isAfter(MAX)) {
        throw outsideNanosecondRange(value, MIN, MAX);
      }
      return epochNanos(value.toInstant(ZoneOffset.UTC));
    }

    @Override
    public LocalDateTime decode(long stored) {
      return LocalDateTime.ofInstant(InstantCodec.INSTANCE.decode(stored), ZoneOffset.UTC);
    }
  }

  enum InstantCodec implements KeyCodec<Instant>, ValueCodec<Instant> {
    INSTANCE;

    @Override
    public String mark() {
      return "instant";
    }

    private static final Instant MIN = INSTANCE.decode(Long.MIN_VALUE);
    private static final Instant MAX = INSTANCE.decode(Long.MAX_VALUE);

    @Override
    public long encode(Instant value) {
      if (value.isBefore(MIN) || value.isAfter(MAX)) {
        throw outsideNanosecondRange(value, MIN, MAX);
      }
      return epochNanos(value);
    }

    @Override
    public Instant decode(long stored) {
      return Instant.ofEpochSecond(0, stored);
    }
  }

  /** Returns what a codec of 32 bits has stored. */
  private static int toInt(long stored) {
    if (stored != (int) stored) {
      throw new ArithmeticException(
          "%d is stored, which is no int: another codec has written it".formatted(stored));
    }
    return (int) stored;
  }

  /**
   * Returns nanoseconds since the epoch. In the first second of the range the product overflows,
   * but the sum wraps back: it is exact whenever the result fits.
   */
  private static long epochNanos(Instant instant) {
    return instant.getEpochSecond() * NANOS_PER_SECOND + instant.getNano();
  }

  private static IllegalArgumentException outsideNanosecondRange(
      Object value, Object min, Object max) {
    return new IllegalArgumentException(
        value + " is outside the range of nanoseconds since the epoch: " + min + " to " + max);
  }
}
