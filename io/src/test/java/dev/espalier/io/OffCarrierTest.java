// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.FileCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-too")
@Timeout(60)
class OffCarrierTest {
  private static final int BLOCK = 4096;

  @TempDir private Path folder;

  private static <T> T inVirtualThread(Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.startVirtualThread(task);
    return task.get();
  }

  private static Thread threadOfCall() {
    AtomicReference<@Nullable Thread> made = new AtomicReference<>();
    OffCarrier.run(() -> made.set(Thread.currentThread()));
    Thread thread = made.get();
    if (thread == null) {
      throw new AssertionError("the call was not made");
    }
    return thread;
  }

  @Test
  void platformThreadMakesItsCallsItself() {
    assertSame(Thread.currentThread(), threadOfCall());
  }

  @Test
  void platformThreadMakesTheCallsOfAVirtualOne() throws Exception {
    Thread made = inVirtualThread(OffCarrierTest::threadOfCall);
    assertFalse(made.isVirtual());
    assertTrue(made.isDaemon());
  }

  @Test
  void whatACallThrowsIsThrownInTheThreadThatWantedIt() throws Exception {
    RuntimeException exception = new IllegalStateException("a test");
    Error error = new AssertionError("a test");
    inVirtualThread(
        () -> {
          assertSame(exception, assertThrows(RuntimeException.class, () -> fail(exception)));
          assertSame(error, assertThrows(Error.class, () -> fail(error)));
          return true;
        });
  }

  private static void fail(RuntimeException exception) {
    OffCarrier.run(
        () -> {
          throw exception;
        });
  }

  private static void fail(Error error) {
    OffCarrier.run(
        () -> {
          throw error;
        });
  }

  /** Whether the status is set before, or meanwhile. */
  @Test
  void interruptNeitherEndsAWaitNorReachesTheCallNorIsLost() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<Boolean> seen = new ArrayList<>();
    FutureTask<Boolean> waiting =
        new FutureTask<>(
            () -> {
              OffCarrier.run(
                  () -> {
                    begun.countDown();
                    Waiting.await(goOn);
                    seen.add(Thread.interrupted());
                  });
              boolean isSet = Thread.currentThread().isInterrupted();
              OffCarrier.run(() -> seen.add(Thread.interrupted()));
              return isSet && Thread.interrupted();
            });
    Thread thread = Thread.startVirtualThread(waiting);
    begun.await();
    thread.interrupt();
    Thread.sleep(10); // It has time to do the wrong thing.
    assertFalse(waiting.isDone());
    goOn.countDown();
    assertTrue(waiting.get());
    assertEquals(List.of(false, false), seen);
  }

  /** An error of the thread that wanted a call, as it has when its stack is full. */
  @Test
  void whoeverIsKeptFromWaitingLeavesNoCallUnderWay() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    Executor failing =
        task -> {
          Thread.ofPlatform().daemon().start(task);
          Waiting.await(begun);
          throw new StackOverflowError("says a test");
        };
    Runnable call =
        () -> {
          begun.countDown();
          Waiting.await(goOn);
          ended.incrementAndGet();
        };
    FutureTask<Integer> waiting =
        new FutureTask<>(
            () -> {
              assertThrows(StackOverflowError.class, () -> OffCarrier.handOver(failing, call));
              return ended.get();
            });
    Thread.startVirtualThread(waiting);
    begun.await();
    Thread.sleep(10); // It has time to do the wrong thing.
    goOn.countDown();
    assertEquals(1, waiting.get());
  }

  @Test
  void whoeverIsKeptFromWaitingTakesBackACallThatHasNotBegun() throws Exception {
    List<Runnable> handed = new ArrayList<>();
    Executor failing =
        task -> {
          handed.add(task);
          throw new StackOverflowError("says a test");
        };
    AtomicInteger made = new AtomicInteger();
    inVirtualThread(
        () ->
            assertThrows(
                StackOverflowError.class,
                () -> OffCarrier.handOver(failing, made::incrementAndGet)));
    handed.forEach(Runnable::run);
    assertEquals(1, handed.size());
    assertEquals(0, made.get());
  }

  @Test
  void soManyCallsAreUnderWayAtOnceAndTheOthersCome() throws Exception {
    int calls = 1_000;
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger made = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(OffCarrier.MOST_THREADS);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> waiting = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        waiting.add(
            threads.submit(
                () ->
                    OffCarrier.run(
                        () -> {
                          most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                          all.countDown();
                          Waiting.await(all);
                          made.incrementAndGet();
                          underWay.decrementAndGet();
                        })));
      }
      for (Future<?> one : waiting) {
        one.get();
      }
    }
    assertEquals(OffCarrier.MOST_THREADS, most.get());
    assertEquals(calls, made.get());
  }

  /** To copy it takes less time than to wake a thread. */
  @ParameterizedTest
  @EnumSource(names = {"RING", "THREADS", "RING_DIRECT", "THREADS_DIRECT", "CHANNEL"})
  void onlyWhatThePageCacheDoesNotHaveIsHandedOver(EngineUnderTest engine) throws Exception {
    Path path = folder.resolve("file");
    IoBatch batch = new IoBatch(Arena.ofAuto().allocate(BLOCK, BLOCK), 1);
    PageFile file = engine.open(path, Access.CREATE);
    try (file) {
      batch.add(BLOCK, 0, BLOCK);
      batch.memory().fill((byte) 7);
      file.write(batch);
      batch.memory().fill((byte) 0);
      batch.repeat();
      boolean isAtOnce =
          !file.status().direct()
              && file.status().engine() != IoStatus.Engine.CHANNEL
              && tellsWhatIsCached(path, batch.memory());
      long before = OffCarrier.calls();
      inVirtualThread(
          () -> {
            file.read(batch);
            return true;
          });
      assertEquals(isAtOnce ? 0 : 1, OffCarrier.calls() - before);
      assertTrue(file.isDone(batch));
      assertEquals(7, batch.memory().get(ValueLayout.JAVA_BYTE, BLOCK - 1));

      batch.clear();
      batch.add(2 * BLOCK, 0, BLOCK);
      inVirtualThread(() -> assertThrows(PageFileException.class, () -> file.read(batch)));
    }
    inVirtualThread(() -> assertThrows(IllegalStateException.class, () -> file.read(batch)));
  }

  private static boolean tellsWhatIsCached(Path path, MemorySegment memory) {
    int file = FileCalls.open(path, FileCalls.READ_ONLY);
    int read = FileCalls.preadCached(file, memory.address(), BLOCK, BLOCK);
    FileCalls.close(file);
    memory.fill((byte) 0);
    return read == BLOCK;
  }
}
