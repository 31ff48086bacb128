// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class IoThreadsTest {
  @Test
  @Timeout(60)
  void threadsComeWithTheirTasksAndEndWhenThereAreNone() throws InterruptedException {
    try (IoThreads threads = new IoThreads()) {
      CountDownLatch goOn = new CountDownLatch(1);
      for (int i = 0; i < IoThreads.MOST + 1; i++) {
        threads.execute(() -> Waiting.await(goOn));
      }
      assertEquals(IoThreads.MOST, threads.getPoolSize());
      goOn.countDown();
      while (threads.getPoolSize() > 0) {
        Thread.sleep(10);
      }
      assertEquals(IoThreads.MOST + 1, threads.getCompletedTaskCount());
    }
  }

  /** Makes a few threads and then no more, as in a process that has as many as it may. */
  static ThreadFactory ofAtMost(int most) {
    AtomicInteger asked = new AtomicInteger();
    return task -> {
      if (asked.getAndIncrement() >= most) {
        throw new OutOfMemoryError("unable to create native thread, says a test");
      }
      return Thread.ofPlatform().daemon().unstarted(task);
    };
  }

  @Test
  @Timeout(60)
  void taskForWhichNoThreadStartsRunsInTheCaller() {
    try (IoThreads threads = new IoThreads(ofAtMost(0))) {
      AtomicReference<@Nullable Thread> ran = new AtomicReference<>();
      threads.execute(() -> ran.set(Thread.currentThread()));
      assertSame(Thread.currentThread(), ran.get());
    }
  }

  @Test
  @Timeout(60)
  void taskIsNotDoneIfAnErrorIsThrown() {
    AtomicBoolean isShort = new AtomicBoolean(true);
    ThreadFactory factory =
        task -> {
          if (isShort.getAndSet(false)) {
            throw new StackOverflowError("says a test");
          }
          return Thread.ofPlatform().daemon().unstarted(task);
        };
    AtomicInteger runs = new AtomicInteger();
    try (IoThreads threads = new IoThreads(factory)) {
      assertThrows(StackOverflowError.class, () -> threads.execute(runs::incrementAndGet));
      threads.execute(() -> runs.addAndGet(10));
    }
    assertEquals(10, runs.get());
  }

  /** Handlers of channels clear the status. */
  @Test
  @Timeout(60)
  void callerThatDoesATaskStaysInterruptedAndTheTaskDoesNotSeeThat() {
    try (IoThreads threads = new IoThreads(ofAtMost(0))) {
      List<Boolean> seen = new ArrayList<>();
      threads.execute(() -> seen.add(Thread.interrupted()));
      assertFalse(Thread.interrupted());
      Thread.currentThread().interrupt();
      threads.execute(() -> seen.add(Thread.interrupted()));
      assertTrue(Thread.interrupted());
      assertEquals(List.of(false, false), seen);
    }
  }

  @Test
  @Timeout(60)
  void noTaskIsLostOrRunsTwiceHoweverFewThreadsThereAre() throws Exception {
    int callers = 2 * IoThreads.MOST;
    int tasks = 500;
    for (int most : new int[] {0, 0, 1, 3}) {
      AtomicInteger runs = new AtomicInteger();
      try (ExecutorService pool = Executors.newFixedThreadPool(callers);
          IoThreads threads = new IoThreads(ofAtMost(most))) {
        List<Future<?>> results = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
          results.add(
              pool.submit(
                  () -> {
                    for (int i = 0; i < tasks; i++) {
                      threads.execute(runs::incrementAndGet);
                    }
                  }));
        }
        for (Future<?> result : results) {
          result.get();
        }
      }
      assertEquals(callers * tasks, runs.get());
    }
  }

  /** Makes each thread end with its task; the others were made by then, and no more can be. */
  private static void endAll(IoThreads threads, CountDownLatch goOn, Runnable last) {
    for (int i = 0; i < IoThreads.MOST; i++) {
      threads.execute(
          () -> {
            Waiting.await(goOn);
            throw new IllegalStateException("a test ends this thread");
          });
    }
    threads.execute(last);
    goOn.countDown();
  }

  private static ThreadFactory quiet(ThreadFactory factory) {
    return task -> {
      Thread thread = factory.newThread(task);
      thread.setUncaughtExceptionHandler((_, _) -> {});
      return thread;
    };
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void taskThatWaitsWhenTheLastThreadEndsIsDoneThoughNoOtherCanBeStarted()
      throws InterruptedException {
    try (IoThreads threads = new IoThreads(quiet(ofAtMost(IoThreads.MOST)))) {
      CountDownLatch ran = new CountDownLatch(1);
      endAll(threads, new CountDownLatch(1), ran::countDown);
      ran.await();
    }
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shutdownWaitsForTheTaskThatAThreadDoesAtItsEnd() throws InterruptedException {
    AtomicBoolean hasEnded = new AtomicBoolean();
    CountDownLatch begun = new CountDownLatch(1);
    try (IoThreads threads = new IoThreads(quiet(ofAtMost(IoThreads.MOST)))) {
      endAll(
          threads,
          new CountDownLatch(1),
          () -> {
            begun.countDown();
            while (!threads.isTerminated()) {
              Thread.onSpinWait();
            }
            Waiting.nap(1_000_000);
            hasEnded.set(true);
          });
      begun.await();
    }
    assertTrue(hasEnded.get());
  }
}
