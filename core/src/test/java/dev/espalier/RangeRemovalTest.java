// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranges that leave trees of several levels: within a node, across many, from both ends, all. */
class RangeRemovalTest {
  private static final int ENTRIES = TestSize.of(1_500, 3_000);
  private static final int RANGES = TestSize.of(12, 20);

  static List<TreeShape> shapes() {
    return TreeShape.smallestAndOnCheckedPages();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void rangesOfEveryLengthLeaveTheOtherEntries(TreeShape shape) {
    SplittableRandom random = new SplittableRandom(17);
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = new TreeMap<>();
      for (int i = 0; i < RANGES; i++) {
        refill(index, model, random);
        removeSome(index, model, random);
        removeRange(index, model, random);
        assertHolds(index, model);
      }
    }
  }

  /** A queue: what is old leaves from the left, and what is new comes at the right. */
  @ParameterizedTest
  @MethodSource("shapes")
  void rangesLeaveFromTheLeftWhileOthersComeAtTheRight(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = new TreeMap<>();
      int step = ENTRIES / 8;
      for (long key = 0; key < ENTRIES; key++) {
        index.put(key, -key);
        model.put(key, -key);
        if (key % step == step - 1) {
          long end = key - 2L * step;
          long removed = removed(model.headMap(end, true));
          assertEquals(removed, index.removeRange(Long.MIN_VALUE, true, end, true));
          assertHolds(index, model);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void rangesThatEndAtTheFirstOrLastKeyGoAndEmptyOnesDoNot(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      TreeMap<Long, Long> model = new TreeMap<>();
      for (long key : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE}) {
        index.put(key, key);
        model.put(key, key);
      }
      assertEquals(0, index.removeRange(0, false, 1, false));
      assertEquals(0, index.removeRange(Long.MAX_VALUE, false, Long.MAX_VALUE, true));
      assertEquals(0, index.removeRange(Long.MIN_VALUE, true, Long.MIN_VALUE, false));
      assertThrows(IllegalArgumentException.class, () -> index.removeRange(1, true, 0, true));
      assertHolds(index, model);
      assertEquals(1, index.removeRange(1, false, Long.MAX_VALUE, true));
      model.remove(Long.MAX_VALUE);
      assertHolds(index, model);
      assertEquals(2, index.removeRange(Long.MIN_VALUE, true, 0, false));
      model.headMap(0L).clear();
      assertHolds(index, model);
      assertEquals(2, index.removeRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true));
      model.clear();
      assertHolds(index, model);
    }
  }

  /** Brings the index back to its size, by keys that come in order or by any. */
  private static void refill(LongIndex index, TreeMap<Long, Long> model, SplittableRandom random) {
    long key = random.nextInt(4 * ENTRIES);
    boolean isInOrder = random.nextBoolean();
    while (model.size() < ENTRIES) {
      key = isInOrder ? (key + 1) % (4 * ENTRIES) : random.nextInt(4 * ENTRIES);
      index.put(key, -key);
      model.put(key, -key);
    }
  }

  /** Leaves nodes less than full. */
  private static void removeSome(
      LongIndex index, TreeMap<Long, Long> model, SplittableRandom random) {
    for (int i = random.nextInt(ENTRIES); i > 0; i--) {
      long key = random.nextInt(4 * ENTRIES);
      index.delete(key);
      model.remove(key);
    }
  }

  private static void removeRange(
      LongIndex index, TreeMap<Long, Long> model, SplittableRandom random) {
    long from = random.nextInt(-ENTRIES, 4 * ENTRIES);
    long to = from + random.nextInt(1 + random.nextInt(1 + random.nextInt(5 * ENTRIES)));
    boolean fromInclusive = random.nextBoolean();
    boolean toInclusive = random.nextBoolean();
    long removed =
        from == to && !(fromInclusive && toInclusive)
            ? 0
            : removed(model.subMap(from, fromInclusive, to, toInclusive));
    assertEquals(removed, index.removeRange(from, fromInclusive, to, toInclusive));
  }

  private static long removed(NavigableMap<Long, Long> range) {
    long size = range.size();
    range.clear();
    return size;
  }

  private static void assertHolds(LongIndex index, TreeMap<Long, Long> model) {
    index.verify();
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    Iterator<Map.Entry<Long, Long>> entries = model.entrySet().iterator();
    boolean found = cursor.first();
    while (entries.hasNext()) {
      Map.Entry<Long, Long> entry = entries.next();
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
      found = cursor.next();
    }
    assertFalse(found);
  }
}
