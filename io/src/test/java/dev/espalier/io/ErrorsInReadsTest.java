// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An error in the middle of a read, as a thread has that is short of stack or memory: the page is
 * read by the next one who needs it, and neither a frame nor a pin is lost.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ErrorsInReadsTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 8;

  /** Far more than there are frames. */
  private static final int PAGES = 5 * FRAMES;

  /** What is called of a file. */
  private enum Call {
    START,
    FINISH
  }

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** The next call that ends in an error, null if none does. */
  private final AtomicReference<@Nullable Call> failing = new AtomicReference<>();

  /** What the next call to finish does first. */
  private final AtomicReference<@Nullable Runnable> atFinish = new AtomicReference<>();

  private BufferPool pool;
  private SlotPageStore store;
  private int[] pages;

  private PageFileOpener over(PageFileOpener engine) {
    return (path, access, blockBytes) ->
        new PageFileAround(engine.open(path, access, blockBytes)) {
          @Override
          public void startRead(IoBatch batch) {
            reach(Call.START);
            super.startRead(batch);
          }

          @Override
          public void finish(IoBatch batch) {
            Runnable first = atFinish.getAndSet(null);
            if (first != null) {
              first.run();
            }
            super.finish(batch);
            reach(Call.FINISH);
          }
        };
  }

  private void reach(Call call) {
    if (failing.compareAndSet(call, null)) {
      throw new StackOverflowError("as ordered");
    }
  }

  @BeforeEach
  void makePages() {
    pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 1, 8);
    store = Stores.create(folder.resolve("pages"), over(PageFiles.CACHED), pool);
    pages = Stores.allocate(store, PAGES);
    store.flush();
    assertAllReadable(); // And the first pages have made room for the last.
  }

  @AfterEach
  void close() {
    store.close();
    store.file.close();
    pool.close();
  }

  private void assertAllReadable() {
    for (int page : pages) {
      long offset = store.pin(page);
      assertEquals(page, Stores.contents(store, offset));
      store.unpin(offset, false);
    }
    assertEquals(0, pool.inFlight.reads());
    assertNoPins();
  }

  private void assertNoPins() {
    for (int frame = 0; frame < pool.frames.inUse(); frame++) {
      assertEquals(0, pool.frames.state(frame) & Frames.PINS, "frame " + frame);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyPageIsReadAfterAnError(Call call) {
    for (int page : pages) {
      if (store.frameOf(page) == Frames.NONE) {
        failing.set(call);
        assertThrows(StackOverflowError.class, () -> store.pin(page));
      }
    }
    assertAllReadable();
  }

  @ParameterizedTest
  @EnumSource
  void pagesThatArePinnedTogetherAreNotPinnedAfterAnError(Call call) {
    for (int i = 0; i + 1 < FRAMES; i++) {
      long[] some = {pages[i], pages[i + 10]};
      failing.set(call);
      assertThrows(StackOverflowError.class, () -> store.pinAll(some, 0, 2));
      assertNoPins();
    }
    assertAllReadable();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsReadAheadIsReadAfterAnError(Call call) {
    for (int round = 0; round < 2 * FRAMES; round++) {
      failing.set(call);
      int[] some = {pages[round], pages[round + 10]};
      try {
        store.readAhead(some, 0, 2);
        store.unpin(store.pin(some[0]), false);
      } catch (StackOverflowError asOrdered) {
        assertTrue(failing.get() == null);
      }
      failing.set(null);
      store.unpin(store.pin(some[0]), false);
    }
    assertAllReadable();
  }

  /** Whoever wants a frame looks whether those that were read ahead are free. */
  @Test
  void whatWasNotEvenBegunKeepsNoFrame() {
    PageFileOpener striped =
        over(PageFiles.striped(PageFiles.CHANNEL, List.of(folder.resolve("more"))));
    try (BufferPool small = BufferPool.withRooms(FRAMES, PAGE_BYTES, 1, 8)) {
      SlotPageStore other = Stores.create(folder.resolve("striped"), striped, small);
      int[] all = Stores.allocate(other, PAGES);
      other.flush();
      failing.set(Call.START);
      assertThrows(StackOverflowError.class, () -> other.readAhead(all, 0, 2));
      for (int i = 0; i < PAGES; i++) {
        int page = all[(i + 2) % PAGES]; // The first one wants a frame, not what was read ahead.
        long offset = other.pin(page);
        assertEquals(page, Stores.contents(other, offset));
        other.unpin(offset, false);
      }
      assertEquals(0, small.inFlight.reads());
      other.close();
      other.file.close();
    }
  }

  /** The one whose wave it is waits while another thread reads, and has the error. */
  @Test
  void anErrorOfAnotherThreadIsTold() throws Exception {
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    atFinish.set(
        () -> {
          isReading.countDown();
          Waiting.await(goOn);
          failing.set(Call.FINISH);
        });
    FutureTask<Long> first = new FutureTask<>(() -> store.pin(pages[0]));
    Thread.ofPlatform().start(first);
    isReading.await();
    FutureTask<Long> second = new FutureTask<>(() -> store.pin(pages[0]));
    Thread waiting = Thread.ofPlatform().start(second);
    while (waiting.getState() != Thread.State.WAITING) {
      assertTrue(waiting.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    goOn.countDown();
    ExecutionException failed = assertThrows(ExecutionException.class, first::get);
    assertInstanceOf(StackOverflowError.class, failed.getCause());
    store.unpin(second.get(), false);
    assertAllReadable();
  }

  /** A start may have handed over some of a batch, which may still be written to its memory. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whatIsUnderWayInOtherFilesEndsBeforeAnErrorIsThrown(int failingFile) {
    AtomicReference<Integer> started = new AtomicReference<>(0);
    AtomicReference<Integer> finished = new AtomicReference<>(0);
    PageFileOpener counting =
        (path, access, blockBytes) ->
            new PageFileAround(PageFiles.CHANNEL.open(path, access, blockBytes)) {
              @Override
              public void startRead(IoBatch batch) {
                if (path.endsWith("stripe" + failingFile)) {
                  throw new StackOverflowError("as ordered");
                }
                super.startRead(batch);
                started.updateAndGet(count -> count + 1);
              }

              @Override
              public void finish(IoBatch batch) {
                super.finish(batch);
                if (!batch.writes) {
                  finished.updateAndGet(count -> count + 1);
                }
              }
            };
    PageFileOpener striped =
        PageFiles.striped(counting, List.of(folder.resolve("stripe1"), folder.resolve("stripe2")));
    try (PageFile file = striped.open(folder.resolve("stripe0"), Access.CREATE, PAGE_BYTES)) {
      file.grow(3 * PAGE_BYTES);
      IoBatch batch = new IoBatch(Arena.ofAuto().allocate(3 * PAGE_BYTES, PAGE_BYTES), 1);
      batch.add(0, 0, 3 * PAGE_BYTES);
      assertThrows(StackOverflowError.class, () -> file.startRead(batch));
      assertEquals(failingFile, started.get());
      assertEquals(failingFile, finished.get());
    }
  }
}
