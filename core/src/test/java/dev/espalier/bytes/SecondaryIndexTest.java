// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.bytes.SecondaryIndex.Entry;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.prefix.PrefixBPlusTree;
import dev.espalier.sort.BytesSorter;
import dev.espalier.sort.SortOptions;
import dev.espalier.tuple.TupleWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
    for (long seed : TestSize.seeds(10, 60)) {
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

  @ParameterizedTest
  @MethodSource("dev.espalier.bytes.BytesShape#all")
  void bulkloadIsTheSameAsAddingPairs(BytesShape shape) {
    for (long seed : TestSize.seeds(5, 30)) {
      NastyBytes bytes = new NastyBytes(seed);
      List<byte[]> keys = new ArrayList<>(bytes.keys(30));
      keys.removeIf(key -> key.length > 20_000);
      NavigableMap<byte[], NavigableSet<Long>> model = new TreeMap<>(Arrays::compareUnsigned);
      for (int i = 0; i < 300; i++) {
        model.computeIfAbsent(bytes.oneOf(keys), _ -> new TreeSet<>()).add(id(bytes));
      }
      List<Entry<byte[]>> pairs = new ArrayList<>();
      model.forEach((key, ids) -> ids.forEach(id -> pairs.add(new Entry<>(key, id))));
      try (BytesIndex loaded = shape.create();
          BytesIndex sorted = shape.create();
          BytesSorter sorter = BytesSorter.create(SortOptions.DEFAULT)) {
        SecondaryIndex<byte[]> index = SecondaryIndex.over(loaded, BytesKeyCodec.ofBytes());
        index.bulkload(pairs.iterator(), 1.0, pairs.size(), ProgressListener.NONE);
        assertHas(model, index);
        assertThrows(
            IllegalStateException.class,
            () -> index.bulkload(pairs.iterator(), 1.0, -1, ProgressListener.NONE));
        byte[] key = pairs.getLast().key();
        model.get(key).add(4711L);
        index.add(key, 4711);
        assertHas(model, index);

        SecondaryIndex<byte[]> other = SecondaryIndex.over(sorted, BytesKeyCodec.ofBytes());
        for (Entry<byte[]> pair : pairs.reversed()) {
          sorter.add(other.entry(pair.key(), pair.id()), new byte[0]);
        }
        sorted.bulkload(
            sorter.sorted(ProgressListener.NONE), 1.0, pairs.size(), ProgressListener.NONE);
        other.add(key, 4711);
        assertHas(model, other);
      }
    }
  }

  private static void assertHas(
      NavigableMap<byte[], NavigableSet<Long>> model, SecondaryIndex<byte[]> index) {
    index.entries().verify();
    assertEquals(
        model.values().stream().mapToLong(NavigableSet::size).sum(), index.entries().size());
    model.forEach((key, ids) -> assertEquals(List.copyOf(ids), index.ids(key).boxed().toList()));
  }

  @Test
  void pairsOfABulkloadMustAscend() {
    for (List<Entry<String>> pairs :
        List.of(
            List.of(new Entry<>("b", 1), new Entry<>("a", 2)),
            List.of(new Entry<>("a", 2), new Entry<>("a", 1)),
            List.of(new Entry<>("a", 1), new Entry<>("a", 1)))) {
      try (BytesIndex entries = PrefixBPlusTree.create()) {
        SecondaryIndex<String> index = SecondaryIndex.over(entries, BytesKeyCodec.ofString());
        assertThrows(
            IllegalArgumentException.class,
            () -> index.bulkload(pairs.iterator(), 1.0, -1, ProgressListener.NONE));
        assertTrue(entries.isEmpty());
      }
    }
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
            () -> index.bulkload(Collections.emptyIterator(), 1.0, 0, ProgressListener.NONE),
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

  @Test
  void entriesOfOtherKindsAreRefused() {
    BytesKeyCodec<String> strings = BytesKeyCodec.ofString();
    BytesKeyCodec<Integer> ints = BytesKeyCodec.ofInt();
    BytesIndex names = new HeapBytesIndex();
    names.set(strings.encode("Zurich"), BytesValueCodec.ofLong().encode(4711L));
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> SecondaryIndex.over(names, strings));
    assertTrue(
        refused.getMessage().endsWith("its first entry is no key with an id"),
        refused.getMessage());

    BytesIndex numbers = new HeapBytesIndex();
    SecondaryIndex.over(numbers, ints).add(5, 1);
    assertEquals(1, SecondaryIndex.over(numbers, ints).count(5));
    BytesKeyCodec<Long> longs = BytesKeyCodec.ofLong();
    assertThrows(IllegalArgumentException.class, () -> SecondaryIndex.over(numbers, longs));
    numbers.clear();
    assertEquals(0, SecondaryIndex.over(numbers, longs).count(5L));
    numbers.set(TupleWriter.encode(longs.encode(1L), 1L), new byte[1]);
    assertThrows(IllegalArgumentException.class, () -> SecondaryIndex.over(numbers, longs));
    numbers.clear();
    numbers.set(TupleWriter.encode(longs.encode(1L), 1L, 2L), new byte[0]);
    assertThrows(IllegalArgumentException.class, () -> SecondaryIndex.over(numbers, longs));
  }
}
