// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.Drawn;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.LongNavigable;
import dev.espalier.TestSize;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.memory.PageStore;
import dev.espalier.node.Bits;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import dev.espalier.pio.PioBTree;
import dev.espalier.threads.BulkloadHistories;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.RangeHistories;
import dev.espalier.threads.ShortHistories;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several threads that write and read one tree in a file at once. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadsOverFilesTest {
  private static final int WRITES = TestSize.share(2_500, 200_000);

  /** The same to a store, where a writer waits for readers, and those for the device. */
  private static final int WRITES_TO_STORE = TestSize.share(2_500, 60_000);

  /** What each thread writes in the pool in which each page makes room for another. */
  private static final int WRITES_TO_FEW_FRAMES = TestSize.share(1_500, 100_000);

  /** Entries that nobody changes. */
  private static final int STAY = 1500;

  private static final PioBTree.Geometry GEOMETRY = new PioBTree.Geometry(2, 8, 8, 30, 50);

  private static LongIndex open(String tree, PageStore store) {
    return switch (tree) {
      case "BLinkTree" -> BLinkTree.open(IndexOptions.DEFAULT, store);
      case "FpbLinkTree" -> FpbLinkTree.open(IndexOptions.DEFAULT, store, new Geometry(1, 1));
      case "PioBTree" -> PioBTree.open(IndexOptions.DEFAULT, store, GEOMETRY);
      default -> throw new IllegalArgumentException(tree);
    };
  }

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Most pages are not in the pool, so pins wait for files, and pages make room for others. */
  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "FpbLinkTree", "PioBTree"})
  void everyAnswerFollowsFromTheWritesOfTheKeyInASmallPoolWithoutALog(String tree)
      throws Exception {
    int pageBytes = 256;
    try (BufferPool pool = BufferPool.create(60 * pageBytes, pageBytes)) {
      SlotPageStore store = Stores.create(folder.resolve("pages"), PageFiles.CACHED, pool);
      try (LongIndex index = open(tree, store)) {
        KeyHistories.run(index, 5000, 3, 4, WRITES);
      }
      assertTrue(pool.counters().evictions() > WRITES / 4, pool.counters()::toString);
    }
  }

  /**
   * A frame for each pin that the threads may hold, and one more: all pages keep changing hands.
   */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInAPoolOfAFewFrames() throws Exception {
    int writers = 2;
    int readers = 4;
    int frames = 3 * writers + readers + 1;
    try (BufferPool pool = BufferPool.withRooms(frames, 256, 1, 1)) {
      SlotPageStore store = Stores.create(folder.resolve("few"), PageFiles.CACHED, pool);
      try (LongIndex index = BLinkTree.open(IndexOptions.DEFAULT, store)) {
        KeyHistories.run(index, 1000, writers, readers, WRITES_TO_FEW_FRAMES);
      }
      assertTrue(pool.counters().evictions() > WRITES_TO_FEW_FRAMES / 4, pool.counters()::toString);
    }
  }

  /** Nothing that threads share is written by a lookup; each hit is counted all the same. */
  @Test
  void lookupsInPagesThatAreThereChangeNoWordOfAnyFrame() throws Exception {
    int keys = 1000;
    int threads = 4;
    int height = 3;
    try (BufferPool pool = BufferPool.create(1 << 20, 256)) {
      SlotPageStore store = Stores.create(folder.resolve("there"), PageFiles.CACHED, pool);
      try (LongIndex index = BLinkTree.open(IndexOptions.DEFAULT, store)) {
        for (long key = 0; key < keys; key++) {
          index.put(key, key + 1);
        }
        assertEquals(height, index.statistics().height());
        long[] before =
            IntStream.range(0, pool.frames.inUse()).mapToLong(pool.frames::state).toArray();
        PoolCounters counted = pool.counters();
        try (ExecutorService readers = Executors.newFixedThreadPool(threads)) {
          List<Future<?>> reading = new ArrayList<>();
          for (int thread = 0; thread < threads; thread++) {
            reading.add(
                readers.submit(
                    () -> {
                      for (long key = 0; key < keys; key++) {
                        assertEquals(key + 1, index.get(key));
                        assertFalse(index.containsKey(-1 - key));
                      }
                    }));
          }
          for (Future<?> reader : reading) {
            reader.get();
          }
        }
        for (int frame = 0; frame < before.length; frame++) {
          assertEquals(before[frame], pool.frames.state(frame), "the word of frame " + frame);
        }
        assertEquals(counted.hits() + 2L * threads * keys * height, pool.counters().hits());
        assertEquals(counted.misses(), pool.counters().misses());
      }
    }
  }

  /** Those of few keys, while another thread writes more pages than the pool has room for. */
  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "FpbLinkTree", "PioBTree"})
  void shortHistoriesInATinyPoolAreLinearizable(String tree) throws Exception {
    int pageBytes = 256;
    AtomicInteger files = new AtomicInteger();
    try (BufferPool pool = BufferPool.create(60 * pageBytes, pageBytes)) {
      ShortHistories.check(
          _ -> {
            Path path = folder.resolve("pages-" + files.getAndIncrement());
            return open(tree, Stores.create(path, PageFiles.CACHED, pool));
          },
          TestSize.share(10, 500),
          1000);
      assertTrue(pool.counters().evictions() > 100, pool.counters()::toString);
    }
  }

  /** Operations on ranges, and loads, where pages make room for others and pins wait for files. */
  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "FpbLinkTree", "PioBTree"})
  @Tag("thorough")
  void rangesAndLoadsInATinyPoolAreExactWhateverOthersDo(String tree) {
    int pageBytes = 256;
    AtomicInteger files = new AtomicInteger();
    try (BufferPool pool = BufferPool.create(30 * pageBytes, pageBytes)) {
      Supplier<LongIndex> factory =
          () -> {
            Path path = folder.resolve("pages-" + files.getAndIncrement());
            return open(tree, Stores.create(path, PageFiles.CACHED, pool));
          };
      RangeHistories.check(factory, TestSize.share(4, 200), 400);
      BulkloadHistories.check(factory, TestSize.share(2, 100), 20);
      assertTrue(pool.counters().evictions() > 100, pool.counters()::toString);
    }
  }

  /** The same over a store, with its log. */
  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "FpbLinkTree", "PioBTree", "DiskFirstFpbPlusTree"})
  void rangesAndLoadsInAStoreWithATinyPoolAreExactWhateverOthersDo(String tree) {
    FileOptions options = PagedTrees.options(tree, 256, 30);
    AtomicInteger files = new AtomicInteger();
    Supplier<LongIndex> factory =
        () -> Espalier.open(folder.resolve("s-" + files.getAndIncrement()), options);
    RangeHistories.check(factory, TestSize.share(3, 100), 400);
    BulkloadHistories.check(factory, TestSize.share(2, 50), 10);
  }

  /** The same over a store. */
  @Drawn
  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#names")
  void shortHistoriesInAStoreWithATinyPoolAreLinearizable(String tree) throws Exception {
    FileOptions options = PagedTrees.options(tree, 256, 60);
    AtomicInteger files = new AtomicInteger();
    ShortHistories.check(
        _ -> Espalier.open(folder.resolve("s-" + files.getAndIncrement()), options),
        TestSize.share(3, 200),
        1000);
  }

  /** Writers share the log; readers go on meanwhile, and so do checkpoints. */
  @Drawn
  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#names")
  void everyAnswerFollowsFromTheWritesOfTheKeyInAStoreAndAllIsThereAfterwards(String tree)
      throws Exception {
    Path path = folder.resolve("store");
    FileOptions options = PagedTrees.options(tree, 256, 60);
    long size;
    try (LongIndex index = Espalier.open(path, options)) {
      assertSame(index, index.withReadWriteLock());
      assertInstanceOf(ConcurrentNavigableMap.class, index.asMap());
      KeyHistories.run(index, 5000, 3, 4, WRITES_TO_STORE);
      size = index.size();
    }
    try (LongIndex index = Espalier.open(path, options)) {
      index.verify();
      assertEquals(size, index.size());
    }
  }

  /** All that reads an index as a whole, and batches by every method, beside a writer. */
  @Drawn
  @ParameterizedTest
  @MethodSource("dev.espalier.io.PagedTrees#names")
  void whatStaysIsFoundByAllWaysToReadBesideAWriter(String tree) throws Exception {
    FileOptions options = PagedTrees.options(tree, 256, 60);
    try (IndexStore store =
        IndexStore.open(folder.resolve("store"), StoreOptions.DEFAULT.withFiles(options))) {
      LongIndex index = store.index("a");
      long[] stays = LongStream.range(0, STAY).map(i -> 10 * i).toArray();
      index.putAll(stays, stays);
      AtomicBoolean stop = new AtomicBoolean();
      FutureTask<Void> writer =
          new FutureTask<>(
              () -> {
                SplittableRandom random = new SplittableRandom(5);
                while (!stop.get()) {
                  long key = 10 * random.nextInt(STAY) + 1 + random.nextInt(9);
                  if (random.nextBoolean()) {
                    index.put(key, -1);
                  } else {
                    index.delete(key);
                  }
                }
              },
              null);
      Thread.ofPlatform().start(writer);
      try {
        for (int i = 0; i < TestSize.of(3, 10) && !writer.isDone(); i++) {
          assertFinds(index, stays);
          try (Snapshot snapshot = store.snapshot()) {
            assertFinds(snapshot.index("a"), stays);
          }
          store.verify();
        }
      } finally {
        stop.set(true);
      }
      writer.get();
    }
  }

  private static void assertFinds(LongIndex index, long[] stays) {
    long[] values = new long[stays.length];
    long[] found = new long[Bits.words(stays.length)];
    assertEquals(stays.length, index.getAll(stays, values, found));
    assertArrayEquals(stays, values);
    for (ProbeMethod method : ProbeMethod.values()) {
      Arrays.fill(values, 1);
      BatchLookup.of(index).getAll(method, stays, 0, values, 0, stays.length);
      assertArrayEquals(stays, values, method::toString);
    }
    LongNavigable middle = index.subView(stays[10], true, stays[stays.length - 10], false);
    assertTrue(middle.size() >= stays.length - 20);
    assertTrue(index.size() >= stays.length);
    assertEquals(
        stays.length, index.asMap().values().stream().filter(value -> value != -1).count());
    assertEquals(stays[1], index.asMap().ceilingKey(stays[1]));
    assertTrue(index.statistics().entries() >= stays.length);
    index.verify();
  }
}
