// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.RandomInterrupts;
import dev.espalier.TestSize;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.ShortHistories;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A thousand virtual threads at one index, most of whose pages are in its file. {@link
 * OneCarrierTest} has them run on one carrier, where one that held it would hold all.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VirtualThreadsTest {
  private static final int THREADS = 1_000;

  private static final int PAGE_BYTES = 4096;

  /** They take far more pages than the pool has frames. */
  private static final int KEYS = 60_000;

  /** What each thread puts into a store: together somewhat more than the pool has room for. */
  private static final int PUTS = TestSize.of(20, 60);

  /** More frames than reads are to be under way at once, for the root has one, too. */
  private static final int FRAMES = 100;

  private static final StoreOptions SMALL =
      IndexStoreTest.SMALL
          .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
          .withFiles(
              FileOptions.DEFAULT
                  .withPageBytes(PAGE_BYTES)
                  .withPoolBytes(TestSize.of(40, 120) * (long) PAGE_BYTES));

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final HeldDevice device = new HeldDevice();

  /** What one of many threads does, which are known by numbers. */
  @FunctionalInterface
  private interface Work {
    void run(int thread) throws Exception;
  }

  private static List<Future<?>> start(ExecutorService threads, int count, Work work) {
    List<Future<?>> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int thread = i;
      Callable<@Nullable Void> call =
          () -> {
            work.run(thread);
            return null;
          };
      started.add(threads.submit(call));
    }
    return started;
  }

  private static void inVirtualThreads(int count, Work work) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<?> thread : start(threads, count, work)) {
        thread.get();
      }
    }
  }

  /** Returns what the index has for a key. */
  private static long value(long key) {
    return 3 * key + 1;
  }

  private static void getAtRandom(LongIndex index, int keys, long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      long key = random.nextInt(keys);
      assertEquals(value(key), index.get(key));
    }
  }

  // ---------------------------------------------------------------- reads at once

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void missesAreWithTheDeviceAtOnceAndHoldNoCarrier(int files) throws Exception {
    List<Path> further =
        IntStream.range(1, files).mapToObj(i -> folder.resolve("stripe" + i)).toList();
    PageFileOpener engine = PageFiles.striped(device.over(PageFiles.CHANNEL), further);
    try (BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 1, 8)) {
      SlotPageStore store = Stores.create(folder.resolve("pages"), engine, pool);
      try (LongIndex index = FpbLinkTree.open(IndexOptions.DEFAULT, store, new Geometry(1, 1))) {
        for (long key = 0; key < KEYS; key++) {
          index.put(key, value(key));
        }
        store.flush();
        getAtRandom(index, KEYS, 1, 1_000); // So that the inner pages are there.
        long before = pool.counters().misses();
        device.hold(OffCarrier.MOST_THREADS);
        inVirtualThreads(THREADS, thread -> getAtRandom(index, KEYS, thread, TestSize.of(5, 50)));
        assertEquals(0, device.awaited());
        assertEquals(0, device.carriersHeld());
        assertTrue(pool.counters().misses() - before > THREADS, pool.counters()::toString);
      }
    }
  }

  /** On one carrier, a thread that ends one lookup begins the next before any other looks. */
  @Test
  void eachFindsAFrameWhereThereAreFarFewerFramesThanThreads() throws Exception {
    try (BufferPool pool = BufferPool.withRooms(12, PAGE_BYTES, 1, 1)) {
      SlotPageStore store = Stores.create(folder.resolve("pages"), PageFiles.CHANNEL, pool);
      try (LongIndex index = FpbLinkTree.open(IndexOptions.DEFAULT, store, new Geometry(1, 1))) {
        for (long key = 0; key < KEYS; key++) {
          index.put(key, value(key));
        }
        int lookups = TestSize.of(100, 500);
        inVirtualThreads(THREADS, thread -> getAtRandom(index, KEYS, thread, lookups));
      }
    }
  }

  // ---------------------------------------------------------------- stores

  @Test
  void putsAndCommitsHoldNoCarrier() throws Exception {
    Path path = folder.resolve("store");
    StoreOptions options =
        SMALL.withFiles(SMALL.files().withEngine(device.over(PageFiles.CHANNEL)));
    try (IndexStore store = IndexStore.open(path, options)) {
      putAndCommit(store);
      assertEquals(0, device.carriersHeld());
    }
    checkAllPut(path, options);
  }

  @ParameterizedTest
  @EnumSource
  void everyEngineServesThem(EngineUnderTest engine) throws Exception {
    engine.assumeItRuns();
    Path path = folder.resolve("store");
    StoreOptions options =
        SMALL.withFiles(SMALL.files().withEngine((file, access, _) -> engine.open(file, access)));
    try (IndexStore store = IndexStore.open(path, options)) {
      putAndCommit(store);
    }
    checkAllPut(path, options);
  }

  private static void putAndCommit(IndexStore store) throws Exception {
    LongIndex index = store.index("a");
    inVirtualThreads(
        THREADS,
        thread -> {
          SplittableRandom random = new SplittableRandom(thread);
          for (int i = 0; i < PUTS; i++) {
            long key = i * (long) THREADS + thread;
            assertEquals(index.missingValue(), index.put(key, value(key)));
            long earlier = random.nextInt(i + 1) * (long) THREADS + thread;
            assertEquals(value(earlier), index.get(earlier));
          }
          if (thread % 10 == 0) {
            store.commit();
          }
        });
  }

  private static void checkAllPut(Path path, StoreOptions options) {
    try (IndexStore store = IndexStore.open(path, options)) {
      store.verify();
      LongIndex index = store.index("a");
      assertEquals(THREADS * PUTS, index.size());
      getAtRandom(index, THREADS * PUTS, 2, 1_000);
    }
  }

  // ---------------------------------------------------------------- interrupts and closing

  @Test
  void interruptsAtRandomMomentsLoseNothing() throws Exception {
    Path path = folder.resolve("store");
    int threads = 8;
    int interrupts = TestSize.of(20, 200);
    try (IndexStore store = IndexStore.open(path, SMALL)) {
      putAndCommit(store);
      LongIndex index = store.index("a");
      inVirtualThreads(
          threads,
          thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            try (RandomInterrupts moments = new RandomInterrupts(thread, interrupts)) {
              while (moments.goOn()) {
                long key = random.nextInt(THREADS * PUTS / threads) * (long) threads + thread;
                if (random.nextBoolean()) {
                  assertEquals(value(key), index.get(key));
                } else {
                  assertEquals(value(key), index.put(key, value(key)));
                }
                moments.afterCall();
              }
            }
          });
    }
    checkAllPut(path, SMALL);
  }

  @Test
  void storeThatIsClosedMeanwhileHasAllThatWasPutAndHoldsNobody() throws Exception {
    int threads = 200;
    for (int round = 0; round < TestSize.of(3, 20); round++) {
      Path path = folder.resolve("store" + round);
      AtomicInteger[] acknowledged = new AtomicInteger[threads];
      IndexStore store = IndexStore.open(path, SMALL);
      LongIndex index = store.index("a");
      try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> started =
            start(
                virtual,
                threads,
                thread -> {
                  acknowledged[thread] = new AtomicInteger();
                  putUntilClosed(index, thread, threads, acknowledged[thread]);
                });
        Waiting.nap(new SplittableRandom(round).nextInt(20_000_000));
        store.close();
        for (Future<?> thread : started) {
          thread.get();
        }
      }
      try (IndexStore again = IndexStore.open(path, SMALL)) {
        again.verify();
        for (int thread = 0; thread < threads; thread++) {
          for (int i = 0; i < acknowledged[thread].get(); i++) {
            long key = i * (long) threads + thread;
            assertEquals(value(key), again.index("a").get(key));
          }
        }
      }
    }
  }

  private static void putUntilClosed(
      LongIndex index, int thread, int threads, AtomicInteger acknowledged) {
    SplittableRandom random = new SplittableRandom(thread);
    try {
      while (true) {
        long key = acknowledged.get() * (long) threads + thread;
        index.put(key, value(key));
        long earlier = random.nextInt(acknowledged.incrementAndGet()) * (long) threads + thread;
        assertEquals(value(earlier), index.get(earlier));
      }
    } catch (IllegalStateException closed) {
      assertTrue(String.valueOf(closed.getMessage()).contains("closed"), closed::toString);
    }
  }

  // ---------------------------------------------------------------- histories

  @ParameterizedTest
  @ValueSource(strings = {"FpbLinkTree", "PioBTree", "DiskFirstFpbPlusTree"})
  void everyAnswerFollowsFromTheWritesOfTheKey(String tree) throws Exception {
    try (LongIndex index =
        Espalier.open(folder.resolve("store"), PagedTrees.options(tree, 256, 60))) {
      KeyHistories.run(
          Executors.newVirtualThreadPerTaskExecutor(),
          index,
          5000,
          3,
          4,
          TestSize.share(1_000, 20_000));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FpbLinkTree", "PioBTree", "DiskFirstFpbPlusTree"})
  void shortHistoriesAreLinearizable(String tree) throws Exception {
    AtomicInteger files = new AtomicInteger();
    FileOptions options = PagedTrees.options(tree, 256, 60);
    ShortHistories.check(
        Executors.newVirtualThreadPerTaskExecutor(),
        _ -> Espalier.open(folder.resolve("s-" + files.getAndIncrement()), options),
        TestSize.share(3, 100),
        1000);
  }
}
