// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TestSize;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.shuttle.ShuttleTree.Geometry;
import dev.espalier.shuttle.ShuttleTree.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges that leave trees with messages in all buffers. */
class ShuttleCutTest {
  private static final int KEYS = 3_000;

  private final TreeMap<Long, Long> model = new TreeMap<>();

  private static ShuttleTree tree(IndexOptions options, int leafEntries) {
    return ShuttleTree.create(options, new Geometry(Schedule.SHIFTED, 4, leafEntries));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 16})
  void rangesThatGoAndComeBackAgreeWithAMap(int leafEntries) {
    for (long seed : TestSize.seeds(2, 48)) {
      SplittableRandom random = new SplittableRandom(seed);
      model.clear();
      try (ShuttleTree index = tree(IndexOptions.DEFAULT, leafEntries)) {
        int highest = 0;
        LongCursor cursor = index.cursor();
        for (int step = 0; step < TestSize.of(80, 300); step++) {
          String what = "seed " + seed + ", step " + step;
          write(index, random, random.nextInt(step % 20 == 0 ? 4_000 : 300));
          highest = Math.max(highest, index.tree.height);
          if (random.nextInt(5) == 0) {
            assertEquals(model.size(), index.size()); // which is known from then on
          }
          cursor.ceiling(random.nextInt(KEYS)); // finds some that are dead
          removeRandomRange(index, random, what);
          index.verify();
          if (step % 8 == 0) {
            assertHolds(index, what);
          }
        }
        assertHolds(index, "seed " + seed);
        assertTrue(highest >= (leafEntries < 16 ? 6 : 4), "height " + highest);
      }
    }
  }

  /** Writes keys near one another or far apart, with and without a search. */
  private void write(ShuttleTree index, SplittableRandom random, int writes) {
    long begin = random.nextInt(KEYS);
    int keys = random.nextBoolean() ? KEYS : random.nextInt(1, 120);
    boolean grows = random.nextInt(4) > 0;
    for (long value = 0; value < writes; value++) {
      long key = random.nextInt(60) == 0 ? extreme(random) : (begin + random.nextInt(keys)) % KEYS;
      switch (random.nextInt(grows ? 9 : 5)) {
        case 0, 1 -> {
          index.delete(key);
          model.remove(key);
        }
        case 2 -> {
          index.remove(key);
          model.remove(key);
        }
        case 3 -> {
          index.put(key, value);
          model.put(key, value);
        }
        default -> {
          index.set(key, value);
          model.put(key, value);
        }
      }
    }
  }

  private static long extreme(SplittableRandom random) {
    return random.nextBoolean()
        ? Long.MIN_VALUE + random.nextInt(2)
        : Long.MAX_VALUE - random.nextInt(2);
  }

  private void removeRandomRange(ShuttleTree index, SplittableRandom random, String what) {
    long from = random.nextInt(12) == 0 ? extreme(random) : random.nextInt(-3, KEYS + 3);
    long length = random.nextInt(1 + random.nextInt(1 + random.nextInt(1 + KEYS)));
    long to = random.nextInt(12) == 0 ? extreme(random) : Math.max(from, from + length);
    remove(
        index,
        Math.min(from, to),
        random.nextBoolean(),
        Math.max(from, to),
        random.nextBoolean(),
        what);
  }

  private void remove(
      ShuttleTree index,
      long from,
      boolean fromInclusive,
      long to,
      boolean toInclusive,
      String what) {
    boolean isEmpty = from == to && !(fromInclusive && toInclusive);
    NavigableMap<Long, Long> range =
        isEmpty ? new TreeMap<>() : model.subMap(from, fromInclusive, to, toInclusive);
    assertEquals(range.size(), index.removeRange(from, fromInclusive, to, toInclusive), what);
    range.clear();
    if (!isEmpty) {
      assertNothingFrom(
          fromInclusive ? from : from + 1, toInclusive ? to : to - 1, index.tree, what);
    }
  }

  /** Checks that neither a leaf nor a buffer has anything of a range. */
  private static void assertNothingFrom(long first, long last, ShuttleStructure tree, String what) {
    for (long at = tree.array.first; at != 0; at = tree.array.following(at)) {
      if (tree.layout.height(tree.array.nodes, at) <= 1) {
        for (int i = 0; i < tree.layout.count(tree.array.nodes, at); i++) {
          long key = ShuttleLayout.key(tree.array.nodes, at, i);
          assertFalse(key >= first && key <= last, what + ": @" + at + " has key " + key);
        }
      }
    }
  }

  /** Of the keys at either side of each end of a leaf's interval, all pairs. */
  @Test
  void rangeBetweenAnyTwoEndsGoes() {
    List<Long> ends = new ArrayList<>(List.of(Long.MIN_VALUE));
    try (ShuttleTree index = filled()) {
      ShuttleStructure tree = index.tree;
      assertTrue(tree.height >= 4, "height " + tree.height);
      for (long at = tree.array.first; at != 0; at = tree.array.following(at)) {
        int height = tree.layout.height(tree.array.nodes, at);
        for (int i = 0; height > 1 && i < tree.layout.count(tree.array.nodes, at) - 1; i++) {
          long separator = tree.layout.separator(tree.array.nodes, at, i);
          ends.addAll(List.of(separator, separator + 1));
        }
      }
    }
    ends.add(Long.MAX_VALUE);
    List<Long> sorted = ends.stream().distinct().sorted().toList();
    int step = TestSize.isThorough() ? 7 : 29;
    for (int i = 0; i < sorted.size(); i++) {
      for (int j = i; j < sorted.size(); j += i == 0 || j < i + 3 ? 1 : step) {
        try (ShuttleTree index = filled()) {
          String what = sorted.get(i) + " to " + sorted.get(j);
          remove(index, sorted.get(i), true, sorted.get(j), true, what);
          index.verify();
          assertHolds(index, what);
        }
      }
    }
  }

  /** Returns always the same tree. */
  private ShuttleTree filled() {
    ShuttleTree index = tree(IndexOptions.DEFAULT, 3);
    model.clear();
    SplittableRandom random = new SplittableRandom(4);
    for (long value = 0; value < 500; value++) {
      long key = random.nextInt(400);
      if (random.nextInt(5) == 0) {
        index.delete(key);
        model.remove(key);
      } else {
        index.set(key, value);
        model.put(key, value);
      }
    }
    return index;
  }

  @Test
  void rangesGoWhereThereIsNoMemory() {
    SplittableRandom random = new SplittableRandom(9);
    try (ShuttleTree index = tree(IndexOptions.DEFAULT.withMemoryLimit(60_000), 3)) {
      for (int round = 0; round < 60; round++) {
        fillUp(index, random);
        removeRandomRange(index, random, "round " + round);
        index.verify();
      }
      assertHolds(index, "at last");
    }
  }

  private void fillUp(ShuttleTree index, SplittableRandom random) {
    for (long value = 0; value < 3_000; value++) {
      long key = random.nextInt(KEYS);
      try {
        index.set(key, value);
        model.put(key, value);
      } catch (MemoryLimitException _) {
        return;
      }
    }
  }

  @Test
  void treeThatARangeLeavesSparseIsBuiltAnew() {
    try (ShuttleTree index = tree(IndexOptions.DEFAULT, 16)) {
      for (long key = 0; key < 20_000; key++) {
        index.set(key, key);
        model.put(key, key);
      }
      remove(index, 0, true, 19_000, true, "most");
      assertEquals(1, index.tree.rebuilds);
      index.verify();
      assertHolds(index, "most");
    }
  }

  private void assertHolds(ShuttleTree index, String what) {
    TreeMap<Long, Long> entries = new TreeMap<>();
    LongCursor cursor = index.cursor();
    while (cursor.next()) {
      entries.put(cursor.key(), cursor.value());
    }
    assertEquals(model, entries, what);
    assertEquals(model.size(), index.size(), what);
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertEquals(entry.getValue(), index.get(entry.getKey()), what);
    }
  }
}
