// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writers, and the thread that has the tree alone. */
@Tag("fallback-exhaustive")
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriterGateTest {
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final WriterGate gate = new WriterGate(isClosed::get);

  private static Thread startAndWait(Runnable action) {
    Thread thread = Thread.ofPlatform().start(action);
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(thread.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  private void assertFree() throws InterruptedException {
    AtomicInteger done = new AtomicInteger();
    Thread.ofPlatform().start(() -> gate.alone(done::incrementAndGet)).join();
    Thread.ofPlatform()
        .start(
            () -> {
              gate.exit(gate.enter());
              done.incrementAndGet();
            })
        .join();
    assertEquals(2, done.get());
  }

  @Test
  void oneWaitsForAllThatWriteAndOthersForIt() throws Exception {
    List<Integer> counters = new ArrayList<>();
    List<Thread> writers = new ArrayList<>();
    List<CountDownLatch> ends = new ArrayList<>();
    for (int i = 0; i < 20; i++) { // So that some share a counter.
      CountDownLatch entered = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      ends.add(end);
      writers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    int counter = gate.enter();
                    synchronized (counters) {
                      counters.add(counter);
                    }
                    entered.countDown();
                    awaitQuietly(end);
                    gate.exit(counter);
                  }));
      entered.await();
    }
    assertTrue(counters.stream().distinct().count() > 1);
    AtomicBoolean isAlone = new AtomicBoolean();
    CountDownLatch go = new CountDownLatch(1);
    Thread one =
        startAndWait(
            () ->
                gate.alone(
                    () -> {
                      isAlone.set(true);
                      awaitQuietly(go);
                      isAlone.set(false);
                    }));
    AtomicBoolean sawOne = new AtomicBoolean(true);
    Thread late =
        startAndWait(
            () -> {
              int counter = gate.enter();
              sawOne.set(isAlone.get());
              gate.exit(counter);
            });
    for (int i = 0; i < writers.size(); i++) {
      assertFalse(isAlone.get());
      ends.get(i).countDown();
      writers.get(i).join();
    }
    while (!isAlone.get()) {
      Thread.onSpinWait();
    }
    assertTrue(late.isAlive());
    go.countDown();
    one.join();
    late.join();
    assertFalse(sawOne.get());
    assertFree();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  @Test
  void whoIsAloneMayWriteAndBeAloneAgain() throws InterruptedException {
    List<Integer> entered = new ArrayList<>();
    gate.alone(
        () -> {
          int counter = gate.enter();
          entered.add(counter);
          gate.exit(counter);
          gate.alone(() -> entered.add(-7));
          int again = gate.enter(); // It is alone still.
          entered.add(again);
          gate.exit(again);
        });
    assertEquals(List.of(-1, -7, -1), entered);
    int counter = gate.enter();
    assertNotEquals(-1, counter);
    gate.exit(counter);
    assertFree();
  }

  @Test
  void aTaskThatFailsLetsOthersIn() throws InterruptedException {
    assertThrows(
        UnsupportedOperationException.class,
        () ->
            gate.alone(
                () -> {
                  throw new UnsupportedOperationException("says a test");
                }));
    assertFree();
  }

  @Test
  void nobodyWaitsForAnIndexThatIsClosed() throws InterruptedException {
    int counter = gate.enter();
    List<Throwable> thrown = new ArrayList<>();
    Thread one =
        startAndWait(
            () ->
                thrown.add(assertThrows(IllegalStateException.class, () -> gate.alone(() -> {}))));
    isClosed.set(true);
    one.join();
    assertEquals("the index is closed", thrown.getFirst().getMessage());
    isClosed.set(false);
    gate.exit(counter);
    assertFree();
  }

  @Test
  void aWriterDoesNotWaitForAnIndexThatIsClosed() throws InterruptedException {
    List<Throwable> thrown = new ArrayList<>();
    gate.alone(
        () -> {
          Thread writer =
              startAndWait(
                  () -> thrown.add(assertThrows(IllegalStateException.class, gate::enter)));
          isClosed.set(true);
          try {
            writer.join();
          } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
          }
        });
    isClosed.set(false);
    assertEquals(1, thrown.size());
    assertFree();
  }
}
