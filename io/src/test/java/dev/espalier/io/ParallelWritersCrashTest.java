// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.family.Family;
import dev.espalier.prefix.LongsInByteStrings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Stores that lose power while several threads write several indexes: keys of their own, keys that
 * they share, and, in batches, one value to the same key of several indexes.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParallelWritersCrashTest {
  private static final Path STORE = SimulatedDisk.path("store");
  private static final List<String> TREES =
      List.of("BLinkTree", "DiskFirstFpbPlusTree", "FpbLinkTree", "PrefixBPlusTree");

  /** Words in long keys of byte strings. */
  private static final int LONG_KEY = 60;

  private static final int PAGE_BYTES = 512;

  /** As many as three writers at once take, and few enough that pages make room for others. */
  private static final int FRAMES = 400;

  private static final int WRITERS = 4;
  private static final int WRITES = 300;

  /** Keys of each kind; those of one kind and writer are so far apart. */
  private static final int KEYS = 200;

  private static final int SHARED = 20;
  private static final long SHARED_KEY = 1_000_000;
  private static final long PAIR_KEY = 2_000_000;

  /** The indexes to which batches write the same. */
  private static final int[] SAME = {0, 1, 3};

  private static IndexStore open(SimulatedDisk disk, BufferPool pool, long seed) {
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPool(pool))
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
            .withCheckpointTime(Duration.ofHours(1));
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(seed), true, false, Set.of());
    return new StoreOpening(STORE, options, environment).open();
  }

  private static List<LongIndex> indexes(IndexStore store) {
    return TREES.stream()
        .map(
            tree ->
                tree.equals("PrefixBPlusTree")
                    ? new LongsInByteStrings(store.bytesIndex(tree), 0, LONG_KEY)
                    : store.index(tree, Family.named(tree)))
        .toList();
  }

  private static void add(WriteBatch batch, LongIndex index, long key, long value) {
    if (index instanceof LongsInByteStrings strings) {
      batch.set(strings.index, strings.key(key), LongsInByteStrings.value(value));
    } else {
      batch.set(index, key, value);
    }
  }

  /**
   * A write.
   *
   * @param index the number of the index
   * @param value 0 to delete the key
   * @param begin when it began
   */
  private record Write(int index, long key, long value, long begin) {}

  /** All that threads have written to one store. */
  private static final class History {
    final AtomicLong clock = new AtomicLong();

    /** When the last commit began that has ended: what had ended by then is safe. */
    final AtomicLong safe = new AtomicLong(-1);

    final List<Writer> writers = new ArrayList<>();
  }

  /** What one thread has written. */
  private static final class Writer {
    private final History history;
    private final int number;

    /** Writes to keys that nobody else writes, in their order. */
    private final List<Write> own = new ArrayList<>();

    private int committed;

    /** Writes to other keys, those to pairs as writes to the first of the indexes. */
    private final List<Write> shared = new ArrayList<>();

    /** When writes of unique values to shared keys and pairs ended. */
    private final Map<Long, Long> ends = new HashMap<>();

    Writer(History history, int number) {
      this.history = history;
      this.number = number;
    }

    void write(IndexStore store, long seed) {
      List<LongIndex> indexes = indexes(store);
      SplittableRandom random = new SplittableRandom(seed * WRITERS + number);
      WriteBatch batch = new WriteBatch();
      for (int i = 1; i <= WRITES; i++) {
        long value = (long) i * WRITERS + number;
        int index = random.nextInt(TREES.size());
        long begin = history.clock.incrementAndGet();
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            long key = SHARED_KEY + random.nextInt(SHARED);
            shared.add(new Write(index, key, value, begin));
            indexes.get(index).set(key, value);
            ends.put(value, history.clock.incrementAndGet());
          }
          case 2 -> {
            long key = PAIR_KEY + random.nextInt(SHARED);
            shared.add(new Write(0, key, value, begin));
            batch.clear();
            for (int j = 0; j < SAME.length; j++) {
              add(batch, indexes.get(SAME[(j + number) % SAME.length]), key, value);
            }
            store.write(batch);
            ends.put(value, history.clock.incrementAndGet());
          }
          default -> {
            long key = (long) number * KEYS + random.nextInt(KEYS);
            boolean removes = random.nextInt(4) == 0;
            own.add(new Write(index, key, removes ? 0 : value, begin));
            if (removes) {
              indexes.get(index).delete(key);
            } else {
              indexes.get(index).set(key, value);
            }
          }
        }
        if (random.nextInt(40) == 0) {
          commit(store);
        }
        if (i % 60 == 15 * number) {
          store.checkpoint();
        }
      }
    }

    private void commit(IndexStore store) {
      int count = own.size();
      long begin = history.clock.incrementAndGet();
      store.commit();
      committed = count;
      history.safe.accumulateAndGet(begin, Math::max);
    }

    /** Its own keys are as after all that was committed, and a beginning of the rest. */
    void checkOwn(List<LongIndex> found) {
      List<Map<Long, Long>> expected = new ArrayList<>();
      List<Map<Long, Long>> is = new ArrayList<>();
      long first = (long) number * KEYS;
      for (LongIndex index : found) {
        expected.add(new HashMap<>());
        is.add(entries(index, first, first + KEYS));
      }
      int done = 0;
      while (done < committed || (done < own.size() && !expected.equals(is))) {
        Write write = own.get(done++);
        if (write.value == 0) {
          expected.get(write.index).remove(write.key);
        } else {
          expected.get(write.index).put(write.key, write.value);
        }
      }
      assertEquals(expected, is, "writer " + number + ", of whose writes are safe: " + committed);
    }
  }

  private static Map<Long, Long> entries(LongIndex index, long from, long end) {
    Map<Long, Long> entries = new HashMap<>();
    LongCursor cursor = index.cursor();
    for (boolean isOn = cursor.ceiling(from); isOn && cursor.key() < end; isOn = cursor.next()) {
      entries.put(cursor.key(), cursor.value());
    }
    return entries;
  }

  private static void check(History history, IndexStore store) {
    store.verify();
    List<LongIndex> found = indexes(store);
    history.writers.forEach(writer -> writer.checkOwn(found));
    for (int i = 0; i < SHARED; i++) {
      long value = found.get(0).getOrDefault(PAIR_KEY + i, 0);
      for (int index : SAME) {
        assertEquals(value, found.get(index).getOrDefault(PAIR_KEY + i, 0), "pair " + i);
      }
      checkAge(history, 0, PAIR_KEY + i, value);
      for (int index = 0; index < TREES.size(); index++) {
        checkAge(history, index, SHARED_KEY + i, found.get(index).getOrDefault(SHARED_KEY + i, 0));
      }
    }
  }

  /** A value is older than no safe write that began after its own had ended. */
  private static void checkAge(History history, int index, long key, long value) {
    long ended = value == 0 ? 0 : Long.MAX_VALUE;
    boolean isWritten = value == 0;
    for (Writer writer : history.writers) {
      for (Write write : writer.shared) {
        if (write.index == index && write.key == key && write.value == value) {
          isWritten = true;
          ended = writer.ends.getOrDefault(value, Long.MAX_VALUE);
        }
      }
    }
    assertTrue(isWritten, () -> "nobody wrote " + value + " for " + key);
    for (Writer writer : history.writers) {
      for (Write write : writer.shared) {
        long end = writer.ends.getOrDefault(write.value, Long.MAX_VALUE);
        boolean isSafe = end < history.safe.get();
        if (write.index == index && write.key == key && isSafe) {
          assertFalse(
              write.begin > ended, "key " + key + " has " + value + ", older than " + write);
        }
      }
    }
  }

  /** Has a store written by several threads, until it crashes. */
  private static History live(SimulatedDisk disk, long seed) throws Exception {
    History history = new History();
    try (BufferPool pool = BufferPool.create(FRAMES * PAGE_BYTES, PAGE_BYTES);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      IndexStore store = open(disk, pool, seed);
      List<Future<?>> all = new ArrayList<>();
      for (int number = 0; number < WRITERS; number++) {
        Writer writer = new Writer(history, number);
        history.writers.add(writer);
        all.add(
            threads.submit(
                () -> {
                  try {
                    writer.write(store, seed);
                  } catch (PowerLostException | PageFileException | IllegalStateException lost) {
                    assertTrue(disk.crashed(), lost.toString());
                  }
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
      try {
        store.close();
      } catch (PowerLostException | PageFileException | IllegalStateException lost) {
        assertTrue(disk.crashed(), lost.toString());
      }
    } catch (PowerLostException lost) {
      assertNotNull(lost); // The store was being opened.
    }
    return history;
  }

  /** Runs a store into a crash at a random moment, and checks what is left. */
  private static void crash(long seed) throws Exception {
    SimulatedDisk disk = DiskTrials.disk(seed);
    try (BufferPool pool = BufferPool.create(FRAMES * PAGE_BYTES, PAGE_BYTES);
        IndexStore store = open(disk, pool, seed)) {
      indexes(store);
    }
    long at = 1 + new SplittableRandom(seed).nextLong(800);
    disk.restart(seed % 3 == 0 ? CrashPlan.killAt(at) : CrashPlan.powerLossAt(at));
    try {
      History history = live(disk, seed);
      disk.restart(CrashPlan.NOTHING);
      try (BufferPool pool = BufferPool.create(FRAMES * PAGE_BYTES, PAGE_BYTES);
          IndexStore store = open(disk, pool, seed)) {
        check(history, store);
      }
    } catch (AssertionError | Exception failed) {
      throw new AssertionError("seed " + seed + ", crash at operation " + at, failed);
    }
  }

  @Test
  void whatWasCommittedOutlivesACrashOfStoresWithSeveralWriters() throws Exception {
    for (long seed = 0; seed < TestSize.share(20, 1_440); seed++) {
      crash(seed);
    }
  }
}
