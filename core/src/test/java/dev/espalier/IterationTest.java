// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loops over all entries, and streams of keys and of values. */
@Tag("fallback-exhaustive")
class IterationTest {
  private static final int ENTRIES = 5000;

  /** An index or a view, and the map of what it shows. */
  private record Pair(LongNavigable entries, NavigableMap<Long, Long> map) {

    static Pair filled(LongIndex index) {
      SplittableRandom random = new SplittableRandom(5);
      NavigableMap<Long, Long> map = new TreeMap<>();
      for (int i = 0; i < ENTRIES; i++) {
        // Most keys are in a small part of all of them.
        long key = i % 10 == 0 ? random.nextLong() : random.nextLong(40_000);
        index.set(key, i);
        map.put(key, (long) i);
      }
      return new Pair(index, map);
    }

    Stream<Pair> withViews() {
      return Stream.of(
          this,
          new Pair(entries.descendingView(), map.descendingMap()),
          new Pair(
              entries.subView(100, false, 30_000, true), map.subMap(100L, false, 30_000L, true)),
          new Pair(
              entries.tailView(-5, true).descendingView(), map.tailMap(-5L, true).descendingMap()),
          new Pair(
              entries.subView(40_001, true, 40_002, true),
              map.subMap(40_001L, true, 40_002L, true)));
    }

    List<Long> keys() {
      return List.copyOf(map.keySet());
    }

    List<Long> values() {
      return List.copyOf(map.values());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void loopsAndStreamsShowAllInOrder(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      Pair.filled(index).withViews().forEach(IterationTest::assertShowsAll);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void loopsAndStreamsBehindALockShowAllInOrder(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT).withReadWriteLock()) {
      Pair.filled(index).withViews().forEach(IterationTest::assertShowsAll);
    }
  }

  private static void assertShowsAll(Pair pair) {
    List<Long> keys = new ArrayList<>();
    List<Long> values = new ArrayList<>();
    pair.entries.forEach(
        (key, value) -> {
          keys.add(key);
          values.add(value);
        });
    assertEquals(pair.keys(), keys);
    assertEquals(pair.values(), values);
    keys.clear();
    for (LongEntry entry : pair.entries.entries()) {
      keys.add(entry.key());
      assertEquals(pair.map.get(entry.key()), entry.value());
    }
    assertEquals(pair.keys(), keys);
    assertEquals(pair.keys(), pair.entries.keyStream().boxed().toList());
    assertEquals(pair.values(), pair.entries.valueStream().boxed().toList());
    assertEquals(pair.keys(), pair.entries.keyStream().parallel().boxed().toList());
    assertEquals(pair.values(), pair.entries.valueStream().parallel().boxed().toList());
    assertEquals(
        pair.keys().stream().sorted().toList(), pair.entries.keyStream().sorted().boxed().toList());
    assertEquals(pair.map.size(), pair.entries.keyStream().parallel().count());
  }

  @Test
  void aLoopEndsWhenItsActionSaysSo() {
    try (LongIndex index = TreeShape.pbPlus(1, 1, 1).create(IndexOptions.DEFAULT)) {
      LongStream.range(0, 1000).forEach(key -> index.set(key, ~key));
      List<Long> seen = new ArrayList<>();
      assertFalse(
          index.forEachWhile(
              (key, value) -> {
                assertEquals(~key, value);
                seen.add(key);
                return key < 77;
              }));
      assertEquals(LongStream.rangeClosed(0, 77).boxed().toList(), seen);
      assertTrue(index.forEachWhile((key, _) -> key < 1000));
      assertTrue(index.tailView(999, false).forEachWhile((_, _) -> false), "there are none");
    }
  }

