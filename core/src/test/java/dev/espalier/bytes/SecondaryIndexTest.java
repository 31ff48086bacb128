// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.bytes.SecondaryIndex.Entry;
import dev.espalier.memory.MemoryLimitException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SecondaryIndexTest {

  @ParameterizedTest
  @MethodSource("dev.espalier.bytes.BytesShape#all")
  void doesWhatAMapOfSetsDoes(BytesShape shape) {
    for (long seed = 1; seed <= TestSize.of(10, 60); seed++) {
      NastyBytes bytes = new NastyBytes(seed);
      List<byte[]> keys = new ArrayList<>(bytes.keys(30));
      keys.removeIf(key -> key.length > 20_000);
      NavigableMap<byte[], NavigableSet<Long>> model = new TreeMap<>(Arrays::compareUnsigned);
      keys.forEach(key -> model.put(key, new TreeSet<>()));
      try (BytesIndex entries = shape.create()) {
        SecondaryIndex<byte[]> index = SecondaryIndex.over(entries, BytesKeyCodec.ofBytes());
        for (int i = 0; i < 400; i++) {
          byte[] key = bytes.oneOf(keys);
          long id = id(bytes);
          if (bytes.random.nextInt(3) > 0) {
            assertEquals(model.get(key).add(id), index.add(key, id));
          } else {
            assertEquals(model.get(key).remove(id), index.remove(key, id));
          }
        }
        model.forEach(
            (key, ids) -> {
              assertEquals(List.copyOf(ids), index.ids(key).boxed().toList());
              assertEquals(ids.size(), index.count(key));
            });
        for (int i = 0; i < 60; i++) {
          assertRange(
              model,
              index,
              bytes.oneOf(keys),
              bytes.random.nextBoolean(),
              bytes.oneOf(keys),
              bytes.random.nextBoolean());
        }
      }
    }
  }

  /** Ids of every number of bytes. */
  private static long id(NastyBytes bytes) {
    return switch (bytes.random.nextInt(6)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> bytes.random.nextLong() >> bytes.random.nextInt(64);
      default -> bytes.random.nextInt(6) - 3;
    };
  }

  private static void assertRange(
      NavigableMap<byte[], NavigableSet<Long>> model,
      SecondaryIndex<byte[]> index,
      byte[] from,
      boolean fromInclusive,
      byte[] to,
      boolean toInclusive) {
    if (Arrays.compareUnsigned(from, to) > 0) {
      assertThrows(
          IllegalArgumentException.class, () -> index.range(from, fromInclusive, to, toInclusive));
      assertThrows(
          IllegalArgumentException.class,
          () -> index.countRange(from, fromInclusive, to, toInclusive));
      return;
    }
    List<String> expected = new ArrayList<>();
    for (Map.Entry<byte[], NavigableSet<Long>> each :
        model.subMap(from, fromInclusive, to, toInclusive).entrySet()) {
      each.getValue().forEach(id -> expected.add(BytesPair.show(each.getKey()) + id));
    }
    assertEquals(
        expected,
        index
            .range(from, fromInclusive, to, toInclusive)
            .map(entry -> BytesPair.show(entry.key()) + entry.id())
            .toList());
    assertEquals(expected.size(), index.countRange(from, fromInclusive, to, toInclusive));
  }

  @Test
  void keyThatBeginsWithAnotherHasIdsOfItsOwn() {
    SecondaryIndex<String> index = index();
    for (String key : List.of("", "a", "a\0", "a\0\0", "a\0b", "ab")) {
      index.add(key, key.length());
      assertArrayEquals(new long[] {key.length()}, index.ids(key).toArray());
    }
    assertEquals(
        List.of(new Entry<>("a\0", 2), new Entry<>("a\0\0", 3), new Entry<>("a\0b", 3)),
        index.range("a", false, "ab", false).toList());
  }

  @Test
  void idIsAddedOnce() {
    SecondaryIndex<String> index = index();
    assertTrue(index.add("a", 1));
    assertFalse(index.add("a", 1));
    assertTrue(index.remove("a", 1));
    assertFalse(index.remove("a", 1));
    assertEquals(0, index.count("a"));
  }

  @Test
  void entryThatDoesNotFitChangesNothing() {
    BytesIndex entries = new HeapBytesIndex(10);
    SecondaryIndex<String> index = SecondaryIndex.over(entries, BytesKeyCodec.ofString());
    assertThrows(MemoryLimitException.class, () -> index.add("longer than that", 1));
    String longest = "k".repeat(BytesIndex.MAX_KEY);
    assertThrows(IllegalArgumentException.class, () -> index.add(longest, 1));
    assertTrue(entries.isEmpty());
  }

  @Test
  void closedEntriesRefuseEveryCall() {
    BytesIndex entries = new HeapBytesIndex();
    SecondaryIndex<String> index = SecondaryIndex.over(entries, BytesKeyCodec.ofString());
    index.add("a", 1);
    entries.close();
    for (Runnable call :
        List.<Runnable>of(
            () -> index.add("a", 2),
            () -> index.remove("a", 1),
            () -> index.ids("a"),
            () -> index.count("a"),
            () -> index.range("a", true, "b", true),
            () -> index.countRange("a", true, "b", true))) {
      assertThrows(IllegalStateException.class, call::run);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what this test is about.
  void nullIsRefusedByName() {
    BytesIndex entries = new HeapBytesIndex();
    assertNamed("entries", () -> SecondaryIndex.over(null, BytesKeyCodec.ofString()));
    assertNamed("codec", () -> SecondaryIndex.over(entries, null));
    assertNamed("key", () -> index().add(null, 1));
    assertNamed("key", () -> index().ids(null));
  }

  private static SecondaryIndex<String> index() {
    return SecondaryIndex.over(new HeapBytesIndex(), BytesKeyCodec.ofString());
  }

  private static void assertNamed(String argument, Runnable call) {
    assertEquals(argument, assertThrows(NullPointerException.class, call::run).getMessage());
  }
}
