// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Updates that depend on what is there: {@code merge}, {@code addTo} and {@code compute}. */
@Tag("fallback-exhaustive")
class AtomicUpdatesTest {
  private static final int KEYS = 500;
  private static final int CALLS = 5_000;
  private static final int THREADS = 3;

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void updatesAreThoseOfTheMap(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      NavigableMap<Long, Long> map = new TreeMap<>();
      long missing = index.missingValue();
      long[] values = {missing, ~missing, 0, 1, -1, Long.MAX_VALUE};
      SplittableRandom random = new SplittableRandom(13);
      LongNavigable backwards = index.descendingView();
      LongEntry entry = new LongEntry();
      for (int i = 0; i < 4 * CALLS; i++) {
        LongNavigable each = i % 3 == 0 ? backwards : index;
        long key = random.nextLong(KEYS);
        long value = values[random.nextInt(values.length)];
        switch (random.nextInt(5)) {
          case 0 ->
              assertEquals(
                  map.merge(key, value, (a, b) -> 31 * a + b),
                  each.merge(key, value, (a, b) -> 31 * a + b));
          case 1 -> assertEquals(map.merge(key, value, Long::sum), each.addTo(key, value));
          case 2 ->
              assertEquals(
                  map.computeIfAbsent(key, of -> of ^ value),
                  each.computeIfAbsent(key, of -> of ^ value));
          case 3 -> {
            Long expected = map.compute(key, (_, now) -> now == null ? value : null);
            boolean isThere =
                each.compute(
                    key,
                    entry,
                    (now, was) -> {
                      assertEquals(key, now.key());
                      now.setValue(value);
                      return !was;
                    });
            assertEquals(expected != null, isThere);
            assertEquals(isThere ? value : entry.value(), entry.value());
          }
          default -> {
            Long expected = map.computeIfPresent(key, (_, now) -> now + value);
            boolean isThere =
                each.compute(
                    key,
                    entry,
                    (now, was) -> {
                      now.setValue(now.value() + value);
                      return was;
                    });
            assertEquals(expected, isThere ? entry.value() : null);
          }
        }
      }
      assertEquals(map, index.asMap());
      index.verify();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void functionsMayChangeTheIndexOrThrow(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      index.set(1, 10);
      long merged =
          index.merge(
              1,
              5,
              (before, other) -> {
                for (long key = 2; key < KEYS; key++) {
                  index.set(-key, key);
                }
                return before + other;
              });
      assertEquals(15, merged);
      assertEquals(15, index.get(1));
      assertEquals(KEYS - 1, index.size());
      assertThrows(ArithmeticException.class, () -> index.merge(1, 0, (a, b) -> a / b));
      assertThrows(ArithmeticException.class, () -> index.computeIfAbsent(0, key -> 1 / key));
      assertEquals(15, index.get(1));
      assertFalse(index.containsKey(0));
      LongNavigable view = index.subView(-5, true, 5, true);
      assertThrows(IllegalArgumentException.class, () -> view.merge(6, 1, Long::sum));
      assertThrows(IllegalArgumentException.class, () -> view.addTo(-6, 1));
      assertThrows(
          IllegalArgumentException.class, () -> view.compute(6, new LongEntry(), (_, _) -> true));
      index.verify();
    }
  }

  static Stream<TreeShape> besideWriters() {
    return NeighboursBesideThreadsTest.shapes();
  }

  @ParameterizedTest
  @MethodSource("besideWriters")
  void noUpdateIsLost(TreeShape shape) throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        SplittableRandom random = new SplittableRandom(i);
        tasks.add(() -> added(index, random));
      }
      long sum = 0;
      for (Future<Long> one : threads.invokeAll(tasks)) {
        sum += one.get();
      }
      assertEquals(sum, index.valueStream().sum());
      index.verify();
    }
  }

  /** Adds to few keys, and takes some away; returns what was added and not taken. */
  private static long added(LongIndex index, SplittableRandom random) {
    long sum = 0;
    LongEntry entry = new LongEntry();
    long[] taken = new long[1];
    for (int i = 0; i < CALLS; i++) {
      long key = random.nextLong(20);
      switch (random.nextInt(4)) {
        case 0 -> index.addTo(key, 1);
        case 1 -> index.merge(key, 1, Long::sum);
        case 2 -> index.compute(key, entry, (now, was) -> set(now, was ? now.value() + 1 : 1));
        default -> {
          index.compute(
              key,
              entry,
              (now, was) -> {
                taken[0] = was ? now.value() : 0;
                return false;
              });
          sum -= taken[0] + 1;
        }
      }
      sum++;
      if (i % 100 == 0 && index.pollFirst(entry)) {
        sum -= entry.value();
      }
    }
    return sum;
  }

  private static boolean set(LongEntry entry, long value) {
    entry.setValue(value);
    return true;
  }

  @ParameterizedTest
  @MethodSource("besideWriters")
  void anAbsentValueIsComputedForAllAlike(TreeShape shape) throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Callable<List<Long>>> tasks = new ArrayList<>();
      for (long i = 0; i < THREADS; i++) {
        long own = i;
        tasks.add(
            () -> {
              List<Long> seen = new ArrayList<>();
              for (long key = 0; key < KEYS; key++) {
                seen.add(index.computeIfAbsent(key, _ -> own));
              }
              return seen;
            });
      }
      for (Future<List<Long>> one : threads.invokeAll(tasks)) {
        assertEquals(index.valueStream().boxed().toList(), one.get());
      }
    }
  }
}
