// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.SlotPageStore.Need;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the pages of an index are written, and what room each change leaves. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlotPageStoreTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 64;

  /** The first slot behind the headers. */
  private static final int FIRST = 64;

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 1, 8);
  private final StoreCondition condition = new StoreCondition(LogCalls.STORE, "a test", false);
  private final AtomicInteger changedPages = new AtomicInteger();
  private final IndexPages pages =
      new IndexPages(3, "name", "none", StoredCodecs.LONGS, PAGE_BYTES);
  private final WriterGate gate = new WriterGate();

  /** Slots beyond which the device has no room. */
  private long limit = Long.MAX_VALUE;

  private PageFile file;
  private SlotSpace space;
  private SlotPageStore store;
  private long checkpoint = 5;

  @BeforeEach
  void open() {
    PageFile simulated = disk.openPages(LogCalls.STORE, Access.CREATE, PAGE_BYTES);
    file =
        new PageFileAround(simulated) {
          @Override
          public void grow(long bytes) {
            if (bytes / PAGE_BYTES > limit) {
              throw new PageFileException(path(), "full, says a test", Errno.ENOSPC);
            }
            super.grow(bytes);
          }
        };
    file.grow(FIRST * PAGE_BYTES);
    space = new SlotSpace(file, PAGE_BYTES, null);
    store =
        new SlotPageStore(
            file, pool, condition, changedPages, pages, space, () -> checkpoint, gate, false);
    pool.enter(store);
  }

  @AfterEach
  void close() {
    store.close();
    pool.close();
    file.close();
  }

  private void change(int page, long contents) {
    long offset = store.pin(page);
    store.segment().set(ValueLayout.JAVA_LONG, offset + 16, contents);
    store.unpin(offset, true);
  }

  private long contents(int page) {
    long offset = store.pin(page);
    long contents = store.segment().get(ValueLayout.JAVA_LONG, offset + 16);
    store.unpin(offset, false);
    return contents;
  }

  private void assertNobodyLocks() {
    assertFalse(pool.frames.lock.isLocked());
  }

  // ---------------------------------------------------------------- where pages are written

  @Test
  void aPageStaysInItsSlotUntilItIsCaptured() {
    int page = store.allocate();
    assertEquals(1, page);
    assertEquals(-1, store.position(page));
    assertEquals(-1, store.position(0));
    assertEquals(0, space.busyCount());
    change(page, 11);
    store.flush();
    assertEquals(FIRST, pages.map.slot(page));
    assertEquals((long) FIRST * PAGE_BYTES, store.position(page));
    change(page, 12);
    store.flush();
    assertEquals(FIRST, pages.map.slot(page));
    assertEquals(1, space.busyCount());
    assertEquals(2, space.writtenCount());
    space.capture();
    change(page, 13);
    store.flush();
    assertEquals(FIRST + 1, pages.map.slot(page));
    assertEquals(2, space.busyCount());
    space.settle();
    space.capture();
    space.settle();
    assertEquals(1, space.busyCount());
    assertEquals(13, contents(page));
    assertNobodyLocks();
  }

  @Test
  void aPageIsSealedWithItsIndexAndTheCheckpointBefore() {
    int page = store.allocate();
    change(page, 11);
    store.flush();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(PAGE_BYTES, 512);
      IoBatch batch = new IoBatch(memory, 1);
      batch.add((long) FIRST * PAGE_BYTES, 0, PAGE_BYTES);
      file.read(batch);
      assertEquals(PageSeal.tag(3, 5), PageSeal.tag(memory, 0));
      assertEquals(page, PageSeal.page(memory, 0));
      int checksum = PageSeal.checksumOf(memory, 0, PAGE_BYTES);
      assertEquals(checksum, pages.map.checksum(page));
      assertNull(store.fault(memory, 0, page));
      memory.set(ValueLayout.JAVA_BYTE, 100, (byte) 1);
      PageFileException fault = store.fault(memory, 0, page);
      assertEquals(1, ((CorruptPageException) fault).page());
      String message = String.valueOf(fault.getMessage());
      assertTrue(
          message.startsWith("/simulated/store: page 1 of index 'name', in slot 64, is damaged: "),
          message);
    }
  }

  @Test
  void aWriteThatFailsGivesUpItsSlot() {
    int page = store.allocate();
    int other = space.take();
    store.noteNotWritten(page, space.position(other));
    assertEquals(0, space.busyCount());
    change(page, 11);
    store.flush();
    int slot = pages.map.slot(page);
    store.noteNotWritten(page, space.position(slot));
    assertEquals(1, space.busyCount()); // It has the page as it was before.
    int next = space.take();
    store.noteWritten(page, space.position(next), 77);
    assertEquals(next, pages.map.slot(page));
    assertEquals(77, pages.map.checksum(page));
    assertEquals(1, space.busyCount());
    store.noteWritten(page, space.position(next), 78);
    assertEquals(78, pages.map.checksum(page));
    assertEquals(1, space.busyCount());
  }

  @Test
  void pagesThatAreNotThereAreNotPinned() {
    assertEquals(1, store.allocate());
    assertEquals(2, store.allocate(2));
    store.free(1);
    for (long page : new long[] {0, -1, 1, 4}) {
      CorruptPageException refused =
          assertThrows(CorruptPageException.class, () -> store.checkPage(page));
      assertTrue(refused.isMisled());
      assertTrue(
          String.valueOf(refused.getMessage())
              .contains("page " + page + " of index 'name' is not in use, but another page"),
          refused.getMessage());
    }
    CorruptPageException unwritten =
        assertThrows(CorruptPageException.class, () -> store.checkPage(2));
    assertTrue(
        String.valueOf(unwritten.getMessage()).contains("page 2 of index 'name' was never written"),
        unwritten.getMessage());
    long offset = store.pinFresh(2);
    store.checkPage(2);
    store.unpin(offset, true);
    store.flush();
    store.checkPage(2);
    assertEquals(1, store.allocate());
    store.checkPage(1);
    store.unpin(store.pinFresh(3), true);
    store.checkPage(3);
    store.close();
    assertThrows(IllegalStateException.class, () -> store.checkPage(2));
    assertThrows(IllegalStateException.class, () -> store.free(2));
  }

  // ---------------------------------------------------------------- failures

  @Test
  void aDeviceThatIsFullTakesPagesAgainLater() {
    space.reserve(0);
    space.ensureFree(10);
    PageFileException full = new PageFileException(file.path(), "says a test", Errno.ENOSPC);
    PageFileException noted = store.noteFailure(full);
    assertTrue(noted instanceof NoSlotException);
    assertSame(full, noted.getCause());
    assertFalse(condition.hasFailed());
    assertEquals(0, space.available());
    assertThrows(MemoryLimitException.class, store::allocate);
    space.noteRoom();
    assertEquals(1, store.allocate());
  }

  @Test
  void allOtherFailuresEndTheChanges() {
    PageFileException failed = new PageFileException(file.path(), "says a test", Errno.EIO);
    assertSame(failed, store.noteFailure(failed));
    assertTrue(condition.hasFailed());
    assertThrows(IllegalStateException.class, store::allocate);
    assertThrows(IllegalStateException.class, () -> store.allocate(2));
    assertThrows(IllegalStateException.class, store::clear);
    assertEquals(0, pages.numbers.top());
  }

  @Test
  void aFailureThatIsNoneOfTheFileEndsTheChangesToo() {
    store.noteFailure(new IllegalStateException("says a test"));
    assertTrue(condition.hasFailed());
  }

  @Test
  void aChangeThatWasLeftHalfwayIsNotWritten() {
    int page = store.allocate();
    change(page, 11);
    store.flush();
    change(page, 12);
    RuntimeException cause = new IllegalStateException("says a test");
    store.leftHalfway(cause);
    assertTrue(condition.isHalfway());
    assertEquals(0, changedPages.get());
    assertThrows(IllegalStateException.class, () -> store.pin(page));
  }

  // ---------------------------------------------------------------- pages

  @Test
  void pagesAreGivenOutInOrderAndAgain() {
    assertEquals(0, store.pagesInUse());
    for (int page = 1; page <= 5; page++) {
      assertEquals(page, store.allocate());
      change(page, page);
    }
    assertTrue(store.changed);
    store.flush();
    store.changed = false;
    store.free(2);
    assertTrue(store.changed);
    assertFalse(store.isInUse(2));
    assertEquals(0, pages.map.slot(2));
    assertEquals(4, space.busyCount());
    store.free(4);
    assertEquals(3, store.pagesInUse());
    store.changed = false;
    assertEquals(4, store.allocate());
    assertTrue(store.changed);
    assertTrue(store.isInUse(4));
    assertEquals(2, store.allocate());
    assertEquals(6, store.allocate());
    assertEquals(0, contents(4)); // Not what it was before.
    assertEquals(5, contents(5));
    assertThrows(IllegalStateException.class, () -> store.free(7));
    assertSame(pages.meta, store.meta());
    assertNobodyLocks();
  }

  @Test
  void aPageOfALastCheckpointIsFreeWhenTheNextOneIsDurable() {
    int page = store.allocate();
    change(page, 11);
    store.flush();
    space.capture();
    space.settle();
    store.free(page);
    assertEquals(1, space.busyCount());
    space.capture();
    space.settle();
    assertEquals(0, space.busyCount());
  }

  @Test
  void anExtentHasSlotsThatLieTogether() {
    store.allocate();
    store.changed = false;
    assertEquals(2, store.allocate(10));
    assertTrue(store.changed);
    for (int page = 2; page < 12; page++) {
      assertEquals(FIRST + page - 2, pages.map.slot(page));
      assertEquals(-1, store.position(page));
      assertTrue(store.isInUse(page));
    }
    assertEquals(10, space.busyCount());
    assertEquals(11, store.pagesInUse());
    long offset = store.pinFresh(5);
    store.segment().set(ValueLayout.JAVA_LONG, offset + 16, 55);
    store.unpin(offset, true);
    store.flush();
    assertEquals(FIRST + 3, pages.map.slot(5));
    assertEquals(11, space.busyCount()); // With the one that was given out before.
    store.free(7);
    assertEquals(10, space.busyCount());
    assertNobodyLocks();
  }

  @Test
  void aTreeIsToldWhenTheWordsAreWantedAndALastTimeWhenTheyAreClosed() {
    long[] words = store.meta();
    AtomicInteger wanted = new AtomicInteger();
    store.whenMetaIsWanted(() -> words[3] = wanted.incrementAndGet());
    assertEquals(0, words[3]);
    assertEquals(1, store.meta()[3]);
    store.flush();
    assertEquals(1, words[3]);
    assertEquals(2, pages.wholeMeta()[3]);
    store.close();
    assertEquals(3, words[3]);
    assertEquals(3, pages.wholeMeta()[3], "by a tree that is closed");
  }

  @Test
  void clearingGivesUpAllPages() {
    store.allocate(10);
    for (int page = 1; page <= 10; page++) {
      store.unpin(store.pinFresh(page), true);
    }
    store.meta()[4] = 7;
    store.flush();
    assertEquals(10, space.busyCount());
    change(3, 33);
    store.changed = false;
    store.clear();
    assertTrue(store.changed);
    assertEquals(0, space.busyCount());
    assertEquals(0, store.pagesInUse());
    assertEquals(0, store.meta()[4]);
    assertEquals(0, changedPages.get());
    assertEquals(1, store.allocate());
    assertEquals(0, contents(1));
    assertNobodyLocks();
  }

  @ParameterizedTest
  @CsvSource({
    "2147483646, 0, true",
    "2147483646, 1, false",
    "1, 2147483645, true",
    "1, 2147483646, false"
  })
  void anIndexHasNumbersForSoManyPages(long extent, long more, boolean has) {
    store.allocate();
    assertEquals(has, store.hasRoom(extent, more));
  }

  @Test
  void moreSlotsAreReservedAsTheMapGrows() {
    space.reserve(100);
    for (int count = 1; count <= 100; count++) {
      store.allocate();
      int free = space.room() - FIRST - space.busyCount();
      int ofMap = pages.map.mapPages(count) - pages.map.mapPages(0);
      assertEquals(100 + ofMap, free - space.available(), count + " pages");
    }
    store.allocate(200);
    int free = space.room() - FIRST - space.busyCount();
    assertEquals(100 + pages.map.mapPages(300) - pages.map.mapPages(0), free - space.available());
    store.free(150);
    store.allocate();
    assertEquals(free, space.room() - FIRST - space.busyCount() - 1);
  }

  // ---------------------------------------------------------------- room

  /** Lets the device have so many slots free, no more, and reserves none. */
  private void leave(int free) {
    space.reserve(0);
    limit = FIRST + space.busyCount() + (long) free;
    if (space.room() < limit) {
      file.grow(limit * PAGE_BYTES);
      space.ensureFree(free);
    } else {
      space.cut((int) limit);
    }
    space.reserve(0);
    assertEquals(free, space.available());
  }

  @ParameterizedTest
  @CsvSource({"GROWTH, 64", "REMOVAL, 32"})
  void writesLeaveSlotsAndRemovalsTakeHalfOfThem(Need need, int kept) {
    leave(100);
    store.ensureSlots(100 - kept, need);
    assertThrows(NoSlotException.class, () -> store.ensureSlots(101 - kept, need));
    changedPages.set(5);
    store.ensureSlots(95 - kept, need);
    assertThrows(NoSlotException.class, () -> store.ensureSlots(96 - kept, need));
    changedPages.set(0);
    assertEquals(32, store.slotsForRemovals());
    assertNobodyLocks();
  }

  @Test
  void theFileGrowsForWhatIsToBeChanged() {
    leave(0);
    limit = Long.MAX_VALUE;
    store.ensureSlots(1, Need.GROWTH);
    assertTrue(space.available() >= 65);
  }

  @Test
  void aChangeIsRefusedBeforeIfThereIsNoRoom() {
    leave(80);
    store.ensureRoomToChange(16);
    MemoryLimitException refused =
        assertThrows(MemoryLimitException.class, () -> store.ensureRoomToChange(17));
    assertTrue(refused.getCause() instanceof NoSlotException);
  }

  /** Each of the others may change as many. */
  @Test
  void othersWithinAreLeftSlots() throws InterruptedException {
    leave(300);
    WriterGate[] gates = {gate};
    Thread.ofPlatform().start(() -> gates[0].enter(WriterGate.promise(1, 1))).join();
    store.ensureRoomToChange(236); // One alone.
    Thread.ofPlatform().start(() -> gates[0].enter(WriterGate.promise(1, 1))).join();
    Thread.ofPlatform().start(() -> gates[0].enter(WriterGate.promise(1, 1))).join();
    int most = 300 - 64 - 2 * SlotPageStore.CHANGE_SLOTS;
    store.ensureRoomToChange(most);
    assertThrows(MemoryLimitException.class, () -> store.ensureRoomToChange(most + 1));
  }

  @Test
  void anIndexThatIsBeingMadeTakesWhatIsKept() {
    leave(20);
    int given = 0;
    try {
      while (true) {
        store.allocate();
        change(store.pagesInUse(), 1);
        given++;
      }
    } catch (MemoryLimitException refused) {
      assertTrue(refused.getCause() instanceof NoSlotException);
    }
    assertEquals(16, given); // From then on, writes leave what is kept.
  }

  /** Of its pages, and of five more of its map. */
  @ParameterizedTest
  @CsvSource({"104, false", "105, true"})
  void anExtentNeedsRoomForItsMapToo(int free, boolean isGiven) {
    leave(free);
    if (isGiven) {
      assertEquals(1, store.allocate(100));
      assertEquals(0, space.available());
    } else {
      assertThrows(MemoryLimitException.class, () -> store.allocate(100));
      assertEquals(0, space.busyCount());
      assertEquals(0, pages.map.slot(1));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsGivenOutWithoutRoom(boolean isExtent) {
    leave(3);
    int page = store.allocate();
    change(page, 1);
    assertThrows(
        MemoryLimitException.class,
        () -> {
          if (isExtent) {
            store.allocate(3);
          } else {
            store.allocate();
            change(2, 2);
            store.allocate();
            change(3, 3);
            store.allocate();
          }
        });
    assertEquals(isExtent ? 1 : 2, store.pagesInUse());
    assertNobodyLocks();
  }

  // ---------------------------------------------------------------- end

  @Test
  void closingWritesNothingAndLetsGoOfTheFrames() {
    int page = store.allocate();
    change(page, 11);
    assertEquals(1, changedPages.get());
    store.close();
    assertEquals(0, changedPages.get());
    assertEquals(0, pages.map.slot(page));
    assertTrue(store.isClosed());
    assertTrue(condition.isClosed());
    store.close();
    assertNotEquals(0, pool.bytes());
  }
}
