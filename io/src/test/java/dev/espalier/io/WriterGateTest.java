// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.InterruptedCalls;
import dev.espalier.TestSize;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The gate for writers: many together, or one alone. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriterGateTest {
  private static final long PROMISE = WriterGate.promise(70, 48);

  private final WriterGate gate = new WriterGate();

  private static Thread startAndBlock(Runnable action) {
    Thread thread = Thread.ofPlatform().start(action);
    while (thread.getState() != Thread.State.WAITING) {
      assertTrue(thread.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  void promisesOfAllWithinAreCounted() throws Exception {
    int threads = 40;
    CountDownLatch entered = new CountDownLatch(threads);
    CountDownLatch leave = new CountDownLatch(1);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    long in = gate.enter(PROMISE);
                    entered.countDown();
                    Waiting.await(leave);
                    gate.leave(in);
                  }));
    }
    entered.await();
    long sum = gate.sum();
    assertEquals(threads, WriterGate.writers(sum));
    assertEquals(70 * threads, WriterGate.pages(sum));
    assertEquals(48 * threads, WriterGate.bytes(sum));
    leave.countDown();
    for (Thread thread : all) {
      thread.join();
    }
    assertEquals(0, gate.sum());
  }

  @Test
  void oneWaitsUntilAllOthersHaveLeftAndOthersWaitForIt() throws Exception {
    long in = gate.enter(PROMISE);
    AtomicBoolean isAlone = new AtomicBoolean();
    CountDownLatch leave = new CountDownLatch(1);
    Thread one =
        startAndBlock(
            () -> {
              gate.enterAlone();
              isAlone.set(true);
              Waiting.await(leave);
              isAlone.set(false);
              gate.leaveAlone();
            });
    AtomicBoolean wasAlone = new AtomicBoolean(true);
    Thread late =
        startAndBlock(
            () -> {
              long later = gate.enter(PROMISE);
              wasAlone.set(isAlone.get());
              gate.leave(later);
            });
    assertFalse(isAlone.get());
    gate.leave(in);
    while (!isAlone.get()) {
      Thread.onSpinWait();
    }
    leave.countDown();
    one.join();
    late.join();
    assertFalse(wasAlone.get());
    assertEquals(0, gate.sum());
  }

  @Test
  void whoIsAloneMayEnterAgain() throws InterruptedException {
    gate.enterAlone();
    gate.enterAlone();
    long within = gate.enter(PROMISE);
    assertEquals(WriterGate.ALONE, within);
    assertEquals(0, gate.sum());
    gate.leave(within);
    gate.leaveAlone();
    Thread other = startAndBlock(() -> gate.leave(gate.enter(PROMISE)));
    gate.leaveAlone();
    other.join();
    long in = gate.enter(PROMISE);
    assertEquals(PROMISE, gate.sum());
    gate.leave(in);
  }

  @Test
  void whoGivesUpWaitingLetsOthersEnter() throws InterruptedException {
    long in = gate.enter(PROMISE);
    AtomicBoolean wasAlone = new AtomicBoolean(true);
    Thread.ofPlatform().start(() -> wasAlone.set(gate.tryEnterAlone(1_000_000))).join();
    assertFalse(wasAlone.get());
    Thread.ofPlatform().start(() -> gate.leave(gate.enter(PROMISE))).join();
    gate.leave(in);
    assertTrue(gate.tryEnterAlone(TimeUnit.DAYS.toNanos(1)));
    gate.leaveAlone();
  }

  @Test
  void anInterruptIsKeptAndEndsNoWait() throws InterruptedException {
    long in = gate.enter(PROMISE);
    AtomicBoolean isKept = new AtomicBoolean();
    Thread one =
        startAndBlock(
            () -> {
              Thread.currentThread().interrupt();
              gate.enterAlone();
              isKept.set(Thread.interrupted());
              gate.leaveAlone();
            });
    AtomicBoolean isKeptByLate = new AtomicBoolean();
    Thread late =
        startAndBlock(
            () -> {
              Thread.currentThread().interrupt();
              gate.leave(gate.enter(PROMISE));
              isKeptByLate.set(Thread.interrupted());
            });
    gate.leave(in);
    one.join();
    late.join();
    assertTrue(isKept.get());
    assertTrue(isKeptByLate.get());
  }

  // ---------------------------------------------------------------- many

  /** Enters until nobody else may. */
  private List<Long> fill() {
    List<Long> within = new ArrayList<>();
    long in = gate.enter(PROMISE);
    while (in != WriterGate.CROWDED) {
      assertTrue(in > 0, () -> "entered as " + within.getLast());
      within.add(in);
      assertEquals(within.size() * PROMISE, gate.sum());
      in = gate.enter(PROMISE);
    }
    return within;
  }

  @Test
  void aWriterGoesOnInAnotherWordAndIsToldWhenAllAreFull() throws Exception {
    List<Long> within = fill();
    assertTrue(within.size() >= 4 * 31, () -> "only " + within.size() + " were let in");
    assertEquals(WriterGate.CROWDED, gate.tryEnter(PROMISE));
    gate.leave(within.removeFirst());
    long in = gate.tryEnter(PROMISE);
    assertTrue(in > 0, () -> "entered as " + in);
    within.add(in);
    letAnother(
        () -> within.forEach(gate::leave)); // Whoever leaves, the word is that of who entered.
    assertEquals(0, gate.sum());
    assertEquals(0, gate.turns());
  }

  @Test
  void aWriterWaitsUntilOneHasLeftWhenAllWordsAreFull() throws Exception {
    List<Long> within = fill();
    int before = within.size();
    AtomicInteger most = new AtomicInteger();
    List<Thread> late = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      late.add(
          startAndBlock(
              () -> {
                long in = gate.enterWhen(PROMISE, _ -> true);
                most.accumulateAndGet(WriterGate.writers(gate.sum()), Math::max);
                gate.leave(in);
              }));
    }
    gate.leave(within.removeLast());
    for (Thread thread : late) {
      thread.join();
    }
    assertEquals(before, most.get());
    assertEquals(within.size() * PROMISE, gate.sum());
    assertEquals(0, gate.turns());
    within.forEach(gate::leave);
    gate.enterAlone();
    gate.leaveAlone();
    assertEquals(1, gate.turns());
  }

  @Test
  void whoWaitsForRoomKeepsOthersOutAndIsToldOfItsOwnPromise() throws Exception {
    long first = gate.enter(PROMISE);
    long second = gate.enter(PROMISE);
    AtomicLong entered = new AtomicLong();
    Thread waiting =
        startAndBlock(() -> entered.set(gate.enterWhen(PROMISE, sum -> sum == 2 * PROMISE)));
    letAnother(
        () -> {
          assertEquals(WriterGate.OUT, gate.tryEnter(PROMISE));
          assertFalse(gate.tryEnterAlone());
        });
    Thread behind = startAndBlock(() -> gate.leave(gate.enter(PROMISE)));
    gate.leave(first);
    waiting.join();
    behind.join();
    assertEquals(2 * PROMISE, gate.sum());
    gate.leave(entered.get());
    gate.leave(second);
    assertEquals(0, gate.sum());
    letAnother(() -> assertTrue(gate.tryEnterAlone()));
  }

  @Test
  void whoWaitsForRoomIsNotAloneAndKeepsAnInterrupt() throws Exception {
    long in = gate.enter(PROMISE);
    AtomicBoolean isKept = new AtomicBoolean();
    AtomicBoolean isAlone = new AtomicBoolean(true);
    Thread waiting =
        startAndBlock(
            () -> {
              Thread.currentThread().interrupt();
              long entered = gate.enterWhen(PROMISE, sum -> WriterGate.writers(sum) == 1);
              isKept.set(Thread.interrupted());
              isAlone.set(gate.isAlone());
              gate.leave(entered);
            });
    gate.leave(in);
    waiting.join();
    assertTrue(isKept.get());
    assertFalse(isAlone.get());
    assertEquals(0, gate.turns());
  }

  /** Between its two looks at who is alone. */
  @Test
  void aWriterThatHasCountedItselfWhileAnotherBecameAloneUncountsItself() throws Exception {
    long counted = gate.count(PROMISE);
    AtomicBoolean isAlone = new AtomicBoolean();
    CountDownLatch leave = new CountDownLatch(1);
    Thread one =
        startAndBlock(
            () -> {
              gate.enterAlone();
              isAlone.set(true);
              Waiting.await(leave);
              gate.leaveAlone();
            });
    assertFalse(isAlone.get());
    assertEquals(WriterGate.OUT, gate.stay(counted));
    assertEquals(0, gate.sum());
    while (!isAlone.get()) {
      Thread.onSpinWait();
    }
    assertEquals(WriterGate.OUT, gate.stay(WriterGate.CROWDED));
    assertEquals(0, gate.sum());
    leave.countDown();
    one.join();
    long again = gate.count(PROMISE);
    assertEquals(again, gate.stay(again));
    gate.leave(again);
  }

  /** Has another thread do something, and waits until it has. */
  private static void letAnother(Runnable action) throws InterruptedException {
    FutureTask<Boolean> done = new FutureTask<>(action, true);
    Thread.ofPlatform().start(done);
    try {
      done.get();
    } catch (ExecutionException failed) {
      throw new AssertionError(failed.getCause());
    }
  }

  @Test
  void whoIsAloneSaysSoAndNobodyElse() throws InterruptedException {
    assertFalse(gate.isAlone());
    gate.enterAlone();
    assertTrue(gate.isAlone());
    AtomicBoolean isOther = new AtomicBoolean(true);
    letAnother(() -> isOther.set(gate.isAlone()));
    assertFalse(isOther.get());
    gate.enterAlone();
    gate.leaveAlone();
    assertTrue(gate.isAlone());
    gate.leaveAlone();
    assertFalse(gate.isAlone());
  }

  @Test
  void nobodyWaitsForWhoIsAloneIfThatIsNotWanted() throws InterruptedException {
    AtomicInteger refused = new AtomicInteger();
    Runnable tries =
        () -> {
          refused.addAndGet(gate.tryEnter(PROMISE) == WriterGate.OUT ? 1 : 0);
          refused.addAndGet(gate.tryEnterAlone() ? 0 : 1);
          refused.addAndGet(gate.tryEnterAlone(1) ? 0 : 1);
        };
    assertTrue(gate.tryEnterAlone());
    assertTrue(gate.isAlone());
    letAnother(tries);
    assertEquals(3, refused.get());
    assertTrue(gate.tryEnterAlone());
    assertTrue(gate.tryEnterAlone(1));
    assertEquals(WriterGate.ALONE, gate.tryEnter(PROMISE));
    gate.leave(WriterGate.ALONE);
    gate.leaveAlone();
    gate.leaveAlone();
    letAnother(tries);
    assertEquals(6, refused.get());
    gate.leaveAlone();
    assertEquals(0, gate.sum());
    long in = gate.tryEnter(PROMISE);
    assertEquals(PROMISE, gate.sum());
    gate.leave(in);
  }

  @Test
  void whoTriesToBeAloneWaitsForThoseWithin() throws InterruptedException {
    long in = gate.enter(PROMISE);
    AtomicBoolean isAlone = new AtomicBoolean();
    Thread one =
        startAndBlock(
            () -> {
              isAlone.set(gate.tryEnterAlone());
              gate.leaveAlone();
            });
    assertFalse(isAlone.get());
    gate.leave(in);
    one.join();
    assertTrue(isAlone.get());
  }

  @Test
  void whoWaitsForALimitedTimeIsAloneWhenOthersHaveLeft() throws InterruptedException {
    long in = gate.enter(PROMISE);
    AtomicBoolean isAlone = new AtomicBoolean();
    Thread one =
        Thread.ofPlatform()
            .start(
                () -> {
                  isAlone.set(gate.tryEnterAlone(TimeUnit.DAYS.toNanos(1)));
                  gate.leaveAlone();
                });
    while (one.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(one.isAlive(), "has to wait");
      Thread.onSpinWait();
    }
    gate.leave(in);
    one.join();
    assertTrue(isAlone.get());
  }

  @Test
  void whoGivesUpLeavesTheLockToOthers() throws InterruptedException {
    long in = gate.enter(PROMISE);
    letAnother(() -> assertFalse(gate.tryEnterAlone(1)));
    AtomicBoolean isAlone = new AtomicBoolean();
    Thread next =
        startAndBlock(
            () -> {
              gate.enterAlone();
              isAlone.set(true);
              gate.leaveAlone();
            });
    gate.leave(in);
    next.join();
    assertTrue(isAlone.get());
  }

  /** A test leaves the waiting out, to see what breaks. */
  @Test
  void aGateMayNotWaitForThoseWithin() throws InterruptedException {
    WriterGate hasty = new WriterGate(false);
    long in = hasty.enter(PROMISE);
    letAnother(
        () -> {
          hasty.enterAlone();
          hasty.leaveAlone();
        });
    hasty.leave(in);
    assertEquals(0, hasty.sum());
  }

  /** As a thread that is short of stack, and can't even sleep. */
  @Test
  void oneThatFailsWhileItWaitsKeepsNobodyOut() throws Exception {
    long in = gate.enter(PROMISE);
    gate.beforeSleep =
        () -> {
          throw new StackOverflowError("says a test");
        };
    assertThrows(StackOverflowError.class, gate::enterAlone);
    assertThrows(StackOverflowError.class, gate::tryEnterAlone);
    assertThrows(StackOverflowError.class, () -> gate.tryEnterAlone(TimeUnit.MINUTES.toNanos(1)));
    assertThrows(StackOverflowError.class, () -> gate.enterWhen(PROMISE, _ -> false));
    ReentrantLock first = new ReentrantLock();
    assertThrows(StackOverflowError.class, () -> gate.enterAlone(first));
    assertFalse(first.isLocked());
    assertFalse(gate.isAlone());
    FutureTask<Boolean> other = new FutureTask<>(() -> gate.leave(gate.enter(PROMISE)), true);
    Thread.ofPlatform().daemon().start(other);
    other.get();
    gate.leave(in);
    assertEquals(0, gate.sum());
    assertEquals(0, gate.turns());
  }

  @Test
  void promisesOfAnySizeDoNotMix() {
    for (long pages : new long[] {0, 1, (1 << 15) - 1}) {
      for (int bytes : new int[] {0, 1, WriterGate.MOST_BYTES}) {
        long in = gate.enter(WriterGate.promise(pages, bytes));
        assertEquals(1, WriterGate.writers(gate.sum()));
        assertEquals(pages, WriterGate.pages(gate.sum()));
        assertEquals(bytes, WriterGate.bytes(gate.sum()));
        gate.leave(in);
      }
    }
    long most = 1023 * WriterGate.promise((1 << 15) - 1, WriterGate.MOST_BYTES);
    assertEquals(1023, WriterGate.writers(most));
    assertEquals(1023L * ((1 << 15) - 1), WriterGate.pages(most));
    assertEquals(1023L * WriterGate.MOST_BYTES, WriterGate.bytes(most));
  }

  /** Threads that are within together, and alone at times, with interrupts. */
  @Test
  void nobodyIsWithinWhileOneIsAlone() throws Exception {
    int rounds = TestSize.share(20_000, 1_000_000);
    AtomicInteger within = new AtomicInteger();
    AtomicBoolean isAlone = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> all = new ArrayList<>();
      for (int number = 0; number < 4; number++) {
        int every = number == 0 ? 3 : 50 * number;
        all.add(
            threads.submit(
                () -> {
                  InterruptedCalls.run(
                      () -> {
                        for (int round = 1; round <= rounds; round++) {
                          if (round % every == 0) {
                            gate.enterAlone();
                            assertEquals(0, within.get());
                            assertFalse(isAlone.getAndSet(true));
                            isAlone.set(false);
                            gate.leaveAlone();
                          } else {
                            long in = gate.enter(PROMISE);
                            within.incrementAndGet();
                            assertFalse(isAlone.get());
                            within.decrementAndGet();
                            gate.leave(in);
                          }
                        }
                      });
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    assertEquals(0, gate.sum());
  }
}
