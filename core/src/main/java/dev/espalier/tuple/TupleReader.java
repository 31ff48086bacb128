// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tuple;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a tuple that {@link TupleWriter} has written, one after the other.
 *
 * <p>Bytes that are not a tuple, or not in the form that the writer produces, cause an {@link
 * IllegalArgumentException}, which says where; the reader then stays before that part. Time is
 * proportional to the number of bytes of a part. For use by one thread at a time.
 *
 * {@snippet :
 * TupleReader row = new TupleReader(key);
 * String city = row.nextString();
 * LocalDate day = row.nextLocalDate();
 * OptionalLong floor = row.skipNull() ? OptionalLong.empty() : OptionalLong.of(row.nextLong());
 * }
 *
 * <p>Each method for one type of part throws {@link NoSuchElementException} if there are no more
 * parts, and {@link IllegalArgumentException} if the next one is null or has another type; the
 * reader then stays before it.
 */
public final class TupleReader {
  private final byte[] bytes;
  private int at;

  /** What bytes are inverted with: 0xFF in a descending part. */
  private int inversion;

  /** How many descending parts are being read, one within the other. */
  private int descending;

  private int depth;

  /** Reads a tuple. */
  public TupleReader(byte[] tuple) {
    this.bytes = tuple;
  }

  /** Reads a copy of a tuple. */
  public TupleReader(MemorySegment tuple) {
    this(tuple.toArray(ValueLayout.JAVA_BYTE));
  }

  /**
   * Returns the parts of a tuple, as {@link #next} does.
   *
   * @throws IllegalArgumentException if the bytes are not a tuple
   */
  public static List<@Nullable Object> decode(byte[] tuple) {
    TupleReader reader = new TupleReader(tuple);
    List<@Nullable Object> parts = new ArrayList<>();
    while (reader.hasNext()) {
      parts.add(reader.next());
    }
    return Collections.unmodifiableList(parts);
  }

  /** Returns whether there is another part. */
  public boolean hasNext() {
    return at < bytes.length;
  }

