// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static dev.espalier.threads.SeenMeanwhile.assertHolds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.threads.PausingStore;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A writer that flushes the queue is paused before each call of the store that it makes while it
 * has not the tree alone. Meanwhile readers find everything, by every way, and others append. One
 * that waited for the flush would wait forever.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PausedFlushTest {
  private static final int LOADED = 400;
  private static final PioBTree.Geometry GEOMETRY = new PioBTree.Geometry(2, 8, 4, 20, 60);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  /** The operations that make the queue full: overwrites, insertions and deletions. */
  private static void write(PioBTree index, TreeMap<Long, Long> model, int step) {
    long key = 10L * (step * 37 % LOADED) + (step % 3 == 0 ? 0 : 5);
    if (step % 4 == 3) {
      index.delete(key);
      model.remove(key);
    } else {
      index.set(key, step);
      model.put(key, (long) step);
    }
  }

  private static PioBTree loaded(PausingStore store, TreeMap<Long, Long> model) {
    PioBTree index = PioBTree.open(IndexOptions.DEFAULT, store, GEOMETRY);
    long[] keys = LongStream.range(0, LOADED).map(i -> 10 * i).toArray();
    index.bulkload(
        LongEntrySource.of(keys, keys, keys.length), 0.7, keys.length, ProgressListener.NONE);
    for (long key : keys) {
      model.put(key, key);
    }
    assertTrue(index.tree.height() >= 3);
    return index;
  }

  /** Returns how many writes the queue takes until it is flushed. */
  private static int writesBeforeFlush() {
    try (PioBTree index = loaded(new PausingStore(), new TreeMap<>())) {
      long inLeaves = index.tree.meta[PioStructure.IN_LEAVES];
      int steps = 0;
      while (index.tree.meta[PioStructure.IN_LEAVES] == inLeaves) {
        write(index, new TreeMap<>(), steps++);
      }
      return steps - 1;
    }
  }

  @Test
  void aFlushStopsNeitherSearchesNorAppends() throws Exception {
    int steps = writesBeforeFlush();
    int pauses = 0;
    while (flushWithPause(steps, pauses)) {
      pauses++;
    }
    assertTrue(pauses > 100, "calls: " + pauses);
  }

  /** Pauses a flush at one of its calls; returns whether it has so many. */
  private boolean flushWithPause(int steps, int call) throws Exception {
    PausingStore store = new PausingStore();
    TreeMap<Long, Long> model = new TreeMap<>();
    try (PioBTree index = loaded(store, model)) {
      for (int step = 0; step < steps; step++) {
        write(index, model, step);
      }
      TreeMap<Long, Long> after = new TreeMap<>();
      Future<?> writing =
          threads.submit(
              () -> {
                store.pauseThisThreadAt(call, () -> !index.tree.appending.isHeldByCurrentThread());
                write(index, after, steps);
                store.noteEnd();
              });
      boolean isPaused = store.awaitPause();
      long own = 10L * (steps * 37 % LOADED) + (steps % 3 == 0 ? 0 : 5);
      assertHolds(index, model, other -> other == own);
      if (isPaused) {
        long waiting = index.tree.queue.count();
        for (int i = 1; i <= 8; i++) {
          index.set(10L * i + 3, i);
          model.put(10L * i + 3, (long) i);
        }
        assertTrue(index.tree.queue.count() >= waiting + 8, "what is appended waits");
        assertHolds(index, model, other -> other == own);
      }
      store.resume();
      writing.get();
      model.remove(own);
      model.putAll(after);
      index.verify();
      assertHolds(index, model, _ -> false);
      assertEquals(model.size(), index.size());
      return isPaused;
    }
  }
}
