// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.TestSize;
import dev.espalier.tuple.Descending;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BytesCodecsTest {
  private final Random random = new Random(7);

  @Test
  void longsKeepTheirOrder() {
    assertKeepsOrder(
        BytesKeyCodec.ofLong(),
        sample(random::nextLong, List.of(0L, -1L, 1L, 255L, 256L, Long.MIN_VALUE, Long.MAX_VALUE)),
        Comparator.naturalOrder());
  }

  @Test
  void intsKeepTheirOrder() {
    assertKeepsOrder(
        BytesKeyCodec.ofInt(),
        sample(random::nextInt, List.of(0, -1, 1, 127, 128, Integer.MIN_VALUE, Integer.MAX_VALUE)),
        Comparator.naturalOrder());
  }

  @Test
  void stringsAreInTheOrderOfCodePoints() {
    int[] points = {0, 1, 'a', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000};
    assertKeepsOrder(
        BytesKeyCodec.ofString(),
        sample(
            () -> {
              StringBuilder letters = new StringBuilder();
              for (int i = random.nextInt(5); i > 0; i--) {
                letters.appendCodePoint(points[random.nextInt(points.length)]);
              }
              return letters.toString();
            },
            List.of("", "a", "a\0", "\uDBFF\uDFFF")),
        BytesMapContract::compareCodePoints);
  }

  @Test
  void uuidsAreInTheOrderOfTheirDigits() {
    assertKeepsOrder(
        BytesKeyCodec.ofUuid(),
        sample(
            () -> new UUID(random.nextLong() >> random.nextInt(64), random.nextLong()),
            List.of(
                new UUID(0, 0),
                new UUID(0, -1),
                new UUID(-1, 0),
                new UUID(Long.MIN_VALUE, Long.MAX_VALUE))),
        Comparator.comparing(UUID::toString));
  }

  @Test
  void arraysAreInUnsignedOrder() {
    NastyBytes bytes = new NastyBytes(7);
    BytesKeyCodec<byte[]> codec = BytesKeyCodec.ofBytes();
    Comparator<? super byte[]> order = codec.comparator();
    for (int i = 0; i < 2000; i++) {
      byte[] a = bytes.key();
      byte[] b = bytes.key();
      assertEquals(
          Integer.signum(Arrays.compareUnsigned(a, b)), Integer.signum(order.compare(a, b)));
      assertArrayEquals(a, codec.decode(codec.encode(a)));
    }
  }

  @Test
  void tuplesAreInTheOrderOfTheirParts() {
    BytesKeyCodec<List<@Nullable Object>> codec = BytesKeyCodec.ofTuple();
    List<List<@Nullable Object>> ascending =
        List.of(
            List.of(),
            List.of("Bern"),
            List.of("Bern", -5L),
            List.of("Bern", 3L),
            List.of("Bern\0", -5L),
            List.of("Zug", 300L, new Descending(2L)),
            List.of("Zug", 300L, new Descending(1L)));
    Comparator<? super List<@Nullable Object>> order = codec.comparator();
    for (int i = 0; i < ascending.size(); i++) {
      for (int j = 0; j < ascending.size(); j++) {
        int expected = Integer.compare(i, j);
        assertEquals(expected, Integer.signum(order.compare(ascending.get(i), ascending.get(j))));
        assertEquals(
            expected,
            Integer.signum(
                Arrays.compareUnsigned(
                    codec.encode(ascending.get(i)), codec.encode(ascending.get(j)))));
      }
    }
    List<@Nullable Object> row = Arrays.asList("Zug", null, 7, new BigDecimal("1.5"));
    assertEquals(
        Arrays.asList("Zug", null, 7L, new BigDecimal("1.5")), codec.decode(codec.encode(row)));
  }

  @Test
  void valuesComeBack() {
    assertRoundTrip(BytesValueCodec.ofLong(), 0L, -1L, Long.MIN_VALUE);
    assertRoundTrip(BytesValueCodec.ofInt(), 0, -1, Integer.MAX_VALUE);
    assertRoundTrip(BytesValueCodec.ofString(), "", "\0", "gr\u00FC\u00DFe \uD83D\uDE00");
    assertRoundTrip(BytesValueCodec.ofUuid(), new UUID(1, 2));
    assertRoundTrip(BytesValueCodec.ofTuple(), Arrays.asList(1L, null, "x"));
    assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 1, 0}, BytesValueCodec.ofLong().encode(256L));
    BytesValueCodec<byte[]> arrays = BytesValueCodec.ofBytes();
    assertArrayEquals(new byte[] {1, 2}, arrays.decode(arrays.encode(new byte[] {1, 2})));
  }

  @Test
  void halfOfASurrogatePairIsRefused() {
    for (String half : List.of("\uD83D", "a\uDE00", "\uDE00\uD83D", "\uD83Da")) {
      assertThrows(IllegalArgumentException.class, () -> BytesKeyCodec.ofString().encode(half));
      assertThrows(IllegalArgumentException.class, () -> BytesValueCodec.ofString().encode(half));
    }
  }

  @Test
  void bytesThatNoCodecStoresAreRefused() {
    byte[] three = {(byte) 0xC0, (byte) 0x80, (byte) 0xFF};
    for (BytesKeyCodec<?> codec :
        List.of(
            BytesKeyCodec.ofLong(),
            BytesKeyCodec.ofInt(),
            BytesKeyCodec.ofUuid(),
            BytesKeyCodec.ofString(),
            BytesKeyCodec.ofTuple())) {
      assertThrows(IllegalArgumentException.class, () -> codec.decode(three.clone()));
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what this test is about.
  void nullIsRefused() {
    for (BytesKeyCodec<?> codec :
        List.of(
            BytesKeyCodec.ofLong(),
            BytesKeyCodec.ofInt(),
            BytesKeyCodec.ofUuid(),
            BytesKeyCodec.ofString(),
            BytesKeyCodec.ofBytes(),
            BytesKeyCodec.ofTuple())) {
      assertThrows(NullPointerException.class, () -> codec.encode(null));
    }
  }

  private static <T> List<T> sample(Supplier<T> random, List<T> borders) {
    return Stream.concat(borders.stream(), Stream.generate(random).limit(TestSize.of(60, 120)))
        .toList();
  }

  /** Compares all pairs, by the order expected, by the bytes and by the codec's comparator. */
  private static <K> void assertKeepsOrder(
      BytesKeyCodec<K> codec, List<K> keys, Comparator<? super K> expected) {
    Comparator<? super K> declared = codec.comparator();
    Comparator<? super K> order = declared == null ? expected : declared;
    List<byte[]> stored = new ArrayList<>();
    keys.forEach(key -> stored.add(codec.encode(key)));
    for (int i = 0; i < keys.size(); i++) {
      assertEquals(keys.get(i), codec.decode(stored.get(i)));
      for (int j = 0; j < keys.size(); j++) {
        int sign = Integer.signum(expected.compare(keys.get(i), keys.get(j)));
        assertEquals(sign, Integer.signum(Arrays.compareUnsigned(stored.get(i), stored.get(j))));
        assertEquals(sign, Integer.signum(order.compare(keys.get(i), keys.get(j))));
      }
    }
  }

  @SafeVarargs
  private static <V> void assertRoundTrip(BytesValueCodec<V> codec, V... values) {
    for (V value : values) {
      assertEquals(value, codec.decode(codec.encode(value)));
    }
  }
}
