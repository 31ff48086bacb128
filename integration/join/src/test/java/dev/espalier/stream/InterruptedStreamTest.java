// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.InterruptedCalls;
import dev.espalier.RandomInterrupts;
import dev.espalier.TestSize;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SubmissionPublisher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Streams, used by a thread whose interrupt status is set, or that is interrupted. Only waits for
 * room and for answers end then, and say so; what was not accepted is never answered.
 */
final class InterruptedStreamTest extends StreamFixture {
  private static final int INTERRUPTS = TestSize.share(300, 30_000);

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void callsThatNeedNotWaitGoOnWithTheStatusSet(int workers) throws Exception {
    fill(100);
    ProbeStreamOptions options = PATIENT.withWorkers(workers);
    ProbeStream stream = ProbeStream.over(writableBy(workers), options, log);
    InterruptedCalls.run(() -> stream.get(2, 1));
    InterruptedCalls.run(() -> stream.get(new long[] {4, 5}, new long[] {2, 3}, 0, 2));
    InterruptedCalls.run(() -> stream.floor(7, 4));
    InterruptedCalls.run(() -> stream.ceiling(7, 5));
    InterruptedCalls.run(() -> stream.range(7, 10, 6));
    InterruptedCalls.run(() -> stream.put(7, 70));
    InterruptedCalls.run(() -> stream.delete(8));
    assertTrue(InterruptedCalls.call(() -> stream.tryGet(7, 7)));
    assertTrue(InterruptedCalls.call(() -> stream.tryGet(new long[] {8}, new long[] {8}, 0, 1)));
    assertTrue(InterruptedCalls.call(() -> stream.offer(new Probe.Get(10, 9))));
    assertEquals(11, InterruptedCalls.call(stream::statistics).taken());
    CompletableFuture<?> published = InterruptedCalls.call(() -> publish(stream));
    stream.flush();
    published.join();
    InterruptedCalls.run(stream::flush); // There is nothing to wait for.
    InterruptedCalls.run(stream::close);
    InterruptedCalls.run(stream::close);
    long missing = index.missingValue();
    assertEquals(List.of(6L), log.answers.get(1L));
    assertEquals(List.of(missing), log.answers.get(3L));
    assertEquals(List.of(6L, 18L), log.answers.get(4L));
    assertEquals(List.of(8L, 24L, 10L, 30L), log.answers.get(6L));
    assertEquals(List.of(70L), log.answers.get(7L));
    assertEquals(List.of(missing), log.answers.get(8L));
    assertEquals(11, log.answers.size());
  }

  private static CompletableFuture<?> publish(ProbeStream stream) {
    try (SubmissionPublisher<Probe> publisher = new SubmissionPublisher<>(Runnable::run, 8)) {
      CompletableFuture<?> end = stream.subscribeTo(publisher);
      publisher.submit(new Probe.Get(12, 10));
      publisher.submit(new Probe.Get(14, 11));
      return end;
    }
  }

  @Test
  void waitThatIsInterruptedAcceptsNothingAndLetsTheNextOneIn() throws Exception {
    AnswerLog gated = AnswerLog.gated();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(8), gated)) {
      for (int i = 0; i < 8; i++) {
        assertTrue(stream.tryGet(i, i));
      }
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, () -> stream.get(8, 8));
      Thread.currentThread().interrupt();
      assertThrows(
          InterruptedException.class, () -> stream.get(new long[2], new long[] {9, 10}, 0, 2));
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, () -> stream.put(8, 8));
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, stream::flush);
      assertEquals(8, stream.statistics().taken());
      gated.openGate();
      stream.get(11, 11);
    }
    assertEquals(Set.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 11L), gated.answers.keySet());
    assertTrue(index.isEmpty());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whatWasAcceptedIsAnsweredOnceWheneverInterruptsCome(int workers) {
    fill(100);
    ProbeStreamOptions options = PATIENT.withMostInside(16).withWorkers(workers);
    Set<Long> accepted = new TreeSet<>();
    SplittableRandom random = new SplittableRandom(workers);
    ProbeStream stream = ProbeStream.over(writableBy(workers), options, log);
    try (RandomInterrupts interrupts = new RandomInterrupts(workers, INTERRUPTS)) {
      for (long tag = 0; interrupts.goOn(); tag += 2) {
        try {
          if (random.nextInt(8) == 0) {
            stream.get(new long[] {tag, 4}, new long[] {tag, tag + 1}, 0, 2);
            accepted.add(tag + 1);
          } else {
            stream.get(tag, tag);
          }
          accepted.add(tag);
          if (random.nextInt(16) == 0) {
            stream.flush();
          }
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt(); // As a caller would, and as what is checked expects.
        }
        interrupts.afterCall();
      }
    }
    stream.close();
    assertEquals(accepted, new TreeSet<>(log.answers.keySet()));
  }
}
