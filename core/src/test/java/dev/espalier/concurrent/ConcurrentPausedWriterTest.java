// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.threads.SeenMeanwhile;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A writer is paused before each step of a split or merge. Meanwhile readers find everything, by
 * every way, and others write to other leaves. A reader that waited for the writer would wait
 * forever.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentPausedWriterTest {
  private static final int LEAF = 3;
  private static final int CHILDREN = 4;
  private static final int ENTRIES = 4 * CHILDREN * CHILDREN * LEAF;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  /** Stops the first thread that comes to a step. */
  private static final class Pause implements Runnable {
    private final int pauseAt;
    private volatile @Nullable Thread writer;
    private int steps;
    final CountDownLatch paused = new CountDownLatch(1);
    final CountDownLatch resumed = new CountDownLatch(1);

    Pause(int pauseAt) {
      this.pauseAt = pauseAt;
    }

    /** Counts the steps of this thread from now on. */
    void begin() {
      writer = Thread.currentThread();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // A thread is only ever itself.
    public void run() {
      if (Thread.currentThread() != writer || steps++ != pauseAt) {
        return;
      }
      paused.countDown();
      try {
        resumed.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Four levels or five, with nodes of one line that are as full as is said. */
  private static ConcurrentPbPlusTree tree(double fill, TreeMap<Long, Long> model) {
    ConcurrentPbPlusTree index =
        ConcurrentPbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 1));
    // The memory must not have to move while the writer is paused.
    for (long key = 0; key < 2 * ENTRIES; key++) {
      index.put(key, key);
    }
    for (long key = 0; key < 2 * ENTRIES; key++) {
      index.remove(key);
    }
    long[] keys = LongStream.range(0, ENTRIES).map(i -> 10 * i).toArray();
    index.bulkload(LongEntrySource.of(keys, keys, ENTRIES), fill, ENTRIES, ProgressListener.NONE);
    for (long key : keys) {
      model.put(key, key);
    }
    return index;
  }

  @Test
  void splitsThatClimbStopNoReader() throws Exception {
    int steps = pauseAtEachStep(1, _ -> {}, index -> index.put(ENTRIES / 2 * 10 + 5, 7));
    // All levels are full: each node below the root takes two steps, the root's split one more.
    assertTrue(steps >= 8, "steps: " + steps);
  }

  @Test
  void splitAtTheRightEdgeStopsNoReader() throws Exception {
    int steps = pauseAtEachStep(1, _ -> {}, index -> index.put(10L * ENTRIES, 7));
    assertTrue(steps >= 4, "steps: " + steps);
  }

  @Test
  void mergesThatClimbStopNoReader() throws Exception {
    int most = 0;
    for (long key : new long[] {0, 10 * (ENTRIES / 2), 10 * (ENTRIES - 4)}) {
      // With half of their entries all nodes are at their minimum.
      most = Math.max(most, pauseAtEachStep(0.5, _ -> {}, removalFrom(key)));
    }
    assertTrue(most >= 6, "steps: " + most);
  }

  @Test
  void entriesThatALeafTakesFromItsRightOrLeftStopNoReader() throws Exception {
    // A leaf of one entry that loses it takes from a sibling that is full.
    for (long emptied : new long[] {0, 9 * LEAF, 10 * LEAF}) {
      long first = 10 * emptied;
      int steps =
          pauseAtEachStep(
              1,
              index -> {
                index.remove(first);
                index.remove(first + 10);
              },
              index -> index.remove(first + 20));
      assertTrue(steps >= 3, "steps: " + steps);
    }
  }

  @Test
  void rootThatBecomesLowerStopsNoReader() throws Exception {
    int steps =
        pauseAtEachStep(
            0.5,
            index -> {
              for (long i = ENTRIES - 1; height(index) > 2; i--) {
                index.remove(10 * i);
              }
            },
            index -> {
              for (long i = 0; height(index) > 1; i++) {
                index.remove(10 * i);
              }
            });
    assertTrue(steps >= 3, "steps: " + steps);
  }

  private static int height(ConcurrentPbPlusTree index) {
    return ConcurrentCorruption.rootLevel(index.tree);
  }

  /** Removes four entries that lie side by side. */
  private static Consumer<ConcurrentPbPlusTree> removalFrom(long key) {
    return index -> {
      for (int i = 0; i < 4; i++) {
        index.remove(key + 10 * i);
      }
    };
  }

  /**
   * Pauses at each step of a write, in a new tree each time.
   *
   * @return how many steps there are
   */
  private int pauseAtEachStep(
      double fill, Consumer<ConcurrentPbPlusTree> before, Consumer<ConcurrentPbPlusTree> write)
      throws Exception {
    for (int step = 0; ; step++) {
      Pause pause = new Pause(step);
      TreeMap<Long, Long> model = new TreeMap<>();
      TreeMap<Long, Long> after = new TreeMap<>();
      try (ConcurrentPbPlusTree index = tree(fill, model);
          ConcurrentPbPlusTree done = tree(fill, after)) {
        before.accept(index);
        before.accept(done);
        write.accept(done);
        model.keySet().removeIf(there -> !index.containsKey(there));
        after.clear();
        for (LongCursor cursor = done.cursor(); cursor.next(); ) {
          after.put(cursor.key(), cursor.value());
        }
        index.tree.beforeStep = pause;
        Future<?> writing =
            threads.submit(
                () -> {
                  pause.begin();
                  write.accept(index);
                  pause.paused.countDown();
                });
        assertTrue(pause.paused.await(30, TimeUnit.SECONDS));
        boolean isPaused = pause.steps > step;
        // What the write changes is there or not; all else is there.
        TreeMap<Long, Long> always = new TreeMap<>(model);
        always.keySet().retainAll(after.keySet());
        assertHolds(index, always);
        if (isPaused) {
          putElsewhere(index, always);
          after.putAll(always);
          assertHolds(index, always);
        }
        pause.resumed.countDown();
        writing.get();
        index.verify();
        assertHolds(index, after);
        assertEquals(after.size(), index.size());
        if (!isPaused) {
          return step;
        }
      }
    }
  }

  /**
   * Others write where the paused writer has no latch: in a leaf that none of the tests changes.
   */
  private static void putElsewhere(ConcurrentPbPlusTree index, TreeMap<Long, Long> model) {
    Long middle = model.navigableKeySet().ceiling(10L * ENTRIES / 4 + 50);
    if (middle == null) {
      return; // Hardly anything is left.
    }
    assertEquals(model.get(middle), index.put(middle, -1));
    model.put(middle, -1L);
  }

  /** Checks the entries; others may be there as well. */
  private static void assertHolds(ConcurrentPbPlusTree index, TreeMap<Long, Long> model) {
    SeenMeanwhile.assertHolds(index, model, key -> !model.containsKey(key));
  }
}
