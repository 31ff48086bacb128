// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.batch.AnswerConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of a stream, and its end. */
final class ProbeStreamTest extends StreamFixture {
  private long expected(long key, int entries) {
    return key % 2 == 0 && key < 2L * entries ? 3 * key : index.missingValue();
  }

  // ---------------------------------------------------------------- answers

  @Test
  void lambdaIsToldOfEveryAnswerWhetherItsKeyIsThere() throws InterruptedException {
    fill(100);
    List<String> answers = new ArrayList<>();
    try (ProbeStream stream =
        ProbeStream.over(
            index,
            PATIENT.withInOrder(true),
            (tag, key, value, found) ->
                answers.add(tag + ":" + key + (found ? "=" + value : "")))) {
      stream.get(4, 1);
      stream.get(5, 2);
      stream.range(10, 13, 3);
    }
    assertEquals(List.of("1:4=12", "2:5", "3:10=30", "3:12=36"), answers);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void everyProbeOfSeveralThreadsIsAnsweredOnceWithTheValueOfItsKey(int workers) throws Exception {
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
    List<Long> waiting = Collections.synchronizedList(new ArrayList<>());
    AnswerConsumer.Bulk consumer =
        (theirTags, theirKeys, values, found, from, to) -> {
          if (theirTags[from] % 100 == 0) {
            waiting.add(self.get().statistics().waiting());
          }
          log.values(theirTags, theirKeys, values, found, from, to);
        };
    ProbeStreamOptions options =
        new ProbeStreamOptions(Duration.ofMillis(10), mostInside, false, workers);
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

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void laterProbesOfAThreadSeeItsUpdates(int workers) throws Exception {
    int threads = 3;
    Map<Long, List<Long>> expected = new ConcurrentHashMap<>();
    try (ProbeStream stream =
            ProbeStream.over(
                writableBy(workers), PATIENT.withMostInside(500).withWorkers(workers), log);
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

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void ceilingAndRangeFindEntriesWithoutEntriesTheyEnd(int workers) throws InterruptedException {
    fill(10);
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withWorkers(workers), log)) {
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

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void closeAnswersWhatIsInside(int workers) throws InterruptedException {
    fill(100);
    ProbeStream stream = ProbeStream.over(index, PATIENT.withWorkers(workers), log);
    for (long key = 0; key < 100; key++) {
      stream.get(key, key);
    }
    stream.close();
    stream.close();
    assertEquals(100, log.answers.size());
    assertEquals(100, stream.statistics().answered());
    assertEquals(new ProbeStreamStatistics.Flushes(0, 0, 1, 0), stream.statistics().flushes());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void flushAnswersWhatWasTakenBefore(int workers) throws InterruptedException {
    fill(100);
    try (ProbeStream stream = ProbeStream.over(index, PATIENT.withWorkers(workers), log)) {
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

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void updatesAndRangesDoNotWaitTogether(int workers) throws InterruptedException {
    try (ProbeStream stream =
        ProbeStream.over(writableBy(workers), PATIENT.withWorkers(workers), log)) {
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

  // ---------------------------------------------------------------- arguments

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
      assertNamed("workers is 0", () -> PATIENT.withWorkers(0));
      assertNamed("workers is 65", () -> PATIENT.withWorkers(65));
      assertNamed("workers is 2", () -> PATIENT.withInOrder(true).withWorkers(2));
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
