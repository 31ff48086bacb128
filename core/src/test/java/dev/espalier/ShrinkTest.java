// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.MemoryLimitException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory comes back after large removals, and no entry is lost on the way. */
class ShrinkTest {
  private static final int ENTRIES = TestSize.of(8_000, 20_000);

  static Stream<TreeShape> shapes() {
    return TreeShape.defaultsAndSmallestIfThorough().stream();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void afterRemovalsBytesAreThoseOfAFreshBulkload(TreeShape shape) {
    try (LongIndex index = filled(shape, IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = removeMost(index, 20);
      long before = committed(index);
      long given = index.shrink();
      assertEquals(before - committed(index), given);
      assertHolds(index, model);
      try (LongIndex fresh = loaded(shape, model)) {
        assertTrue(
            committed(index) <= 1.3 * committed(fresh),
            () -> committed(index) + " bytes, fresh " + committed(fresh));
      }
      changeAndCheck(index, model);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void emptiedIndexIsAsSmallAsANewOne(TreeShape shape) {
    try (LongIndex index = filled(shape, IndexOptions.DEFAULT);
        LongIndex fresh = shape.create(IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = removeMost(index, Integer.MAX_VALUE);
      index.shrink();
      assertHolds(index, model);
      assertTrue(
          committed(index) <= 1.3 * committed(fresh),
          () -> committed(index) + " bytes, new " + committed(fresh));
      changeAndCheck(index, model);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void shrunkIndexGivesNothingBackAgain(TreeShape shape) {
    try (LongIndex index = filled(shape, IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = removeMost(index, 20);
      index.shrink();
      assertEquals(0, index.shrink());
      assertHolds(index, model);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void cancelLeavesEverything(TreeShape shape) {
    try (LongIndex index = filled(shape, IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = removeMost(index, 2);
      long before = committed(index);
      assertThrows(CancellationException.class, () -> index.shrink((done, total) -> false));
      assertEquals(before, committed(index));
      assertHolds(index, model);
      changeAndCheck(index, model);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void listenerIsToldOfAllEntries(TreeShape shape) {
    try (LongIndex index = filled(shape, IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = removeMost(index, 2);
      List<Long> told = new ArrayList<>();
      index.shrink(
          (done, total) -> {
            told.add(done);
            return true;
          });
      assertEquals(model.size(), told.getLast());
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void openCursorGoesOn(TreeShape shape) {
    try (LongIndex index = filled(shape, IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = removeMost(index, 20);
      LongCursor cursor = index.cursor();
      long seen = 0;
      for (long key : model.keySet()) {
        assertTrue(cursor.next());
        assertEquals(key, cursor.key());
        if (++seen == model.size() / 2) {
          index.shrink();
        }
      }
      assertFalse(cursor.next());
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void indexWithoutMemoryForTwoCopiesStaysAsItWas(TreeShape shape) {
    IndexOptions least = leastThatTakesAll(shape);
    long limit = least.memoryLimit();
    try (LongIndex index = filled(shape, least)) {
      TreeMap<Long, Long> model = removeMost(index, 1);
      index.shrink();
      assertTrue(committed(index) <= limit);
      assertHolds(index, model);
      changeAndCheck(index, model);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void shrunkIndexMayGrowToItsLimitAgain(TreeShape shape) {
    long limit = 64 << 20;
    try (LongIndex index = filled(shape, IndexOptions.DEFAULT.withMemoryLimit(limit))) {
      TreeMap<Long, Long> model = removeMost(index, 20);
      index.shrink();
      for (long key = 0; key < ENTRIES; key++) {
        index.set(key, -key);
        model.put(key, -key);
      }
      assertHolds(index, model);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void listenerThatClosesTheIndexLeavesItClosed(TreeShape shape) {
    LongIndex index = filled(shape, IndexOptions.DEFAULT);
    assertThrows(
        IllegalStateException.class,
        () ->
            index.shrink(
                (done, total) -> {
                  index.close();
                  return true;
                }));
    assertTrue(index.isClosed());
    assertThrows(IllegalStateException.class, index::shrink);
  }

  /** Leaves one entry in so many; every one of {@code 1}, none of the greatest number. */
  private static TreeMap<Long, Long> removeMost(LongIndex index, int kept) {
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key = 0; key < ENTRIES; key++) {
      if (kept != Integer.MAX_VALUE && key % kept == 0) {
        model.put(key, key + 1);
      } else {
        index.remove(key);
      }
    }
    return model;
  }

  private static void changeAndCheck(LongIndex index, TreeMap<Long, Long> model) {
    for (long key = 3; key < ENTRIES; key += 97) {
      index.put(key, -key);
      model.put(key, -key);
      index.remove(key + 1);
      model.remove(key + 1);
    }
    assertHolds(index, model);
  }

  private static void assertHolds(LongIndex index, TreeMap<Long, Long> model) {
    index.verify();
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    model.forEach(
        (key, value) -> {
          assertTrue(cursor.next());
          assertEquals(key, cursor.key());
          assertEquals(value, cursor.value());
          assertEquals(value, index.get(key));
        });
    assertFalse(cursor.next());
  }

  private static LongIndex filled(TreeShape shape, IndexOptions options) {
    LongIndex index = shape.create(options);
    for (long key = 0; key < ENTRIES; key++) {
      index.set(key, key + 1);
    }
    return index;
  }

  /** Returns a memory limit, to about an eighth, below which not all entries fit. */
  private static IndexOptions leastThatTakesAll(TreeShape shape) {
    long limit = 16L * ENTRIES;
    while (true) {
      IndexOptions options = IndexOptions.DEFAULT.withMemoryLimit(limit);
      LongIndex index = shape.create(options);
      try (index) {
        for (long key = 0; key < ENTRIES; key++) {
          index.set(key, key + 1);
        }
        return options;
      } catch (MemoryLimitException _) {
        limit += limit / 8;
      }
    }
  }

  private static LongIndex loaded(TreeShape shape, TreeMap<Long, Long> model) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    index.bulkload(
        model.keySet().stream().mapToLong(key -> key).toArray(),
        model.values().stream().mapToLong(value -> value).toArray());
    return index;
  }

  private static long committed(LongIndex index) {
    return index.statistics().committedBytes();
  }
}
