// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CountingPageStore;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("fallback-exhaustive")
class BftlTreeTest {
  private static BftlTree tree(int bufferPages, int listBound) {
    IndexOptions options = IndexOptions.DEFAULT;
    return BftlTree.open(
        options, options.pagesInMemory(256), new BftlTree.Geometry(bufferPages, listBound));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 4", "4, 1", "4, 4", "16, 3"})
  void agreesWithAMapWhileNodesAreScattered(int bufferPages, int listBound) {
    SplittableRandom random = new SplittableRandom(5);
    TreeMap<Long, Long> model = new TreeMap<>();
    try (BftlTree index = tree(bufferPages, listBound)) {
      int highest = 0;
      for (int i = 0; i < 8000; i++) {
        long key = random.nextInt(1500);
        boolean isShrinking = i / 2000 % 2 == 1;
        if (random.nextInt(10) < (isShrinking ? 8 : 3)) {
          Long before = model.remove(key);
          assertEquals(before == null ? index.missingValue() : before, index.remove(key));
        } else {
          Long before = model.put(key, (long) i);
          assertEquals(before == null ? index.missingValue() : before, index.put(key, i));
        }
        highest = Math.max(highest, index.tree.height());
        if (i % 200 == 0) {
          index.verify();
          assertHolds(model, index);
          new TableScan(index.tree).run();
          index.verify();
          assertHolds(model, index);
        }
      }
      assertTrue(highest >= 3, "height " + highest);
    }
  }

  /** Subtrees at the left go, and keys come where they were. */
  @ParameterizedTest
  @CsvSource({"1, 1", "4, 4"})
  void keysBelowTheFirstSeparatorHaveAPlace(int bufferPages, int listBound) {
    TreeMap<Long, Long> model = new TreeMap<>();
    try (BftlTree index = tree(bufferPages, listBound)) {
      for (long key = 0; key < 2000; key += 2) {
        index.put(key, key);
        model.put(key, key);
      }
      assertTrue(index.tree.height() >= 4, "height " + index.tree.height());
      for (long key = 700; key < 1700; key += 2) {
        assertEquals(model.remove(key), index.remove(key));
        assertEquals(index.missingValue(), index.get(key + 1));
      }
      index.verify();
      for (long key = 1699; key > 700; key -= 2) {
        assertEquals(index.missingValue(), index.put(key, -key));
        model.put(key, -key);
      }
      index.verify();
      assertHolds(model, index);
      for (long key : List.copyOf(model.keySet())) {
        assertEquals(model.remove(key), index.remove(key));
        assertEquals(index.missingValue(), index.get(key));
      }
      assertTrue(index.isEmpty());
    }
  }

  /** Keys come back below what is the first separator after ranges have gone. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 4", "4, 4", "16, 3"})
  void rangesThatGoAndComeBackAgreeWithAMap(int bufferPages, int listBound) {
    SplittableRandom random = new SplittableRandom(8);
    TreeMap<Long, Long> model = new TreeMap<>();
    try (BftlTree index = tree(bufferPages, listBound)) {
      for (int i = 0; i < 400; i++) {
        long from = random.nextInt(-20, 3000);
        long to = from + random.nextInt(i % 10 == 0 ? 3000 : 400);
        if (random.nextInt(3) == 0) {
          var range = model.subMap(from, true, to, i % 2 == 0);
          assertEquals(range.size(), index.removeRange(from, true, to, i % 2 == 0));
          range.clear();
        } else {
          boolean isDescending = random.nextBoolean();
          int step = random.nextInt(1, 9);
          for (long key = from; key < to; key += step) {
            long put = isDescending ? to + from - key : key;
            model.put(put, key);
            index.put(put, key);
          }
        }
        index.verify();
        if (i % 10 == 0) {
          assertHolds(model, index);
          new TableScan(index.tree).run();
          index.verify();
          assertHolds(model, index);
        }
      }
    }
  }

  /** What goes one by one is looked for by a page of each level, and leaves a unit in another. */
  @Test
  void rangeGoesByLeavesWithoutALookAtEachEntry() {
    IndexOptions options = IndexOptions.DEFAULT;
    CountingPageStore store =
        new CountingPageStore(options.pagesInMemory(4 << 10), CountingPageStore.UNLIMITED);
    try (BftlTree index = BftlTree.open(options, store)) {
      for (long key = 0; key < 20_000; key++) {
        index.put(key, key);
      }
      int pages = store.pagesInUse();
      store.resetCounters();
      assertEquals(15_000, index.removeRange(1_000, true, 16_000, false));
      long pins = store.counters().pins();
      assertTrue(pins < 15_000 / 2, "pins: " + pins);
      int inUse = store.pagesInUse();
      assertTrue(inUse < pages / 2, inUse + " of " + pages + " pages are in use");
      index.verify();
    }
  }

  /**
   * In a full store, the unit that removed an entry is made one that puts it, before later ones.
   */
  @Test
  void entryThatComesBackInPlaceOfItsRemovalFits() {
    try (BftlTree index = tree(4, 4)) {
      BftlStructure tree = index.tree;
      for (long key = 1; key <= tree.capacity; key++) {
        index.put(key, key);
      }
      index.remove(1);
      index.put(100, 100);
      index.remove(2);
      long unit = tree.find(tree.root(), 1);
      SectorPage.set(tree.pages, unit, tree.root(), SectorPage.PUT, 1, 1);
      tree.store.unpin(unit, true);
      tree.table.count(tree.root(), tree.capacity);
      tree.meta[BftlStructure.SIZE]++;
      TreeMap<Long, Long> model = new TreeMap<>();
      for (long key = 1; key <= tree.capacity; key++) {
        model.put(key, key);
      }
      model.remove(2L);
      model.put(100L, 100L);
      index.verify();
      assertHolds(model, index);
      new TableScan(tree).run();
      for (long key = 200; key < 300; key++) {
        index.put(key, key);
        model.put(key, key);
      }
      index.verify();
      assertHolds(model, index);
    }
  }

  /** The nodes that stay have numbers above what the pages that stay have room for. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 4", "4, 4"})
  void aTreeThatShrankIsScannedAndGrowsAgain(int bufferPages, int listBound) {
    TreeMap<Long, Long> model = new TreeMap<>();
    try (BftlTree index = tree(bufferPages, listBound)) {
      for (long key = 0; key < 4000; key++) {
        index.put(key, -key);
        model.put(key, -key);
      }
      for (long key = 0; key < 3990; key++) {
        index.remove(key);
        model.remove(key);
      }
      index.verify();
      new TableScan(index.tree).run();
      index.verify();
      assertHolds(model, index);
      for (long key = 0; key < 4000; key++) {
        index.put(key, key);
        model.put(key, key);
      }
      new TableScan(index.tree).run();
      index.verify();
      assertHolds(model, index);
    }
  }

  @Test
  void aScanRefusesUnitsOfNodesThatCannotBe() {
    try (BftlTree index = tree(1, 1)) {
      index.put(1, 1);
      BftlStructure tree = index.tree;
      long page = tree.store.pin(tree.buffer(0));
      SectorPage.set(tree.pages, SectorPage.unit(page, 0), 1 << 20, SectorPage.PUT, 1, 1);
      tree.store.unpin(page, true);
      InvariantViolationException refused =
          assertThrows(InvariantViolationException.class, () -> new TableScan(tree).run());
      assertEquals("I3: a unit is of node 1048576", refused.getMessage());
    }
  }

  private static void assertHolds(TreeMap<Long, Long> model, BftlTree index) {
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
    model
        .descendingMap()
        .forEach(
            (key, value) -> {
              assertTrue(cursor.previous());
              assertEquals(key, cursor.key());
            });
    assertFalse(cursor.previous());
  }

  @Test
  void anotherGeometryIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new BftlTree.Geometry(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new BftlTree.Geometry(1, 0));
  }
}
