// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CountingPageStoreTest {
  private static final int PAGE_BYTES = 256;

  private static CountingPageStore store(int frames, int pages) {
    CountingPageStore store =
        new CountingPageStore(
            new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF), frames);
    for (int i = 0; i < pages; i++) {
      store.allocate();
    }
    store.clearPool();
    store.resetCounters();
    return store;
  }

  /** Pins pages one after the other and returns for each whether the pool would have read it. */
  private static String readsOf(CountingPageStore store, int... pages) {
    StringBuilder trace = new StringBuilder();
    for (int page : pages) {
      long before = store.counters().reads();
      store.unpin(store.pin(page), false);
      trace.append(store.counters().reads() > before ? 'r' : '-');
    }
    return trace.toString();
  }

  @Test
  void countsPinsAsOftenAsTheyAreTaken() {
    try (CountingPageStore store = store(CountingPageStore.UNLIMITED, 3)) {
      store.pin(1);
      store.pin(1);
      store.pinAll(new long[] {9, 2, 1, 2}, 1, 3);
      assertEquals(new PageCounters(5, 2, 0, 0, 0), store.counters());
    }
  }

  @Test
  void countsPagesGivenOutAndTakenBack() {
    try (CountingPageStore store = store(CountingPageStore.UNLIMITED, 0)) {
      int first = store.allocate();
      store.allocate();
      store.free(first);
      assertThrows(IllegalStateException.class, () -> store.free(first));
      assertEquals(new PageCounters(0, 0, 0, 2, 1), store.counters());
    }
  }

  @Test
  void answersWhatTheStoreBehindItAnswers() {
    MemoryPageStore behind = new MemoryPageStore(PAGE_BYTES, 4 * PAGE_BYTES, HugePages.OFF);
    CountingPageStore store = new CountingPageStore(behind, 2);
    for (int i = 0; i < 3; i++) {
      store.allocate();
    }
    store.free(1);
    store.meta()[3] = 5;
    assertEquals(behind.pin(3), store.pin(3));
    assertEquals(behind.segment(), store.segment());
    assertEquals(2, store.pagesInUse());
    assertTrue(store.isInUse(2) && !store.isInUse(1));
    assertEquals(PAGE_BYTES, store.pageBytes());
    assertEquals(behind.committedBytes(), store.committedBytes());
    assertEquals(behind.mostPins(), store.mostPins());
    assertTrue(store.pagesStay());
    store.clear();
    assertEquals(0, behind.pagesInUse());
    assertEquals(0, behind.meta()[3]);
    store.close();
    assertTrue(behind.isClosed() && store.isClosed());
  }

  @Test
  void poolWithoutEndReadsEachPageOnce() {
    try (CountingPageStore store = store(CountingPageStore.UNLIMITED, 100)) {
      for (int round = 0; round < 3; round++) {
        for (int page = 1; page <= 100; page++) {
          store.unpin(store.pin(page), false);
        }
      }
      assertEquals(new PageCounters(300, 100, 0, 0, 0), store.counters());
    }
  }

  /**
   * The frames after each pin; a star is a reference bit, the hand is in front of the bracket:
   *
   * <pre>
   *   1 2 3   [1*  2*  3*     read into empty frames
   *   1       [1*  2*  3*     there
   *   4        4* [2   3      all bits are cleared on the way round, then 1 goes
   *   2        4* [2*  3      there
   *   5       [4*  2   5*     2 is passed, 3 goes
   *   1        4   1* [5*     4 is passed, 2 goes
   *   4        4*  1* [5*     there
   *   6       [4   1   6*     all are passed, then 5 goes
   * </pre>
   */
  @Test
  void replacesPagesByClock() {
    try (CountingPageStore store = store(3, 6)) {
      assertEquals("rrr", readsOf(store, 1, 2, 3));
      assertEquals("-", readsOf(store, 1));
      assertEquals("r", readsOf(store, 4), "in place of 1");
      assertEquals("-", readsOf(store, 2));
      assertEquals("r", readsOf(store, 5), "in place of 3");
      assertEquals("r", readsOf(store, 1), "in place of 2");
      assertEquals("-", readsOf(store, 4));
      assertEquals("r", readsOf(store, 6), "in place of 5: the hand came round to it");
      assertEquals("--", readsOf(store, 4, 1));
    }
  }

  @Test
  void pageReadAheadIsReadThenAndNotWhenItIsPinned() {
    try (CountingPageStore store = store(3, 6)) {
      store.readAhead(new int[] {9, 2, 3}, 1, 2);
      assertEquals(new PageCounters(0, 2, 2, 0, 0), store.counters());
      assertEquals("--", readsOf(store, 2, 3));
      store.readAhead(new int[] {3}, 0, 1);
      assertEquals(new PageCounters(2, 2, 3, 0, 0), store.counters());
    }
  }

  @Test
  void clearedPoolReadsEverythingAgain() {
    try (CountingPageStore store = store(2, 3)) {
      readsOf(store, 1, 2, 3);
      store.clearPool();
      assertEquals("rr-", readsOf(store, 3, 1, 3));
      store.resetCounters();
      assertEquals("--", readsOf(store, 1, 3), "the pool is still there");
    }
  }

  @Test
  void pageGivenOutIsThereAndPageTakenBackMakesRoom() {
    try (CountingPageStore store = store(2, 3)) {
      assertEquals("rr", readsOf(store, 1, 2));
      store.free(1);
      assertEquals("r", readsOf(store, 3));
      assertEquals("--", readsOf(store, 2, 3), "3 took the frame that 1 had");
      assertEquals(1, store.allocate());
      assertEquals("-", readsOf(store, 1));
      assertEquals(4, store.counters().reads() + store.counters().allocated());
    }
  }

  @Test
  void poolNeedsAFrame() {
    MemoryPageStore behind = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
    assertThrows(IllegalArgumentException.class, () -> new CountingPageStore(behind, 0));
    behind.close();
  }

  /** Against CLOCK as second chances in a queue, which is the same but for how it is written. */
  @Test
  void poolHoldsWhatSecondChancesInAQueueHold() {
    SplittableRandom random = new SplittableRandom(4);
    try (CountingPageStore store = store(40, 100)) {
      Deque<Integer> queue = new ArrayDeque<>();
      Map<Integer, Boolean> referenced = new LinkedHashMap<>();
      for (int i = 0; i < 20_000; i++) {
        int page = 1 + Math.min(random.nextInt(100), random.nextInt(100));
        assertEquals(referenced.containsKey(page) ? "-" : "r", readsOf(store, page));
        if (!referenced.containsKey(page)) {
          if (queue.size() == 40) {
            while (Boolean.TRUE.equals(referenced.put(queue.element(), false))) {
              queue.add(queue.remove());
            }
            referenced.remove(queue.remove());
          }
          queue.add(page);
        }
        referenced.put(page, true);
      }
    }
  }
}
