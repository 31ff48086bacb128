// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.pio.PioBTree.Geometry;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Proportions at their ends, and updates that change much at once. */
final class PioShapesTest {
  private static final int SMALL_PAGE = 256;
  private static final int ALL = Integer.MAX_VALUE;

  private final TreeMap<Long, Long> model = new TreeMap<>();

  private static MemoryPageStore newStore(int pageBytes) {
    return new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.OFF);
  }

  private static PioBTree open(PageStore store, Geometry geometry) {
    return PioBTree.open(IndexOptions.DEFAULT, store, geometry);
  }

  private void set(PioBTree index, long key, long value) {
    index.set(key, value);
    model.put(key, value);
  }

  private void change(PioBTree index, SplittableRandom random, int count) {
    for (int i = 0; i < count; i++) {
      long key = random.nextLong(2000);
      if (random.nextInt(3) == 0) {
        index.delete(key);
        model.remove(key);
      } else {
        set(index, key, i);
      }
    }
  }

  private void assertHolds(PioBTree index) {
    index.verify();
    long[] keys = LongStream.range(-1, 2501).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    long missing = index.missingValue();
    assertArrayEquals(
        LongStream.of(keys).map(key -> model.getOrDefault(key, missing)).toArray(), values);
    assertEquals(model, new TreeMap<>(index.asMap()));
    assertEquals(model.size(), index.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void leavesMayHaveFromOneToSixteenPages(int segments) {
    for (int pioMax : new int[] {1, 64}) {
      model.clear();
      try (PioBTree index = open(newStore(512), new Geometry(segments, 5, pioMax, 10, ALL))) {
        SplittableRandom random = new SplittableRandom(segments);
        for (int round = 0; round < 4; round++) {
          change(index, random, 1500);
          assertHolds(index);
        }
        for (long key : model.keySet().stream().mapToLong(key -> key).toArray()) {
          index.delete(key);
          model.remove(key);
        }
        assertHolds(index);
      }
    }
  }

  @Test
  void queueThatHasAnotherSizeWhenTheTreeIsOpenedAgainKeepsItsOperations() {
    try (MemoryPageStore store = newStore(SMALL_PAGE)) {
      SplittableRandom random = new SplittableRandom(1);
      for (int queuePages : new int[] {8, 1, 40, 3, 1000, 2, 1}) {
        PioBTree index = open(store, new Geometry(2, queuePages, 64, 7, 50));
        assertHolds(index);
        change(index, random, 700);
        assertHolds(index);
        assertTrue(index.tree.queue.sorted() >= 0);
      }
    }
  }

  /** The tree is opened with the queue as full as it can be, and then with the smallest. */
  @Test
  void fullQueueIsOpenedAsTheSmallest() {
    try (MemoryPageStore store = newStore(SMALL_PAGE)) {
      PioBTree large = open(store, new Geometry(1, 40, 64, ALL, ALL));
      for (long key = 0; key < 400; key++) {
        set(large, key, -key);
      }
      assertEquals(1, large.statistics().leafNodes(), "all wait in the queue");
      PioBTree small = open(store, new Geometry(1, 1, 1, 1, 1));
      assertHolds(small);
      set(small, 1000, 1);
      assertHolds(small);
      small.delete(0);
      model.remove(0L);
      assertHolds(small);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 64", "1, 1", "2, 64", "4, 64", "16, 1", "16, 64"})
  @Tag("thorough")
  void thousandsOfEntriesEnterOneLeafAtOnce(int segments, int pioMax) {
    int waiting = 10_000;
    try (PioBTree index = open(newStore(4 << 10), new Geometry(segments, 64, pioMax, ALL, ALL))) {
      long[] apart = LongStream.range(0, 20_000).map(i -> i << 40).toArray();
      index.bulkload(apart, apart);
      long before = index.statistics().leafNodes();
      long most = 0;
      long leaves = before;
      SplittableRandom random = new SplittableRandom(2);
      TreeMap<Long, Long> added = new TreeMap<>();
      while (most == 0) {
        long key = (7L << 40) + 1 + random.nextLong(1L << 39);
        index.set(key, -key);
        added.put(key, -key);
        if (added.size() > waiting && added.size() % 200 == 0) { // No queue is full twice by then.
          long now = index.statistics().leafNodes();
          most = Math.max(most, now - leaves);
          leaves = now;
        } else if (added.size() == waiting) {
          assertEquals(before, index.statistics().leafNodes(), "all wait in the queue");
        }
      }
      long perLeaf = 225L * segments;
      assertTrue(most >= waiting / perLeaf, most + " leaves more");
      index.verify();
      assertEquals(apart.length + added.size(), index.size());
      added.forEach((key, value) -> assertEquals(value, index.get(key)));
      for (long key : apart) {
        assertEquals(key, index.get(key));
      }
    }
  }

  /** Inner nodes have four children here; all operations of a full queue go into one leaf. */
  @Test
  void rootGrowsByTwoLevelsAtOnce() {
    int most = 0;
    for (int loaded = 300; loaded <= 576; loaded += 23) {
      model.clear();
      try (PioBTree index = open(newStore(SMALL_PAGE), new Geometry(12, 56, 64, ALL, ALL))) {
        long[] keys = LongStream.range(0, loaded).map(i -> 3 * i).toArray();
        index.bulkload(keys, keys);
        for (long key : keys) {
          model.put(key, key);
        }
        int height = index.tree.height();
        for (int i = 1; i < 700; i++) {
          set(index, 3L * loaded + i, i);
          most = Math.max(most, index.tree.height() - height);
          height = index.tree.height();
        }
        assertHolds(index);
      }
    }
    assertTrue(most >= 2, "the root grew by " + most);
  }

  private static void addSeparators(NodeView node, Set<Long> to) {
    for (int i = 0; node.level() > 0 && i < node.count(); i++) {
      to.add(node.key(i));
    }
    for (int i = 0; node.level() > 0 && i < node.children(); i++) {
      addSeparators(node.child(i), to);
    }
  }

  /** Each is written, looked up and scanned from, by operations in the queue and in leaves. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void everySeparatorAndItsNeighboursBelongToOneLeaf(int segments) {
    try (PioBTree index = open(newStore(SMALL_PAGE), new Geometry(segments, 4, 64, 10, 30))) {
      for (long key = 0; key < 3 * 600; key += 3) {
        set(index, key, key);
      }
      Set<Long> separators = new TreeSet<>();
      addSeparators(index.rootView(), separators);
      assertTrue(separators.size() > 10, "separators: " + separators.size());
      for (boolean deletes : new boolean[] {false, true}) {
        for (long separator : separators) {
          for (long key = separator - 1; key <= separator + 1; key++) {
            if (deletes) {
              index.delete(key);
              model.remove(key);
            } else {
              set(index, key, -key);
            }
          }
          assertNeighbours(index, separator);
        }
        assertHolds(index);
        for (long separator : separators) {
          assertNeighbours(index, separator);
        }
      }
    }
  }

  private void assertNeighbours(PioBTree index, long separator) {
    LongCursor cursor = index.cursor();
    for (long key = separator - 1; key <= separator + 1; key++) {
      assertEquals(model.getOrDefault(key, index.missingValue()), index.get(key));
      Long ceiling = model.ceilingKey(key);
      assertEquals(ceiling != null, cursor.ceiling(key));
      assertTrue(ceiling == null || cursor.key() == ceiling);
      Long floor = model.floorKey(key);
      assertEquals(floor != null, cursor.floor(key));
      assertTrue(floor == null || cursor.key() == floor);
      for (long to = key; to <= separator + 1; to++) {
        assertEquals(
            model.subMap(key, true, to, true).size(), index.countRange(key, true, to, true));
      }
    }
  }

  /** All but a few entries go by blind deletions, hundreds at a time. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 16})
  void allNodesBecomeUnderfullAndTheTreeLow(int segments) {
    int pageBytes = 512;
    try (PioBTree index = open(newStore(pageBytes), new Geometry(segments, 40, 64, ALL, ALL))) {
      long[] keys = LongStream.range(0, 60_000).toArray();
      index.bulkload(keys, keys);
      int height = index.tree.height();
      int pages = index.tree.store.pagesInUse();
      assertTrue(height >= 3);
      for (long key : keys) {
        if (key % 20_000 == 7) {
          model.put(key, key);
        } else {
          index.delete(key);
        }
      }
      for (int i = 0; i < 1500; i++) { // which is more than a queue: no deletion is left in it
        set(index, 30_000 + i, i);
      }
      index.verify();
      assertEquals(model, new TreeMap<>(index.asMap()));
      assertTrue(index.tree.height() < height, "height: " + index.tree.height());
      int now = index.tree.store.pagesInUse();
      assertTrue(10 * now < pages, now + " pages of " + pages);
    }
  }
}
