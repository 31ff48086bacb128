// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.blink.BLinkTree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Stores that lose power while several threads write changed pages at the same moment, each of
 * which has to make room for another page.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EvictingThreadsCrashTest {
  private static final Path STORE = SimulatedDisk.path("store");
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 24;
  private static final int WRITERS = 2;
  private static final int READERS = 2;
  private static final int KEYS = 600;
  private static final int WRITES = 400;

  private static IndexStore open(StoreFiles files, BufferPool pool, long seed) {
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(
                FileOptions.DEFAULT
                    .withPageBytes(PAGE_BYTES)
                    .withPool(pool)
                    .withVariant(BLinkTree.VARIANT))
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
            .withCheckpointTime(Duration.ofHours(1));
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(seed), true, false);
    return new StoreOpening(STORE, options, environment).open();
  }

  /** Lets threads that write pages wait for one another, so that they write in pairs. */
  private static final class Pairs extends StoreFilesAround {
    private static final int PATIENCE_MILLIS = 10;

    private final Exchanger<Thread> others = new Exchanger<>();
    private final AtomicInteger met = new AtomicInteger();

    Pairs(StoreFiles files) {
      super(files);
    }

    private void meet() {
      try {
        others.exchange(Thread.currentThread(), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        met.incrementAndGet();
      } catch (TimeoutException alone) {
        // All others wait for this thread, or need no room.
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    }

    @Override
    public PageFile openPages(Path path, Access access, int blockBytes) {
      return new PageFileAround(super.openPages(path, access, blockBytes)) {
        @Override
        public void startWrite(IoBatch batch) {
          meet();
          super.startWrite(batch);
        }
      };
    }
  }

  /** A write: a value for a key, or 0 to delete it. */
  private record Write(long key, long value) {}

  /** A thread that writes keys of its own. */
  private static final class Writer {
    private final List<Write> writes = new ArrayList<>();

    /** How many are safe. */
    private int committed;

    private final int number;

    Writer(int number) {
      this.number = number;
    }

    void write(IndexStore store, long seed) {
      LongIndex index = store.index("a");
      SplittableRandom random = new SplittableRandom(seed + number);
      for (int i = 1; i <= WRITES; i++) {
        long key = (long) random.nextInt(KEYS) * WRITERS + number;
        Write write = new Write(key, random.nextInt(4) == 0 ? 0 : i);
        writes.add(write);
        if (write.value == 0) {
          index.delete(key);
        } else {
          index.set(key, write.value);
        }
        if (random.nextInt(50) == 0) {
          int count = writes.size();
          store.commit();
          committed = count;
        }
        if (number == 0 && i % 150 == 0) {
          store.checkpoint();
        }
      }
    }

    /**
     * Checks that what is there follows from all that was committed, and a beginning of the rest.
     */
    void check(TreeMap<Long, Long> found) {
      TreeMap<Long, Long> own = new TreeMap<>(found);
      own.keySet().removeIf(key -> key % WRITERS != number);
      TreeMap<Long, Long> expected = new TreeMap<>();
      for (long key = number; key < (long) KEYS * WRITERS; key += WRITERS) {
        expected.put(key, -1L);
      }
      int done = 0;
      while (done < committed || (done < writes.size() && !expected.equals(own))) {
        Write write = writes.get(done++);
        if (write.value == 0) {
          expected.remove(write.key);
        } else {
          expected.put(write.key, write.value);
        }
      }
      assertEquals(expected, own, "writer " + number + ", of whose writes are safe: " + committed);
    }
  }

  private static void read(IndexStore store, long seed, AtomicInteger writing) {
    LongIndex index = store.index("a");
    SplittableRandom random = new SplittableRandom(seed);
    while (writing.get() > 0) {
      long value = index.getOrDefault(random.nextInt(KEYS * WRITERS), 0);
      assertTrue(value >= -1 && value <= WRITES, "value " + value);
    }
  }

  /** What a store has come to. */
  private static final class Life {
    final List<Writer> writers = new ArrayList<>();
    long operations;
    long evictions;
    int met;
    boolean crashed;
  }

  private static void load(SimulatedDisk disk, long seed) {
    try (BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 2, 4);
        IndexStore store = open(disk, pool, seed)) {
      LongIndex index = store.index("a");
      for (long key = 0; key < (long) KEYS * WRITERS; key++) {
        index.set(key, -1);
      }
    }
  }

  private static Life live(SimulatedDisk disk, long seed) throws Exception {
    Life life = new Life();
    Pairs pairs = new Pairs(disk);
    BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 2, 4);
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      IndexStore store = open(pairs, pool, seed);
      AtomicInteger writing = new AtomicInteger(WRITERS);
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        Writer writer = new Writer(i);
        life.writers.add(writer);
        all.add(
            threads.submit(
                () -> {
                  try {
                    writer.write(store, seed);
                  } catch (PowerLostException | PageFileException | IllegalStateException lost) {
                    assertTrue(disk.crashed(), lost.toString());
                  } finally {
                    writing.decrementAndGet();
                  }
                }));
      }
      for (int i = 0; i < READERS; i++) {
        long ofReader = seed + WRITERS + i;
        all.add(
            threads.submit(
                () -> {
                  try {
                    read(store, ofReader, writing);
                  } catch (PowerLostException | PageFileException | IllegalStateException lost) {
                    assertTrue(disk.crashed(), lost.toString());
                  }
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
      life.evictions = pool.counters().evictions();
      life.crashed = disk.crashed();
      life.operations = disk.operations();
      abandon(store, disk);
    } catch (PowerLostException lost) {
      life.crashed = true; // The store was being opened.
    } finally {
      pool.close();
    }
    life.met = pairs.met.get();
    return life;
  }

  /** Closes a store after the power was lost, or not. */
  private static void abandon(IndexStore store, SimulatedDisk disk) {
    try {
      store.close();
    } catch (PowerLostException | PageFileException | IllegalStateException lost) {
      assertTrue(disk.crashed(), lost.toString());
    }
  }

  private static void check(SimulatedDisk disk, long seed, Life life) {
    disk.restart(CrashPlan.NOTHING);
    try (BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 2, 4);
        IndexStore store = open(disk, pool, seed)) {
      store.verify();
      LongIndex index = store.index("a");
      TreeMap<Long, Long> found = new TreeMap<>(index.asMap());
      life.writers.forEach(writer -> writer.check(found));
    }
  }

  @Test
  void whatWasCommittedOutlivesACrashWhileSeveralThreadsMakeRoom() throws Exception {
    SimulatedDisk whole = DiskTrials.disk(0);
    load(whole, 0);
    whole.restart(CrashPlan.NOTHING);
    Life all = live(whole, 0);
    assertFalse(all.crashed);
    check(whole, 0, all);
    SplittableRandom random = new SplittableRandom(1);
    int crashes = 0;
    int met = 0;
    int rounds = TestSize.share(12, 480);
    for (int seed = 1; seed <= rounds; seed++) {
      SimulatedDisk disk = DiskTrials.disk(seed);
      load(disk, seed);
      long at = 1 + random.nextLong(all.operations);
      disk.restart(CrashPlan.at(at, seed));
      try {
        Life life = live(disk, seed);
        crashes += life.crashed ? 1 : 0;
        met += life.met;
        check(disk, seed, life);
      } catch (AssertionError | Exception failed) {
        throw new AssertionError("seed " + seed + ", crash at operation " + at, failed);
      }
    }
    assertTrue(crashes > rounds / 2, "crashes: " + crashes);
    assertTrue(met > rounds, "threads that wrote at once: " + met);
  }
}
