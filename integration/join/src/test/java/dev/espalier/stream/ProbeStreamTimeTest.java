// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** When a stream flushes by itself. */
final class ProbeStreamTimeTest extends StreamFixture {
  @Test
  void timerFlushesATickBeforeTheOldestProbesTimeIsUp() throws InterruptedException {
    ManualTicker ticker = new ManualTicker();
    ProbeStreamOptions options = PATIENT.withResponseTime(Duration.ofSeconds(16));
    try (ProbeStream stream = ProbeStream.over(index, options, log, ticker)) {
      stream.get(1, 1);
      ticker.advance(Duration.ofSeconds(10).toNanos());
      stream.get(2, 2);
      ticker.advance(Duration.ofSeconds(5).toNanos() - 1);
      Thread.sleep(20); // Time for a flush that would be too early.
      assertEquals(0, log.answered.get());
      ticker.advance(1);
      awaitAnswers(stream, 2);
      assertEquals(1, stream.statistics().flushes().byTimer());
      ProbeStreamStatistics.Latency latency = stream.statistics().latency();
      assertEquals(15.0, latency.max().toMillis() / 1e3, 0.02);
      assertEquals(5.0, latency.p50().toMillis() / 1e3, 0.02);
      assertEquals(10.0, latency.mean().toMillis() / 1e3, 0.02);
    }
  }

  @Test
  void timerAndFlushAtTheSameTimeAnswerEveryProbeOnce() throws Exception {
    fill(1000);
    ManualTicker ticker = new ManualTicker();
    ProbeStreamOptions options = PATIENT.withResponseTime(Duration.ofSeconds(1));
    try (ProbeStream stream = ProbeStream.over(index, options, log, ticker);
        ExecutorService pool = Executors.newSingleThreadExecutor()) {
      Future<Long> producer =
          pool.submit(
              () -> {
                long tag = 0;
                ProbeStreamStatistics.Flushes flushes = stream.statistics().flushes();
                while (flushes.byTimer() < 5 || flushes.asked() < 5) {
                  stream.get(tag % 1000, tag++);
                  ticker.advance(Duration.ofMillis(50).toNanos());
                  flushes = stream.statistics().flushes();
                }
                return tag;
              });
      while (!producer.isDone()) {
        stream.flush();
        Thread.sleep(1);
      }
      stream.flush();
      assertEquals(producer.get(), log.answers.size());
    }
  }

  private static void awaitAnswers(ProbeStream stream, long answers) throws InterruptedException {
    while (stream.statistics().answered() < answers) {
      Thread.sleep(1);
    }
  }
}
