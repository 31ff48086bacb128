// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes that look and writes that don't, sums among them, beside a map that plainly does them. */
class BEpsilonModelTest {
  private static final int STEPS = 6000;

  static Stream<BEpsilonTree> trees() {
    return Stream.of(
        BEpsilonTree.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(256),
            new BEpsilonTree.Geometry(4)),
        BEpsilonTree.open(
            IndexOptions.DEFAULT,
            IndexOptions.DEFAULT.pagesInMemory(512),
            new BEpsilonTree.Geometry(6)),
        BufferedRepositoryTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256)),
        BEpsilonTree.open(IndexOptions.DEFAULT, checked()),
        BufferedRepositoryTree.open(IndexOptions.DEFAULT, checked()));
  }

  private static CheckedPageStore checked() {
    return new CheckedPageStore(
        new MemoryPageStore(256, Long.MAX_VALUE, HugePages.OFF), CheckedPageStore.MIN_PINS);
  }

  @ParameterizedTest
  @MethodSource("trees")
  void anyMixtureOfWritesIsWhatTheModelSays(BEpsilonTree index) {
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
      BEpsilonTree index, Map<Long, Long> model, SplittableRandom random, boolean grows) {
    long key = random.nextInt(20) == 0 ? extreme(random) : random.nextLong(900);
    long value = random.nextLong(1000);
    switch (random.nextInt(10)) {
      case 0 -> assertEquals(orMissing(model.get(key)), index.get(key));
      case 1 -> assertEquals(orMissing(model.put(key, value)), index.put(key, value));
      case 2 -> assertEquals(orMissing(model.remove(key)), index.remove(key));
      case 3 ->
          assertEquals(orMissing(model.putIfAbsent(key, value)), index.putIfAbsent(key, value));
      case 4, 5 -> {
        index.add(key, value);
        model.merge(key, value, Long::sum);
      }
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
      TreeMap<Long, Long> model, BEpsilonTree index, SplittableRandom random) {
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
