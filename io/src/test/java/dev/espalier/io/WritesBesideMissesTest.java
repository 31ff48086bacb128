// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.PageStore;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What other threads do while a changed page is written to make room: one thing at a time. */
@Timeout(120)
class WritesBesideMissesTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 16;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final HeldWrites writes = new HeldWrites();
  private final Faults faults = new Faults();
  private final BufferPool pool = BufferPool.create((FRAMES + 1) * PAGE_BYTES, PAGE_BYTES);
  private SlotPageStore store;

  /** The page that is being written, and one that is not in the pool. */
  private int written;

  private int missing;

  @BeforeEach
  void makeStore() {
    store = store("pages", pool);
    int[] pages = Stores.allocate(store, 3 * FRAMES);
    store.flush();
    written = pages[pages.length - 1];
    missing = pages[0];
  }

  private SlotPageStore store(String name, BufferPool of) {
    return Stores.create(folder.resolve(name), writes.over(faults.over(PageFiles.CHANNEL)), of);
  }

  @AfterEach
  void closePool() {
    if (!store.isClosed()) {
      store.close();
    }
    pool.close();
  }

  /** Begins something in another thread. */
  private static <T> Running<T> begin(Callable<T> task) {
    FutureTask<T> future = new FutureTask<>(task);
    return new Running<>(future, Thread.ofPlatform().start(future));
  }

  private record Running<T>(FutureTask<T> result, Thread thread) {
    /** Returns the result; that it comes is what is asked, not when. */
    T await() throws Exception {
      return result.get(60, TimeUnit.SECONDS);
    }

    /** Waits until the thread waits for a lock or a condition, or has ended. */
    void awaitPause() {
      while (thread.getState() != Thread.State.WAITING && !result.isDone()) {
        Thread.onSpinWait();
      }
    }
  }

  private long use(int page) {
    long offset = store.pin(page);
    long contents = Stores.contents(store, offset);
    store.unpin(offset, false);
    return contents;
  }

  private void change(int page, long contents) {
    long offset = store.pin(page);
    store.segment().set(ValueLayout.JAVA_LONG, offset + PageStore.RESERVED_BYTES, contents);
    store.unpin(offset, true);
  }

  /** Lets another thread miss a page, for which it begins to write a changed one. */
  private Running<Long> missThatWrites(HeldWrites.Hold hold) {
    change(written, -written);
    store.wontNeed(written);
    Running<Long> evicting = begin(() -> use(missing));
    hold.awaitBegin();
    return evicting;
  }

  private boolean isUnwritten(int page) {
    int frame = store.frameOf(page);
    return frame != Frames.NONE && store.frames.isUnwritten(frame);
  }

  /** Lets all pages make room for others. */
  private void useOthers() {
    for (int page = 1; page <= 2 * FRAMES; page++) {
      use(page);
    }
  }

  @Test
  void missOfAnotherPageDoesNotWaitForTheWrite() throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    try {
      assertEquals(missing + 1, begin(() -> use(missing + 1)).await());
      assertFalse(evicting.result.isDone());
    } finally {
      hold.release();
    }
    assertEquals(missing, evicting.await());
  }

  @Test
  void hitsAndNewPagesAndHintsDoNotWaitForTheWrite() throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    try {
      int[] pages = {missing + 2, missing + 3};
      Callable<Integer> others =
          () -> {
            use(written - 1);
            store.wontNeed(written - 1);
            store.readAhead(pages, 0, 2);
            return Stores.allocate(store, 1)[0];
          };
      assertEquals(written + 1, begin(others).await());
    } finally {
      hold.release();
    }
    evicting.await();
    assertEquals(missing + 2, use(missing + 2));
  }

  /** As many frames as a large pool has, all of them changed, so that each miss has to write. */
  @Test
  void missesThatBothWriteDoNotWaitForOneAnother() throws Exception {
    int pageBytes = 1 << 16;
    try (BufferPool large = BufferPool.create(64 << 20, pageBytes)) {
      SlotPageStore many = store("many", large);
      int[] pages = Stores.allocate(many, large.frames() + 64);
      for (int page : pages) {
        many.unpin(many.pin(page), true);
      }
      long before = large.counters().written();
      HeldWrites.Hold hold = writes.next();
      int[] absent =
          Arrays.stream(pages).filter(page -> many.frameOf(page) == Frames.NONE).limit(2).toArray();
      Running<Long> first = begin(() -> many.pin(absent[0]));
      hold.awaitBegin();
      try {
        long offset = begin(() -> many.pin(absent[1])).await();
        assertEquals(absent[1], Stores.contents(many, offset));
        assertFalse(first.result.isDone());
        assertTrue(large.counters().written() > before);
      } finally {
        hold.release();
      }
      assertEquals(absent[0], Stores.contents(many, first.await()));
      many.close();
    }
  }

  @Test
  void pageThatIsBeingWrittenCanBeReadAndThenStays() throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    try {
      assertEquals(-written, begin(() -> use(written)).await());
    } finally {
      hold.release();
    }
    evicting.await();
    long misses = pool.counters().misses();
    assertEquals(-written, use(written));
    assertEquals(misses, pool.counters().misses(), "it was used, so another page made room");
  }

  @Test
  void pageThatIsBeingWrittenCanBeChangedAndIsWrittenAgain() throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    try {
      begin(
              () -> {
                change(written, 7);
                return 0;
              })
          .await();
    } finally {
      hold.release();
    }
    evicting.await();
    assertTrue(isUnwritten(written));
    useOthers();
    assertEquals(Frames.NONE, store.frameOf(written));
    assertEquals(7, use(written));
  }

  @Test
  void pageThatCouldNotBeWrittenForWantOfRoomStaysAndIsWrittenLater() throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    faults.failFrom(1, Errno.ENOSPC, Faults.Operation.WRITE);
    hold.release();
    evicting.await();
    faults.heal();
    assertTrue(store.frames.isChanged(store.frameOf(written)));
    assertEquals(-written, use(written));
    assertEquals(1, store.changedPages.get());
    store.flush();
    useOthers();
    assertEquals(-written, use(written));
  }

  @Test
  void pageThatTheDeviceDoesNotTakeStays() throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    faults.failFrom(1, Errno.EIO, Faults.Operation.WRITE);
    hold.release();
    evicting.await();
    useOthers();
    assertTrue(store.frames.isChanged(store.frameOf(written)));
    assertEquals(-written, use(written));
    assertThrows(IllegalStateException.class, () -> store.allocate());
  }

  @Test
  void interruptedThreadWritesAllTheSame() throws Exception {
    HeldWrites.Hold hold = writes.next();
    change(written, -written);
    store.wontNeed(written);
    Running<Boolean> evicting =
        begin(
            () -> {
              use(missing);
              return Thread.interrupted();
            });
    hold.awaitBegin();
    evicting.thread.interrupt();
    hold.release();
    assertTrue(evicting.await(), "it is still interrupted");
    assertFalse(isUnwritten(written));
    useOthers();
    assertEquals(-written, use(written));
  }

  // ---------------------------------------------------------------- what waits for the end

  /** Does something that has to wait for the write, and looks whether it has. */
  private <T> T afterTheWrite(Callable<T> task) throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    boolean hasWaited;
    Running<T> waiting = begin(task);
    try {
      waiting.awaitPause();
      hasWaited = !waiting.result.isDone();
    } finally {
      hold.release();
    }
    try {
      evicting.await();
    } catch (ExecutionException closed) {
      assertTrue(store.isClosed(), closed::toString);
    }
    T result = waiting.await();
    assertTrue(hasWaited, "it did not wait for the write");
    return result;
  }

  @Test
  void flushWaitsForWhatOthersWrite() throws Exception {
    assertFalse(
        afterTheWrite(
            () -> {
              store.flush();
              return isUnwritten(written);
            }));
  }

  @Test
  void flushTellsWhatOthersCouldNotWrite() throws Exception {
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    Running<PageFileException> flushing =
        begin(() -> assertThrows(PageFileException.class, store::flush));
    flushing.awaitPause();
    faults.failFrom(1, Errno.EIO, Faults.Operation.WRITE);
    hold.release();
    evicting.await();
    assertEquals(Errno.EIO, flushing.await().errno());
    assertTrue(isUnwritten(written));
  }

  @Test
  void pageIsFreedOnceItIsWritten() throws Exception {
    int inUse = store.pagesInUse();
    assertEquals(
        inUse - 1,
        afterTheWrite(
            () -> {
              store.free(written);
              return store.pagesInUse();
            }));
    assertEquals(written, store.allocate());
    assertEquals(0, use(written));
    useOthers();
    assertEquals(0, use(written));
  }

  @Test
  void pagesAreForgottenOnceTheyAreWritten() throws Exception {
    assertEquals(
        0,
        afterTheWrite(
            () -> {
              store.clear();
              return store.pagesInUse();
            }));
    assertEquals(0, store.changedPages.get());
    assertEquals(1, Stores.allocate(store, 1)[0]);
  }

  @Test
  void storeIsClosedOnceItsPagesAreWritten() throws Exception {
    assertTrue(
        afterTheWrite(
            () -> {
              store.close();
              store.file.close();
              return true;
            }));
  }

  @Test
  void whoeverComparesTheFileWithTheMapWaitsForWrites() throws Exception {
    assertFalse(
        afterTheWrite(
            () -> {
              pool.lockWithoutWrites();
              try {
                return isUnwritten(written);
              } finally {
                pool.frames.lock.unlock();
              }
            }));
  }

  /** All other frames are pinned, so that it finds one only by the write. */
  @Test
  @Tag("thorough")
  void missWithoutAnyOtherFrameWaitsForTheWriteAndNotJustASecond() throws Exception {
    long[] pinned = new long[FRAMES - 1];
    for (int i = 0; i < pinned.length; i++) {
      pinned[i] = store.pin(written - 1 - i);
    }
    HeldWrites.Hold hold = writes.next();
    Running<Long> evicting = missThatWrites(hold);
    Running<Long> second = begin(() -> use(missing + 1));
    try {
      second.awaitPause();
      assertThrows(
          TimeoutException.class,
          () -> second.result.get(2L * BufferPool.PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
    } finally {
      hold.release();
    }
    assertEquals(missing, evicting.await());
    assertEquals(missing + 1, second.await());
    for (long offset : pinned) {
      store.unpin(offset, false);
    }
  }
}