  @Test
  void partsOfAStreamAreHalvesOfTheKeysAndHaveThemAllOnce() {
    try (LongIndex index = TreeShape.pbPlus(1, 1, 1).create(IndexOptions.DEFAULT)) {
      for (long key : new long[] {Long.MIN_VALUE, -3, -2, 0, 1, 5, 6, Long.MAX_VALUE}) {
        index.set(key, 2 * key);
      }
      for (LongNavigable each : List.of(index, index.descendingView())) {
        List<Spliterator.OfLong> parts = new ArrayList<>();
        split(each.keyStream().spliterator(), parts);
        assertEquals(8, parts.size());
        List<Long> keys = new ArrayList<>();
        for (Spliterator.OfLong part : parts) {
          assertTrue(part.tryAdvance((long key) -> keys.add(key)));
          assertFalse(part.tryAdvance((long _) -> {}));
        }
        assertEquals(each.keyStream().boxed().toList(), keys);
      }
      Spliterator.OfLong begun = index.valueStream().spliterator();
      assertTrue(begun.tryAdvance((long value) -> assertEquals(0, value)));
      assertNull(begun.trySplit());
      List<Long> rest = new ArrayList<>();
      begun.forEachRemaining((long value) -> rest.add(value));
      assertEquals(List.of(-6L, -4L, 0L, 2L, 10L, 12L, -2L), rest);
    }
  }

  private static void split(Spliterator.OfLong whole, List<Spliterator.OfLong> parts) {
    for (Spliterator.OfLong before = whole.trySplit(); ; before = whole.trySplit()) {
      if (before == null) {
        parts.add(whole);
        return;
      }
      split(before, parts);
    }
  }

  @Test
  void anIteratorReusesItsEntryAndRemoves() {
    try (LongIndex index = TreeShape.bPlus(1).create(IndexOptions.DEFAULT)) {
      LongStream.range(0, 100).forEach(key -> index.set(key, key));
      Iterator<LongEntry> iterator = index.headView(50, false).entries().iterator();
      LongEntry entry = iterator.next();
      while (iterator.hasNext()) {
        assertSame(entry, iterator.next());
        iterator.remove();
      }
      assertThrows(NoSuchElementException.class, iterator::next);
      assertArrayEquals(
          LongStream.concat(LongStream.of(0), LongStream.range(50, 100)).toArray(),
          index.keyStream().toArray());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void entriesThatAFilterTakesAreRemoved(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      Pair all = Pair.filled(index);
      all.withViews()
          .forEach(
              pair -> {
                int before = pair.map.size();
                long removed = pair.entries.removeIf((key, value) -> (key + value) % 5 == 0);
                pair.map.entrySet().removeIf(e -> (e.getKey() + e.getValue()) % 5 == 0);
                assertEquals(before - pair.map.size(), removed);
                assertEquals(pair.keys(), pair.entries.keyStream().boxed().toList());
                // The next view is to find some again.
                pair.map.replaceAll((_, value) -> value + 1);
                pair.map.forEach(index::set);
              });
      long left = all.map.size();
      assertEquals(0, index.removeIf((_, _) -> false));
      assertEquals(left, index.removeIf((_, _) -> true));
      assertTrue(index.isEmpty());
      index.verify();
    }
  }

  static Stream<TreeShape> besideWriters() {
    return NeighboursBesideThreadsTest.shapes();
  }

  @ParameterizedTest
  @MethodSource("besideWriters")
  void whatStaysIsShownBesideWritersOnceAndOnlyWhatTheFilterTakesGoes(TreeShape shape)
      throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      long end = 3000;
      LongStream.range(0, end).forEach(key -> index.set(key, 0));
      AtomicBoolean isOver = new AtomicBoolean();
      Future<?> writer =
          threads.submit(
              () -> {
                SplittableRandom random = new SplittableRandom(3);
                while (!isOver.get()) {
                  long key = random.nextLong(end);
                  if (key % 3 == 1) {
                    index.delete(key);
                    index.insert(key, 1);
                  } else if (key % 3 == 2) {
                    index.replace(key, 0, 2);
                    index.replace(key, 2, 0);
                  }
                }
              });
      try {
        for (int round = 0; round < 20; round++) {
          LongAdder stay = new LongAdder();
          index.keyStream().parallel().filter(key -> key % 3 == 0).forEach(stay::add);
          assertEquals(LongStream.range(0, end).filter(key -> key % 3 == 0).sum(), stay.sum());
          long[] keys = index.keyStream().toArray();
          assertArrayEquals(LongStream.of(keys).sorted().distinct().toArray(), keys);
          assertEquals(0, index.removeIf((_, value) -> value == 3));
          index.removeIf((key, _) -> key % 3 == 1);
        }
      } finally {
        isOver.set(true);
      }
      writer.get();
      assertEquals(end / 3, index.valueStream().filter(value -> value != 1).count() / 2);
      index.verify();
    }
  }
}
