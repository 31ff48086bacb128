// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import dev.espalier.tuple.TupleReader;
import dev.espalier.tuple.TupleWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The codecs that {@link BytesKeyCodec} and {@link BytesValueCodec} hand out. */
final class BytesCodecs {
  private static final Comparator<UUID> UUIDS_BY_DIGITS =
      Comparator.comparing(UUID::getMostSignificantBits, Long::compareUnsigned)
          .thenComparing(UUID::getLeastSignificantBits, Long::compareUnsigned);

  private BytesCodecs() {}

  enum StringCodec implements BytesKeyCodec<String>, BytesValueCodec<String> {
    INSTANCE;

    @Override
    public String mark() {
      return "string";
    }

    @Override
    public byte[] encode(String value) {
      byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
      if (!value.equals(new String(encoded, StandardCharsets.UTF_8))) {
        throw new IllegalArgumentException(
            "the string has half of a surrogate pair, which UTF-8 can't store: " + value);
      }
      return encoded;
    }

    @Override
    public String decode(byte[] stored) {
      String value = new String(stored, StandardCharsets.UTF_8);
      if (!Arrays.equals(stored, value.getBytes(StandardCharsets.UTF_8))) {
        throw new IllegalArgumentException("what is stored is not UTF-8");
      }
      return value;
    }

    @Override
    public Comparator<String> comparator() {
      return StringCodec::compareCodePoints;
    }

    private static int compareCodePoints(String left, String right) {
      int both = Math.min(left.length(), right.length());
      for (int i = 0; i < both; i++) {
        char a = left.charAt(i);
        char b = right.charAt(i);
        if (a != b) {
          // A surrogate stands for a code point above all that one char can hold.
          boolean isSurrogate = Character.isSurrogate(a);
          return isSurrogate == Character.isSurrogate(b)
              ? Character.compare(a, b)
              : isSurrogate ? 1 : -1;
        }
      }
      return Integer.compare(left.length(), right.length());
    }
  }

  enum ArrayCodec implements BytesKeyCodec<byte[]>, BytesValueCodec<byte[]> {
    INSTANCE;

    @Override
    public String mark() {
      return "bytes";
    }

    @Override
    public byte[] encode(byte[] value) {
      return Objects.requireNonNull(value, "value");
    }

    @Override
    public byte[] decode(byte[] stored) {
      return stored;
    }

    @Override
    public Comparator<byte[]> comparator() {
      return Arrays::compareUnsigned;
    }
  }

  enum LongKeyCodec implements BytesKeyCodec<Long> {
    INSTANCE;

    @Override
    public String mark() {
      return "long";
    }

    /** Flips the sign bit, so that signed numbers sort as unsigned ones. */
    @Override
    public byte[] encode(Long key) {
      return LongValueCodec.INSTANCE.encode(key ^ Long.MIN_VALUE);
    }

    @Override
    public Long decode(byte[] stored) {
      return LongValueCodec.INSTANCE.decode(stored) ^ Long.MIN_VALUE;
    }
  }

  enum LongValueCodec implements BytesValueCodec<Long> {
    INSTANCE;

    @Override
    public String mark() {
      return "long";
    }

    @Override
    public byte[] encode(Long value) {
      return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    @Override
    public Long decode(byte[] stored) {
      return sized(stored, Long.BYTES).getLong();
    }
  }

  enum IntKeyCodec implements BytesKeyCodec<Integer> {
    INSTANCE;

    @Override
    public String mark() {
      return "int";
    }

    /** Does the same as in {@code LongKeyCodec}, in 32 bits. */
    @Override
    public byte[] encode(Integer key) {
      return IntValueCodec.INSTANCE.encode(key ^ Integer.MIN_VALUE);
    }

    @Override
    public Integer decode(byte[] stored) {
      return IntValueCodec.INSTANCE.decode(stored) ^ Integer.MIN_VALUE;
    }
  }

  enum IntValueCodec implements BytesValueCodec<Integer> {
    INSTANCE;

    @Override
    public String mark() {
      return "int";
    }

    @Override
    public byte[] encode(Integer value) {
      return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    @Override
    public Integer decode(byte[] stored) {
      return sized(stored, Integer.BYTES).getInt();
    }
  }

  enum UuidCodec implements BytesKeyCodec<UUID>, BytesValueCodec<UUID> {
    INSTANCE;

    @Override
    public String mark() {
      return "uuid";
    }

    @Override
    public byte[] encode(UUID value) {
      return ByteBuffer.allocate(2 * Long.BYTES)
          .putLong(value.getMostSignificantBits())
          .putLong(value.getLeastSignificantBits())
          .array();
    }

    @Override
    public UUID decode(byte[] stored) {
      ByteBuffer halves = sized(stored, 2 * Long.BYTES);
      return new UUID(halves.getLong(), halves.getLong());
    }

    @Override
    public Comparator<UUID> comparator() {
      return UUIDS_BY_DIGITS;
    }
  }

  enum TupleCodec
      implements BytesKeyCodec<List<@Nullable Object>>, BytesValueCodec<List<@Nullable Object>> {
    INSTANCE;

    @Override
    public String mark() {
      return "tuple";
    }

    @Override
    public byte[] encode(List<@Nullable Object> value) {
      return TupleWriter.encode(value.toArray());
    }

    @Override
    public List<@Nullable Object> decode(byte[] stored) {
      return TupleReader.decode(stored);
    }

    @Override
    public Comparator<List<@Nullable Object>> comparator() {
      return TupleCodec::compareEncoded;
    }

    private static int compareEncoded(List<@Nullable Object> left, List<@Nullable Object> right) {
      return Arrays.compareUnsigned(INSTANCE.encode(left), INSTANCE.encode(right));
    }
  }

  private static ByteBuffer sized(byte[] stored, int bytes) {
    if (stored.length != bytes) {
      throw new IllegalArgumentException(
          "what is stored has %d bytes; this codec stores %d".formatted(stored.length, bytes));
    }
    return ByteBuffer.wrap(stored);
  }
}
