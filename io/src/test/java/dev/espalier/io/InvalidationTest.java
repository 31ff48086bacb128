// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of pages that mean nothing any more while they are read, written or pinned. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InvalidationTest {
  private static final int PAGE_BYTES = 256;

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private final BufferPool pool = BufferPool.withRooms(16, PAGE_BYTES, 2, 4);
  private final Frames frames = pool.frames;
  private final ReentrantLock lock = frames.lock;
  private final AtomicInteger changedPages = new AtomicInteger();
  private SlotPageStore store;
  private SlotPageStore other;

  @BeforeEach
  void open() {
    store = store("store");
    other = store("other");
    Stores.allocate(store, 4);
    Stores.allocate(other, 2);
    store.flush();
    other.flush();
    files.calls();
  }

  private SlotPageStore store(String name) {
    PageFile file = files.openPages(SimulatedDisk.path(name), Access.CREATE, PAGE_BYTES);
    file.grow(StoreHeader.areaBytes(PAGE_BYTES));
    SlotPageStore made =
        new SlotPageStore(
            file,
            pool,
            new StoreCondition(file.path(), name, false),
            changedPages,
            new IndexPages(0, name, "none", StoredCodecs.LONGS, PAGE_BYTES),
            new SlotSpace(file, PAGE_BYTES, null),
            () -> 1,
            new WriterGate(),
            false);
    pool.enter(made);
    return made;
  }

  @AfterEach
  void close() {
    assertFalse(lock.isLocked());
    for (SlotPageStore each : List.of(store, other)) {
      each.close();
      each.file.close();
    }
    pool.close();
  }

  private void change(int page) {
    store.unpin(store.pin(page), true);
  }

  private static Thread waiting(Runnable action) {
    Thread thread = Thread.ofPlatform().daemon().start(action);
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
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

  private int discarded;

  private void discard(int page) {
    pool.invalidation.discard(
        store,
        page,
        () -> {
          assertTrue(lock.isHeldByCurrentThread());
          assertEquals(Frames.NONE, store.frameOf(page));
          discarded++;
        });
  }

  // ---------------------------------------------------------------- one page

  @Test
  void aPageLosesItsFrameBeforeItIsGivenBack() {
    change(2);
    assertEquals(1, changedPages.get());
    int frame = store.frameOf(2);
    discard(2);
    assertEquals(1, discarded);
    assertEquals(0, changedPages.get());
    assertEquals(Frames.NONE, store.frameOf(2));
    store.pin(2); // Is read again, into the frame that is free.
    assertEquals(frame, store.frameOf(2));
    assertEquals(1, files.calls().stream().filter(call -> call.startsWith("READ store")).count());
    store.unpin(frames.offset(frame), false);
  }

  @Test
  void aPageWithoutAFrameIsGivenBack() {
    discard(2);
    discard(2);
    assertEquals(2, discarded);
  }

  @Test
  void aPageThatIsBeingWrittenIsGivenBackWhenItIsWritten() {
    change(2);
    List<Thread> thread = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () -> {
          thread.add(waiting(() -> discard(2)));
          assertEquals(0, discarded);
        });
    store.flush();
    join(thread.getFirst());
    assertEquals(1, discarded);
    assertEquals(Frames.NONE, store.frameOf(2));
  }

  @Test
  void aPageThatIsBeingReadIsGivenBackWhenItIsRead() {
    discard(2);
    List<Thread> thread = new ArrayList<>();
    files.before(
        Kind.READ,
        () -> {
          thread.add(waiting(() -> discard(2)));
          assertEquals(1, discarded);
        });
    long offset = store.pin(2);
    assertEquals(2, Stores.contents(store, offset));
    assertTrue(thread.getFirst().isAlive()); // It is pinned.
    store.unpin(offset, false);
    join(thread.getFirst());
    assertEquals(2, discarded);
  }

  @Test
  void aPageThatStaysPinnedIsNotGivenBack() {
    long offset = store.pin(2);
    assertEquals(
        "page 2 is taken back, but it is pinned",
        assertThrows(IllegalStateException.class, () -> discard(2)).getMessage());
    assertEquals(0, discarded);
    assertEquals(2, Stores.contents(store, offset));
    store.unpin(offset, false);
  }

  // ---------------------------------------------------------------- all pages

  @Test
  void allPagesOfAStoreAreForgottenAndNoOthers() {
    change(1);
    change(3);
    int frame = other.frameOf(1);
    pool.invalidation.forget(store);
    assertEquals(0, changedPages.get());
    for (int page = 1; page <= 4; page++) {
      assertEquals(Frames.NONE, store.frameOf(page));
    }
    assertEquals(frame, other.frameOf(1));
    assertEquals(List.of(), files.calls());
    Stores.allocate(other, 10); // All frames are free again but for two.
    assertEquals(0, pool.counters().evictions());
  }

  @Test
  void aPinStaysGoodThoughItsPageIsForgotten() {
    long offset = store.pin(2);
    pool.invalidation.forget(store);
    assertEquals(Frames.NONE, store.frameOf(2));
    assertEquals(2, Stores.contents(store, offset));
    Stores.allocate(other, 12);
    assertEquals(2, Stores.contents(store, offset)); // Nobody else has the frame.
    store.unpin(offset, false);
  }

  @Test
  void allAreForgottenWhenThoseThatAreBeingWrittenAreWritten() {
    change(1);
    change(2);
    List<Thread> thread = new ArrayList<>();
    files.before(
        Kind.WRITE,
        () -> {
          thread.add(waiting(() -> pool.invalidation.forget(store)));
          assertTrue(store.frameOf(1) != Frames.NONE);
          assertEquals(0, changedPages.get());
        });
    store.flush();
    join(thread.getFirst());
    for (int page = 1; page <= 4; page++) {
      assertEquals(Frames.NONE, store.frameOf(page));
    }
    assertEquals(0, changedPages.get());
  }

  @Test
  void allAreForgottenWhenThoseThatAreBeingReadAreRead() {
    discard(2);
    List<Thread> thread = new ArrayList<>();
    files.before(Kind.READ, () -> thread.add(waiting(() -> pool.invalidation.forget(store))));
    long offset = store.pin(2);
    assertEquals(2, Stores.contents(store, offset));
    join(thread.getFirst()); // Pins are no reason to wait.
    assertEquals(Frames.NONE, store.frameOf(2));
    store.unpin(offset, false);
  }
}
