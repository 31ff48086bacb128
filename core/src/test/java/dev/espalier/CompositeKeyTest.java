// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class CompositeKeyTest {
  private static final CompositeKey LINES = CompositeKey.of(Integer.SIZE, Short.SIZE);

  private record OrderLine(int order, short line) {
    static final Comparator<OrderLine> ORDER =
        Comparator.comparingInt(OrderLine::order).thenComparingInt(OrderLine::line);

    static KeyCodec<OrderLine> codec() {
      return LINES.codec(
          OrderLine::order,
          OrderLine::line,
          (order, line) -> new OrderLine((int) order, (short) line));
    }
  }

  private record District(short warehouse, byte district, int order) {
    static final Comparator<District> ORDER =
        Comparator.comparingInt(District::warehouse)
            .thenComparingInt(District::district)
            .thenComparingInt(District::order);
  }

  @Property
  void twoIntsSortByTheFirstThenByTheSecond(
      @ForAll int first, @ForAll int second, @ForAll int otherFirst, @ForAll int otherSecond) {
    CompositeKey ints = CompositeKey.of(Integer.SIZE, Integer.SIZE);
    assertOrder(ints, first, second, otherFirst, otherSecond);
    assertOrder(ints, first, second, first, otherSecond);
  }

  @Property
  void shortAndIntSortByTheFirstThenByTheSecond(
      @ForAll short first, @ForAll int second, @ForAll short otherFirst, @ForAll int otherSecond) {
    CompositeKey key = CompositeKey.of(Short.SIZE, Integer.SIZE);
    assertOrder(key, first, second, otherFirst, otherSecond);
    assertOrder(key, first, second, first, otherSecond);
  }

  @Property
  void partsOfAnyWidthSortByTheFirstThenByTheSecond(
      @ForAll @IntRange(min = 1, max = 63) int firstBits,
      @ForAll @IntRange(min = 1, max = 63) int anyBits,
      @ForAll long first,
      @ForAll long second,
      @ForAll long otherFirst,
      @ForAll long otherSecond) {
    int secondBits = Math.min(anyBits, Long.SIZE - firstBits);
    CompositeKey key = CompositeKey.of(firstBits, secondBits);
    assertOrder(
        key,
        lowest(first, firstBits),
        lowest(second, secondBits),
        lowest(otherFirst, firstBits),
        lowest(otherSecond, secondBits));
  }

  @Property
  void mapOfTwoPartsIsSortedAsTreeMapSorts(@ForAll List<Long> words) {
    NavigableMap<OrderLine, Integer> expected = new TreeMap<>(OrderLine.ORDER);
    NavigableMap<OrderLine, Integer> map =
        new ModelIndex().asMap(OrderLine.codec(), ValueCodec.ofInt());
    for (int i = 0; i < words.size(); i++) {
      long word = words.get(i);
      OrderLine line = new OrderLine((int) (word >> 40), (short) word);
      assertEquals(expected.put(line, i), map.put(line, i));
    }
    assertEquals(new ArrayList<>(expected.entrySet()), new ArrayList<>(map.entrySet()));
  }

  @Property
  void objectsOfThreePartsSortByEachInTurn(
      @ForAll short warehouse,
      @ForAll byte district,
      @ForAll int order,
      @ForAll short otherWarehouse,
      @ForAll byte otherDistrict,
      @ForAll int otherOrder) {
    KeyCodec<District> codec =
        CompositeKey.of(Short.SIZE, Byte.SIZE, Integer.SIZE)
            .codec(
                District::warehouse,
                District::district,
                District::order,
                (a, b, c) -> new District((short) a, (byte) b, (int) c));
    District one = new District(warehouse, district, order);
    for (District other :
        List.of(
            new District(otherWarehouse, otherDistrict, otherOrder),
            new District(warehouse, otherDistrict, otherOrder),
            new District(warehouse, district, otherOrder))) {
      assertEquals(
          Integer.signum(District.ORDER.compare(one, other)),
          Long.compare(codec.encode(one), codec.encode(other)));
      assertEquals(
          Integer.signum(District.ORDER.compare(one, other)),
          Integer.signum(codec.comparator().compare(one, other)));
      assertEquals(other, codec.decode(codec.encode(other)));
    }
  }

  @Property
  void fourShortsSortByEachInTurn(@ForAll short[] one, @ForAll short[] other) {
    CompositeKey key = CompositeKey.of(Short.SIZE, Short.SIZE, Short.SIZE, Short.SIZE);
    short[] a = Arrays.copyOf(one, 4);
    short[] b = Arrays.copyOf(other, 4);
    long stored = key.encode(a[0], a[1], a[2], a[3]);
    assertEquals(
        Integer.signum(Arrays.compare(a, b)),
        Long.compare(stored, key.encode(b[0], b[1], b[2], b[3])));
    for (int i = 0; i < 4; i++) {
      assertEquals(a[i], key.part(stored, i));
    }
  }

  @Property
  void rangeOfAPrefixHasExactlyTheKeysThatBeginWithIt(
      @ForAll short first, @ForAll byte second, @ForAll int third, @ForAll long other) {
    CompositeKey key = CompositeKey.of(Short.SIZE, Byte.SIZE, Integer.SIZE);
    long stored = key.encode((short) (other >> 40), (byte) (other >> 32), (int) other);
    boolean sameFirst = key.part(stored, 0) == first;
    boolean sameTwo = sameFirst && key.part(stored, 1) == second;
    assertEquals(sameFirst, key.least(first) <= stored && stored <= key.greatest(first));
    assertEquals(
        sameTwo, key.least(first, second) <= stored && stored <= key.greatest(first, second));
    assertEquals(key.encode(first, second, third), key.least(first, second, third));
    assertEquals(key.encode(first, second, third), key.greatest(first, second, third));
    assertEquals(
        key.encode(first, Byte.MIN_VALUE, Integer.MIN_VALUE), key.least(first), "least of first");
    assertEquals(
        key.encode(first, second, Integer.MAX_VALUE), key.greatest(first, second), "greatest");
  }

  @Test
  void extremesAscendAcrossTheWholeRangeOfLongs() {
    CompositeKey ints = CompositeKey.of(Integer.SIZE, Integer.SIZE);
    assertEquals(Long.MIN_VALUE, ints.encode(Integer.MIN_VALUE, Integer.MIN_VALUE));
    assertEquals(-1, ints.encode(-1, Integer.MAX_VALUE));
    assertEquals(0, ints.encode(0, Integer.MIN_VALUE));
    assertEquals(1L << 31, ints.encode(0, 0));
    assertEquals(Long.MAX_VALUE, ints.encode(Integer.MAX_VALUE, Integer.MAX_VALUE));
    assertEquals(2, ints.parts());
  }

  @Test
  void partThatDoesNotFitIsNamedWithItsRange() {
    assertRefused(
        "part 1 is 32768; its 16 bits hold -32768 to 32767", () -> LINES.encode(1, 1 << 15));
    assertRefused(
        "part 0 is 2147483648; its 32 bits hold -2147483648 to 2147483647",
        () -> LINES.least(1L << 31));
    assertRefused(
        "part 1 is -32769; its 16 bits hold -32768 to 32767", () -> LINES.greatest(0, -32769));
  }

  @Test
  void keyOfAnotherLayoutIsRefusedAndNotCutDown() {
    assertRefused(
        "key is 9223372036854775807; it has bits outside the layout [32, 16]",
        () -> LINES.part(Long.MAX_VALUE, 0));
    assertRefused(
        "key is -9223372036854775808; it has bits outside the layout [32, 16]",
        () -> OrderLine.codec().decode(Long.MIN_VALUE));
    assertThrows(IndexOutOfBoundsException.class, () -> LINES.part(0, 2));
  }

  @Test
  void widthsThatAreNoLayoutAreRefused() {
    String mustBe = "; it must be two or more positive widths with a sum of at most 64";
    assertRefused("bits is [64]" + mustBe, () -> CompositeKey.of(64));
    assertRefused("bits is []" + mustBe, CompositeKey::of);
    assertRefused("bits is [32, 33]" + mustBe, () -> CompositeKey.of(32, 33));
    assertRefused("bits is [32, 0]" + mustBe, () -> CompositeKey.of(32, 0));
    assertRefused(
        "bits is [2147483647, 64]" + mustBe, () -> CompositeKey.of(Integer.MAX_VALUE, 64));
  }

  @Test
  void wrongNumberOfPartsIsRefused() {
    assertRefused("3 parts were given, but the layout [32, 16] has 2", () -> LINES.encode(1, 2, 3));
    assertRefused(
        "2 parts were given, but the layout [8, 8, 8] has 3",
        () -> CompositeKey.of(8, 8, 8).encode(1, 2));
    assertRefused(
        "4 parts were given, but the layout [32, 16] has 2", () -> LINES.encode(1, 2, 3, 4));
    assertRefused("prefix has 0 parts; it must have 1 to 2", LINES::least);
    assertRefused("prefix has 3 parts; it must have 1 to 2", () -> LINES.greatest(1, 2, 3));
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what this test is about.
  void nullIsRefused() {
    assertThrows(NullPointerException.class, () -> OrderLine.codec().encode(null));
  }

  private static void assertOrder(
      CompositeKey key, long first, long second, long otherFirst, long otherSecond) {
    int expected =
        first != otherFirst ? Long.compare(first, otherFirst) : Long.compare(second, otherSecond);
    long stored = key.encode(first, second);
    assertEquals(expected, Long.compare(stored, key.encode(otherFirst, otherSecond)));
    assertEquals(first, key.part(stored, 0));
    assertEquals(second, key.part(stored, 1));
  }

  /** Returns a random number that fits into so many bits. */
  private static long lowest(long word, int bits) {
    return word << (Long.SIZE - bits) >> (Long.SIZE - bits);
  }

  private static void assertRefused(String message, Runnable call) {
    Exception refusal = assertThrows(IllegalArgumentException.class, call::run);
    assertEquals(message, refusal.getMessage());
  }
}
