// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.batch.AnswerConsumer;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.memory.MemoryLimitException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@Timeout(60)
final class ProbeStreamTest {
  /** No timer goes off in these tests. */
  private static final ProbeStreamOptions PATIENT =
      ProbeStreamOptions.DEFAULT.withResponseTime(Duration.ofHours(1));

  private final LongIndex index = PbPlusTree.create();
  private final AnswerLog log = AnswerLog.open();

  @AfterEach
  void closeIndex() {
    index.close();
  }

  /** Keys are even, values three times as large. */
  private void fill(int entries) {
    for (long key = 0; key < 2L * entries; key += 2) {
      index.put(key, 3 * key);
    }
  }

  private long expected(long key, int entries) {
    return key % 2 == 0 && key < 2L * entries ? 3 * key : index.missingValue();
  }

  // ---------------------------------------------------------------- answers

  @Test
  void everyProbeOfSeveralThreadsIsAnsweredOnceWithTheValueOfItsKey() throws Exception {
    int entries = 100_000; // Larger than a cache, so that probes wait below the root.
    int threads = 4;
    int batches = 100;
    int batch = 100;
    fill(entries);
    long[] keys =
        new SplittableRandom(1).longs((long) threads * batches * batch, 0, 2 * entries).toArray();
    long[] tags = LongStream.range(0, keys.length).toArray();
    int mostInside = 5_000;
    AtomicReference<ProbeStream> self = new AtomicReference<>();
    List<Long> waiting = new ArrayList<>();
    AnswerConsumer consumer =
        (theirTags, theirKeys, values, from, to) -> {
          if (theirTags[from] % 100 == 0) {
            waiting.add(self.get().statistics().waiting());
          }
          log.values(theirTags, theirKeys, values, from, to);
        };
    ProbeStreamOptions options = new ProbeStreamOptions(Duration.ofMillis(10), mostInside, false);
    ProbeStreamStatistics statistics;
    try (ProbeStream stream = ProbeStream.over(index, options, consumer);
        ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      self.set(stream);
      List<Callable<Void>> producers = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int first = thread * batches * batch;
        producers.add(
            () -> {
              for (int from = first; from < first + batches * batch; from += batch) {
                stream.get(keys[from], tags[from]);
                stream.get(keys, tags, from + 1, batch - 1);
              }
              return null;
            });
      }
      for (Future<Void> producer : pool.invokeAll(producers)) {
        producer.get();
      }
      stream.flush();
      statistics = stream.statistics();
    }
    assertEquals(keys.length, log.answers.size());
    for (int i = 0; i < keys.length; i++) {
      assertEquals(List.of(expected(keys[i], entries)), log.answers.get(tags[i]));
    }
    assertEquals(keys.length, statistics.taken());
    assertEquals(keys.length, statistics.answered());
    assertFalse(waiting.isEmpty());
    assertTrue(waiting.stream().allMatch(some -> some <= mostInside), () -> "waiting " + waiting);
    assertTrue(statistics.perSecond() > 0);
    assertTrue(statistics.flushes().whenFull() > 0);
  }

  @Test
  void laterProbesOfAThreadSeeItsUpdates() throws Exception {
    int threads = 3;
    Map<Long, List<Long>> expected = new ConcurrentHashMap<>();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(500), log);
        ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Callable<Void>> producers = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        long base = thread * 1_000_000L;
        producers.add(
            () -> {
              changeAndAsk(stream, base, expected);
              return null;
            });
      }
      for (Future<Void> producer : pool.invokeAll(producers)) {
        producer.get();
      }
    }
    assertEquals(expected, log.answers);
  }

  /** Works on keys of its own, from {@code base} on. */
  private void changeAndAsk(ProbeStream stream, long base, Map<Long, List<Long>> expected)
      throws InterruptedException {
    TreeMap<Long, Long> model = new TreeMap<>();
    SplittableRandom random = new SplittableRandom(base);
    stream.put(base - 1, base); // No nearest key is another thread's.
    model.put(base - 1, base);
    for (long tag = base; tag < base + 2_000; tag++) {
      long key = base + random.nextInt(300);
      switch (random.nextInt(20)) {
        case 0 -> {
          stream.floor(key, tag);
          Map.Entry<Long, Long> floor = model.floorEntry(key);
          expected.put(tag, List.of(floor.getKey(), floor.getValue()));
        }
        case 1 -> {
          stream.range(base, key, tag);
          List<Long> found = new ArrayList<>();
          model.subMap(base, true, key, true).forEach((k, v) -> found.addAll(List.of(k, v)));
          expected.put(tag, found);
        }
        case 2, 3, 4 -> {
          stream.delete(key);
          model.remove(key);
        }
        case 5, 6, 7, 8, 9 -> {
          stream.put(key, tag);
          model.put(key, tag);
        }
        default -> {
          stream.get(key, tag);
          expected.put(tag, List.of(model.getOrDefault(key, index.missingValue())));
        }
      }
    }
  }

  @Test
  void ceilingAndRangeFindEntriesWithoutEntriesTheyEnd() throws InterruptedException {
    fill(10);
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      stream.ceiling(5, 1);
      stream.ceiling(100, 2);
      stream.range(3, 6, 3);
      stream.range(6, 3, 4);
    }
    assertEquals(
        Map.of(1L, List.of(6L, 18L), 2L, List.of(), 3L, List.of(4L, 12L, 6L, 18L), 4L, List.of()),
        log.answers);
  }

  @Test
  void answersComeInTheOrderOfTheProbesIfAsked() throws InterruptedException {
    fill(100_000);
    long[] keys = new SplittableRandom(7).longs(20_000, 0, 200_000).toArray();
    long[] tags = LongStream.range(0, keys.length).toArray();
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withInOrder(true), log)) {
      stream.get(keys, tags, 0, keys.length);
    }
    assertEquals(LongStream.of(tags).boxed().toList(), List.copyOf(log.answers.keySet()));
  }

  // ---------------------------------------------------------------- flush and close

  @Test
  void closeAnswersWhatIsInside() throws InterruptedException {
    fill(100);
    ProbeStream stream = ProbeStream.over(index, PATIENT, log);
    for (long key = 0; key < 100; key++) {
      stream.get(key, key);
    }
    stream.close();
    stream.close();
    assertEquals(100, log.answers.size());
    assertEquals(100, stream.statistics().answered());
    assertEquals(new ProbeStreamStatistics.Flushes(0, 0, 1, 0), stream.statistics().flushes());
  }

  @Test
  void flushAnswersWhatWasTakenBefore() throws InterruptedException {
    fill(100);
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      stream.flush(); // Of nothing.
      for (int round = 1; round <= 5; round++) {
        stream.get(4, round);
        stream.flush();
        assertEquals(round, log.answered.get());
        assertEquals(0, stream.statistics().waiting());
      }
      assertEquals(5, stream.statistics().flushes().asked());
    }
  }

  @Test
  void updatesAndRangesDoNotWaitTogether() throws InterruptedException {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, log)) {
      for (int i = 0; i < 3; i++) {
        stream.put(i, i);
        stream.range(0, 9, i);
      }
      stream.flush();
      assertEquals(5, stream.statistics().flushes().betweenKinds());
    }
    assertEquals(List.of(0L, 0L, 1L, 1L, 2L, 2L), log.answers.get(2L));
  }

  @Test
  void useAfterCloseIsRefused() {
    ProbeStream stream = ProbeStream.over(index, PATIENT, log);
    stream.close();
    long[] one = {1};
    assertAll(
        List.<Executable>of(
                () -> stream.get(1, 1),
                () -> stream.get(one, one, 0, 1),
                () -> stream.tryGet(1, 1),
                () -> stream.tryGet(one, one, 0, 1),
                () -> stream.floor(1, 1),
                () -> stream.ceiling(1, 1),
                () -> stream.range(1, 1, 1),
                () -> stream.put(1, 1),
                () -> stream.delete(1),
                () -> stream.offer(new Probe.Get(1, 1)),
                stream::flush)
            .stream()
            .map(call -> () -> assertThrows(IllegalStateException.class, call)));
    assertEquals(0, stream.statistics().taken());
  }

  // ---------------------------------------------------------------- time

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

  // ---------------------------------------------------------------- room

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

  // ---------------------------------------------------------------- failures

  @Test
  void everyProbeIsAnsweredOnceThoughTheConsumerFails() throws InterruptedException {
    fill(1000);
    Map<Long, Integer> seen = new HashMap<>();
    AnswerConsumer failing =
        new AnswerConsumer() {
          @Override
          public void values(long[] tags, long[] keys, long[] values, int from, int to) {
            for (int i = from; i < to; i++) {
              seen.merge(tags[i], 1, Integer::sum);
            }
            throw new ArithmeticException("values");
          }

          @Override
          public void entry(long tag, long key, long value) {
            throw new AssertionError("entry");
          }

          @Override
          public void end(long tag) {
            seen.merge(tag, 1, Integer::sum);
            throw new ArithmeticException("end");
          }
        };
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, failing)) {
      for (long i = 0; i < 1000; i++) {
        stream.get(i, i);
      }
      stream.range(0, 10, 1000);
      ProbeStreamException thrown = assertThrows(ProbeStreamException.class, stream::flush);
      assertInstanceOf(ArithmeticException.class, thrown.getCause());
      stream.flush(); // It was told once.
      assertEquals(1001, stream.statistics().answered());
    }
    assertEquals(1001, seen.size());
    assertTrue(seen.values().stream().allMatch(times -> times == 1));
  }

  @Test
  void closeTellsTheConsumersFailureAndClosesNevertheless() throws InterruptedException {
    ProbeStream stream =
        ProbeStream.over(
            index,
            PATIENT,
            (_, _, _, _, _) -> {
              throw new StackOverflowError();
            });
    stream.get(1, 1);
    ProbeStreamException thrown = assertThrows(ProbeStreamException.class, stream::close);
    assertInstanceOf(StackOverflowError.class, thrown.getCause());
    stream.close();
    assertThrows(IllegalStateException.class, () -> stream.get(1, 1));
  }

  @Test
  void failedUpdatesLeaveTheStreamUsable() throws InterruptedException {
    try (LongIndex small = BPlusTree.create(IndexOptions.DEFAULT.withMemoryLimit(1 << 16));
        ProbeStream stream = ProbeStream.over(small, PATIENT, log)) {
      for (long key = 0; key < 20_000; key++) {
        stream.put(key, key);
      }
      stream.get(0, 1);
      ProbeStreamException thrown = assertThrows(ProbeStreamException.class, stream::flush);
      assertInstanceOf(MemoryLimitException.class, thrown.getCause());
      stream.get(1, 2);
      stream.flush();
      assertEquals(Map.of(1L, List.of(0L), 2L, List.of(1L)), log.answers);
      assertEquals(20_002, stream.statistics().answered());
    }
  }

  @Test
  void streamFailsWhenItsIndexIsClosed() throws InterruptedException {
    fill(1000);
    ProbeStream stream = ProbeStream.over(index, PATIENT, log);
    stream.get(1, 1);
    index.close();
    for (long i = 0; i < 1000; i++) {
      try {
        stream.get(i, i);
      } catch (ProbeStreamException e) {
        break; // The stream may notice at any time.
      }
    }
    List<Executable> calls =
        List.of(stream::flush, () -> stream.get(1, 1), () -> stream.tryGet(1, 1), stream::close);
    for (Executable call : calls) {
      ProbeStreamException thrown = assertThrows(ProbeStreamException.class, call);
      assertInstanceOf(IllegalStateException.class, thrown.getCause());
    }
    stream.close();
    assertTrue(log.answers.isEmpty());
  }

  @Test
  void consumerMayOfferProbesButNotWait() throws InterruptedException {
    fill(100);
    AtomicReference<ProbeStream> self = new AtomicReference<>();
    List<Throwable> refused = new ArrayList<>();
    AnswerConsumer asking =
        (tags, keys, values, from, to) -> {
          log.values(tags, keys, values, from, to);
          if (tags[from] == 1) {
            assertTrue(self.get().tryGet(2, 2));
            refused.add(assertThrows(IllegalStateException.class, () -> self.get().get(3, 3)));
            refused.add(assertThrows(IllegalStateException.class, () -> self.get().flush()));
            refused.add(assertThrows(IllegalStateException.class, () -> self.get().close()));
            Thread.currentThread().interrupt(); // Does no harm either.
          }
        };
    try (ProbeStream stream = ProbeStream.over(index, PATIENT, asking)) {
      self.set(stream);
      stream.get(4, 1);
      stream.flush();
      stream.flush();
    }
    assertEquals(Map.of(1L, List.of(12L), 2L, List.of(6L)), log.answers);
    assertEquals(3, refused.size());
  }

  @Test
  void indexBehindALockIsRefused() {
    assertThrows(
        UnsupportedOperationException.class,
        () -> ProbeStream.over(index.withReadWriteLock(), PATIENT, log));
  }

  @Test
  void wrongArgumentsAreNamed() {
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withMostInside(2), log)) {
      long[] tags = {1, 2, 3, -4};
      assertNamed("tag is -4", () -> stream.get(1, -4));
      assertNamed("tag is -4", () -> stream.tryGet(1, -4));
      assertNamed("tag is -4", () -> stream.get(tags, tags, 3, 1));
      assertNamed("tag is -4", () -> new Probe.Range(1, 2, -4));
      assertNamed("count is 3", () -> stream.get(tags, tags, 0, 3));
      assertThrows(IndexOutOfBoundsException.class, () -> stream.get(tags, tags, 3, 2));
      assertNamed("mostInside is 0", () -> PATIENT.withMostInside(0));
      assertNamed("responseTime is PT0S", () -> PATIENT.withResponseTime(Duration.ZERO));
      assertEquals(0, stream.statistics().taken());
      assertEquals(0, stream.statistics().perSecond());
    }
  }

  private static void assertNamed(String words, Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(words), message);
  }
}
