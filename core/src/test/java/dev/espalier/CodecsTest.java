// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class CodecsTest {
  private static final long NAN_WITH_PAYLOAD = 0x7ff0_0000_0000_0001L;

  @Property
  void longKeysKeepTheirOrder(@ForAll long a, @ForAll long b) {
    assertOrderKept(KeyCodec.ofLong(), a, b);
  }

  @Property
  void unsignedLongKeysKeepTheirOrder(@ForAll long a, @ForAll long b) {
    assertOrderKept(KeyCodec.ofUnsignedLong(), a, b);
  }

  @Property
  void intKeysKeepTheirOrder(@ForAll int a, @ForAll int b) {
    assertOrderKept(KeyCodec.ofInt(), a, b);
  }

  /** Random bits, as random doubles are never NaN and seldom denormal. */
  @Property
  void doubleKeysKeepTheirOrder(@ForAll long a, @ForAll long b) {
    assertOrderKept(KeyCodec.ofDouble(), Double.longBitsToDouble(a), Double.longBitsToDouble(b));
  }

  @Property
  void floatKeysKeepTheirOrder(@ForAll int a, @ForAll int b) {
    assertOrderKept(KeyCodec.ofFloat(), Float.intBitsToFloat(a), Float.intBitsToFloat(b));
  }

  @Property
  void dateKeysKeepTheirOrder(
      @ForAll @LongRange(min = -365_243_219_162L, max = 365_241_780_471L) long a,
      @ForAll @LongRange(min = -365_243_219_162L, max = 365_241_780_471L) long b) {
    assertOrderKept(KeyCodec.ofLocalDate(), LocalDate.ofEpochDay(a), LocalDate.ofEpochDay(b));
  }

  @Property
  void dateTimeKeysKeepTheirOrder(@ForAll long a, @ForAll long b) {
    assertOrderKept(KeyCodec.ofLocalDateTime(), dateTime(a), dateTime(b));
  }

  @Property
  void instantKeysKeepTheirOrder(@ForAll long a, @ForAll long b) {
    assertOrderKept(KeyCodec.ofInstant(), instant(a), instant(b));
  }

  @Property
  void valuesComeBackAsTheyWere(@ForAll long bits) {
    int intBits = (int) bits;
    assertComesBack(ValueCodec.ofLong(), bits);
    assertComesBack(ValueCodec.ofInt(), intBits);
    assertComesBack(ValueCodec.ofDouble(), Double.longBitsToDouble(bits));
    assertComesBack(ValueCodec.ofFloat(), Float.intBitsToFloat(intBits));
    assertComesBack(ValueCodec.ofLocalDate(), LocalDate.ofEpochDay(intBits));
    assertComesBack(ValueCodec.ofLocalDateTime(), dateTime(bits));
    assertComesBack(ValueCodec.ofInstant(), instant(bits));
  }

  @Test
  void extremeDoublesAscend() {
    assertAscend(
        KeyCodec.ofDouble(),
        List.of(
            Double.NEGATIVE_INFINITY,
            -Double.MAX_VALUE,
            -1.0,
            -Double.MIN_NORMAL,
            -Double.MIN_VALUE,
            -0.0,
            0.0,
            Double.MIN_VALUE,
            Double.MIN_NORMAL,
            1.0,
            Double.MAX_VALUE,
            Double.POSITIVE_INFINITY,
            Double.NaN));
  }

  @Test
  void extremeFloatsAscend() {
    assertAscend(
        KeyCodec.ofFloat(),
        List.of(
            Float.NEGATIVE_INFINITY,
            -Float.MAX_VALUE,
            -1.0f,
            -Float.MIN_VALUE,
            -0.0f,
            0.0f,
            Float.MIN_VALUE,
            1.0f,
            Float.MAX_VALUE,
            Float.POSITIVE_INFINITY,
            Float.NaN));
  }

  @Test
  void extremeIntegersAscend() {
    assertAscend(KeyCodec.ofLong(), List.of(Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE));
    assertAscend(KeyCodec.ofUnsignedLong(), List.of(0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE, -1L));
    assertAscend(KeyCodec.ofInt(), List.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE));
    assertAscend(KeyCodec.ofLocalDate(), List.of(LocalDate.MIN, LocalDate.EPOCH, LocalDate.MAX));
  }

  @Test
  void allNaNsAreOneKey() {
    assertEquals(
        KeyCodec.ofDouble().encode(Double.NaN),
        KeyCodec.ofDouble().encode(Double.longBitsToDouble(NAN_WITH_PAYLOAD)));
    assertEquals(
        KeyCodec.ofFloat().encode(Float.NaN),
        KeyCodec.ofFloat().encode(Float.intBitsToFloat(0x7f80_0001)));
  }

  @Test
  void valuesAreStoredAsReadersOfTheIndexExpect() {
    assertEquals(Double.doubleToRawLongBits(-1.5), ValueCodec.ofDouble().encode(-1.5));
    assertEquals(Float.floatToRawIntBits(-1.5f), ValueCodec.ofFloat().encode(-1.5f));
    assertEquals(-1, ValueCodec.ofInt().encode(-1));
    assertEquals(
        NAN_WITH_PAYLOAD, ValueCodec.ofDouble().encode(Double.longBitsToDouble(NAN_WITH_PAYLOAD)));
  }

  @Test
  void timesAreStoredAsNanosecondsToTheEndsOfTheRange() {
    Map<String, Long> nanosOf =
        Map.of(
            "1677-09-21T00:12:43.145224192",
            Long.MIN_VALUE,
            "1969-12-31T23:59:59.999999999",
            -1L,
            "1970-01-01T00:00:01.000000002",
            1_000_000_002L,
            "2262-04-11T23:47:16.854775807",
            Long.MAX_VALUE);
    nanosOf.forEach(
        (text, nanos) -> {
          assertEquals(nanos, KeyCodec.ofInstant().encode(Instant.parse(text + "Z")));
          assertEquals(nanos, KeyCodec.ofLocalDateTime().encode(LocalDateTime.parse(text)));
        });
  }

  @Test
  void timeOutsideTheRangeIsNamedWithTheRange() {
    Instant max = Instant.parse("2262-04-11T23:47:16.854775807Z");
    Instant min = Instant.parse("1677-09-21T00:12:43.145224192Z");
    for (Instant outside : List.of(max.plusNanos(1), min.minusNanos(1), Instant.MIN, Instant.MAX)) {
      assertRefused(KeyCodec.ofInstant(), outside, min, max);
    }
    LocalDateTime maxTime = LocalDateTime.ofInstant(max, ZoneOffset.UTC);
    LocalDateTime minTime = LocalDateTime.ofInstant(min, ZoneOffset.UTC);
    for (LocalDateTime outside :
        List.of(
            maxTime.plusNanos(1), minTime.minusNanos(1), LocalDateTime.MIN, LocalDateTime.MAX)) {
      assertRefused(KeyCodec.ofLocalDateTime(), outside, minTime, maxTime);
    }
  }

  @Test
  void longThatIsNoIntIsNotCutDown() {
    assertThrows(ArithmeticException.class, () -> KeyCodec.ofInt().decode(1L << 32));
    assertThrows(ArithmeticException.class, () -> ValueCodec.ofFloat().decode(1L << 32));
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what this test is about.
  void nullIsRefused() {
    List<KeyCodec<?>> keyCodecs =
        List.of(
            KeyCodec.ofLong(),
            KeyCodec.ofUnsignedLong(),
            KeyCodec.ofInt(),
            KeyCodec.ofDouble(),
            KeyCodec.ofFloat(),
            KeyCodec.ofLocalDate(),
            KeyCodec.ofLocalDateTime(),
            KeyCodec.ofInstant());
    for (KeyCodec<?> codec : keyCodecs) {
      assertThrows(NullPointerException.class, () -> codec.encode(null));
    }
    List<ValueCodec<?>> valueCodecs =
        List.of(
            ValueCodec.ofLong(),
            ValueCodec.ofInt(),
            ValueCodec.ofDouble(),
            ValueCodec.ofFloat(),
            ValueCodec.ofLocalDate(),
            ValueCodec.ofLocalDateTime(),
            ValueCodec.ofInstant());
    for (ValueCodec<?> codec : valueCodecs) {
      assertThrows(NullPointerException.class, () -> codec.encode(null));
    }
  }

  @Property
  void mapOfDoublesIsSortedAsTreeMapSorts(@ForAll List<Long> bits) {
    assertSortedAsTreeMap(KeyCodec.ofDouble(), bits, Double::longBitsToDouble);
  }

  @Property
  void mapOfUnsignedLongsIsSortedAsTreeMapSorts(@ForAll List<Long> bits) {
    assertSortedAsTreeMap(KeyCodec.ofUnsignedLong(), bits, Function.identity());
  }

  private static <K> void assertSortedAsTreeMap(
      KeyCodec<K> codec, List<Long> bits, Function<Long, K> keyOf) {
    NavigableMap<K, Integer> expected = new TreeMap<>(codec.comparator());
    NavigableMap<K, Integer> map = new ModelIndex().asMap(codec, ValueCodec.ofInt());
    for (int i = 0; i < bits.size(); i++) {
      K key = keyOf.apply(bits.get(i));
      assertEquals(expected.put(key, i), map.put(key, i));
    }
    assertEquals(new ArrayList<>(expected.entrySet()), new ArrayList<>(map.entrySet()));
    assertEquals(
        new ArrayList<>(expected.descendingMap().entrySet()),
        new ArrayList<>(map.descendingMap().entrySet()));
  }

  private static <K extends Comparable<? super K>> void assertOrderKept(
      KeyCodec<K> codec, K a, K b) {
    Comparator<? super K> declared = codec.comparator();
    int expected = declared == null ? a.compareTo(b) : declared.compare(a, b);
    int actual = Long.compare(codec.encode(a), codec.encode(b));
    assertEquals(Integer.signum(expected), actual);
    assertEquals(a, codec.decode(codec.encode(a)));
  }

  private static <K> void assertAscend(KeyCodec<K> codec, List<K> keys) {
    List<Long> encoded = keys.stream().map(codec::encode).toList();
    List<Long> sorted = new ArrayList<>(encoded);
    Collections.sort(sorted);
    assertEquals(sorted, encoded);
    assertEquals(keys.size(), encoded.stream().distinct().count());
    assertEquals(keys, encoded.stream().map(codec::decode).toList());
  }

  private static <V> void assertComesBack(ValueCodec<V> codec, V value) {
    assertEquals(value, codec.decode(codec.encode(value)));
  }

  private static <K> void assertRefused(KeyCodec<K> codec, K outside, K min, K max) {
    Exception refusal = assertThrows(IllegalArgumentException.class, () -> codec.encode(outside));
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.startsWith(outside + " is outside the range"), message);
    assertTrue(message.endsWith(min + " to " + max), message);
  }

  private static Instant instant(long nanos) {
    return Instant.EPOCH.plusNanos(nanos);
  }

  private static LocalDateTime dateTime(long nanos) {
    return LocalDate.EPOCH.atStartOfDay().plusNanos(nanos);
  }
}
