// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.memory.TimedPageStore.Transfers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** On a device that takes 100 for a read and 1000 for a write, and 1 and 10 for each further. */
final class TimedPageStoreTest {
  private static final TimedPageStore.Device DEVICE =
      new TimedPageStore.Device() {
        @Override
        public double readNanos(int pages, int pageBytes) {
          return 99.0 + pages;
        }

        @Override
        public double writeNanos(int pages, int pageBytes) {
          return 990.0 + 10 * pages;
        }
      };

  private static TimedPageStore store(int frames, int leastWritten, boolean readsAhead) {
    TimedPageStore store =
        new TimedPageStore(
            new MemoryPageStore(256, Long.MAX_VALUE, HugePages.OFF),
            frames,
            leastWritten,
            readsAhead,
            List.of(DEVICE));
    for (int i = 0; i < 40; i++) {
      store.allocate();
    }
    store.clearPool();
    store.resetCounters();
    return store;
  }

  private static void use(TimedPageStore store, boolean changes, int... pages) {
    for (int page : pages) {
      store.unpin(store.pin(page), changes);
    }
  }

  @Test
  void onePinAfterTheOtherTakesOneReadEach() {
    try (TimedPageStore store = store(8, 1, true)) {
      use(store, false, 1, 2, 1);
      assertEquals(new Transfers(2, 2, 0, 0), store.transfers());
      assertEquals(200, store.nanos(DEVICE));
    }
  }

  @Test
  void whatIsPinnedTogetherIsReadInOneWave() {
    try (TimedPageStore store = store(8, 1, true)) {
      use(store, false, 2);
      store.resetCounters();
      long[] pages = {1, 2, 3, 3};
      store.pinAll(pages, 0, 4);
      assertEquals(new Transfers(2, 1, 0, 0), store.transfers());
      assertEquals(101, store.nanos(DEVICE));
    }
  }

  @Test
  void pagesThatAreNotNeededMakeRoomFirst() {
    try (TimedPageStore store = store(8, 1, true)) {
      use(store, true, 1, 2, 3, 4);
      use(store, false, 5, 6, 7, 8);
      store.wontNeed(3);
      store.wontNeed(4);
      use(store, false, 4); // and so it is needed
      store.resetCounters();
      use(store, false, 11);
      assertEquals(new Transfers(1, 1, 1, 1), store.transfers());
      store.resetCounters();
      use(store, false, 1, 2, 4, 5, 6, 7, 8);
      assertEquals(new Transfers(0, 0, 0, 0), store.transfers());
    }
  }

  @Test
  void changedPagesAreWrittenBeforeTheReadsTheyMakeRoomFor() {
    try (TimedPageStore store = store(8, 1, true)) {
      use(store, true, 1, 2, 3);
      use(store, false, 4, 5, 6, 7, 8);
      store.resetCounters();
      store.pinAll(new long[] {11, 12}, 0, 2);
      assertEquals(new Transfers(2, 1, 2, 1), store.transfers());
      assertEquals(101 + 1010, store.nanos(DEVICE));
    }
  }

  @Test
  void othersAreWrittenAlongIfThereAreToBeMore() {
    try (TimedPageStore store = store(8, 3, true)) {
      use(store, true, 1, 2, 3, 4);
      use(store, false, 5, 6, 7, 8);
      store.resetCounters();
      use(store, false, 11, 12, 13);
      assertEquals(new Transfers(3, 3, 3, 1), store.transfers());
    }
  }

  @Test
  void pagesThatArePinnedStay() {
    try (TimedPageStore store = store(8, 1, true)) {
      store.pin(1);
      use(store, false, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
      store.resetCounters();
      store.pin(1);
      assertEquals(0, store.transfers().read());
      for (int page = 20; page < 27; page++) {
        store.pin(page);
      }
      assertThrows(IllegalStateException.class, () -> store.pin(30));
    }
  }

  @Test
  void readingAheadIsAWaveOrNothing() {
    try (TimedPageStore heeding = store(8, 1, true);
        TimedPageStore deaf = store(8, 1, false)) {
      heeding.readAhead(new int[] {1, 2, 3}, 0, 3);
      deaf.readAhead(new int[] {1, 2, 3}, 0, 3);
      assertEquals(new Transfers(3, 1, 0, 0), heeding.transfers());
      assertEquals(new Transfers(0, 0, 0, 0), deaf.transfers());
    }
  }

  @Test
  void newAndFreedPagesAreNotTransferred() {
    try (TimedPageStore store = store(8, 1, true)) {
      int page = store.allocate();
      store.unpin(store.pin(page), true);
      store.free(page);
      store.flush();
      assertEquals(new Transfers(0, 0, 0, 0), store.transfers());
    }
  }

  @Test
  void flushWritesWhatHasChangedOnce() {
    try (TimedPageStore store = store(8, 1, true)) {
      use(store, true, 1, 2, 3, 2);
      store.flush();
      store.flush();
      assertEquals(new Transfers(3, 3, 3, 1), store.transfers());
    }
  }
}
