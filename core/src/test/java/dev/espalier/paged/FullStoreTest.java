// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.PagedShape;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.RefusingPageStore;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A store that refuses a page, whichever it is, leaves the tree as it was, with no page pinned or
 * leaked.
 */
class FullStoreTest {
  private static final int ENTRIES = 600;

  private final TreeMap<Long, Long> model = new TreeMap<>();

  /**
   * Returns the trees that split only when all pages for it are there. The B-link trees split a
   * leaf even if there is no page for the parent's split; BLinkTreeTest and FpbLinkTreeTest have
   * what that comes to.
   */
  static List<PagedShape> reserving() {
    return PagedShape.smallest().stream()
        .filter(shape -> !shape.tree().equals("BLinkTree") && !shape.tree().equals("FpbLinkTree"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("reserving")
  void ascendingInsertsSurviveTheRefusalOfAnyPage(PagedShape shape) {
    insert(shape, LongStream.range(0, ENTRIES).toArray());
  }

  @ParameterizedTest
  @MethodSource("reserving")
  void descendingInsertsSurviveTheRefusalOfAnyPage(PagedShape shape) {
    insert(shape, LongStream.range(0, ENTRIES).map(key -> -key).toArray());
  }

  @ParameterizedTest
  @MethodSource("reserving")
  void scatteredInsertsSurviveTheRefusalOfAnyPage(PagedShape shape) {
    insert(shape, scattered());
  }

  /** Lets the store have one page more after each refusal, so that each page is refused once. */
  private void insert(PagedShape shape, long[] keys) {
    RefusingPageStore full = new RefusingPageStore(shape.newStore(), 1);
    CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);
    try (LongIndex index = shape.open(pages)) {
      int refusals = 0;
      for (long key : keys) {
        while (!isPut(index, key)) {
          refusals++;
          pages.checkBalanced();
          assertHolds(index);
          full.mostPages(1 + refusals);
        }
        model.put(key, -key);
      }
      assertHolds(index);
      assertEquals(1 + refusals, pages.pagesInUse(), "each page was refused once");
      assertTrue(index.statistics().height() >= 3);
    }
  }

  /**
   * The first page of a split may move the memory, and the next be refused. A cursor that is open
   * meanwhile goes on, as nothing has changed.
   */
  @ParameterizedTest
  @MethodSource("reserving")
  void cursorGoesOnAfterARefusalThatHasMovedTheMemory(PagedShape shape) {
    RefusingPageStore full = new RefusingPageStore(shape.newStore(), 1);
    try (LongIndex index = shape.open(full)) {
      int moves = 0;
      for (long key : scattered()) {
        LongCursor cursor = index.cursor();
        cursor.first();
        MemorySegment before = full.segment();
        full.mostPages(full.pagesInUse());
        for (int room = 1; !isPut(index, key); room++) {
          if (full.segment() != before) {
            moves++;
            before = full.segment();
            assertEquals(model.higherKey(cursor.key()), cursor.next() ? cursor.key() : null);
            cursor.first();
          }
          full.mostPages(full.pagesInUse() + room);
        }
        model.put(key, -key);
      }
      assertTrue(moves > 0);
      assertHolds(index);
    }
  }

  private static boolean isPut(LongIndex index, long key) {
    try {
      index.put(key, -key);
      return true;
    } catch (MemoryLimitException _) {
      return false;
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.PagedShape#smallest")
  void bulkloadIsRefusedAnyPageAndLeavesAnEmptyIndex(PagedShape shape) {
    long[] keys = LongStream.range(0, ENTRIES).toArray();
    RefusingPageStore full = new RefusingPageStore(shape.newStore(), 1);
    CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);
    try (LongIndex index = shape.open(pages)) {
      for (int mostPages = 1; index.isEmpty(); mostPages++) {
        full.mostPages(mostPages);
        try {
          index.bulkload(keys, keys);
          assertEquals(mostPages, pages.pagesInUse());
        } catch (MemoryLimitException _) {
          assertTrue(index.isEmpty());
          assertEquals(1, pages.pagesInUse());
        }
        pages.checkBalanced();
        index.verify();
      }
      assertEquals(ENTRIES, index.size());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.PagedShape#smallest")
  void removingNeedsNoPage(PagedShape shape) {
    RefusingPageStore full = new RefusingPageStore(shape.newStore(), Integer.MAX_VALUE);
    CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);
    try (LongIndex index = shape.open(pages)) {
      long[] keys = scattered();
      for (long key : keys) {
        index.put(key, -key);
      }
      full.mostPages(0);
      for (int i = 0; i < keys.length; i++) {
        assertEquals(-keys[i], index.remove(keys[i]));
        pages.checkBalanced();
        if (i % 50 == 0) {
          index.verify();
        }
      }
      assertEquals(1, pages.pagesInUse(), "all pages but the empty leaf are given back");
      assertThrows(MemoryLimitException.class, pages::allocate);
    }
  }

  private void assertHolds(LongIndex index) {
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
