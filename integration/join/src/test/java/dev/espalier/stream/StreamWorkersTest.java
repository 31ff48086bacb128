// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.batch.AnswerConsumer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What only a stream with several workers has. */
final class StreamWorkersTest extends StreamFixture {
  private static final int WORKERS = 3;
  private static final ProbeStreamOptions SEVERAL = PATIENT.withWorkers(WORKERS);

  /** Returns a key of each part. */
  private static long[] keyOfEachPart() {
    return LongStream.range(0, WORKERS)
        .map(
            part ->
                LongStream.range(0, 100)
                    .filter(key -> StreamPart.partOf(key, WORKERS) == part)
                    .findFirst()
                    .orElseThrow())
        .toArray();
  }

  private static void getAll(ProbeStream stream, long[] keys) throws InterruptedException {
    stream.get(keys, LongStream.range(0, keys.length).toArray(), 0, keys.length);
  }

  @Test
  void keysAreSpreadOverThePartsEvenly() {
    for (long distance : new long[] {1, 2, 1 << 20, 1L << 40}) {
      int[] counts = new int[5];
      for (long i = -5_000; i < 5_000; i++) {
        counts[StreamPart.partOf(i * distance, counts.length)]++;
      }
      for (int count : counts) {
        assertEquals(2_000, count, 200, "distance " + distance);
      }
    }
  }

  @Test
  void workersAnswerAtTheSameTime() throws InterruptedException {
    CountDownLatch answering = new CountDownLatch(WORKERS);
    AnswerConsumer waitsForTheOthers =
        (_, _, _, _) -> {
          answering.countDown();
          try {
            if (!answering.await(30, TimeUnit.SECONDS)) {
              throw new AssertionError("answers come one after the other");
            }
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    try (ProbeStream stream = ProbeStream.over(index, SEVERAL, waitsForTheOthers)) {
      getAll(stream, keyOfEachPart());
      stream.flush();
    }
  }

  @Test
  void timerFlushesAllParts() throws InterruptedException {
    ManualTicker ticker = new ManualTicker();
    ProbeStreamOptions options = SEVERAL.withResponseTime(Duration.ofSeconds(16));
    try (ProbeStream stream = ProbeStream.over(index, options, log, ticker)) {
      getAll(stream, keyOfEachPart());
      assertEquals(0, log.answered.get());
      ticker.advance(Duration.ofSeconds(15).toNanos());
      while (stream.statistics().answered() < WORKERS) {
        Thread.sleep(1);
      }
      assertEquals(WORKERS, log.answered.get());
      assertEquals(1, stream.statistics().flushes().byTimer());
    }
  }

  @Test
  void aRangeSeesTheEarlierUpdatesOfAllPartsAndNoLaterOnes() throws InterruptedException {
    try (ProbeStream stream = ProbeStream.over(concurrent, SEVERAL, log)) {
      for (long round = 0; round < 50; round++) {
        for (long key : keyOfEachPart()) {
          stream.put(key, round);
        }
        stream.range(0, 99, round);
      }
    }
    for (long round = 0; round < 50; round++) {
      List<Long> entries = log.answers.get(round);
      assertEquals(2 * WORKERS, entries.size());
      for (int i = 1; i < entries.size(); i += 2) {
        assertEquals(round, entries.get(i));
      }
    }
  }

  // ---------------------------------------------------------------- updates

  @Test
  void onlyAnIndexForSeveralThreadsTakesUpdates() throws InterruptedException {
    try (ProbeStream stream = ProbeStream.over(index, SEVERAL, log)) {
      for (Executable update :
          List.<Executable>of(
              () -> stream.put(1, 1),
              () -> stream.delete(1),
              () -> stream.offer(new Probe.Put(1, 1)),
              () -> stream.offer(new Probe.Delete(1)))) {
        String message = assertThrows(UnsupportedOperationException.class, update).getMessage();
        assertTrue(message.contains("PbPlusTree"), message);
      }
      stream.get(1, 1);
      assertTrue(stream.offer(new Probe.Get(1, 2)));
    }
    assertEquals(2, log.answers.size());
  }

  @Test
  void publisherOfUpdatesIsRefusedByAnIndexForOneThread() throws Exception {
    try (ProbeStream stream = ProbeStream.over(index, SEVERAL, log);
        SubmissionPublisher<Probe> publisher = new SubmissionPublisher<>()) {
      CompletableFuture<?> end = stream.subscribeTo(publisher);
      publisher.submit(new Probe.Get(1, 1));
      publisher.submit(new Probe.Put(1, 1));
      Throwable thrown = assertThrows(ExecutionException.class, end::get).getCause();
      assertInstanceOf(UnsupportedOperationException.class, thrown);
      assertEquals(1, log.answered.get());
    }
    assertTrue(index.isEmpty());
  }

  // ---------------------------------------------------------------- failures

  @Test
  void noWorkerMayWaitForItsStream() throws InterruptedException {
    AtomicInteger refused = new AtomicInteger();
    ProbeStream[] self = new ProbeStream[1];
    AnswerConsumer waits =
        (_, _, _, _) -> {
          assertThrows(IllegalStateException.class, self[0]::flush);
          assertThrows(IllegalStateException.class, self[0]::close);
          refused.incrementAndGet();
        };
    try (ProbeStream stream = ProbeStream.over(index, SEVERAL, waits)) {
      self[0] = stream;
      getAll(stream, keyOfEachPart());
      stream.flush();
    }
    assertEquals(WORKERS, refused.get());
  }

  @Test
  void failureOfOneWorkersConsumerIsToldOnceAndKeepsNobodyFromAnswering() throws Exception {
    fill(1_000);
    AtomicInteger answers = new AtomicInteger();
    AnswerConsumer failing =
        (_, key, _, _) -> {
          answers.incrementAndGet();
          Thread.currentThread().interrupt(); // Means nothing to the stream.
          if (StreamPart.partOf(key, WORKERS) == 1) {
            throw new ArithmeticException("part 1");
          }
        };
    try (ProbeStream stream = ProbeStream.over(index, SEVERAL, failing)) {
      getAll(stream, LongStream.range(0, 1_000).toArray());
      ProbeStreamException thrown = assertThrows(ProbeStreamException.class, stream::flush);
      assertInstanceOf(ArithmeticException.class, thrown.getCause());
      stream.flush();
      assertEquals(1_000, stream.statistics().answered());
    }
    assertTrue(answers.get() > 0);
  }

  @Test
  void indexThatIsClosedEndsAllWorkers() throws InterruptedException {
    fill(1_000);
    ProbeStream stream = ProbeStream.over(index, SEVERAL, log);
    index.close();
    getAll(stream, LongStream.range(0, 1_000).toArray());
    assertThrows(ProbeStreamException.class, stream::flush);
    assertThrows(ProbeStreamException.class, stream::close);
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().equals("espalier-probe-stream")));
  }
}
