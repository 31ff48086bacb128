// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.memory.MemoryLimitException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index does what a map of sets does. */
final class LongSecondaryIndexTest {
  private static final long[] ENDS = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE};

  private final TreeMap<Long, TreeSet<Long>> model = new TreeMap<>();

  private static long some(Random random, int bound) {
    return random.nextInt(10) == 0
        ? ENDS[random.nextInt(ENDS.length)]
        : random.nextInt(bound) - bound / 2;
  }

  private boolean addToModel(long key, long id) {
    return model.computeIfAbsent(key, _ -> new TreeSet<>()).add(id);
  }

  private boolean removeFromModel(long key, long id) {
    TreeSet<Long> ids = model.getOrDefault(key, new TreeSet<>());
    boolean had = ids.remove(id);
    if (ids.isEmpty()) {
      model.remove(key);
    }
    return had;
  }

  private void assertSame(LongSecondaryIndex index) {
    index.verify();
    assertEquals(model.size(), index.keyCount());
    assertEquals(model.values().stream().mapToInt(TreeSet::size).sum(), index.size());
    model.forEach(
        (key, ids) -> {
          assertEquals(List.copyOf(ids), index.ids(key).boxed().toList(), () -> "key " + key);
          assertEquals(ids.size(), index.count(key));
        });
  }

  @Test
  void doesWhatAMapOfSetsDoes() {
    for (long seed : TestSize.seeds(10, 60)) {
      Random random = new Random(seed);
      model.clear();
      int keys = 1 << random.nextInt(1, 9);
      int ids = 1 << random.nextInt(1, 9);
      try (LongSecondaryIndex index = LongSecondaryIndex.create()) {
        for (int i = 0; i < 3000; i++) {
          long key = some(random, keys);
          long id = some(random, ids);
          switch (random.nextInt(6)) {
            case 0, 1, 2 -> assertEquals(addToModel(key, id), index.add(key, id));
            case 3, 4 -> assertEquals(removeFromModel(key, id), index.remove(key, id));
            default -> {
              boolean has = model.getOrDefault(key, new TreeSet<>()).contains(id);
              assertEquals(has, index.contains(key, id));
            }
          }
          if (i % 500 == 0) {
            assertSame(index);
          }
        }
        assertSame(index);
        assertRange(index, some(random, keys), some(random, keys), random);
      }
    }
  }

  private void assertRange(LongSecondaryIndex index, long from, long to, Random random) {
    long low = Math.min(from, to);
    long high = Math.max(from, to);
    boolean hasLow = random.nextBoolean();
    boolean hasHigh = random.nextBoolean();
    List<String> expected = new ArrayList<>();
    model
        .subMap(low, hasLow, high, hasHigh)
        .forEach((key, ids) -> ids.forEach(id -> expected.add(key + " " + id)));
    List<String> actual = new ArrayList<>();
    index.range(low, hasLow, high, hasHigh, (key, id) -> actual.add(key + " " + id));
    assertEquals(expected, actual);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 20_000})
  void bulkloadTakesPairsInAnyOrderAndOnceEach(int count) {
    Random random = new Random(count);
    long[] keys = LongStream.generate(() -> some(random, 3000)).limit(count).toArray();
    long[] ids = LongStream.generate(() -> some(random, 100)).limit(count).toArray();
    long[] keysBefore = keys.clone();
    for (int i = 0; i < count; i++) {
      addToModel(keys[i], ids[i]);
    }
    try (LongSecondaryIndex index = LongSecondaryIndex.over(CssTree.create(IndexOptions.DEFAULT))) {
      index.bulkload(keys, ids);
      assertSame(index);
      assertArrayEquals(keysBefore, keys);
      for (int i = 0; i < 2000; i++) { // Full runs move, and leave room for others.
        long key = some(random, 3000);
        assertEquals(addToModel(key, i), index.add(key, i));
        if (i % 3 == 0) {
          assertEquals(removeFromModel(key, i), index.remove(key, i));
        }
      }
      assertSame(index);
      if (count > 0) {
        assertThrows(IllegalStateException.class, () -> index.bulkload(keys, ids));
        assertSame(index);
      }
      model.forEach((key, some) -> some.forEach(id -> index.remove(key, id)));
      assertEquals(0, index.size());
      assertEquals(0, index.keyCount());
      index.bulkload(keys, ids);
      model.clear();
      for (int i = 0; i < count; i++) {
        addToModel(keys[i], ids[i]);
      }
      assertSame(index);
    }
  }

  @Test
  void roomOfRunsThatMovedIsUsedAgain() {
    try (LongSecondaryIndex index = LongSecondaryIndex.create()) {
      for (int round = 0; round < 50; round++) {
        for (long id = 0; id < 1000; id++) {
          index.add(round, id);
        }
        for (long id = 0; id < 1000; id++) {
          index.remove(round, id);
        }
        if (round == 0) {
          continue;
        }
        assertTrue(
            index.runs().bytes() <= 64 << 10,
            () -> index.runs().bytes() + " bytes for at most a thousand ids at a time");
      }
    }
  }

  @Test
  void keyThatDoesNotFitChangesNothing() {
    IndexOptions small = IndexOptions.DEFAULT.withMemoryLimit(1 << 20);
    try (LongSecondaryIndex index = LongSecondaryIndex.over(PbPlusTree.create(small))) {
      long added = 0;
      try {
        for (; ; added++) {
          index.add(added, -added);
        }
      } catch (MemoryLimitException expected) {
        assertEquals(added, index.size());
        assertEquals(added, index.keyCount());
        assertFalse(index.contains(added, -added));
        index.verify();
        assertTrue(index.add(0, 17), "a key that is there takes another id");
      }
    }
  }

  @Test
  void wrongArgumentsAreNamed() {
    try (LongSecondaryIndex index = LongSecondaryIndex.create()) {
      assertEquals(
          "keys and ids differ in length: keys.length=1, ids.length=2",
          assertThrows(
                  IllegalArgumentException.class, () -> index.bulkload(new long[1], new long[2]))
              .getMessage());
      LongIndex filled = PbPlusTree.create(IndexOptions.DEFAULT);
      filled.put(1, 2);
      try (filled) {
        assertEquals(
            "keys has 1 entries; it must be empty",
            assertThrows(IllegalArgumentException.class, () -> LongSecondaryIndex.over(filled))
                .getMessage());
      }
    }
  }

  @Test
  void closedIndexRefusesEverything() {
    LongSecondaryIndex index = LongSecondaryIndex.create();
    index.add(1, 2);
    index.close();
    index.close();
    assertTrue(index.isClosed());
    assertThrows(IllegalStateException.class, () -> index.add(1, 3));
    assertThrows(IllegalStateException.class, () -> index.remove(1, 2));
    assertThrows(IllegalStateException.class, () -> index.contains(1, 2));
    assertThrows(IllegalStateException.class, () -> index.count(1));
    assertThrows(IllegalStateException.class, () -> index.ids(1));
    assertThrows(IllegalStateException.class, index::size);
    assertThrows(IllegalStateException.class, index::keyCount);
    assertThrows(IllegalStateException.class, index::verify);
    assertThrows(IllegalStateException.class, () -> index.range(0, true, 1, true, (_, _) -> {}));
    assertThrows(IllegalStateException.class, () -> index.bulkload(new long[1], new long[1]));
  }
}