  /**
   * Returns the next part: null, or a {@code Boolean}, {@code Long}, {@code BigInteger} if it does
   * not fit into a long, {@code Float}, {@code Double}, {@code BigDecimal}, {@code String}, {@code
   * byte[]}, {@code UUID}, {@code LocalDate}, {@code LocalTime}, {@code Instant}, {@code
   * LocalDateTime}, {@code ZonedDateTime}, or a {@code List} of such parts. The result does not
   * tell whether a part is descending.
   *
   * @throws NoSuchElementException if there is none
   * @throws IllegalArgumentException if the bytes are not a tuple
   */
  public @Nullable Object next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the tuple has no more parts");
    }
    int from = at;
    try {
      return part();
    } catch (RuntimeException | Error refused) {
      at = from;
      inversion = 0;
      descending = 0;
      depth = 0;
      throw refused;
    }
  }

  /**
   * Goes past the next part if it is null.
   *
   * @return whether it was null; if not, the reader stays before it
   * @throws NoSuchElementException if there is none
   */
  public boolean skipNull() {
    int from = at;
    if (next() == null) {
      return true;
    }
    at = from;
    return false;
  }

  /** Returns the next part, which is a boolean. */
  public boolean nextBoolean() {
    return next(Boolean.class, "boolean");
  }

  /** Returns the next part, which is an integer and must fit into a long. */
  public long nextLong() {
    return next(Long.class, "long");
  }

  /** Returns the next part, which is an integer. */
  public BigInteger nextBigInteger() {
    int from = at;
    Object part = next();
    return switch (part) {
      case Long value -> BigInteger.valueOf(value);
      case BigInteger value -> value;
      case null, default -> throw otherType(from, part, "integer");
    };
  }

  /** Returns the next part, which is a float. */
  public float nextFloat() {
    return next(Float.class, "float");
  }

  /** Returns the next part, which is a double. */
  public double nextDouble() {
    return next(Double.class, "double");
  }

  /** Returns the next part, which is a decimal, without zeros at its end. */
  public BigDecimal nextBigDecimal() {
    return next(BigDecimal.class, "decimal");
  }

  /** Returns the next part, which is a string. */
  public String nextString() {
    return next(String.class, "string");
  }

  /** Returns the next part, which is bytes, in a new array. */
  public byte[] nextBytes() {
    return next(byte[].class, "bytes");
  }

  /** Returns the next part, which is a UUID. */
  public UUID nextUuid() {
    return next(UUID.class, "UUID");
  }

  /** Returns the next part, which is a date. */
  public LocalDate nextLocalDate() {
    return next(LocalDate.class, "date");
  }

  /** Returns the next part, which is a time of day. */
  public LocalTime nextLocalTime() {
    return next(LocalTime.class, "time of day");
  }

  /** Returns the next part, which is an instant. */
  public Instant nextInstant() {
    return next(Instant.class, "instant");
  }

  /** Returns the next part, which is a date with a time of day. */
  public LocalDateTime nextLocalDateTime() {
    return next(LocalDateTime.class, "date with a time of day");
  }

  /**
   * Returns the next part, which is an instant in a time zone. Its local time is what this machine
   * knows of the zone.
   */
  public ZonedDateTime nextZonedDateTime() {
    return next(ZonedDateTime.class, "instant in a time zone");
  }

  /** Returns the parts of the next part, which is a nested tuple, as {@link #next} does. */
  @SuppressWarnings("unchecked") // A list is what next() makes of a tuple.
  public List<@Nullable Object> nextList() {
    return next(List.class, "tuple");
  }

  private <T> T next(Class<T> type, String name) {
    int from = at;
    Object part = next();
    if (!type.isInstance(part)) {
      throw otherType(from, part, name);
    }
    return type.cast(part);
  }

  /** Goes back before a part, and returns the refusal of it. */
  private IllegalArgumentException otherType(int from, @Nullable Object part, String name) {
    at = from;
    String found =
        switch (part) {
          case null -> "null";
          case List<?> _ -> "a tuple";
          default -> "a " + part.getClass().getSimpleName();
        };
    return new IllegalArgumentException(
        "the part at byte %d is %s, no %s".formatted(from, found, name));
  }

  // ---------------------------------------------------------------- parts

  private @Nullable Object part() {
    int start = at;
    int code = take();
    return switch (code) {
      case TupleCode.NULL -> takeNull();
      case TupleCode.BYTES -> takeEscaped();
      case TupleCode.STRING -> takeString();
      case TupleCode.TUPLE -> takeTuple();
      case TupleCode.FLOAT -> {
        int bits = (int) takeBytes(Integer.BYTES);
        yield Float.intBitsToFloat(bits < 0 ? bits ^ Integer.MIN_VALUE : ~bits);
      }
      case TupleCode.DOUBLE -> {
        long bits = takeBytes(Long.BYTES);
        yield Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
      }
      case TupleCode.FALSE -> false;
      case TupleCode.TRUE -> true;
      case TupleCode.UUID -> new UUID(takeBytes(Long.BYTES), takeBytes(Long.BYTES));
      case TupleCode.DECIMAL -> takeDecimal();
      case TupleCode.DATE -> takeDate();
      case TupleCode.TIME -> takeTime();
      case TupleCode.INSTANT -> takeInstant();
      case TupleCode.DATE_TIME -> LocalDateTime.of(takeDate(), takeTime());
      case TupleCode.ZONED -> takeZoned();
      case TupleCode.DESCENDING -> takeDescending();
      default -> takeInteger(start, code);
    };
  }

  private @Nullable Object takeNull() {
    if (depth > 0 && take() != TupleCode.ESCAPE) {
      throw noTuple(at - 1, "it is not what follows null in a nested tuple");
    }
    return null;
  }

  private @Nullable Object takeDescending() {
    inversion ^= 0xFF;
    descending++;
    if (peek(0) == TupleCode.DESCENDING) {
      throw noTuple(at, "the part is descending twice");
    }
    Object part = part();
    descending--;
    inversion ^= 0xFF;
    return part;
  }

  private List<@Nullable Object> takeTuple() {
    if (++depth > TupleCode.MOST_DEPTH) {
      throw noTuple(at - 1, "tuples are nested more than " + TupleCode.MOST_DEPTH + " deep");
    }
    List<@Nullable Object> parts = new ArrayList<>();
    while (peek(0) != 0 || (at + 1 < bytes.length && peek(1) == TupleCode.ESCAPE)) {
      parts.add(part());
    }
    at++;
    takeEnd();
    depth--;
    return Collections.unmodifiableList(parts);
  }

  private byte[] takeEscaped() {
    byte[] value = new byte[16];
    int length = 0;
    while (true) {
      int next = take();
      if (next == 0) {
        boolean isEscaped = at < bytes.length && peek(0) == TupleCode.ESCAPE;
        if (!isEscaped) {
          takeEnd();
          return Arrays.copyOf(value, length);
        }
        at++;
      }
      if (length == value.length) {
        value = Arrays.copyOf(value, 2 * length);
      }
      value[length++] = (byte) next;
    }
  }

  /** Takes what belongs to an end after its first zero. */
  private void takeEnd() {
    if (descending > 0 && take() != 0) {
      throw noTuple(at - 1, "it is not the second zero of an end");
    }
  }

  private String takeString() {
    int from = at;
    byte[] value = takeEscaped();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      throw noTuple(from, "what follows is not UTF-8", e);
    }
  }

  // ---------------------------------------------------------------- numbers

  private Object takeInteger(int start, int code) {
    if (code == TupleCode.BIG_NEGATIVE || code == TupleCode.BIG_POSITIVE) {
      return takeBig(code == TupleCode.BIG_NEGATIVE);
    }
    int length = Math.abs(code - TupleCode.ZERO);
    if (length > Long.BYTES) {
      throw noTuple(start, "no part begins with %02x".formatted(code));
    }
    boolean isNegative = code < TupleCode.ZERO;
    long body = takeBytes(length);
    long inverted = isNegative ? body ^ mask(length) : body;
    if (length > 0 && inverted >>> ((length - 1) * Byte.SIZE) == 0) {
      throw noTuple(start, "the integer is longer than it needs to be");
    }
    if (inverted < 0 && !(isNegative && inverted == Long.MIN_VALUE)) {
      BigInteger magnitude = new BigInteger(Long.toUnsignedString(inverted));
      return isNegative ? magnitude.negate() : magnitude;
    }
    return isNegative ? -inverted : inverted;
  }

  /** Returns as many bytes of ones: with them, the body of -m is that of m inverted. */
  private static long mask(int length) {
    return length == Long.BYTES ? -1 : (1L << (length * Byte.SIZE)) - 1;
  }

  private BigInteger takeBig(boolean isNegative) {
    int start = at - 1;
    int length = take() ^ (isNegative ? 0xFF : 0);
    byte[] body = new byte[length];
    for (int i = 0; i < length; i++) {
      body[i] = (byte) (take() ^ (isNegative ? 0xFF : 0));
    }
    if (length <= Long.BYTES || body[0] == 0) {
      throw noTuple(start, "the integer is longer than it needs to be");
    }
    return new BigInteger(isNegative ? -1 : 1, body);
  }

  private BigDecimal takeDecimal() {
    int start = at - 1;
    int sign = take() - TupleCode.ZERO_DECIMAL;
    if (sign == 0) {
      return BigDecimal.ZERO;
    }
    if (Math.abs(sign) > 1) {
      throw noTuple(at - 1, "it is not the sign of a decimal");
    }
    long exponent = sign * takeLong();
    int inverted = sign < 0 ? 0xFF : 0;
    StringBuilder digits = new StringBuilder();
    int pair = take() ^ inverted;
    for (; pair != 0; pair = take() ^ inverted) {
      if (pair > 100) {
        throw noTuple(at - 1, "it is not a pair of digits");
      }
      digits.append((char) ('0' + (pair - 1) / 10)).append((char) ('0' + (pair - 1) % 10));
    }
    int length = digits.length();
    if (length == 0 || digits.charAt(0) == '0' || digits.lastIndexOf("00") == length - 2) {
      throw noTuple(start, "the decimal has zeros that it does not need");
    }
    if (digits.charAt(length - 1) == '0') {
      digits.setLength(--length);
    }
    long scale = length - exponent;
    if (scale != (int) scale) {
      throw noTuple(start, "the decimal's exponent is out of range");
    }
    BigInteger unscaled = new BigInteger(digits.toString());
    return new BigDecimal(sign < 0 ? unscaled.negate() : unscaled, (int) scale);
  }

  // ---------------------------------------------------------------- time

  private LocalDate takeDate() {
    int start = at - 1;
    try {
      return LocalDate.ofEpochDay(takeLong());
    } catch (DateTimeException e) {
      throw noTuple(start, "the date is out of range", e);
    }
  }

  private LocalTime takeTime() {
    int start = at - 1;
    try {
      return LocalTime.ofNanoOfDay(takeLong());
    } catch (DateTimeException e) {
      throw noTuple(start, "the time of day is out of range", e);
    }
  }

  private Instant takeInstant() {
    int start = at - 1;
    long seconds = takeLong();
    long nanos = takeLong();
    if (nanos < 0 || nanos > 999_999_999) {
      throw noTuple(start, "the instant has " + nanos + " nanoseconds");
    }
    try {
      return Instant.ofEpochSecond(seconds, nanos);
    } catch (DateTimeException e) {
      throw noTuple(start, "the instant is out of range", e);
    }
  }

  private ZonedDateTime takeZoned() {
    int start = at - 1;
    Instant instant = takeInstant();
    String zone = takeString();
    try {
      ZonedDateTime value = instant.atZone(ZoneId.of(zone));
      if (value.getZone().getId().equals(zone)) {
        return value;
      }
    } catch (DateTimeException e) {
      throw noTuple(start, "there is no time zone '" + zone + "', or no such time in it", e);
    }
    throw noTuple(start, "'" + zone + "' is not how a time zone is written");
  }

  private long takeLong() {
    int start = at;
    if (takeInteger(start, take()) instanceof Long value) {
      return value;
    }
    throw noTuple(start, "the integer is no long");
  }

  // ---------------------------------------------------------------- bytes

  private long takeBytes(int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      value = value << Byte.SIZE | take();
    }
    return value;
  }

  private int take() {
    int next = peek(0);
    at++;
    return next;
  }

  private int peek(int ahead) {
    if (at + ahead >= bytes.length) {
      throw noTuple(bytes.length, "the tuple ends in the middle of a part");
    }
    return (bytes[at + ahead] & 0xFF) ^ inversion;
  }

  private static IllegalArgumentException noTuple(int place, String why) {
    return new IllegalArgumentException("no tuple: byte %d: %s".formatted(place, why));
  }

  private static IllegalArgumentException noTuple(int place, String why, Exception cause) {
    return new IllegalArgumentException("no tuple: byte %d: %s".formatted(place, why), cause);
  }
}
