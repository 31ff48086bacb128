// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.VirtualMemory;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("fallback-too")
class MemoryPageStoreTest {
  private static final int PAGE_BYTES = 512;

  private MemoryPageStore store =
      new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.WHEN_GROWN);

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 4 << 10, 64 << 10})
  void pagesLieOneAfterTheOtherOnLines(int pageBytes) {
    store.close();
    store = new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.OFF);
    assertEquals(pageBytes, store.pageBytes());
    for (int page = 1; page <= 50; page++) {
      assertEquals(page, store.allocate());
      assertEquals((page - 1L) * pageBytes, store.pin(page));
    }
    assertTrue(store.segment().byteSize() >= 50L * pageBytes);
    assertEquals(0, store.segment().address() % CacheLine.BYTES);
  }

  @Test
  void looksFindEachPageWhereAPinDoes() {
    for (int i = 0; i < 50; i++) {
      int page = store.allocate();
      long look = store.look(page);
      assertTrue(look >= 0);
      assertEquals(store.pin(page), store.offset(look));
      store.free(page);
      store.allocate();
      assertTrue(store.isStill(look), "pages have their places for good");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -256, 128, 300, 4097, 128 << 10})
  void pageBytesIsAPowerOfTwoWithinLimits(int pageBytes) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new MemoryPageStore(pageBytes, Long.MAX_VALUE, HugePages.OFF));
    assertEquals(
        "pageBytes is " + pageBytes + "; it must be a power of two from 256 to 65536",
        refused.getMessage());
  }

  @Test
  void limitBelowOnePageIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new MemoryPageStore(PAGE_BYTES, PAGE_BYTES - 1, HugePages.OFF));
  }

  @ParameterizedTest
  @EnumSource
  void pagesKeepTheirContentsWhileTheStoreGrows(HugePages hugePages) {
    store.close();
    store = new MemoryPageStore(4 << 10, Long.MAX_VALUE, hugePages);
    for (int page = 1; page <= 2000; page++) {
      store.allocate();
      Words.putLong(store.segment(), store.pin(page), page);
      Words.putLong(store.segment(), store.pin(page) + (4 << 10) - Long.BYTES, -page);
    }
    for (int page = 1; page <= 2000; page++) {
      assertEquals(page, Words.getLong(store.segment(), store.pin(page)));
      assertEquals(-page, Words.getLong(store.segment(), store.pin(page) + (4 << 10) - Long.BYTES));
    }
    assertEquals(2000, store.pagesInUse());
    assertTrue(store.committedBytes() >= 2000L << 12);
    assertFalse(hugePages == HugePages.OFF && store.hugePagesGranted());
  }

  @Test
  void pageTakenBackIsGivenOutAgainTheLastOneFirst() {
    for (int i = 0; i < 100; i++) {
      store.allocate();
    }
    for (int page = 1; page <= 60; page++) {
      store.free(page);
    }
    assertEquals(40, store.pagesInUse());
    assertFalse(store.isInUse(60));
    for (int page = 60; page >= 1; page--) {
      assertEquals(page, store.allocate());
      assertTrue(store.isInUse(page));
    }
    assertEquals(101, store.allocate());
  }

  @Test
  void pageNotInUseIsNotTakenBack() {
    store.allocate();
    store.allocate();
    store.free(1);
    for (int page : new int[] {1, 0, -1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertFalse(store.isInUse(page));
      IllegalStateException refused =
          assertThrows(IllegalStateException.class, () -> store.free(page));
      assertEquals("page " + page + " is taken back, but it is not in use", refused.getMessage());
    }
    assertEquals(1, store.pagesInUse());
    assertEquals(1, store.allocate());
  }

  @ParameterizedTest
  @ValueSource(longs = {16 << 10, (2 << 20) - 512, (2 << 20) + 512, 5_000_001, Long.MAX_VALUE})
  void pagesBesideReadersAreNeverTakenFromThem(long limit) {
    store.close();
    store = MemoryPageStore.besideReaders(PAGE_BYTES, limit, HugePages.WHEN_GROWN);
    long first = store.pin(store.allocate());
    MemorySegment before = store.segment();
    Words.putLong(before, first, 42);
    long pages = Math.min(limit, 3 * NodeMemory.HUGE_PAGE_BYTES) / PAGE_BYTES;
    while (store.pagesInUse() < pages) {
      store.allocate();
    }
    if (limit < pages * PAGE_BYTES + PAGE_BYTES) {
      assertThrows(MemoryLimitException.class, store::allocate);
    }
    if (VirtualMemory.isAvailable()) {
      assertSame(before, store.segment());
      assertEquals(pages * PAGE_BYTES, store.committedBytes());
    }
    assertEquals(42, Words.getLong(before, first));
    assertEquals(42, Words.getLong(store.segment(), first));
    store.close();
    assertTrue(store.isClosed());
    assertThrows(IllegalStateException.class, () -> Words.getLong(before, first));
    assertThrows(IllegalStateException.class, () -> Words.getLong(store.segment(), first));
  }

  @Test
  void hugePagesBesideReadersAreAskedForOnlyOnceGrown() {
    store.close();
    store = MemoryPageStore.besideReaders(PAGE_BYTES, Long.MAX_VALUE, HugePages.WHEN_GROWN);
    while (store.pagesInUse() * (long) PAGE_BYTES < NodeMemory.HUGE_PAGE_BYTES) {
      store.allocate();
    }
    assertFalse(store.hugePagesGranted());
    store.allocate();
    assertTrue(VirtualMemory.isAvailable() || !store.hugePagesGranted());
    store.clear();
    assertFalse(store.hugePagesGranted());
    assertEquals(1, store.allocate());
  }

  @Test
  void fullStoreRefusesAPageAndHasRoomAgainWhenOneIsTakenBack() {
    store.close();
    store = new MemoryPageStore(PAGE_BYTES, 10 * PAGE_BYTES + 100, HugePages.WHEN_GROWN);
    for (int i = 0; i < 10; i++) {
      store.allocate();
    }
    assertThrows(MemoryLimitException.class, store::allocate);
    assertEquals(10, store.pagesInUse());
    assertTrue(store.committedBytes() <= 10 * PAGE_BYTES + 100);
    store.free(7);
    assertEquals(7, store.allocate());
    assertThrows(MemoryLimitException.class, store::allocate);
  }

  @Test
  void rowOfPagesLiesTogetherAndIsTakenBackPageByPage() {
    assertEquals(1, store.allocate(3));
    assertEquals(4, store.allocate());
    assertEquals(5, store.allocate(2));
    for (int page = 1; page <= 6; page++) {
      assertTrue(store.isInUse(page));
      long offset = store.pinFresh(page);
      assertEquals(store.pin(page), offset);
      Words.putLong(store.segment(), offset, page);
    }
    store.free(2);
    store.free(3);
    assertEquals(7, store.allocate(3));
    assertEquals(2, store.allocate(2));
    assertEquals(9, store.pagesInUse());
    assertEquals(6, Words.getLong(store.segment(), store.pin(6)));
  }

  @Test
  void fullStoreRefusesARowAndNothingHasChanged() {
    store.close();
    store = new MemoryPageStore(PAGE_BYTES, 10 * PAGE_BYTES, HugePages.OFF);
    store.allocate(4);
    long bytes = store.committedBytes();
    assertThrows(MemoryLimitException.class, () -> store.allocate(7));
    assertEquals(4, store.pagesInUse());
    assertFalse(store.isInUse(5));
    assertEquals(bytes, store.committedBytes());
    assertEquals(5, store.allocate(6));
  }

  @Test
  void hasRoomWhereARowFitsAndSoManyPagesAnywhere() {
    store.close();
    store = new MemoryPageStore(PAGE_BYTES, 10 * PAGE_BYTES + 100, HugePages.OFF);
    assertTrue(store.hasRoom(10, 0));
    assertTrue(store.hasRoom(4, 6));
    assertFalse(store.hasRoom(4, 7));
    assertFalse(store.hasRoom(11, 0));
    store.allocate(8);
    store.free(3);
    store.free(4);
    store.free(5);
    assertTrue(store.hasRoom(3, 2));
    assertFalse(store.hasRoom(4, 0)); // 3 to 5, 9 and 10
    assertFalse(store.hasRoom(3, 3));
    assertFalse(store.hasRoom(1L << 40, 0));
    assertEquals(3, store.allocate(3));
    assertEquals(9, store.allocate(2));
    assertTrue(store.hasRoom(0, 0));
    assertFalse(store.hasRoom(0, 1));
  }

  @Test
  void manyPagesArePinnedAtOnce() {
    for (int i = 0; i < 5; i++) {
      store.allocate();
    }
    long[] pages = {77, 3, 1, 5, 3, 77};
    store.pinAll(pages, 1, 4);
    assertArrayEquals(
        LongStream.of(77, 2 * PAGE_BYTES, 0, 4 * PAGE_BYTES, 2 * PAGE_BYTES, 77).toArray(), pages);
    store.unpin(pages[1], true);
    store.readAhead(new int[] {2, 4}, 0, 2);
    assertTrue(store.pagesStay());
    assertEquals(Integer.MAX_VALUE, store.mostPins());
  }

  @Test
  void clearTakesAllPagesBackAndForgetsWhatTheTreeKept() {
    long[] meta = store.meta();
    assertArrayEquals(new long[PageStore.META_WORDS], meta);
    for (int i = 0; i < 100; i++) {
      store.allocate();
    }
    store.free(5);
    meta[3] = 7;
    store.clear();
    assertSame(meta, store.meta());
    assertArrayEquals(new long[PageStore.META_WORDS], meta);
    assertEquals(0, store.pagesInUse());
    assertFalse(store.isInUse(1));
    assertTrue(store.committedBytes() <= 4096);
    assertEquals(1, store.allocate());
  }

  @Test
  void closedStoreIsNotReadAndIsClosedOnce() {
    store.allocate();
    long offset = store.pin(1);
    assertFalse(store.isClosed());
    store.close();
    store.close();
    assertTrue(store.isClosed());
    assertThrows(IllegalStateException.class, () -> Words.getLong(store.segment(), offset));
  }
}
