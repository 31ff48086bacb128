// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.threads.SeenMeanwhile.assertHolds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.threads.PausingStore;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A writer is paused before each call of the store that it makes, so between any two steps: all its
 * changes of a page are made between two such calls. Meanwhile readers find everything, by every
 * way, and others write to other leaves. A reader that waited for the writer would wait forever.
 */
@Tag("fallback-thorough")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PausedWriterTest {
  private static final int LEAF = 12;
  private static final int CHILDREN = 16;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  /** Three levels, with each leaf and each inner page of level 1 full, and room in memory. */
  private static BLinkTree fullPages(PausingStore store, TreeMap<Long, Long> model) {
    BLinkTree index = BLinkTree.open(IndexOptions.DEFAULT, store);
    long[] keys = LongStream.range(0, 3 * CHILDREN * LEAF).map(i -> 10 * i).toArray();
    index.bulkload(keys, keys);
    for (long key : keys) {
      model.put(key, key);
    }
    assertEquals(3, index.tree.height());
    return index;
  }

  @Test
  void splitsThatClimbStopNoReader() throws Exception {
    // A key in the middle of full leaves below a full page.
    long key = 10 * (CHILDREN * LEAF / 2) + 5;
    int pauses = pauseEverywhere(index -> index.put(key, 7), key, 7L);
    assertTrue(pauses > 60, "calls: " + pauses);
  }

  @Test
  void splitAtTheRightEdgeStopsNoReader() throws Exception {
    long key = 10 * 3 * CHILDREN * LEAF;
    int pauses = pauseEverywhere(index -> index.put(key, 7), key, 7L);
    assertTrue(pauses > 30, "calls: " + pauses);
  }

  @Test
  void removalOfALeafStopsNoReader() throws Exception {
    for (int leaf : new int[] {0, 5, CHILDREN - 1, CHILDREN, 3 * CHILDREN - 1}) {
      int pauses = pauseEverywhere(leaf, leaf + 1);
      assertTrue(pauses > 20, "calls: " + pauses);
    }
  }

  @Test
  void removalOfAnInnerPageWithItsLastLeafStopsNoReader() throws Exception {
    for (int inner = 0; inner < 3; inner++) {
      int pauses = pauseEverywhere(inner * CHILDREN, (inner + 1) * CHILDREN);
      assertTrue(pauses > 30, "calls: " + pauses);
    }
  }

  /** Empties leaves, and pauses at each call of the removal of the last key. */
  private int pauseEverywhere(int firstLeaf, int endLeaf) throws Exception {
    long last = 10L * endLeaf * LEAF - 10;
    return pauseEverywhere(
        index -> {
          for (long key = 10L * firstLeaf * LEAF; key < last; key += 10) {
            index.remove(key);
          }
        },
        index -> index.remove(last),
        last,
        null);
  }

  private int pauseEverywhere(Consumer<BLinkTree> write, long key, @Nullable Long after)
      throws Exception {
    return pauseEverywhere(_ -> {}, write, key, after);
  }

  /**
   * Pauses at each call of a write, in a new tree each time.
   *
   * @param key what the write changes
   * @param after its value then
   * @return how many calls there are
   */
  private int pauseEverywhere(
      Consumer<BLinkTree> before, Consumer<BLinkTree> write, long key, @Nullable Long after)
      throws Exception {
    for (int call = 0; ; call++) {
      PausingStore store = new PausingStore();
      TreeMap<Long, Long> model = new TreeMap<>();
      try (BLinkTree index = fullPages(store, model)) {
        before.accept(index);
        model.keySet().removeIf(there -> !index.containsKey(there));
        int pauseAt = call;
        Future<?> writing =
            threads.submit(
                () -> {
                  store.pauseThisThreadAt(pauseAt, () -> true);
                  write.accept(index);
                  store.noteEnd();
                });
        boolean isPaused = store.awaitPause();
        assertHolds(index, model, other -> other == key);
        if (isPaused) {
          putElsewhere(index, model, key);
        }
        store.resume();
        writing.get();
        if (after == null) {
          model.remove(key);
        } else {
          model.put(key, after);
        }
        index.verify();
        assertEquals(0, index.tree.space.outside());
        assertHolds(index, model, _ -> false);
        assertEquals(model.size(), index.size());
        if (!isPaused) {
          return call;
        }
      }
    }
  }

  /** Others write where the paused writer has no latch: in the leaf at the other end. */
  private static void putElsewhere(BLinkTree index, TreeMap<Long, Long> model, long key) {
    long other = key < 10 * CHILDREN * LEAF ? model.lastKey() : model.firstKey();
    assertEquals(model.get(other), index.put(other, -1));
    model.put(other, -1L);
  }
}
