// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * A thread that fills an index by bulkloads and clears it, again and again, while others read and
 * write. A load is there as a whole or not at all, and is refused while there is an entry; nobody's
 * entry is lost but by a clear.
 */
public final class BulkloadHistories {
  /** Keys that are loaded, with the number of the load as their values. */
  private static final int LOADED = 600;

  private static final int WRITERS = 2;
  private static final int READERS = 2;

  private final LongIndex index;
  private final long seed;
  private final AtomicInteger clearsBegun = new AtomicInteger();
  private final AtomicInteger clearsEnded = new AtomicInteger();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final LongAdder loadsSeen = new LongAdder();

  private BulkloadHistories(LongIndex index, long seed) {
    this.index = index;
    this.seed = seed;
  }

  /** What one thread does. */
  private interface Work {
    void run(SplittableRandom random);
  }

  /**
   * Runs so many rounds, each over a new index and with a seed of its own.
   *
   * @param loads in a round
   */
  public static void check(Supplier<LongIndex> factory, int rounds, int loads) {
    Seeds.run(
        rounds,
        seed -> {
          try (LongIndex index = factory.get()) {
            new BulkloadHistories(index, seed).run(loads);
          }
        });
  }

  private void run(int loads) throws Exception {
    List<Work> others = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      long key = LOADED + i;
      others.add(_ -> write(key));
    }
    for (int i = 0; i < READERS; i++) {
      others.add(this::read);
    }
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<?>> started = new ArrayList<>();
      for (Work work : others) {
        SplittableRandom random = new SplittableRandom(1000 * seed + started.size());
        started.add(threads.submit(() -> runOrStop(work, random)));
      }
      try {
        load(loads);
      } finally {
        stop.set(true);
      }
      for (Future<?> other : started) {
        other.get();
      }
    } finally {
      threads.shutdownNow();
    }
    index.verify();
    assertEquals(LOADED, index.countRange(0, true, LOADED, false));
    assertTrue(loadsSeen.sum() > 0, "no reader has seen a load");
  }

  private void runOrStop(Work work, SplittableRandom random) {
    try {
      work.run(random);
    } catch (RuntimeException | Error failed) {
      stop.set(true);
      throw failed;
    }
  }

  // ---------------------------------------------------------------- load

  /** Loads, and clears before the next load. */
  private void load(int loads) {
    long[] keys = new long[LOADED];
    Arrays.setAll(keys, i -> i);
    for (int number = 1; number <= loads && !stop.get(); number++) {
      if (number > 1) {
        clearsBegun.incrementAndGet();
        index.clear();
        clearsEnded.incrementAndGet();
      }
      long[] values = new long[LOADED];
      Arrays.fill(values, number);
      while (!isLoaded(keys, values) && !stop.get()) {
        assertEquals(0, index.countRange(0, true, LOADED, false), "entries of a refused load");
      }
      assertEquals(LOADED, index.countRange(0, true, LOADED, false), "entries of a load");
      long seen = loadsSeen.sum();
      while (loadsSeen.sum() == seen && !stop.get()) {
        Thread.yield(); // To the readers that are to see it.
      }
    }
  }

  private boolean isLoaded(long[] keys, long[] values) {
    try {
      index.bulkload(keys, values);
      return true;
    } catch (IllegalStateException someoneHasPut) {
      return false;
    }
  }

  // ---------------------------------------------------------------- write

  /** Puts a key that is never loaded, and removes it. */
  private void write(long key) {
    for (int number = 1; !stop.get(); number++) {
      int clears = clearsEnded.get();
      assertEquals(index.missingValue(), index.put(key, number), "before a put");
      long before = index.remove(key);
      if (before != number) {
        assertEquals(index.missingValue(), before, "before a removal");
        assertTrue(clearsBegun.get() > clears, "an entry was lost without a clear");
      }
      Thread.yield();
    }
  }

  // ---------------------------------------------------------------- read

  /** Looks up two keys: if one is there, so is the other, unless a clear has begun. */
  private void read(SplittableRandom random) {
    while (!stop.get()) {
      long first = index.getOrDefault(random.nextInt(LOADED), 0);
      long second = index.getOrDefault(random.nextInt(LOADED), 0);
      if (first == 0) {
        continue;
      }
      if (second == first) {
        loadsSeen.increment();
      }
      int clears = clearsBegun.get();
      assertTrue(
          second == first || (clears >= first && (second == 0 || second > first)),
          () -> "after load " + first + " there was " + second + ", with " + clears + " clears");
    }
  }
}
