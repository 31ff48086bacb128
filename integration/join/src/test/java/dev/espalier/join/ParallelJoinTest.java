// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParallelJoinTest {
  private static final int ROWS = 50_000;
  private static final JoinOptions SMALL = JoinOptions.DEFAULT.withBatchSize(100);

  private static LongIndex filled(LongIndex index) {
    for (long key = 0; key < ROWS; key += 2) {
      index.put(key, 10 * key);
    }
    return index;
  }

  private static LongIndex tree() {
    return filled(PbPlusTree.create(IndexOptions.DEFAULT));
  }

  private static long[] keys() {
    Random random = new Random(1);
    return random.longs(ROWS, 0, ROWS).toArray();
  }

  private static long[] numbers() {
    long[] numbers = new long[ROWS];
    for (int i = 0; i < ROWS; i++) {
      numbers[i] = i;
    }
    return numbers;
  }

  private static OuterSource outer() {
    return OuterSource.of(keys(), numbers());
  }

  private static List<String> rows(JoinBatch batch, JoinType type) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < batch.count(); row++) {
      boolean hasInner = type == JoinType.INNER || type == JoinType.LEFT && batch.isMatched(row);
      rows.add(
          batch.key(row)
              + " "
              + batch.outerPayload(row)
              + (hasInner ? " " + batch.innerValue(row) : ""));
    }
    return rows;
  }

  @ParameterizedTest
  @EnumSource(JoinType.class)
  void severalThreadsHandOutWhatOneDoes(JoinType type) {
    for (ProbeMethod method : ProbeMethod.values()) {
      JoinOptions options = SMALL.withType(type).withMethod(method);
      try (LongIndex index = tree();
          var join = new IndexNestedLoopJoin(outer(), index, options)) {
        List<String> expected = new ArrayList<>();
        join.open();
        while (join.next()) {
          expected.addAll(rows(join.batch(), type));
        }
        List<String> actual = Collections.synchronizedList(new ArrayList<>());
        JoinStatistics statistics =
            ParallelJoin.run(
                outer(), index, options, 3, (_, batch) -> actual.addAll(rows(batch, type)));
        assertEquals(expected.size(), statistics.rowsOut());
        assertEquals(ROWS, statistics.rowsIn());
        assertEquals(join.statistics().batches(), statistics.batches());
        assertEquals(100, statistics.largestBatch());
        expected.sort(null);
        actual.sort(null);
        assertEquals(expected, actual, method.toString());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  void everyThreadHasItsNumberAndTakesPart(int threads) throws Exception {
    CountDownLatch all = new CountDownLatch(threads);
    boolean[] seen = new boolean[threads];
    try (LongIndex index = tree()) {
      ParallelJoin.run(
          outer(),
          index,
          SMALL,
          threads,
          (thread, _) -> {
            if (!seen[thread]) {
              seen[thread] = true;
              all.countDown();
              awaitAll(all);
            }
          });
    }
    assertTrue(all.await(0, TimeUnit.SECONDS));
  }

  private static void awaitAll(CountDownLatch all) {
    try {
      assertTrue(all.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aConcurrentIndexMayBeWrittenMeanwhile() throws Exception {
    try (ConcurrentPbPlusTree index = ConcurrentPbPlusTree.create(IndexOptions.DEFAULT)) {
      filled(index);
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (long key = 1; key < ROWS; key += 2) {
                      index.put(key + ROWS, key);
                    }
                  });
      AtomicInteger rows = new AtomicInteger();
      ParallelJoin.run(outer(), index, SMALL, 2, (_, batch) -> rows.addAndGet(batch.count()));
      writer.join();
      assertEquals(Arrays.stream(keys()).filter(key -> key % 2 == 0).count(), rows.get());
    }
  }

  @Test
  void theFirstFailureStopsAllAndComesOut() {
    IllegalStateException thrown = new IllegalStateException("no room");
    Closes outer = new Closes(outer());
    AtomicInteger batches = new AtomicInteger();
    try (LongIndex index = tree()) {
      JoinOptions options = JoinOptions.DEFAULT.withBatchSize(10);
      IllegalStateException caught =
          assertThrows(
              IllegalStateException.class,
              () ->
                  ParallelJoin.run(
                      outer,
                      index,
                      options,
                      4,
                      (_, _) -> {
                        if (batches.incrementAndGet() == 5) {
                          throw thrown;
                        }
                      }));
      assertSame(thrown, caught);
      assertTrue(batches.get() < ROWS / 10 / 2, batches + " batches");
      assertEquals(1, outer.closed);
      assertEquals(5000, tryAgain(index));
    }
  }

  @Test
  void aFailureThatSeveralThreadsThrowComesOutAlone() {
    IllegalStateException thrown = new IllegalStateException("no room");
    CountDownLatch all = new CountDownLatch(3);
    List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((_, failure) -> uncaught.add(failure));
    try (LongIndex index = tree()) {
      IllegalStateException caught =
          assertThrows(
              IllegalStateException.class,
              () ->
                  ParallelJoin.run(
                      outer(),
                      index,
                      SMALL,
                      3,
                      (_, _) -> {
                        all.countDown();
                        awaitAll(all);
                        throw thrown;
                      }));
      assertSame(thrown, caught);
      assertEquals(0, caught.getSuppressed().length);
      assertEquals(List.of(), uncaught);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  private static long tryAgain(LongIndex index) {
    return ParallelJoin.run(outer(), index, SMALL, 2, (_, _) -> {}).rowsIn() / 10;
  }

  @Test
  void aFailureOfTheOuterSideComesOut() {
    OuterSource outer =
        new Closes(outer()) {
          @Override
          public int nextBatch(long[] keys, long[] payloads) {
            throw new IllegalArgumentException("the child is broken");
          }
        };
    try (LongIndex index = tree()) {
      assertThrows(
          IllegalArgumentException.class,
          () -> ParallelJoin.run(outer, index, SMALL, 3, (_, _) -> {}));
    }
  }

  @Test
  void anIndexThatIsClosedSaysSo() {
    LongIndex index = tree();
    index.close();
    assertThrows(
        IllegalStateException.class,
        () -> ParallelJoin.run(outer(), index, SMALL, 2, (_, _) -> {}));
  }

  @Test
  void anInterruptDoesNotShortenTheJoinAndIsKept() {
    try (LongIndex index = tree()) {
      Thread.currentThread().interrupt();
      JoinStatistics statistics = ParallelJoin.run(outer(), index, SMALL, 2, (_, _) -> {});
      assertTrue(Thread.interrupted());
      assertEquals(ROWS, statistics.rowsIn());
    }
  }

  @Test
  void withoutThreadsThereIsNoJoin() {
    try (LongIndex index = tree()) {
      assertThrows(
          IllegalArgumentException.class,
          () -> ParallelJoin.run(outer(), index, SMALL, 0, (_, _) -> {}));
    }
  }

  /** Counts how often it is closed. */
  private static class Closes implements OuterSource {
    private final OuterSource rows;
    private int closed;

    Closes(OuterSource rows) {
      this.rows = rows;
    }

    @Override
    public void open() {
      rows.open();
    }

    @Override
    public int nextBatch(long[] keys, long[] payloads) {
      return rows.nextBatch(keys, payloads);
    }

    @Override
    public void close() {
      closed++;
      rows.close();
    }
  }
}
