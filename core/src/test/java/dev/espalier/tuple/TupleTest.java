// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tuple;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.apple.foundationdb.tuple.Tuple;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TupleTest {
  /** Parts of each type, each type's in its order; of different types, in the order of types. */
  private static final List<Object> ASCENDING = ascending();

  private static List<Object> ascending() {
    List<Object> parts = new ArrayList<>();
    for (String hex :
        List.of("", "00", "0000", "00FF", "01", "61", "6100", "610000", "6101", "FF")) {
      parts.add(HexFormat.of().parseHex(hex));
    }
    parts.addAll(
        List.of("", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "a\u0001", "aa", "b", "\u007f"));
    parts.addAll(List.of("\u0080", "\uffff", "\ud83d\ude00"));
    parts.addAll(tuples());
    parts.addAll(integers());
    parts.addAll(floats());
    parts.addAll(doubles());
    parts.addAll(List.of(false, true));
    parts.addAll(List.of(new UUID(0, 0), new UUID(0, -1), new UUID(1, 0), new UUID(-1, 5)));
    parts.addAll(decimals());
    parts.addAll(List.of(LocalDate.MIN, LocalDate.of(1969, 12, 31), LocalDate.EPOCH));
    parts.addAll(List.of(LocalDate.of(2026, 3, 1), LocalDate.MAX));
    parts.addAll(List.of(LocalTime.MIN, LocalTime.of(0, 0, 0, 1), LocalTime.NOON, LocalTime.MAX));
    parts.addAll(List.of(Instant.MIN, Instant.ofEpochSecond(-1, 999_999_999), Instant.EPOCH));
    parts.addAll(List.of(Instant.ofEpochSecond(0, 1), Instant.ofEpochSecond(1), Instant.MAX));
    LocalDateTime noon = LocalDate.of(2026, 3, 1).atTime(LocalTime.NOON);
    parts.addAll(List.of(LocalDateTime.MIN, noon.minusNanos(1), noon, noon.plusDays(1)));
    parts.add(LocalDateTime.MAX);
    parts.addAll(zoned());
    return parts;
  }

  private static List<Object> zoned() {
    Instant beforeHoursRepeat = Instant.parse("2026-10-25T00:30:00Z");
    ZonedDateTime zurich = beforeHoursRepeat.atZone(ZoneId.of("Europe/Zurich"));
    return List.of(
        LocalDateTime.MIN.atZone(ZoneOffset.UTC),
        beforeHoursRepeat.atZone(ZoneOffset.ofHours(-5)),
        beforeHoursRepeat.atZone(ZoneId.of("Asia/Kathmandu")),
        zurich,
        beforeHoursRepeat.atZone(ZoneOffset.UTC),
        zurich.plusNanos(1),
        zurich.plusHours(1), // the same local time as an hour before
        LocalDateTime.MAX.atZone(ZoneOffset.UTC));
  }

  private static List<Object> tuples() {
    return List.of(
        List.of(),
        Arrays.asList((Object) null),
        Arrays.asList(null, null),
        Arrays.asList(null, "a"),
        List.of("a"),
        Arrays.asList("a", null),
        List.of("a", 1L),
        List.of("a\0"),
        List.of(List.of()),
        List.of(List.of("a"), 1L),
        List.of(List.of("a\0")),
        List.of(1L, 2L));
  }

  private static List<Object> integers() {
    List<Object> ascending = new ArrayList<>();
    BigInteger one = BigInteger.ONE;
    for (int bytes : new int[] {255, 17, 9, 8, 7, 2, 1}) {
      BigInteger end = one.shiftLeft(8 * bytes);
      ascending.add(end.negate().add(one));
      ascending.add(end.shiftRight(1).negate());
      ascending.add(end.shiftRight(1).negate().add(one));
      ascending.add(end.shiftRight(8).negate());
    }
    int negative = ascending.size();
    ascending.add(BigInteger.ZERO);
    for (int i = negative - 1; i >= 0; i--) {
      ascending.add(((BigInteger) ascending.get(i)).negate());
    }
    return ascending.stream()
        .map(BigInteger.class::cast)
        .distinct()
        .map(value -> value.bitLength() < 64 ? (Object) value.longValue() : value)
        .toList();
  }

  private static List<Object> floats() {
    float[] values = {
      Float.intBitsToFloat(-1),
      Float.NEGATIVE_INFINITY,
      -Float.MAX_VALUE,
      -1,
      -Float.MIN_VALUE,
      -0f,
      0f,
      Float.MIN_VALUE,
      1,
      1.5f,
      Float.MAX_VALUE,
      Float.POSITIVE_INFINITY,
      Float.NaN
    };
    List<Object> parts = new ArrayList<>();
    for (float value : values) {
      parts.add(value);
    }
    return parts;
  }

  private static List<Object> doubles() {
    return List.of(
        Double.longBitsToDouble(-1L),
        Double.NEGATIVE_INFINITY,
        -Double.MAX_VALUE,
        -1.0,
        -Double.MIN_VALUE,
        -0.0,
        0.0,
        Double.MIN_VALUE,
        1.0,
        Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        Double.NaN);
  }

  private static List<Object> decimals() {
    return new ArrayList<>(
        List.of(
            new BigDecimal(BigInteger.TEN.pow(99).add(BigInteger.ONE).negate(), -2147483000),
            new BigDecimal("-1E100"),
            new BigDecimal("-1E+2"),
            new BigDecimal("-99.99"),
            new BigDecimal("-99.9"),
            new BigDecimal("-1.01"),
            new BigDecimal("-1"),
            new BigDecimal("-0.9"),
            new BigDecimal("-1E-100"),
            BigDecimal.ZERO,
            new BigDecimal("1E-100"),
            new BigDecimal("0.001"),
            new BigDecimal("0.0011"),
            new BigDecimal("0.5"),
            new BigDecimal("1"),
            new BigDecimal("1.000001"),
            new BigDecimal("1.01"),
            new BigDecimal("1.1"),
            new BigDecimal("9"),
            new BigDecimal("10").stripTrailingZeros(),
            new BigDecimal("10.5"),
            new BigDecimal("11"),
            new BigDecimal("123456789012345678901234567890.12"),
            new BigDecimal("1E+2147483640")));
  }

  // ---------------------------------------------------------------- order

  @Test
  void encodingsSortAsValues() {
    for (int i = 0; i < ASCENDING.size(); i++) {
      for (int j = 0; j < ASCENDING.size(); j++) {
        Object left = ASCENDING.get(i);
        Object right = ASCENDING.get(j);
        int order = Integer.compare(i, j);
        assertOrder(order, TupleWriter.encode(left), TupleWriter.encode(right), left, right);
        assertOrder(
            -order,
            TupleWriter.encode(new Descending(left)),
            TupleWriter.encode(new Descending(right)),
            left,
            right);
        assertOrder(
            order,
            TupleWriter.encode(List.of(left)),
            TupleWriter.encode(List.of(right)),
            left,
            right);
      }
    }
  }

  @Test
  void nullSortsFirstAndLastIfDescending() {
    byte[] none = TupleWriter.encode((Object) null);
    byte[] last = TupleWriter.encode(new Descending(null));
    for (Object part : ASCENDING) {
      assertOrder(-1, none, TupleWriter.encode(part), null, part);
      assertOrder(1, last, TupleWriter.encode(new Descending(part)), null, part);
    }
  }

  /** What follows a part must not change its order, nor what is before it. */
  @Test
  void tuplesOfTwoPartsSortByTheFirstAndThenByTheSecond() {
    SplittableRandom random = new SplittableRandom(1);
    Object[] seconds = {null, new byte[] {-1, -1}, "\0", List.of(), -1L, new Descending(null)};
    for (int tries = 0; tries < 200_000; tries++) {
      int i = random.nextInt(ASCENDING.size());
      int j = tries % 2 == 0 ? i : Math.clamp(i + random.nextInt(-2, 3), 0, ASCENDING.size() - 1);
      int k = random.nextInt(seconds.length);
      int l = random.nextInt(seconds.length);
      boolean descends = random.nextBoolean();
      Object left = descends ? new Descending(ASCENDING.get(i)) : ASCENDING.get(i);
      Object right = descends ? new Descending(ASCENDING.get(j)) : ASCENDING.get(j);
      int first = descends ? Integer.compare(j, i) : Integer.compare(i, j);
      assertOrder(
          first != 0 ? first : Integer.compare(k, l),
          TupleWriter.encode(left, seconds[k]),
          TupleWriter.encode(right, seconds[l]),
          left,
          right);
    }
  }

  @Test
  void tuplesThatBeginWithAPartLieBelowItsBytesAndFf() {
    Object[] seconds = {null, new byte[] {-1, -1}, "\0", new Descending(null)};
    int others = 0;
    for (boolean descends : new boolean[] {false, true}) {
      for (Object part : ASCENDING) {
        byte[] from = TupleWriter.encode(descends ? new Descending(part) : part);
        byte[] to = Arrays.copyOf(from, from.length + 1);
        to[from.length] = -1;
        for (Object first : ASCENDING) {
          for (Object second : seconds) {
            byte[] tuple = TupleWriter.encode(descends ? new Descending(first) : first, second);
            boolean isBetween =
                Arrays.compareUnsigned(tuple, from) >= 0 && Arrays.compareUnsigned(tuple, to) < 0;
            assertEquals(first == part, isBetween, () -> hex(tuple) + " begins with " + hex(from));
            boolean beginsSo = Arrays.equals(from, Arrays.copyOf(tuple, from.length));
            if (beginsSo && first != part) {
              others++;
              assertEquals(0xFF, tuple[from.length] & 0xFF, () -> hex(tuple));
              assertTrue(part instanceof String || part instanceof byte[] || part instanceof List);
            }
          }
        }
      }
    }
    assertTrue(others > 0, "bytes alone tell the tuples that begin with a part");
  }

  private static void assertOrder(int order, byte[] left, byte[] right, Object one, Object other) {
    assertEquals(
        order,
        Integer.signum(Arrays.compareUnsigned(left, right)),
        () -> "%s is %s, %s is %s".formatted(one, hex(left), other, hex(right)));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  // ---------------------------------------------------------------- format

  @ParameterizedTest
  @CsvSource({
    "0, 14",
    "1, 1501",
    "255, 15ff",
    "256, 160100",
    "-1, 13fe",
    "-255, 1300",
    "-256, 12feff",
    "9223372036854775807, 1c7fffffffffffffff",
    "-9223372036854775808, 0c7fffffffffffffff"
  })
  void integersAreAsShortAsCanBe(long value, String hex) {
    assertEquals(hex, hex(TupleWriter.encode(value)));
  }

  @Test
  void formatIsThatOfFoundationDb() {
    for (Object part : ASCENDING) {
      if (TupleWriter.encode(part)[0] < TupleCode.DECIMAL) {
        assertArrayEquals(Tuple.from(part).pack(), TupleWriter.encode(part), () -> "" + part);
        assertEqualParts(part, Tuple.fromBytes(TupleWriter.encode(part)).get(0));
      }
    }
    Object[] many = {null, "a", List.of("b", 1L, List.of()), true, 2.5, new byte[] {0}, -7L};
    assertArrayEquals(Tuple.from(many).pack(), TupleWriter.encode(many));
  }

  @Test
  void decimalsTakeAByteForTwoDigits() {
    assertEquals("400315020d2300", hex(TupleWriter.encode(new BigDecimal("12.34"))));
    assertEquals("400113fdf2dcff", hex(TupleWriter.encode(new BigDecimal("-12.34"))));
  }

  // ---------------------------------------------------------------- round trip

  @Test
  void partsAreReadAsTheyWereWritten() {
    for (Object part : ASCENDING) {
      assertEqualParts(part, TupleReader.decode(TupleWriter.encode(part)).getFirst());
      List<Object> parts =
          TupleReader.decode(
              TupleWriter.encode(1L, new Descending(part), List.of(new Descending(part)), "z"));
      assertEqualParts(part, parts.get(1));
      assertEqualParts(List.of(part), parts.get(2));
      assertEquals("z", parts.get(3));
    }
    assertNull(TupleReader.decode(TupleWriter.encode((Object) null)).getFirst());
    assertNull(TupleReader.decode(TupleWriter.encode(new Descending(null))).getFirst());
  }

  private static void assertEqualParts(Object expected, Object actual) {
    if (expected instanceof byte[] bytes) {
      assertArrayEquals(bytes, (byte[]) actual);
    } else if (expected instanceof List<?> list) {
      List<?> others = (List<?>) actual;
      assertEquals(list.size(), others.size());
      for (int i = 0; i < list.size(); i++) {
        assertEqualParts(list.get(i), others.get(i));
      }
    } else {
      assertEquals(expected, actual);
    }
  }

  @Test
  void typedMethodsWriteWhatObjectsAre() {
    TupleWriter writer = new TupleWriter().add("old");
    UUID id = new UUID(3, 4);
    writer.clear().addNull().add(true).add(5).add(2f).add(3.0).add("s").descending().add(id).add(6);
    Object[] parts = {null, true, (byte) 5, 2f, 3.0, "s", new Descending(id), (short) 6};
    assertArrayEquals(TupleWriter.encode(parts), writer.toBytes());
    assertEquals(writer.toBytes().length, writer.size());
  }

  @Test
  void typedMethodsReadWhatTypedMethodsWrite() {
    BigInteger large = BigInteger.TWO.pow(90);
    LocalDate day = LocalDate.of(2026, 3, 1);
    ZonedDateTime zoned = day.atStartOfDay(ZoneId.of("Europe/Zurich"));
    TupleWriter writer = new TupleWriter();
    writer.addNull().add(true).descending().add(5).add(large).add(BigInteger.TWO).add(2f).add(3.0);
    writer.add(new BigDecimal("1.50")).add("s").add(new byte[] {1, 0}).add(new UUID(3, 4)).add(day);
    writer.add(LocalTime.NOON).add(Instant.EPOCH).add(day.atTime(LocalTime.MAX)).add(zoned);
    writer.add(Arrays.asList(1L, null)).descending().addNull().add(6);

    TupleReader reader = new TupleReader(writer.segment());
    assertTrue(reader.skipNull());
    assertFalse(reader.skipNull());
    assertTrue(reader.nextBoolean());
    assertEquals(5, reader.nextLong());
    assertEquals(large, reader.nextBigInteger());
    assertEquals(BigInteger.TWO, reader.nextBigInteger());
    assertEquals(2f, reader.nextFloat());
    assertEquals(3.0, reader.nextDouble());
    assertEquals(new BigDecimal("1.5"), reader.nextBigDecimal());
    assertEquals("s", reader.nextString());
    assertArrayEquals(new byte[] {1, 0}, reader.nextBytes());
    assertEquals(new UUID(3, 4), reader.nextUuid());
    assertEquals(day, reader.nextLocalDate());
    assertEquals(LocalTime.NOON, reader.nextLocalTime());
    assertEquals(Instant.EPOCH, reader.nextInstant());
    assertEquals(day.atTime(LocalTime.MAX), reader.nextLocalDateTime());
    assertEquals(zoned, reader.nextZonedDateTime());
    assertEquals(Arrays.asList(1L, null), reader.nextList());
    assertTrue(reader.skipNull());
    assertEquals(6, reader.nextLong());
    assertFalse(reader.hasNext());
    assertThrows(NoSuchElementException.class, reader::next);
    assertThrows(NoSuchElementException.class, reader::skipNull);
    assertThrows(NoSuchElementException.class, reader::nextUuid);
  }

  @Test
  void typedMethodsRefuseOtherTypesByNameAndStayBeforeThePart() {
    Map<String, Function<TupleReader, Object>> methods = new LinkedHashMap<>();
    methods.put("boolean", TupleReader::nextBoolean);
    methods.put("long", TupleReader::nextLong);
    methods.put("integer", TupleReader::nextBigInteger);
    methods.put("float", TupleReader::nextFloat);
    methods.put("double", TupleReader::nextDouble);
    methods.put("decimal", TupleReader::nextBigDecimal);
    methods.put("string", TupleReader::nextString);
    methods.put("bytes", TupleReader::nextBytes);
    methods.put("UUID", TupleReader::nextUuid);
    methods.put("date", TupleReader::nextLocalDate);
    methods.put("time of day", TupleReader::nextLocalTime);
    methods.put("instant", TupleReader::nextInstant);
    methods.put("date with a time of day", TupleReader::nextLocalDateTime);
    methods.put("instant in a time zone", TupleReader::nextZonedDateTime);
    methods.put("tuple", TupleReader::nextList);
    TupleReader nulls = new TupleReader(TupleWriter.encode("a", null));
    nulls.nextString();
    methods.forEach(
        (name, method) -> {
          boolean isList = name.equals("tuple");
          Object other = isList ? 5L : List.of();
          TupleReader reader = new TupleReader(TupleWriter.encode(new Descending(other), "z"));
          assertRefused(
              "the part at byte 0 is a " + (isList ? "Long" : "tuple") + ", no " + name,
              () -> method.apply(reader));
          assertEquals(other, reader.next());
          assertEquals("z", reader.nextString());
          assertRefused("the part at byte 3 is null, no " + name, () -> method.apply(nulls));
        });
    TupleReader large = new TupleReader(TupleWriter.encode(BigInteger.TWO.pow(90)));
    assertRefused("the part at byte 0 is a BigInteger, no long", large::nextLong);
  }

  private static void assertRefused(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }

  @Test
  void decimalsThatAreEqualHaveTheSameBytes() {
    assertArrayEquals(
        TupleWriter.encode(new BigDecimal("1.5")), TupleWriter.encode(new BigDecimal("1.500")));
    assertArrayEquals(
        TupleWriter.encode(BigDecimal.ZERO), TupleWriter.encode(new BigDecimal("0E+7")));
  }

  // ---------------------------------------------------------------- refusals

  @Test
  void whatCannotBeWrittenIsRefusedAndLeavesTheTupleAsItWas() {
    TupleWriter writer = new TupleWriter().add("kept");
    byte[] before = writer.toBytes();
    List<Object> deep = List.of();
    for (int i = 0; i < TupleCode.MOST_DEPTH; i++) {
      deep = List.of(deep);
    }
    Object[] refused = {
      'c',
      "\ud83d",
      "a\ude00",
      BigInteger.ONE.shiftLeft(8 * 255),
      new BigDecimal(BigInteger.TEN, Integer.MIN_VALUE),
      List.of("a", List.of(1L, 'c')),
      new Descending(List.of("a", new Descending('c'))),
      new Descending(new Descending(1L)),
      new Descending('c'),
      deep
    };
    for (Object part : refused) {
      assertThrows(IllegalArgumentException.class, () -> writer.add(part), () -> "" + part);
      assertArrayEquals(before, writer.toBytes(), () -> "" + part);
    }
    assertThrows(IllegalArgumentException.class, () -> writer.descending().add("\ud83d"));
    assertArrayEquals(TupleWriter.encode("kept", 1L), writer.add(1).toBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "06, no part begins with 06",
    "ff, no part begins with ff",
    "1e00, no part begins with 1e",
    "0261, the tuple ends in the middle of a part",
    "160001, the integer is longer than it needs to be",
    "12ffff, the integer is longer than it needs to be",
    "1d0801ffffffffffffff, the integer is longer than it needs to be",
    "1d09000000000000000001, the integer is longer than it needs to be",
    "02ff00, what follows is not UTF-8",
    "0500ff, the tuple ends in the middle of a part",
    "4004, it is not the sign of a decimal",
    "4003150100, the decimal has zeros that it does not need",
    "400315010200, the decimal has zeros that it does not need",
    "400315010b0100, the decimal has zeros that it does not need",
    "4003150170, it is not a pair of digits",
    "40031501" + "6600, it is not a pair of digits",
    "40031b01000000000000" + "0b00, the decimal's exponent is out of range",
    "4214ff, no part begins with ff",
    "4213fe, the time of day is out of range",
    "411c7fffffffffffffff, the date is out of range",
    "411d09010000000000000000, the integer is no long",
    "4314183b9aca00, the instant has 1000000000 nanoseconds",
    "431c7fffffffffffffff14, the instant is out of range",
    "4414ff, no part begins with ff",
    "451414583000, there is no time zone",
    "451c7fffffffffffffff145a00, the instant is out of range",
    "4514145554432b3200, '''UTC+2'' is not how a time zone is written'",
    "4db2ea, the part is descending twice",
    "4dfd9eff01, it is not the second zero of an end"
  })
  void damagedTuplesAreRefused(String hex, String why) {
    byte[] damaged = HexFormat.of().parseHex(hex);
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> TupleReader.decode(damaged));
    assertTrue(refused.getMessage().startsWith("no tuple: byte "), refused.getMessage());
    assertTrue(refused.getMessage().contains(": " + why), refused.getMessage());
  }

  @Test
  void tuplesNestedTooDeepAreRefused() {
    byte[] damaged = new byte[100_000];
    Arrays.fill(damaged, (byte) TupleCode.TUPLE);
    assertThrows(IllegalArgumentException.class, () -> TupleReader.decode(damaged));
  }

  @Test
  void readerStaysBeforeWhatItRefuses() {
    byte[] damaged = HexFormat.of().parseHex("1501" + "4d" + "fa9eff");
    TupleReader reader = new TupleReader(damaged);
    assertEquals(1L, reader.next());
    assertThrows(IllegalArgumentException.class, reader::next);
    assertThrows(IllegalArgumentException.class, reader::next);
    assertTrue(reader.hasNext());
  }

  /** There is one encoding of each tuple, so what can be read is what would be written. */
  @Property
  void anyBytesAreRefusedOrReadAsWhatWouldBeWritten(
      @ForAll @Size(max = 24) byte[] bytes, @ForAll int seed) {
    byte[] changed = seed % 2 == 0 ? bytes : change(bytes, seed);
    try {
      List<Object> parts = TupleReader.decode(changed);
      if (new String(changed, StandardCharsets.ISO_8859_1).indexOf(TupleCode.DESCENDING) < 0) {
        assertArrayEquals(changed, TupleWriter.encode(parts.toArray()), () -> hex(changed));
      }
    } catch (IllegalArgumentException refused) {
      assertTrue(refused.getMessage().startsWith("no tuple: byte "), refused.getMessage());
    }
  }

  /** Returns a tuple, a byte of which may have changed. */
  private static byte[] change(byte[] bytes, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Object part = ASCENDING.get(random.nextInt(ASCENDING.size()));
    byte[] tuple = TupleWriter.encode(part, new Descending(part), bytes);
    tuple[random.nextInt(tuple.length)] ^= (byte) (1 << random.nextInt(8));
    return tuple;
  }
}
