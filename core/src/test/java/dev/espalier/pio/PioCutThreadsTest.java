// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static dev.espalier.threads.SeenMeanwhile.assertHolds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TestSize;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.threads.PausingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranges of many parts that are removed while other threads read, write and flush. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PioCutThreadsTest {
  private static final int KEYS = 12_000;
  private static final int WRITERS = 3;
  private static final int WRITES = TestSize.share(20_000, 200_000);

  /** The range's ends: a third of all keys on either side is never removed. */
  private static final int LOW = KEYS / 3;

  private static final int HIGH = 2 * KEYS / 3;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  // ---------------------------------------------------------------- writers

  /**
   * Writers of keys within the range, outside of it and across its ends. Each key has one, or is
   * quiet; a write that was acknowledged outside of the range has to be there.
   */
  @ParameterizedTest
  @CsvSource({"1, 1, 1000", "2, 8, 60", "3, 40, 500"})
  void rangesGoBesideWritersAndNothingElseDoes(int segments, int queuePages, int batchCount)
      throws Exception {
    PioBTree.Geometry geometry = new PioBTree.Geometry(segments, queuePages, 64, 5000, batchCount);
    try (PioBTree index =
        PioBTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesBesideReaders(256), geometry)) {
      Run run = new Run(index);
      List<Future<?>> others =
          List.of(threads.submit(run::removeRanges), threads.submit(run::scan));
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        writers.add(threads.submit(() -> run.write(writer)));
      }
      try {
        for (Future<?> writer : writers) {
          writer.get();
        }
      } finally {
        run.stop.set(true);
      }
      for (Future<?> other : others) {
        other.get();
      }
      run.checkEnd();
    }
  }

  private static boolean isQuiet(int key) {
    return key % (WRITERS + 1) == WRITERS;
  }

  private static boolean isRemoved(int key) {
    return key >= LOW && key < HIGH;
  }

  private static final class Run {
    final AtomicBoolean stop = new AtomicBoolean();
    private final PioBTree index;
    private final AtomicInteger sweeps = new AtomicInteger();

    /** For each key the number of its last write; odd ones put that number, even ones remove. */
    private final AtomicIntegerArray begun = new AtomicIntegerArray(KEYS);

    private final AtomicIntegerArray ended = new AtomicIntegerArray(KEYS);

    /** Entries between the ends: put, less those that calls say they have removed. */
    private final LongAdder between = new LongAdder();

    Run(PioBTree index) {
      this.index = index;
      for (int key = 0; key < KEYS; key++) {
        if (isQuiet(key)) {
          index.put(key, 1);
          between.add(isRemoved(key) ? 1 : 0);
        }
      }
    }

    void write(int writer) {
      SplittableRandom random = new SplittableRandom(writer);
      for (int done = 0; done < WRITES && !stop.get(); ) {
        int from = random.nextInt(KEYS);
        boolean puts = random.nextInt(5) > 1;
        for (int key = from; key < Math.min(KEYS, from + 200); key++) {
          boolean wasPut = (ended.get(key) & 1) != 0;
          if (key % (WRITERS + 1) == writer && wasPut != puts) {
            writeOnce(key);
            done++;
          }
        }
        done++;
      }
    }

    private void writeOnce(int key) {
      int number = begun.incrementAndGet(key);
      boolean puts = (number & 1) != 0;
      long before = puts ? index.put(key, number) : index.remove(key);
      ended.set(key, number);
      long missing = index.missingValue();
      if (isRemoved(key)) {
        assertTrue(
            before == missing || (!puts && before == number - 1),
            () -> "before write " + number + " of key " + key + ": " + before);
        between.add(puts ? 1 : before == missing ? 0 : -1);
      } else {
        assertEquals(puts ? missing : number - 1, before, () -> "before write of key " + key);
        assertEquals(puts ? number : missing, index.get(key), () -> "after write of key " + key);
      }
    }

    void removeRanges() {
      SplittableRandom random = new SplittableRandom(7);
      while (!stop.get()) {
        boolean isWhole = random.nextBoolean();
        int from = isWhole ? LOW : random.nextInt(LOW, HIGH);
        int to = isWhole ? HIGH : random.nextInt(from, HIGH);
        int[] endedBefore = new int[KEYS];
        for (int key = from; key < to; key++) {
          endedBefore[key] = ended.get(key);
        }
        between.add(-index.removeRange(from, true, to, false));
        sweeps.incrementAndGet();
        for (int key = from; key < to; key++) {
          long value = index.getOrDefault(key, 0);
          int of = key;
          assertTrue(
              value == 0 || (value > endedBefore[key] && value <= begun.get(key)),
              () -> "a removal has left write " + value + " of key " + of);
        }
      }
    }

    /** Quiet keys outside of the range are seen by each scan, in order. */
    void scan() {
      while (!stop.get()) {
        long before = -1;
        int quiet = 0;
        for (LongCursor cursor = index.cursor(); cursor.next(); ) {
          assertTrue(cursor.key() > before, "keys ascend");
          before = cursor.key();
          quiet += isQuiet((int) before) && !isRemoved((int) before) ? 1 : 0;
        }
        assertEquals(quietOutside(), quiet);
      }
    }

    private static long quietOutside() {
      return LongStream.range(0, KEYS)
          .filter(key -> isQuiet((int) key) && !isRemoved((int) key))
          .count();
    }

    void checkEnd() {
      index.verify();
      assertTrue(sweeps.get() > 0);
      long there = 0;
      long all = 0;
      for (int key = 0; key < KEYS; key++) {
        long value = index.getOrDefault(key, 0);
        all += value != 0 ? 1 : 0;
        if (isRemoved(key)) {
          there += value != 0 ? 1 : 0;
          assertTrue(value == 0 || isQuiet(key) || value == ended.get(key), "key " + key);
        } else {
          int number = ended.get(key);
          assertEquals(isQuiet(key) ? 1 : (number & 1) * number, value, "key " + key);
        }
      }
      assertEquals(between.sum(), there, "entries put, less those that calls say they removed");
      assertEquals(all, index.size());
    }
  }

  /** An entry goes with a range after its writer has looked, and before it writes. */
  @Test
  void aWriterThatHasLookedLooksAgainWhenARangeHasGone() {
    AnnouncingStore store = new AnnouncingStore();
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store)) {
      store.meanwhile =
          () -> {
            Future<Long> removing = threads.submit(() -> index.removeRange(0, true, 99, true));
            try {
              assertEquals(100, removing.get());
            } catch (InterruptedException | ExecutionException failed) {
              throw new AssertionError(failed);
            }
          };
      fill(index, store);
      assertEquals(index.missingValue(), index.put(50, 7));
      assertEquals(1, index.size());
      fill(index, store);
      assertEquals(index.missingValue(), index.remove(50));
      assertEquals(0, index.size());
      fill(index, store);
      assertFalse(index.replace(50, 50, 7));
      assertFalse(index.containsKey(50));
      fill(index, store);
      assertFalse(index.remove(50, 50));
      assertEquals(0, index.size());
      index.verify();
    }
  }

  private static void fill(PioBTree index, AnnouncingStore store) {
    for (long key = 0; key < 100; key++) {
      index.put(key, key);
    }
    store.isArmed = true;
  }

  /** Does something when a write is announced, once each time that it is armed. */
  private static final class AnnouncingStore extends ForwardingPageStore {
    boolean isArmed;
    Runnable meanwhile = () -> {};

    AnnouncingStore() {
      super(IndexOptions.DEFAULT.pagesInMemory(256));
    }

    private void announce() {
      if (isArmed) {
        isArmed = false;
        meanwhile.run();
      }
    }

    @Override
    public void beforeSet(long key, long value) {
      announce();
    }

    @Override
    public void beforeRemoval(long key) {
      announce();
    }
  }

  // ---------------------------------------------------------------- paused

  private static final int LOADED = 900;
  private static final PioBTree.Geometry GEOMETRY = new PioBTree.Geometry(2, 8, 4, 20, 60);
  private static final long FROM = 1_005;
  private static final long TO = 7_995;

  /**
   * A removal is paused before each call of the store that it makes while it has not the tree
   * alone. One that waited for it would wait forever.
   */
  @Test
  void aRemovalStopsNeitherSearchesNorAppends() throws Exception {
    int pauses = 0;
    while (removeWithPause(pauses)) {
      pauses++;
    }
    assertTrue(pauses > 100, "calls: " + pauses);
  }

  /** Pauses a removal at one of its calls; returns whether it has so many. */
  private boolean removeWithPause(int call) throws Exception {
    PausingStore store = new PausingStore();
    TreeMap<Long, Long> model = new TreeMap<>();
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, GEOMETRY)) {
      long[] keys = LongStream.range(0, LOADED).map(i -> 10 * i).toArray();
      index.bulkload(keys, keys);
      for (long key : keys) {
        model.put(key, key);
      }
      for (long key = 0; key < 10L * LOADED; key += 250) {
        index.put(key + 5, key);
        model.put(key + 5, key);
      }
      long inRange = model.subMap(FROM, TO).size();
      Future<Long> removing =
          threads.submit(
              () -> {
                store.pauseThisThreadAt(call, () -> !index.tree.appending.isHeldByCurrentThread());
                long removed = index.removeRange(FROM, true, TO, false);
                store.noteEnd();
                return removed;
              });
      boolean isPaused = store.awaitPause();
      assertHolds(index, model, key -> key >= FROM && key < TO);
      checkPrefixIsRemoved(index, model);
      long putMeanwhile = 0;
      if (isPaused) {
        for (int i = 1; i <= 8; i++) {
          model.put(1_000L * i + 3, (long) i);
          assertEquals(index.missingValue(), index.put(1_000L * i + 3, i));
          putMeanwhile += 1_000L * i + 3 >= FROM && 1_000L * i + 3 < TO ? 1 : 0;
        }
        assertHolds(index, model, key -> key >= FROM && key < TO && key % 10 != 3);
      }
      store.resume();
      long removed = removing.get();
      assertTrue(removed >= inRange && removed <= inRange + putMeanwhile, "removed: " + removed);
      index.verify();
      TreeMap<Long, Long> left = PioCutTest.entries(index);
      model
          .keySet()
          .removeIf(
              key ->
                  key >= FROM && key < TO && !(key % 10 == 3 && isPaused && left.containsKey(key)));
      assertEquals(model, left);
      assertEquals(model.size(), index.size());
      assertEquals(inRange + putMeanwhile - removed, left.subMap(FROM, TO).size());
      return isPaused;
    }
  }

  /** A writer that waits for room in the queue gets it between two parts, not after the last. */
  @Test
  void aRemovalOfManyPartsLetsOthersFlush() throws Exception {
    PausingStore store = new PausingStore();
    PioBTree.Geometry geometry = new PioBTree.Geometry(1, 4, 4, 20, 60);
    try (PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, geometry)) {
      long[] keys = LongStream.range(0, 20_000).toArray();
      index.bulkload(keys, keys);
      PioStructure tree = index.tree;
      int more = 5 * tree.entries.capacity + 1; // than the queue takes beside a flush
      Future<Long> removing =
          threads.submit(
              () -> {
                store.pauseThisThreadAt(10, () -> !tree.appending.isHeldByCurrentThread());
                return index.removeRange(0, true, 20_000, false);
              });
      assertTrue(store.awaitPause());
      Future<Integer> writing =
          threads.submit(
              () -> {
                for (long key = 0; key < more; key++) {
                  index.put(30_000 + key, key);
                }
                return tree.generation;
              });
      while (!tree.flushing.hasQueuedThreads()) {
        Thread.onSpinWait();
      }
      store.resume();
      assertEquals(keys.length, removing.get());
      int partsBefore = writing.get();
      assertTrue(partsBefore < tree.generation, partsBefore + " of " + tree.generation + " parts");
      index.verify();
      assertEquals(more, index.size());
    }
  }

  /** What is left of the range is all that is behind some key. */
  private static void checkPrefixIsRemoved(PioBTree index, TreeMap<Long, Long> model) {
    TreeMap<Long, Long> left = new TreeMap<>(PioCutTest.entries(index).subMap(FROM, TO));
    if (!left.isEmpty()) {
      assertEquals(model.subMap(left.firstKey(), TO), left);
    }
  }
}
