// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.PagedShape;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.RefusingPageStore;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A PIO B-tree in a store that has no more pages. */
class PioFullStoreTest {
  private static final int ENTRIES = 1500;
  private static final int LEAST_PAGES = 3;

  private final TreeMap<Long, Long> model = new TreeMap<>();
  private final RefusingPageStore full =
      new RefusingPageStore(PagedShape.pio().newStore(), LEAST_PAGES);
  private final CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);

  private PioBTree open(int segments, int queuePages) {
    PioBTree.Geometry geometry = new PioBTree.Geometry(segments, queuePages, 64, 30, 25);
    return PioBTree.open(IndexOptions.DEFAULT, pages, geometry);
  }

  private static boolean isPut(PioBTree index, long key) {
    try {
      index.put(key, -key);
      return true;
    } catch (MemoryLimitException _) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void insertsSurviveTheRefusalOfAnyPage(int segments) {
    insertAll(segments, LongStream.range(0, ENTRIES).toArray());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void descendingInsertsSurviveTheRefusalOfAnyPage(int segments) {
    insertAll(segments, LongStream.range(0, ENTRIES).map(i -> -i).toArray());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void scatteredInsertsSurviveTheRefusalOfAnyPage(int segments) {
    insertAll(segments, scattered());
  }

  private void insertAll(int segments, long[] keys) {
    try (PioBTree index = open(segments, 4)) {
      int refusals = 0;
      for (long key : keys) {
        while (!isPut(index, key)) {
          refusals++;
          pages.checkBalanced();
          if (refusals % 4 == 0) {
            assertHolds(index);
          }
          full.mostPages(LEAST_PAGES + refusals);
        }
        model.put(key, -key);
      }
      assertHolds(index);
      assertTrue(refusals > 30, () -> "the pages in use are " + pages.pagesInUse());
    }
  }

  @Test
  void removingNeedsNoPage() {
    full.mostPages(Integer.MAX_VALUE);
    try (PioBTree index = open(2, 4)) {
      long[] keys = scattered();
      for (long key : keys) {
        index.put(key, -key);
      }
      full.mostPages(0);
      for (int i = 0; i < keys.length; i++) {
        assertEquals(-keys[i], index.remove(keys[i]));
        pages.checkBalanced();
        if (i % 100 == 0) {
          index.verify();
        }
      }
      assertEquals(LEAST_PAGES, pages.pagesInUse(), "directory, root and leaf are left");
    }
  }

  /** Of a full index, every entry can be overwritten, and what is removed makes room. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void whatIsRemovedMakesRoom(int segments) {
    full.mostPages(60);
    try (PioBTree index = open(segments, 4)) {
      LongUnaryOperator key = i -> i * 0x9e37_79b9_7f4a_7c15L;
      int count = 0;
      while (isPut(index, key.applyAsLong(count))) {
        model.put(key.applyAsLong(count), -key.applyAsLong(count));
        count++;
      }
      assertHolds(index);
      for (int i = 0; i < count; i++) {
        index.set(key.applyAsLong(i), i);
        model.put(key.applyAsLong(i), (long) i);
      }
      assertHolds(index);
      for (int i = count / 2; i < count; i++) {
        index.delete(key.applyAsLong(i));
        model.remove(key.applyAsLong(i));
      }
      assertHolds(index);
      for (int i = count / 2; i < count * 3 / 4; i++) {
        index.put(key.applyAsLong(i), i);
        model.put(key.applyAsLong(i), (long) i);
      }
      assertHolds(index);
    }
  }

  @Test
  void bulkloadIsRefusedAnyPageAndLeavesAnEmptyIndex() {
    long[] keys = LongStream.range(0, ENTRIES).toArray();
    try (PioBTree index = open(2, 4)) {
      for (int most = LEAST_PAGES; index.isEmpty(); most++) {
        full.mostPages(most);
        try {
          index.bulkload(keys, keys);
        } catch (MemoryLimitException _) {
          assertTrue(index.isEmpty());
          assertEquals(LEAST_PAGES, pages.pagesInUse());
        }
        pages.checkBalanced();
        index.verify();
      }
      assertEquals(ENTRIES, index.size());
    }
  }

  @Test
  void aStoreThatIsTooSmallIsRefused() {
    full.mostPages(LEAST_PAGES - 1);
    assertThrows(MemoryLimitException.class, () -> open(2, 4));
  }

  private void assertHolds(PioBTree index) {
    index.verify();
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertTrue(cursor.next());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
    assertFalse(cursor.next());
  }

  private static long[] scattered() {
    return LongStream.range(0, ENTRIES).map(i -> i * 0x9e37_79b9_7f4a_7c15L).toArray();
  }
}
