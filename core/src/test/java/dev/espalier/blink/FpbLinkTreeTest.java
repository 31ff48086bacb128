// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TestSize;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.RefusingPageStore;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Splits and removals in a tree of the smallest pages: two in-page leaves of three entries. */
@Tag("fallback-exhaustive")
class FpbLinkTreeTest {
  private static final int LEAF = 6;
  private static final Geometry SMALLEST = new Geometry(1, 1);

  static FpbLinkTree tree() {
    return tree(256, SMALLEST);
  }

  private static FpbLinkTree tree(int pageBytes, Geometry geometry) {
    return FpbLinkTree.open(
        IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes), geometry);
  }

  private static void putAscending(FpbLinkTree index, int count) {
    for (long key = 0; key < count; key++) {
      index.put(key, -key);
    }
  }

  @Test
  void ascendingKeysLeaveFullPages() {
    try (FpbLinkTree index = tree()) {
      putAscending(index, 10 * LEAF);
      assertEquals(10 + 3, index.tree.store.pagesInUse(), "with two inner pages and their root");
      index.verify();
    }
    try (FpbLinkTree index = tree(4096, new Geometry(2, 5))) {
      putAscending(index, 10 * index.tree.format.leafCapacity);
      assertEquals(10 + 1, index.tree.store.pagesInUse());
      index.verify();
    }
  }

  @Test
  void leafThatHasBecomeEmptyIsFreedAtOnceWhereverItIs() {
    for (int leaf = 0; leaf < 6; leaf++) {
      try (FpbLinkTree index = tree()) {
        putAscending(index, 6 * LEAF);
        int before = index.tree.store.pagesInUse();
        for (long key = (long) leaf * LEAF; key < (leaf + 1) * LEAF; key++) {
          index.remove(key);
        }
        assertEquals(before - 1, index.tree.store.pagesInUse(), "leaf " + leaf);
        index.verify();
        long key = (long) leaf * LEAF + 1;
        index.put(key, 7);
        assertEquals(7, index.get(key));
        index.verify();
      }
    }
  }

  @Test
  void innerPagesThatLeadToAnEmptyLeafOnlyAreFreedWithItAndTheRootIsLowered() {
    int count = 300 * LEAF;
    for (boolean ascending : new boolean[] {true, false}) {
      try (FpbLinkTree index = tree()) {
        putAscending(index, count);
        assertTrue(index.tree.height() >= 4);
        for (long i = 0; i < count; i++) {
          index.remove(ascending ? i : count - 1 - i);
          if (i % 100 == 0) {
            index.verify();
          }
        }
        assertEquals(0, index.size());
        assertEquals(1, index.tree.height());
        assertEquals(1, index.tree.store.pagesInUse());
        index.verify();
      }
    }
  }

  /** As a queue does, which takes keys at one end and adds them at the other. */
  @Test
  void windowThatMovesTakesNoMorePagesWithTime() {
    try (FpbLinkTree index = tree()) {
      int window = 30 * LEAF;
      int most = 0;
      for (long key = 0; key < 400 * LEAF; key++) {
        index.put(key, key);
        if (key >= window) {
          index.remove(key - window);
        }
        most = Math.max(most, index.tree.store.pagesInUse());
      }
      assertTrue(most <= 60, "pages: " + most);
      index.verify();
    }
  }

  /** As a cache does: each new key takes the place of another, wherever they are. */
  @Test
  void entriesThatAreReplacedAtRandomLeavePagesHalfFull() {
    SplittableRandom random = new SplittableRandom(6);
    long[] keys = random.longs(TestSize.of(40_000, 400_000)).toArray();
    try (FpbLinkTree index = tree(16 << 10, new Geometry(3, 14))) {
      for (long key : keys) {
        index.put(key, key);
      }
      for (int i = 0; i < 5 * keys.length; i++) {
        int victim = random.nextInt(keys.length);
        index.remove(keys[victim]);
        keys[victim] = random.nextLong();
        index.put(keys[victim], i);
      }
      long room = (long) index.tree.store.pagesInUse() * index.tree.format.leafCapacity;
      assertTrue(
          2L * keys.length >= room, keys.length + " entries where there is room for " + room);
      index.verify();
    }
  }

  @Test
  void agreesWithAMapWhilePagesAreSplitAndRemoved() {
    for (int pageBytes : new int[] {256, 1024}) {
      SplittableRandom random = new SplittableRandom(5);
      TreeMap<Long, Long> model = new TreeMap<>();
      try (FpbLinkTree index = tree(pageBytes, SMALLEST)) {
        for (int i = 0; i < 40_000; i++) {
          // Keys come and go in waves, and in clusters.
          boolean grows = i / 5000 % 2 == 0;
          long key = random.nextInt(100) * 1000L + random.nextInt(60);
          if (random.nextInt(10) < (grows ? 8 : 2)) {
            Long before = model.put(key, (long) i);
            assertEquals(before == null ? index.missingValue() : before, index.put(key, i));
          } else {
            Long before = model.remove(key);
            assertEquals(before == null ? index.missingValue() : before, index.remove(key));
          }
          if (i % 1000 == 0) {
            index.verify();
            assertHolds(model, index);
          }
        }
      }
    }
  }

  private static void assertHolds(TreeMap<Long, Long> model, FpbLinkTree index) {
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    model.forEach(
        (key, value) -> {
          assertTrue(cursor.next());
          assertEquals(key, cursor.key());
          assertEquals(value, cursor.value());
        });
    assertFalse(cursor.next());
    model
        .descendingMap()
        .forEach(
            (key, _) -> {
              assertTrue(cursor.previous());
              assertEquals(key, cursor.key());
            });
    assertFalse(cursor.previous());
    assertAnswersTogether(model, index);
  }

  /** Also while a page is split incompletely, for keys that are there and their neighbours. */
  private static void assertAnswersTogether(TreeMap<Long, Long> model, FpbLinkTree index) {
    long[] keys = model.keySet().stream().flatMapToLong(k -> LongStream.of(k, k + 1)).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    for (int i = 0; i < keys.length; i++) {
      assertEquals(model.getOrDefault(keys[i], index.missingValue()), values[i]);
    }
  }

  // ---------------------------------------------------------------- many keys at once

  /** The greatest key is what unused slots hold. */
  @Test
  void batchTellsTheGreatestKeyFromPadding() {
    try (FpbLinkTree index = tree()) {
      long[] keys = {Long.MAX_VALUE, Long.MIN_VALUE, 3, Long.MAX_VALUE};
      long[] values = new long[keys.length];
      for (int count : new int[] {0, 4, 5, 40}) {
        putAscending(index, count);
        index.getAll(keys, values);
        assertEquals(index.missingValue(), values[0]);
        assertEquals(index.missingValue(), values[1]);
        assertEquals(count > 3 ? -3 : index.missingValue(), values[2]);
      }
      index.put(Long.MAX_VALUE, 7);
      index.put(Long.MIN_VALUE, 8);
      index.getAll(keys, values);
      assertEquals(7, values[0]);
      assertEquals(8, values[1]);
      assertEquals(7, values[3]);
      index.verify();
    }
  }

  // ---------------------------------------------------------------- refusals

  @Test
  void whereThereIsNoRoomAboveASplitStaysIncompleteAndIsCompletedLater() {
    MemoryPageStore store = new MemoryPageStore(256, 2 * 256, HugePages.OFF);
    try (FpbLinkTree index = FpbLinkTree.open(IndexOptions.DEFAULT, store, SMALLEST)) {
      putAscending(index, LEAF + 1); // Two leaves, and no room for a root above.
      assertEquals(1, index.tree.height());
      index.verify();
      assertThrows(MemoryLimitException.class, () -> index.put(-1, 1));
      for (long key = LEAF + 1; key < 2 * LEAF; key++) {
        index.put(key, -key);
      }
      assertThrows(MemoryLimitException.class, () -> index.put(1000, 1));
      assertEquals(2 * LEAF, index.size());
      index.verify();
      for (long key = 0; key < 2 * LEAF; key++) {
        assertEquals(-key, index.get(key));
      }
    }
  }

  /** The store gets one page more after each refusal, so that any page is refused once. */
  @Test
  @Tag("thorough")
  void insertsSurviveTheRefusalOfAnyPage() {
    int count = TestSize.of(600, 2000);
    for (long factor : new long[] {1, -1, 0x9e37_79b9_7f4a_7c15L}) {
      RefusingPageStore full = new RefusingPageStore(IndexOptions.DEFAULT.pagesInMemory(256), 1);
      CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);
      TreeMap<Long, Long> model = new TreeMap<>();
      try (FpbLinkTree index = FpbLinkTree.open(IndexOptions.DEFAULT, pages, SMALLEST)) {
        int refusals = 0;
        for (long i = 0; i < count; i++) {
          while (!isPut(index, i * factor, i)) {
            refusals++;
            pages.checkBalanced();
            assertHolds(model, index);
            index.verify();
            full.mostPages(1 + refusals);
          }
          model.put(i * factor, i);
        }
        index.verify();
        assertHolds(model, index);
        assertTrue(refusals >= count / LEAF - 1, "refusals: " + refusals);
        full.mostPages(Integer.MAX_VALUE);
        for (long i = 0; i < count; i++) {
          index.put(i * factor, i); // completes what could not be
        }
        assertTrue(index.tree.height() >= 3);
        index.verify();
      }
    }
  }

  private static boolean isPut(FpbLinkTree index, long key, long value) {
    try {
      index.put(key, value);
      return true;
    } catch (MemoryLimitException _) {
      return false;
    }
  }
}
