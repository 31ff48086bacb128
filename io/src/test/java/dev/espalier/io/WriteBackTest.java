// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which changed pages are written together, what may happen meanwhile, and what a failure leaves.
 * What is done in the middle of a write is done by the thread that writes, as it holds no lock.
 */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriteBackTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 32;
  private static final int GATHERED = 4;

  /** The first slot behind the headers. */
  private static final int FIRST = 64;

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private final AtomicInteger roomsTaken = new AtomicInteger();
  private final AtomicInteger changedPages = new AtomicInteger();

  /** How many rooms there is memory for. */
  private int mostRooms = 2;

  private final BufferPool pool =
      BufferPool.withRooms(FRAMES, PAGE_BYTES, 2, GATHERED, this::memoryOfRoom);
  private final WriteBack writeBack = pool.writeBack;
  private final Frames frames = pool.frames;
  private final ReentrantLock lock = frames.lock;
  private PageFile file;
  private SlotSpace space;
  private SlotPageStore store;

  /** Slots beyond which the device has no room. */
  private long limit = Long.MAX_VALUE;

  private MemorySegment memoryOfRoom(Arena arena, long bytes) {
    assertEquals(GATHERED * PAGE_BYTES, bytes);
    if (roomsTaken.getAndIncrement() == mostRooms) {
      throw new MemoryLimitException("none, says a test");
    }
    return WriteRoom.ofSystem(arena, bytes);
  }

  @BeforeEach
  void open() {
    file =
        new PageFileAround(files.openPages(LogCalls.STORE, Access.CREATE, PAGE_BYTES)) {
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
    StoreCondition condition = new StoreCondition(LogCalls.STORE, "a test", false);
    IndexPages pages = new IndexPages(3, "name", "none", StoredCodecs.LONGS, PAGE_BYTES);
    WriterGate gate = new WriterGate();
    store =
        new SlotPageStore(file, pool, condition, changedPages, pages, space, () -> 5, gate, false);
    pool.enter(store);
  }

  @AfterEach
  void close() {
    assertFalse(lock.isLocked());
    assertFalse(writeBack.isWriting());
    store.close();
    pool.close();
    file.close();
  }

  private List<String> writes() {
    return files.calls().stream().filter(call -> call.startsWith("WRITE")).toList();
  }

  private static String write(int slot, int pages) {
    return "WRITE store %d %d".formatted(slot * PAGE_BYTES, pages * PAGE_BYTES);
  }

  private void change(int... pages) {
    for (int page : pages) {
      store.unpin(store.pin(page), true);
    }
  }

  /** Returns the keys of the frames of some pages. */
  private long[] keys(int... pages) {
    return Arrays.stream(pages).mapToLong(page -> frames.key(store.frameOf(page))).toArray();
  }

  private int[] unwritten() {
    return Arrays.stream(writeBack.unwritten(store)).mapToInt(Frames::pageOf).toArray();
  }

  private boolean tryWrite(int... pages) {
    lock.lock();
    try {
      return writeBack.tryWrite(store, keys(pages), pages.length);
    } finally {
      lock.unlock();
    }
  }

  private boolean hasRoom() {
    lock.lock();
    try {
      return writeBack.hasRoom();
    } finally {
      lock.unlock();
    }
  }

  /** Has a thread do something, and returns it when it waits. */
  private static Thread waiting(Runnable action) {
    Thread thread = Thread.ofPlatform().daemon().start(action);
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "it should wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // ---------------------------------------------------------------- what is written

  @Test
  void changedPagesAreWrittenInTheirOrderAndNeighboursByOneRequest() {
    Stores.allocate(store, 6);
    assertEquals(6, changedPages.get());
    assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6}, unwritten());
    files.calls();
    store.flush();
    assertEquals(List.of(write(FIRST, 4), write(FIRST + 4, 2)), writes());
    assertEquals(6, writeBack.written());
    assertEquals(2, writeBack.requests());
    assertEquals(0, writeBack.failures());
    assertEquals(0, changedPages.get());
    assertEquals(0, unwritten().length);
    for (int page = 1; page <= 6; page++) {
      assertEquals((long) (FIRST + page - 1) * PAGE_BYTES, store.position(page));
      assertFalse(frames.isBeingWritten(store.frameOf(page)));
    }
    store.flush();
    assertEquals(List.of(), writes());
    assertEquals(2, writeBack.requests());
    assertEquals(4, writeBack.capacity());
    assertEquals(8, writeBack.roomPages());
    assertEquals(1, roomsTaken.get());
  }

  @Test
  void whatLiesApartIsWrittenByARequestEach() {
    Stores.allocate(store, 8);
    store.flush();
    files.calls();
    change(7, 2, 3, 5);
    assertArrayEquals(new int[] {2, 3, 5, 7}, unwritten());
    store.flush();
    assertEquals(List.of(write(FIRST + 1, 2)), writes()); // The first of the batch.
    assertEquals(12, writeBack.written());
    assertEquals(2 + 3, writeBack.requests());
    assertEquals(0, changedPages.get());
  }

  /** Each page with its own bytes, wherever it lies in its batch, and with its checksum. */
  @Test
  void whatWasWrittenIsRead() {
    int[] pages = Stores.allocate(store, 8);
    store.flush();
    change(2, 3, 5, 7);
    store.flush();
    pool.invalidation.forget(store);
    for (int page : pages) {
      long offset = store.pin(page);
      assertEquals(page, Stores.contents(store, offset));
      store.unpin(offset, false);
    }
  }

  @Test
  void someFramesAreWrittenInTheOrderOfTheirPages() {
    Stores.allocate(store, 6);
    files.calls();
    lock.lock();
    try {
      assertTrue(writeBack.tryWrite(store, keys(5, 2, 3), 2));
    } finally {
      lock.unlock();
    }
    assertEquals(List.of(write(FIRST, 2)), writes());
    assertEquals((long) FIRST * PAGE_BYTES, store.position(2));
    assertEquals((long) (FIRST + 1) * PAGE_BYTES, store.position(5));
    assertArrayEquals(new int[] {1, 3, 4, 6}, unwritten());
    assertEquals(4, changedPages.get());
    assertTrue(tryWrite(2, 5)); // None of them is changed.
    assertEquals(List.of(), writes());
    assertEquals(1, writeBack.requests());
    assertEquals(2, writeBack.written());
  }

  @Test
  void frameThatHasAnotherPageByNowIsLeftOut() {
    Stores.allocate(store, 6);
    long[] keys = writeBack.unwritten(store);
    store.free(2);
    files.calls();
    writeBack.writeAll(store, keys);
    assertEquals(List.of(write(FIRST, 3), write(FIRST + 3, 2)), writes());
    assertEquals(0, changedPages.get());
  }

  @Test
  void onlyTheFramesThatAreAskedForAreWritten() {
    Stores.allocate(store, 7);
    writeBack.writeAll(store, keys(1, 2, 4, 6, 7));
    assertArrayEquals(new int[] {3, 5}, unwritten());
    assertEquals(5, writeBack.written());
  }

  // ---------------------------------------------------------------- meanwhile

  @Test
  void othersReadAndChangeAPageThatIsBeingWritten() {
    Stores.allocate(store, 1);
    List<Boolean> seen = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () -> {
          int frame = store.frameOf(1);
          seen.add(lock.isLocked());
          seen.add(writeBack.isWriting());
          seen.add(frames.isBeingWritten(frame));
          seen.add(frames.isChanged(frame));
          assertEquals(0, frames.state(frame) & Frames.BUSY);
          assertEquals(0, changedPages.get());
          assertArrayEquals(new int[] {1}, unwritten());
          change(1);
          assertEquals(1, changedPages.get());
          assertTrue(tryWrite(1)); // And is in no other batch.
        });
    store.flush();
    assertEquals(List.of(false, true, true, false), seen);
    assertEquals(1, writeBack.written());
    assertEquals(1, writeBack.requests());
    assertEquals(1, changedPages.get());
    assertArrayEquals(new int[] {1}, unwritten());
    store.flush();
    assertEquals(2, writeBack.written());
    assertEquals(0, changedPages.get());
  }

  /** A second room is made when it is needed. */
  @Test
  void asManyBatchesAreUnderWayAsThereAreRooms() {
    Stores.allocate(store, 3);
    files.before(Kind.WRITE, () -> assertTrue(tryWrite(2)));
    files.before(
        Kind.WRITE,
        () -> {
          assertFalse(hasRoom());
          assertFalse(tryWrite(3));
        });
    files.calls();
    assertTrue(tryWrite(1));
    assertEquals(List.of(write(FIRST, 1), write(FIRST + 1, 1)), writes());
    assertArrayEquals(new int[] {3}, unwritten());
    assertEquals(2, roomsTaken.get());
    assertTrue(hasRoom());
    files.before(Kind.WRITE, () -> assertTrue(hasRoom()));
    store.flush();
    assertEquals(2, roomsTaken.get());
    assertEquals(3, writeBack.written());
  }

  @Test
  void whereThereIsNoMemoryForAnotherRoomOneIsEnough() {
    mostRooms = 1;
    Stores.allocate(store, 3);
    for (int i = 0; i < 2; i++) {
      files.before(
          Kind.WRITE,
          () -> {
            assertFalse(hasRoom());
            assertFalse(tryWrite(3));
          });
      change(1);
      assertTrue(tryWrite(1));
    }
    assertEquals(2, roomsTaken.get(), "what was refused is not asked for again");
    assertEquals(GATHERED, writeBack.roomPages());
    assertTrue(hasRoom());
  }

  @Test
  void flushWaitsForWhatOthersAreWriting() {
    Stores.allocate(store, 2);
    List<Integer> wereWriting = new ArrayList<>();
    List<Thread> other = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () ->
            other.add(
                waiting(
                    () -> {
                      store.flush();
                      wereWriting.add(unwritten().length);
                    })));
    assertTrue(tryWrite(1));
    join(other.getFirst());
    assertEquals(List.of(0), wereWriting);
    assertEquals(2, writeBack.written()); // The other one has written page 2 before it waited.
  }

  @Test
  void flushWritesAgainWhatOthersWereWriting() {
    Stores.allocate(store, 1);
    List<Thread> other = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () -> {
          change(1);
          other.add(waiting(store::flush));
        });
    assertTrue(tryWrite(1));
    join(other.getFirst());
    assertEquals(2, writeBack.written());
    assertEquals(0, changedPages.get());
  }

  @Test
  void flushWaitsForARoom() {
    Stores.allocate(store, 3);
    mostRooms = 1;
    List<Thread> other = new ArrayList<>();
    files.before(Kind.WRITE, () -> other.add(waiting(() -> writeBack.writeAll(store, keys(2, 3)))));
    assertTrue(tryWrite(1));
    join(other.getFirst());
    assertEquals(3, writeBack.written());
    assertEquals(0, unwritten().length);
  }

  @Test
  void whoeverWaitsForAllKeepsOthersFromBeginning() {
    Stores.allocate(store, 2);
    List<Boolean> wasWriting = new ArrayList<>();
    List<Thread> other = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () -> {
          other.add(
              waiting(
                  () -> {
                    pool.lockWithoutWrites();
                    wasWriting.add(writeBack.isWriting());
                    lock.unlock();
                  }));
          assertFalse(hasRoom());
          assertFalse(tryWrite(2));
        });
    assertTrue(tryWrite(1));
    join(other.getFirst());
    assertEquals(List.of(false), wasWriting);
    assertEquals(1, writeBack.written());
    assertTrue(hasRoom());
    assertTrue(tryWrite(2));
    pool.lockWithoutWrites(); // Nothing is under way.
    lock.unlock();
  }

  /** Those that wait for a room look for one too early, and have to be woken again. */
  @Test
  void whoeverHasWaitedForAllWakesThoseThatWaitForARoom() {
    mostRooms = 1;
    Stores.allocate(store, 2);
    List<Thread> others = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () -> {
          others.add(waiting(() -> writeBack.writeAll(store, keys(2))));
          others.add(
              waiting(
                  () -> {
                    pool.lockWithoutWrites();
                    lock.unlock();
                  }));
        });
    assertTrue(tryWrite(1));
    others.forEach(WriteBackTest::join);
    assertEquals(2, writeBack.written());
  }

  @Test
  void theEndOfOneBatchIsWaitedForOnly() {
    Stores.allocate(store, 2);
    lock.lock();
    try {
      writeBack.awaitEnd(); // None is under way.
    } finally {
      lock.unlock();
    }
    List<Thread> other = new ArrayList<>();
    List<Integer> left = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () -> {
          files.before(
              Kind.WRITE,
              () ->
                  other.add(
                      waiting(
                          () -> {
                            lock.lock();
                            writeBack.awaitEnd();
                            left.add(unwritten().length);
                            lock.unlock();
                          })));
          assertTrue(tryWrite(2));
          join(other.getFirst());
        });
    assertTrue(tryWrite(1));
    assertEquals(List.of(1), left);
  }

  // ---------------------------------------------------------------- failures

  private void assertAllAsBefore(int pages) {
    assertEquals(pages, changedPages.get());
    assertArrayEquals(IntStream.rangeClosed(1, pages).toArray(), unwritten());
    assertEquals(0, space.busyCount());
    assertEquals(0, writeBack.written());
    assertFalse(writeBack.isWriting());
    for (int page = 1; page <= pages; page++) {
      assertFalse(frames.isBeingWritten(store.frameOf(page)));
      store.unpin(store.pin(page), false);
    }
  }

  @Test
  void pagesThatCouldNotBeWrittenAreChangedAsBefore() {
    Stores.allocate(store, 3);
    files.fail(Kind.FINISH, Errno.ENOSPC);
    assertThrows(NoSlotException.class, store::flush);
    assertAllAsBefore(3);
    assertEquals(1, writeBack.failures());
    files.fail(Kind.WRITE, Errno.ENOSPC);
    assertFalse(tryWrite(1, 2, 3));
    assertAllAsBefore(3);
    assertEquals(2, writeBack.failures());
    store.flush();
    assertEquals(3, writeBack.written());
    assertEquals(3, space.busyCount());
  }

  @Test
  void noMoreChangesAreTakenWhereTheDeviceFails() {
    Stores.allocate(store, 3);
    files.fail(Kind.WRITE, Errno.EIO);
    assertFalse(tryWrite(1, 2, 3));
    assertAllAsBefore(3);
    assertThrows(IllegalStateException.class, store::beforeChange);
  }

  /** A page that finds no slot is not kept from being read. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void noneIsWrittenIfOneFindsNoSlot(int free) {
    space.ensureFree(free);
    Stores.allocate(store, 3);
    while (space.room() - space.first() - space.busyCount() > free) {
      space.takeLowest();
    }
    int busy = space.busyCount();
    limit = 0;
    files.calls();
    assertThrows(NoSlotException.class, store::flush);
    assertEquals(List.of(), writes());
    assertEquals(busy, space.busyCount());
    assertEquals(3, changedPages.get());
    assertArrayEquals(new int[] {1, 2, 3}, unwritten());
    change(1, 2, 3); // Which needs their frames.
    limit = Long.MAX_VALUE;
    store.flush();
    assertEquals(3, writeBack.written());
  }
}
