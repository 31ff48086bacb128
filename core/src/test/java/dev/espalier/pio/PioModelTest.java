// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes that look and writes that don't, beside a map that plainly does them. */
class PioModelTest {
  private static final int STEPS = 6000;

  static Stream<PioBTree> trees() {
    return Stream.of(
        open(IndexOptions.DEFAULT.pagesInMemory(256), 1, 1, 1, 1, 1000),
        open(IndexOptions.DEFAULT.pagesInMemory(256), 2, 4, 64, 12, 7),
        open(IndexOptions.DEFAULT.pagesInMemory(256), 3, 40, 5, 40, 100),
        open(IndexOptions.DEFAULT.pagesInMemory(1024), 16, 3, 64, 1, 5000),
        open(IndexOptions.DEFAULT.pagesInMemory(512), 2, 16, 8, 30, 5000),
        open(checked(), 1, 2, 64, 1, 1000),
        open(checked(), 2, 8, 64, 100, 20),
        open(checked(), 5, 8, 64, 1, 1000));
  }

  private static PioBTree open(
      PageStore store, int segments, int queuePages, int pioMax, int period, int batch) {
    PioBTree.Geometry geometry = new PioBTree.Geometry(segments, queuePages, pioMax, period, batch);
    return PioBTree.open(IndexOptions.DEFAULT, store, geometry);
  }

  private static CheckedPageStore checked() {
    return new CheckedPageStore(
        new MemoryPageStore(256, Long.MAX_VALUE, HugePages.OFF), CheckedPageStore.MIN_PINS);
  }

  @ParameterizedTest
  @MethodSource("trees")
  void anyMixtureOfWritesIsWhatTheModelSays(PioBTree index) {
    try (index) {
      TreeMap<Long, Long> model = new TreeMap<>();
      SplittableRandom random = new SplittableRandom(1);
      for (int step = 0; step < STEPS; step++) {
        boolean grows = step / (STEPS / 6) % 2 == 0;
        write(index, model, random, grows);
        if (step % 97 == 0) {
          assertEqual(model, index, random);
        }
      }
      assertEqual(model, index, random);
    }
  }

  private static void write(
      PioBTree index, Map<Long, Long> model, SplittableRandom random, boolean grows) {
    long key = random.nextInt(20) == 0 ? extreme(random) : random.nextLong(900);
    long value = random.nextLong(1000);
    switch (random.nextInt(10)) {
      case 0 -> assertEquals(orMissing(model.get(key)), index.get(key));
      case 1 -> assertEquals(orMissing(model.put(key, value)), index.put(key, value));
      case 2 -> assertEquals(orMissing(model.remove(key)), index.remove(key));
      case 3 ->
          assertEquals(orMissing(model.putIfAbsent(key, value)), index.putIfAbsent(key, value));
      default -> {
        if (random.nextInt(10) < (grows ? 8 : 2)) {
          index.set(key, value);
          model.put(key, value);
        } else {
          index.delete(key);
          model.remove(key);
        }
      }
    }
  }

  private static long extreme(SplittableRandom random) {
    return random.nextBoolean()
        ? Long.MIN_VALUE + random.nextInt(2)
        : Long.MAX_VALUE - random.nextInt(2);
  }

  private static long orMissing(Long value) {
    return value == null ? IndexOptions.DEFAULT.missingValue() : value;
  }

  private static void assertEqual(
      TreeMap<Long, Long> model, PioBTree index, SplittableRandom random) {
    index.verify();
    assertEquals(model.isEmpty(), index.isEmpty());
    assertEquals(model.size(), index.size());
    index.verify();
    LongCursor cursor = index.cursor();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertTrue(cursor.next());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
    assertFalse(cursor.next());
    for (Map.Entry<Long, Long> entry : model.descendingMap().entrySet()) {
      assertTrue(cursor.previous());
      assertEquals(entry.getKey(), cursor.key());
    }
    assertFalse(cursor.previous());
    long[] keys = random.longs(150, -3, 903).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    for (int i = 0; i < keys.length; i++) {
      assertEquals(orMissing(model.get(keys[i])), values[i]);
      assertEquals(values[i], index.get(keys[i]));
      assertEquals(model.containsKey(keys[i]), index.containsKey(keys[i]));
    }
  }
}
