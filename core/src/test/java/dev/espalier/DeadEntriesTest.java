// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.TreeVariant.Capability;
import dev.espalier.bftl.BftlTree;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Trees that keep what was removed skip what readers have found dead. What comes back there has to
 * be found, from both sides, whoever has looked before.
 */
class DeadEntriesTest {
  private static final int KEYS = TestSize.of(1_000, 3_000);
  private static final int STEPS = TestSize.of(600, 2_000);

  private final TreeMap<Long, Long> model = new TreeMap<>();

  static List<TreeShape> shapes() {
    return TreeShape.defaultsAndSmallest().stream().filter(shape -> keepsTheDead(shape)).toList();
  }

  private static boolean keepsTheDead(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      return index.variant().capabilities().contains(Capability.BLIND_WRITES)
          || index.variant().equals(BftlTree.VARIANT);
    }
  }

  @Drawn(false)
  @ParameterizedTest
  @MethodSource("shapes")
  void entriesThatComeBackAmongTheDeadAreFound(TreeShape shape) {
    for (long seed : TestSize.seeds(1, 9)) {
      SplittableRandom random = new SplittableRandom(seed);
      model.clear();
      try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
        LongCursor cursor = index.cursor();
        for (int i = 0; i < STEPS; i++) {
          change(index, random);
          for (int look = random.nextInt(3); look > 0; look--) {
            assertNeighboursOf(random.nextInt(KEYS) - 1, cursor, shape + ", seed " + seed);
          }
        }
        assertScans(cursor, shape + ", seed " + seed);
        index.verify();
        index.clear();
        model.clear();
        put(index, KEYS / 2);
        assertScans(cursor, shape + ", seed " + seed);
      }
    }
  }

  private void change(LongIndex index, SplittableRandom random) {
    int from = random.nextInt(KEYS);
    int to = Math.min(KEYS, from + random.nextInt(1, KEYS / 4));
    switch (random.nextInt(8)) {
      case 0 -> {
        for (int key = from; key < to; key++) {
          put(index, key);
        }
      }
      case 1 -> {
        for (int key = from; key < to; key++) {
          index.delete(key);
        }
        model.subMap((long) from, (long) to).clear();
      }
      case 2 -> {
        Map<Long, Long> range = model.subMap((long) from, (long) to);
        assertEquals(range.size(), index.removeRange(from, true, to, false));
        range.clear();
      }
      case 3 -> {
        Long first = model.ceilingKey((long) from);
        if (first != null) {
          index.remove(first);
          model.remove(first);
        }
      }
      case 4 -> {
        index.addTo(from, 3);
        model.merge((long) from, 3L, Long::sum);
      }
      default -> put(index, from);
    }
  }

  /** Puts with or without a look at what was there. */
  private void put(LongIndex index, long key) {
    if (key % 2 == 0) {
      index.set(key, -key);
    } else {
      index.put(key, -key);
    }
    model.put(key, -key);
  }

  private void assertNeighboursOf(long key, LongCursor cursor, String message) {
    Map.Entry<Long, Long> ceiling = model.ceilingEntry(key);
    assertEquals(ceiling, cursor.ceiling(key) ? entry(cursor) : null, message);
    if (ceiling != null) {
      Map.Entry<Long, Long> next = model.higherEntry(ceiling.getKey());
      assertEquals(next, cursor.next() ? entry(cursor) : null, message);
      if (next != null) {
        assertEquals(ceiling, cursor.previous() ? entry(cursor) : null, message);
      }
    }
    Map.Entry<Long, Long> floor = model.floorEntry(key);
    assertEquals(floor, cursor.floor(key) ? entry(cursor) : null, message);
    if (floor != null) {
      Map.Entry<Long, Long> lower = model.lowerEntry(floor.getKey());
      assertEquals(lower, cursor.previous() ? entry(cursor) : null, message);
      if (lower != null) {
        assertEquals(floor, cursor.next() ? entry(cursor) : null, message);
      }
    }
    assertEquals(model.firstEntry(), cursor.first() ? entry(cursor) : null, message);
    assertEquals(model.lastEntry(), cursor.last() ? entry(cursor) : null, message);
  }

  private void assertScans(LongCursor cursor, String message) {
    boolean found = cursor.first();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertEquals(entry, found ? entry(cursor) : null, message);
      found = cursor.next();
    }
    assertEquals(false, found, message);
    found = cursor.last();
    for (Map.Entry<Long, Long> entry : model.descendingMap().entrySet()) {
      assertEquals(entry, found ? entry(cursor) : null, message);
      found = cursor.previous();
    }
    assertEquals(false, found, message);
  }

  private static Map.Entry<Long, Long> entry(LongCursor cursor) {
    return Map.entry(cursor.key(), cursor.value());
  }
}
