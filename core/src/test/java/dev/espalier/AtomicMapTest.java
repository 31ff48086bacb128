// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.pio.PioBTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Methods of a map for one entry that two threads call at once: none loses the other's. */
@Tag("fallback-exhaustive")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AtomicMapTest {
  private static final int CALLS = TestSize.share(5_000, 500_000);
  private static final long MISSING = IndexOptions.DEFAULT.missingValue();

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<LongIndex> opened = new ArrayList<>();

  static Stream<Named<Supplier<LongIndex>>> indexes() {
    return Stream.of(
        Named.of("a model behind a lock", () -> new ModelIndex().withReadWriteLock()),
        Named.of(
            "a pB+-tree behind a lock",
            () -> PbPlusTree.create(IndexOptions.DEFAULT).withReadWriteLock()),
        Named.of(
            "a B-link tree",
            () -> BLinkTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256))),
        Named.of(
            "a B-link tree of in-page trees",
            () ->
                FpbLinkTree.open(
                    IndexOptions.DEFAULT,
                    IndexOptions.DEFAULT.pagesInMemory(256),
                    new DiskFirstFpbPlusTree.Geometry(1, 1))),
        Named.of(
            "a PIO B-tree",
            () ->
                PioBTree.open(
                    IndexOptions.DEFAULT,
                    IndexOptions.DEFAULT.pagesInMemory(256),
                    new PioBTree.Geometry(2, 3, 64, 20, 25))),
        Named.of(
            "a concurrent pB+-tree",
            () ->
                ConcurrentPbPlusTree.create(
                    IndexOptions.DEFAULT, new ConcurrentPbPlusTree.Geometry(1, 1))));
  }

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
    opened.forEach(LongIndex::close);
  }

  private NavigableMap<Long, Long> map(Supplier<LongIndex> factory) {
    LongIndex index = factory.get();
    opened.add(index);
    return index.asMap();
  }

  /** Calls twice for each number, in two threads that begin each hundred together. */
  private void inTwoThreads(int count, IntConsumer call) throws Exception {
    CyclicBarrier together = new CyclicBarrier(2);
    List<Future<?>> both = new ArrayList<>();
    for (int thread = 0; thread < 2; thread++) {
      both.add(
          threads.submit(
              () -> {
                for (int i = 0; i < count; i++) {
                  if (i % 100 == 0) {
                    together.await(30, TimeUnit.SECONDS);
                  }
                  call.accept(i);
                }
                return null;
              }));
    }
    for (Future<?> one : both) {
      one.get();
    }
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void mergesAllCount(Supplier<LongIndex> factory) throws Exception {
    NavigableMap<Long, Long> map = map(factory);
    inTwoThreads(CALLS, i -> map.merge(1L, 1L, Long::sum));
    assertEquals(Map.of(1L, 2L * CALLS), map);
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void computationsAllCountThoughTheyPassTheMissingValueAndRemovals(Supplier<LongIndex> factory)
      throws Exception {
    NavigableMap<Long, Long> map = map(factory);
    // Goes round: none, the missing value, the one after it, and so on; each step is one call.
    int round = 5;
    AtomicInteger removals = new AtomicInteger();
    inTwoThreads(
        CALLS,
        i -> {
          Long now =
              map.compute(
                  1L,
                  (key, before) -> {
                    if (before == null) {
                      return MISSING;
                    }
                    return before == MISSING + round - 2 ? null : before + 1;
                  });
          if (now == null) {
            removals.incrementAndGet();
          }
        });
    assertEquals(2 * CALLS / round, removals.get());
    assertTrue(map.isEmpty());
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void computationsOfWhatIsPresentAllCount(Supplier<LongIndex> factory) throws Exception {
    NavigableMap<Long, Long> map = map(factory).headMap(10L, false);
    map.put(1L, MISSING);
    inTwoThreads(CALLS, i -> map.computeIfPresent(1L, (key, value) -> value + 1));
    inTwoThreads(10, i -> map.replaceAll((key, value) -> value + 1));
    assertEquals(Map.of(1L, MISSING + 2L * CALLS + 20), map);
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void replacementsOfAnExpectedValueAllCount(Supplier<LongIndex> factory) throws Exception {
    NavigableMap<Long, Long> map = map(factory);
    map.put(1L, MISSING);
    inTwoThreads(
        CALLS,
        i -> {
          Long before;
          do {
            before = map.get(1L);
            assertNotNull(before);
          } while (!map.replace(1L, before, before + 1));
        });
    assertEquals(Map.of(1L, MISSING + 2L * CALLS), map);
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void eachValueIsReturnedAsThePreviousOneOnce(Supplier<LongIndex> factory) throws Exception {
    NavigableMap<Long, Long> map = map(factory);
    AtomicInteger next = new AtomicInteger();
    AtomicIntegerArray returned = new AtomicIntegerArray(2 * CALLS + 1);
    inTwoThreads(
        CALLS,
        i -> {
          long value = MISSING + next.getAndIncrement();
          Long before =
              switch (i % 3) {
                case 0 -> map.replace(1L, value);
                case 1 -> map.put(1L, value);
                default -> {
                  map.putIfAbsent(1L, value);
                  yield map.remove(1L);
                }
              };
          if (before != null) {
            returned.incrementAndGet((int) (before - MISSING));
          }
        });
    for (int i = 0; i < returned.length(); i++) {
      assertTrue(returned.get(i) <= 1);
    }
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void onlyOneInsertsAndOnlyOneRemoves(Supplier<LongIndex> factory) throws Exception {
    NavigableMap<Long, Long> map = map(factory);
    AtomicIntegerArray inserted = new AtomicIntegerArray(CALLS);
    AtomicIntegerArray removed = new AtomicIntegerArray(CALLS);
    // For every other key, the missing value is what is stored.
    inTwoThreads(
        CALLS,
        i -> {
          if (map.putIfAbsent((long) i, i % 2 == 0 ? MISSING : i) == null) {
            inserted.incrementAndGet(i);
          }
        });
    assertEquals(CALLS, map.size());
    inTwoThreads(
        CALLS / 2,
        i -> {
          if (map.remove((long) i, i % 2 == 0 ? MISSING : i)) {
            removed.incrementAndGet(i);
          }
        });
    inTwoThreads(
        CALLS,
        i -> {
          Map.Entry<Long, Long> entry = i % 2 == 0 ? map.pollFirstEntry() : map.pollLastEntry();
          if (entry != null) {
            removed.incrementAndGet(entry.getKey().intValue());
          }
        });
    for (int i = 0; i < CALLS; i++) {
      assertEquals(1, inserted.get(i));
      assertEquals(1, removed.get(i));
    }
    assertTrue(map.isEmpty());
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void bothGetTheValueThatOneHasComputed(Supplier<LongIndex> factory) throws Exception {
    NavigableMap<Long, Long> map = map(factory);
    AtomicInteger next = new AtomicInteger();
    inTwoThreads(
        CALLS,
        i -> {
          Long got = map.computeIfAbsent((long) i, key -> (long) next.incrementAndGet());
          assertEquals(got, map.get((long) i));
        });
    assertEquals(CALLS, map.size());
  }
}
