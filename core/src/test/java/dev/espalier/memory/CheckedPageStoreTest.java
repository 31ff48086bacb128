// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class CheckedPageStoreTest {
  private static final int PAGE_BYTES = 256;
  private static final int MOST_PINS = 4;

  /** Where a tree may write. */
  private static final int OWN = PageStore.RESERVED_BYTES;

  private final MemoryPageStore behind =
      new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
  private final CheckedPageStore store = new CheckedPageStore(behind, MOST_PINS);

  @BeforeEach
  void giveOutPages() {
    for (int page = 1; page <= 6; page++) {
      assertEquals(page, store.allocate());
      Words.putLong(behind.segment(), behind.pin(page) + OWN, page);
    }
  }

  @AfterEach
  void close() {
    behind.close();
    try {
      store.close();
    } catch (IllegalStateException _) {
      // Many a test leaves pins.
    }
  }

  private static void assertFault(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalStateException.class, call).getMessage());
  }

  private long word(long offset) {
    return Words.getLong(store.segment(), offset + OWN);
  }

  private void word(long offset, long value) {
    Words.putLong(store.segment(), offset + OWN, value);
  }

  // ---------------------------------------------------------------- no fault

  @Test
  void changedPageIsFoundChangedAndUnchangedOneIsNot() {
    long offset = store.pin(2);
    assertEquals(2, word(offset));
    word(offset, 22);
    store.unpin(offset, true);
    long again = store.pin(2);
    assertEquals(22, word(again));
    store.unpin(again + PAGE_BYTES - 1, false);
    assertEquals(22, Words.getLong(behind.segment(), behind.pin(2) + OWN));
    store.checkBalanced();
  }

  @Test
  void pagePinnedTwiceIsInOnePlaceUntilItIsUnpinnedTwice() {
    long offset = store.pin(2);
    assertEquals(offset, store.pin(2));
    word(offset, 22);
    store.unpin(offset, true);
    assertEquals(22, word(offset));
    store.unpin(offset, false);
    assertNotEquals(22, word(offset), "nothing is left of it");
    store.checkBalanced();
  }

  @Test
  void pageIsElsewhereWhenItIsPinnedAgain() {
    long offset = store.pin(2);
    store.unpin(offset, false);
    assertNotEquals(offset, store.pin(2));
    assertFalse(store.pagesStay());
  }

  @Test
  void pagesPinnedTogetherArePinnedAsOftenAsTheyComeUp() {
    long[] pages = {0, 3, 5, 3, 0};
    store.pinAll(pages, 1, 3);
    assertEquals(pages[1], pages[3]);
    assertEquals(3, word(pages[1]));
    assertEquals(5, word(pages[2]));
    store.unpin(pages[1], false);
    store.unpin(pages[2], false);
    assertFault("pages [3] are still pinned", store::checkBalanced);
    store.unpin(pages[3], false);
    store.checkBalanced();
  }

  @Test
  void pagesMayBeGivenOutWhileOthersArePinned() {
    long offset = store.pin(1);
    for (int i = 0; i < 100; i++) {
      store.allocate();
    }
    word(offset, 11);
    store.unpin(offset, true);
    assertEquals(11, Words.getLong(behind.segment(), behind.pin(1) + OWN));
  }

  @Test
  void answersWhatTheStoreBehindItAnswers() {
    store.meta()[2] = 5;
    assertSame(behind.meta(), store.meta());
    assertEquals(6, store.pagesInUse());
    assertTrue(store.isInUse(6) && !store.isInUse(7));
    assertEquals(behind.committedBytes(), store.committedBytes());
    store.readAhead(new int[] {1, 2}, 0, 2);
    store.free(4);
    assertFalse(behind.isInUse(4));
    store.clear();
    assertEquals(0, behind.pagesInUse());
    store.close();
    assertTrue(behind.isClosed());
    assertDoesNotThrow(store::close);
    assertThrows(IllegalStateException.class, () -> word(0));
  }

  // ---------------------------------------------------------------- faults

  @Test
  void pageNotInUseIsNotPinned() {
    assertFault("page 7 is pinned, but it is not in use", () -> store.pin(7));
    assertFault("page 0 is pinned, but it is not in use", () -> store.pin(0));
    store.free(3);
    long[] pages = {2, 3};
    assertFault("page 3 is pinned, but it is not in use", () -> store.pinAll(pages, 0, 2));
  }

  @Test
  void pageNotInUseIsNotAskedForAhead() {
    assertFault(
        "page -1 is asked for ahead, but it is not in use",
        () -> store.readAhead(new int[] {1, -1}, 0, 2));
  }

  @Test
  void noMorePinsAreHeldThanMayBe() {
    for (int page : new int[] {5, 6, 5, 1}) {
      store.pin(page);
    }
    assertEquals(MOST_PINS, store.mostPins());
    assertFault("page 2 is pinned beside [5, 6, 1]: 4 is the most", () -> store.pin(2));
    assertThrows(IllegalStateException.class, () -> store.pin(5));
  }

  @Test
  void pageIsNotUnpinnedTwice() {
    long offset = store.pin(2);
    store.unpin(offset, false);
    assertFault(
        "offset " + offset + " is unpinned, but no page is pinned there",
        () -> store.unpin(offset, false));
    assertThrows(IllegalStateException.class, () -> store.unpin(-1, false));
    assertThrows(
        IllegalStateException.class, () -> store.unpin((long) MOST_PINS * PAGE_BYTES, false));
  }

  @Test
  void changedPageIsNotUnpinnedAsUnchanged() {
    long offset = store.pin(2);
    word(offset, 22);
    assertFault(
        "page 2 was changed in byte 16, but it is unpinned as unchanged",
        () -> store.unpin(offset, false));
    assertEquals(2, Words.getLong(behind.segment(), behind.pin(2) + OWN), "the change is lost");
  }

  @Test
  void writingToAnUnpinnedPageIsFoundWhenItsFrameIsUsedAgain() {
    long offset = store.pin(2);
    store.unpin(offset, false);
    word(offset, 22);
    String fault = "page 2 was written to in byte 16 after it was unpinned";
    assertFault(fault, store::checkBalanced);
    assertFault(fault, store::clear);
    assertFault(
        fault,
        () -> {
          for (int i = 0; i < MOST_PINS; i++) {
            store.unpin(store.pin(3), false);
          }
        });
  }

  @Test
  void bytesOfTheStoreAreNotWrittenTo() {
    long offset = store.pin(2);
    Words.putLong(store.segment(), offset + Long.BYTES, 1);
    assertFault(
        "page 2 was written to in byte 8, which is the store's", () -> store.unpin(offset, true));
  }

  @Test
  void pinnedPageIsNotTakenBack() {
    long offset = store.pin(2);
    assertFault("page 2 is taken back, but it is pinned", () -> store.free(2));
    assertFault("pages [2] are still pinned", store::clear);
    store.unpin(offset, false);
    store.free(2);
    assertFault("page 2 is taken back, but it is not in use", () -> store.free(2));
  }

  @Test
  void pinsLeftAreFoundOnClosingAndEverythingIsFreedAllTheSame() {
    store.pin(3);
    store.pin(1);
    assertFault("pages [3, 1] are still pinned", store::close);
    assertTrue(behind.isClosed());
    assertDoesNotThrow(store::close);
  }

  @Test
  void needsThreePins() {
    assertThrows(IllegalArgumentException.class, () -> new CheckedPageStore(behind, 2));
  }
}
