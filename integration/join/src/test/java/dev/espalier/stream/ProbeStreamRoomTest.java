// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What happens when a stream is full. */
final class ProbeStreamRoomTest extends StreamFixture {
  @Test
  void fullStreamRefusesUntilThereAreAnswers() throws InterruptedException {
    AnswerLog gated = AnswerLog.gated();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(8), gated)) {
      for (int i = 0; i < 8; i++) {
        assertTrue(stream.tryGet(i, i));
      }
      assertFalse(stream.tryGet(8, 8));
      gated.reached.await();
      assertFalse(stream.offer(new Probe.Put(8, 8)));
      assertFalse(stream.tryGet(new long[1], new long[1], 0, 1));
      assertEquals(8, stream.statistics().waiting());
      gated.openGate();
      stream.flush();
      long[] tags = {9, 10, 11, 12, 13, 14, 15, 16};
      assertTrue(stream.tryGet(tags, tags, 0, 8));
      assertFalse(stream.tryGet(17, 17));
      stream.flush();
      assertEquals(16, gated.answers.size());
      assertEquals(0, index.size());
    }
  }

  @Test
  void blockedThreadGoesOnAfterAnswers() throws Exception {
    AnswerLog gated = AnswerLog.gated();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(8), gated)) {
      fillRoom(stream);
      FutureTask<Void> blocked = blockedIn(() -> stream.get(8, 8));
      gated.reached.await();
      assertEquals(8, stream.statistics().taken());
      gated.openGate();
      blocked.get();
      assertEquals(9, stream.statistics().taken());
    }
    assertEquals(9, gated.answers.size());
  }

  @Test
  void largeBatchIsNotOvertakenWhileItWaitsForRoom() throws Exception {
    AnswerLog gated = AnswerLog.gated();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(8), gated)) {
      stream.get(0, 0);
      FutureTask<Void> blocked =
          blockedIn(
              () -> stream.get(new long[8], new long[] {11, 12, 13, 14, 15, 16, 17, 18}, 0, 8));
      assertFalse(stream.tryGet(1, 1));
      gated.openGate();
      blocked.get();
    }
    assertEquals(9, gated.answers.size());
  }

  @Test
  void interruptedThreadLeavesNothingInTheStream() throws Exception {
    AnswerLog gated = AnswerLog.gated();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(8), gated)) {
      fillRoom(stream);
      AtomicReference<Thread> thread = new AtomicReference<>();
      FutureTask<Void> blocked = blockedIn(() -> stream.get(8, 8), thread);
      thread.get().interrupt();
      ExecutionException thrown = assertThrows(ExecutionException.class, blocked::get);
      assertInstanceOf(InterruptedException.class, thrown.getCause());
      gated.openGate();
      stream.flush();
      stream.get(9, 9); // Nobody is in the way.
    }
    assertEquals(9, gated.answers.size());
    assertFalse(gated.answers.containsKey(8L));
  }

  @Test
  void interruptIsKeptWhereNothingWaits() throws InterruptedException {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      Thread.currentThread().interrupt();
      stream.get(1, 1);
      assertTrue(Thread.currentThread().isInterrupted());
    }
    assertTrue(Thread.interrupted(), "close has lost the interrupt");
    assertEquals(1, log.answers.size());
  }

  @Test
  void closeEndsThreadsThatWaitForRoom() throws Exception {
    AnswerLog gated = AnswerLog.gated();
    ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(8), gated);
    fillRoom(stream);
    FutureTask<Void> first = blockedIn(() -> stream.get(8, 8));
    FutureTask<Void> second = blockedIn(() -> stream.put(9, 9));
    gated.reached.await();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(stream::close);
    for (FutureTask<Void> blocked : List.of(first, second)) {
      ExecutionException thrown = assertThrows(ExecutionException.class, blocked::get);
      assertInstanceOf(IllegalStateException.class, thrown.getCause());
    }
    gated.openGate();
    closing.get();
    assertEquals(8, gated.answers.size());
  }

  private static void fillRoom(ProbeStream stream) throws InterruptedException {
    for (int i = 0; i < 8; i++) {
      stream.get(i, i);
    }
  }

  /** Something that is to wait for room. */
  private interface Waiting {
    void run() throws InterruptedException;
  }

  private static FutureTask<Void> blockedIn(Waiting call) throws InterruptedException {
    return blockedIn(call, new AtomicReference<>());
  }

  private static FutureTask<Void> blockedIn(Waiting call, AtomicReference<Thread> thread)
      throws InterruptedException {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              call.run();
              return null;
            });
    thread.set(Thread.ofPlatform().daemon().start(task));
    while (thread.get().getState() != Thread.State.WAITING) {
      assertFalse(task.isDone(), "did not wait");
      Thread.sleep(1);
    }
    return task;
  }
}
