// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tuple;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes tuples as bytes that compare, as unsigned bytes, in the same way as the tuples do: by the
 * first part, then by the second, and so on; a tuple sorts before longer ones that begin with it.
 * So the bytes can be keys of composite indexes. The tuples that begin with given parts are those
 * whose bytes are not below the bytes of these parts, and are below the same bytes followed by
 * 0xFF. Their bytes all begin with the bytes of these parts. The bytes of another tuple begin so
 * only if the last of these parts is a string, bytes or a tuple, and goes on with a zero in the
 * other tuple.
 *
 * {@snippet :
 * byte[] key = TupleWriter.encode("Zurich", LocalDate.of(2026, 3, 1), new Descending(4711L));
 *
 * TupleWriter writer = new TupleWriter(); // to be used again and again
 * byte[] same =
 *     writer.clear().add("Zurich").add(LocalDate.of(2026, 3, 1)).descending().add(4711).toBytes();
 * List<Object> parts = TupleReader.decode(key); // Zurich, 2026-03-01, 4711
 * }
 *
 * <p>Parts of one type sort by value: false before true; integers of any width, and decimals, as
 * numbers; floating point as {@link Double#compare}, but NaN with its sign bit set before all
 * others; strings by code points; bytes and UUIDs as unsigned bytes; dates, times and instants by
 * time; instants in time zones by time, and those of one time by the names of their zones; nested
 * tuples as tuples. Parts of different types sort as follows: null, bytes, strings, tuples,
 * integers, floats, doubles, booleans, UUIDs, decimals, dates, times of day, instants, dates with
 * times, instants in time zones, descending parts. So give all tuples of an index the same types
 * and directions in the same places.
 *
 * <p>The format is that of FoundationDB's tuple layer, and tuples can be exchanged with it, except
 * for decimals, what has to do with time, and descending parts, which use codes that it leaves to
 * users.
 *
 * <p>A part takes as many bytes as its value (an integer no more than it needs) and one more, or
 * two more for strings, bytes and tuples. All methods take time in proportion to that; those for
 * {@code long}, {@code boolean}, {@code float} and {@code double} allocate nothing once the writer
 * has grown. For use by one thread at a time.
 */
public final class TupleWriter {
  private static final String TYPES =
      "it must be null, a Boolean, Byte, Short, Integer, Long, BigInteger, Float, Double,"
          + " BigDecimal, String, byte[], UUID, LocalDate, LocalTime, Instant, LocalDateTime,"
          + " ZonedDateTime, List, or Descending";

  private byte[] bytes = new byte[64];
  private int size;

  /** Whether the next part is a descending one. */
  private boolean nextDescends;

  /** How many descending parts are being written, one within the other. */
  private int descending;

  /** How many nested tuples are being written, one within the other. */
  private int depth;

  /** Begins a tuple. */
  public TupleWriter() {}

  /** Returns the bytes of a tuple, whose parts are as in {@link #add(Object)}. */
  public static byte[] encode(@Nullable Object... parts) {
    TupleWriter writer = new TupleWriter();
    for (Object part : parts) {
      writer.add(part);
    }
    return writer.toBytes();
  }

  // ---------------------------------------------------------------- result

  /** Returns the bytes of all parts that were added. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  /** Returns the bytes of all parts, without a copy: valid until the writer is used again. */
  public MemorySegment segment() {
    return MemorySegment.ofArray(bytes).asSlice(0, size).asReadOnly();
  }

  /** Returns the number of bytes of all parts that were added. */
  public int size() {
    return size;
  }

  /** Begins another tuple. */
  public TupleWriter clear() {
    size = 0;
    nextDescends = false;
    return this;
  }

  // ---------------------------------------------------------------- parts

  /** Makes the next part sort in descending order. */
  public TupleWriter descending() {
    nextDescends = true;
    return this;
  }

  /**
   * Adds a part.
   *
   * @param part null, a {@code Boolean}, {@code Byte}, {@code Short}, {@code Integer}, {@code
   *     Long}, {@code BigInteger}, {@code Float}, {@code Double}, {@code BigDecimal}, {@code
   *     String}, {@code byte[]}, {@code UUID}, {@code LocalDate}, {@code LocalTime}, {@code
   *     Instant}, {@code LocalDateTime}, {@code ZonedDateTime}, a {@code List} of such parts as a
   *     nested tuple, or {@link Descending}
   * @throws IllegalArgumentException if it is something else, or can't be written, as the methods
   *     for the types say. Nothing is added then
   */
  public TupleWriter add(@Nullable Object part) {
    return switch (part) {
      case null -> addNull();
      case Boolean value -> add(value.booleanValue());
      case Byte value -> add(value.longValue());
      case Short value -> add(value.longValue());
      case Integer value -> add(value.longValue());
      case Long value -> add(value.longValue());
      case BigInteger value -> add(value);
      case Float value -> add(value.floatValue());
      case Double value -> add(value.doubleValue());
      case BigDecimal value -> add(value);
      case String value -> add(value);
      case byte[] value -> add(value);
      case UUID value -> add(value);
      case LocalDate value -> add(value);
      case LocalTime value -> add(value);
      case Instant value -> add(value);
      case LocalDateTime value -> add(value);
      case ZonedDateTime value -> add(value);
      case List<?> value -> add(value);
      case Descending value when !nextDescends -> descending().add(value.part());
      case Descending _ -> throw refusal("part is made descending twice", null);
      default ->
          throw refusal("part is a %s; %s".formatted(part.getClass().getName(), TYPES), null);
    };
  }

  /** Adds null, which sorts before all other parts. */
  public TupleWriter addNull() {
    int from = begin();
    put(TupleCode.NULL);
    if (depth > 0) {
      put(TupleCode.ESCAPE);
    }
    return end(from);
  }

  /** Adds a boolean. */
  public TupleWriter add(boolean value) {
    int from = begin();
    put(value ? TupleCode.TRUE : TupleCode.FALSE);
    return end(from);
  }

  /** Adds an integer. */
  public TupleWriter add(long value) {
    int from = begin();
    putInteger(value);
    return end(from);
  }

  /**
   * Adds an integer.
   *
   * @throws IllegalArgumentException if it takes more than 255 bytes
   */
  public TupleWriter add(BigInteger value) {
    int length = Math.ceilDiv(value.abs().bitLength(), Byte.SIZE);
    if (length > TupleCode.MOST_INTEGER_BYTES) {
      throw refusal(
          "the integer takes %d bytes; tuples have integers of at most %d"
              .formatted(length, TupleCode.MOST_INTEGER_BYTES),
          null);
    }
    int from = begin();
    if (value.bitLength() < Long.SIZE) {
      putInteger(value.longValue());
    } else if (length <= Long.BYTES) {
      put(TupleCode.ZERO + value.signum() * length);
      putBytes(value.signum() < 0 ? value.longValue() - 1 : value.longValue(), length);
    } else {
      putBig(value, length);
    }
    return end(from);
  }

  /** Adds a float. */
  public TupleWriter add(float value) {
    int bits = Float.floatToRawIntBits(value);
    int from = begin();
    put(TupleCode.FLOAT);
    putBytes(bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE, Integer.BYTES);
    return end(from);
  }

  /** Adds a double. */
  public TupleWriter add(double value) {
    long bits = Double.doubleToRawLongBits(value);
    int from = begin();
    put(TupleCode.DOUBLE);
    putBytes(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE, Long.BYTES);
    return end(from);
  }

  /**
   * Adds a decimal. Decimals that compare as equal are written as the same bytes, so 1.0 and 1.00
   * are both read as 1.
   *
   * @throws IllegalArgumentException if its scale, without trailing zeros, is not an {@code int}
   */
  public TupleWriter add(BigDecimal value) {
    BigDecimal stripped;
    try {
      stripped = value.stripTrailingZeros();
    } catch (ArithmeticException overflow) {
      throw refusal("the decimal's scale is out of range: " + value.scale(), overflow);
    }
    int from = begin();
    put(TupleCode.DECIMAL);
    putDecimal(stripped);
    return end(from);
  }

  /**
   * Adds a string.
   *
   * @throws IllegalArgumentException if it has a surrogate that is not part of a pair
   */
  public TupleWriter add(String value) {
    byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
    if (!value.equals(new String(encoded, StandardCharsets.UTF_8))) {
      throw refusal("the string has half of a surrogate pair", null);
    }
    return addEscaped(TupleCode.STRING, encoded);
  }

  /** Adds bytes. */
  public TupleWriter add(byte[] value) {
    return addEscaped(TupleCode.BYTES, value);
  }

  /** Adds a UUID. */
  public TupleWriter add(UUID value) {
    int from = begin();
    put(TupleCode.UUID);
    putBytes(value.getMostSignificantBits(), Long.BYTES);
    putBytes(value.getLeastSignificantBits(), Long.BYTES);
    return end(from);
  }

  /** Adds a date. */
  public TupleWriter add(LocalDate value) {
    int from = begin();
    put(TupleCode.DATE);
    putInteger(value.toEpochDay());
    return end(from);
  }

  /** Adds a time of day. */
  public TupleWriter add(LocalTime value) {
    int from = begin();
    put(TupleCode.TIME);
    putInteger(value.toNanoOfDay());
    return end(from);
  }

  /** Adds an instant. */
  public TupleWriter add(Instant value) {
    int from = begin();
    put(TupleCode.INSTANT);
    putInteger(value.getEpochSecond());
    putInteger(value.getNano());
    return end(from);
  }

  /** Adds a date with a time of day. */
  public TupleWriter add(LocalDateTime value) {
    int from = begin();
    put(TupleCode.DATE_TIME);
    putInteger(value.toLocalDate().toEpochDay());
    putInteger(value.toLocalTime().toNanoOfDay());
    return end(from);
  }

  /**
   * Adds an instant in a time zone. What is written depends on both of them only, and not on what
   * this machine knows of the zone.
   */
  public TupleWriter add(ZonedDateTime value) {
    int from = begin();
    put(TupleCode.ZONED);
    putInteger(value.toEpochSecond());
    putInteger(value.getNano());
    putEscaped(value.getZone().getId().getBytes(StandardCharsets.UTF_8));
    return end(from);
  }

  /**
   * Adds a nested tuple.
   *
   * @param parts as in {@link #add(Object)}
   * @throws IllegalArgumentException if a part can't be added, or tuples are nested more than 64
   *     deep
   */
  public TupleWriter add(List<?> parts) {
    if (depth == TupleCode.MOST_DEPTH) {
      throw refusal("tuples are nested more than " + TupleCode.MOST_DEPTH + " deep", null);
    }
    int sizeBefore = size;
    int descendingBefore = descending;
    int from = begin();
    depth++;
    try {
      put(TupleCode.TUPLE);
      for (Object part : parts) {
        add(part);
      }
      putEnd();
      end(from);
    } catch (RuntimeException | Error refused) {
      size = sizeBefore;
      descending = descendingBefore;
      nextDescends = false;
      throw refused;
    } finally {
      depth--;
    }
    return this;
  }

  private IllegalArgumentException refusal(String why, @Nullable Exception cause) {
    nextDescends = false;
    return new IllegalArgumentException(why, cause);
  }

  // ---------------------------------------------------------------- write

  /** Begins a part. Returns where the bytes to be inverted begin, or -1. */
  private int begin() {
    if (!nextDescends) {
      return -1;
    }
    nextDescends = false;
    put(TupleCode.DESCENDING);
    descending++;
    return size;
  }

  private TupleWriter end(int from) {
    if (from >= 0) {
      for (int i = from; i < size; i++) {
        bytes[i] = (byte) ~bytes[i];
      }
      descending--;
    }
    return this;
  }

  private TupleWriter addEscaped(int code, byte[] value) {
    int from = begin();
    put(code);
    putEscaped(value);
    return end(from);
  }

  private void putEscaped(byte[] value) {
    for (byte next : value) {
      put(next);
      if (next == 0) {
        put(TupleCode.ESCAPE);
      }
    }
    putEnd();
  }

  private void putEnd() {
    put(0);
    if (descending > 0) {
      put(0);
    }
  }

  private void putInteger(long value) {
    long magnitude = Math.abs(value);
    int length = Long.BYTES - Long.numberOfLeadingZeros(magnitude) / Byte.SIZE;
    put(TupleCode.ZERO + (value < 0 ? -length : length));
    putBytes(value < 0 ? value - 1 : value, length);
  }

  /** Writes an integer of more than eight bytes. */
  private void putBig(BigInteger value, int length) {
    boolean isNegative = value.signum() < 0;
    put(isNegative ? TupleCode.BIG_NEGATIVE : TupleCode.BIG_POSITIVE);
    put(isNegative ? ~length : length);
    byte[] magnitude = value.abs().toByteArray();
    for (int i = magnitude.length - length; i < magnitude.length; i++) {
      put(isNegative ? ~magnitude[i] : magnitude[i]);
    }
  }

  private void putDecimal(BigDecimal value) {
    int sign = value.signum();
    put(TupleCode.ZERO_DECIMAL + sign);
    if (sign == 0) {
      return;
    }
    // 0.d1d2d3... times ten to the power of the exponent.
    String digits = value.unscaledValue().abs().toString();
    long exponent = (long) digits.length() - value.scale();
    putInteger(sign * exponent);
    int inversion = sign < 0 ? 0xFF : 0;
    for (int i = 0; i < digits.length(); i += 2) {
      int second = i + 1 < digits.length() ? digits.charAt(i + 1) - '0' : 0;
      put((10 * (digits.charAt(i) - '0') + second + 1) ^ inversion);
    }
    put(inversion);
  }

  /** Writes the low bytes of a number, the most significant first. */
  private void putBytes(long value, int count) {
    for (int i = count - 1; i >= 0; i--) {
      put((int) (value >>> (i * Byte.SIZE)));
    }
  }

  private void put(int value) {
    if (size == bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.multiplyExact(2, size));
    }
    bytes[size++] = (byte) value;
  }
}
