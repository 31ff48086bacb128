// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
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

@Tag("fallback-too")
@Timeout(60)
class OffCarrierTest {
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
}
