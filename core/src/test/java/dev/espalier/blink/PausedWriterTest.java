// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static dev.espalier.threads.SeenMeanwhile.assertHolds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import dev.espalier.threads.PausingStore;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A writer is paused before each call of the store that it makes, so between any two steps: all its
 * changes of a page are made between two such calls. Meanwhile readers find everything, by every
 * way, and others write to other leaves. A reader that waited for the writer would wait forever.
 */
@Tag("fallback-exhaustive")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PausedWriterTest {
  /** The trees, with their smallest pages. */
  enum Tree {
    B_LINK(12, 16),
    FPB_LINK(6, 8);

    private final int leaf;
    private final int children;

    Tree(int leaf, int children) {
      this.leaf = leaf;
      this.children = children;
    }

    /** How many entries there are; each leaf and each inner page of level 1 is full. */
    int entries() {
      return 3 * children * leaf;
    }

    /** Returns the only key between others that is missing, in the middle of the first third. */
    int gap() {
      return children * leaf / 2 + 1;
    }

    /** Returns the key of an entry: one more than the last, as searches go wrong there first. */
    long key(int entry) {
      return entry < gap() ? entry : entry + 1L;
    }

    LongIndex open(PageStore store) {
      return this == B_LINK
          ? BLinkTree.open(IndexOptions.DEFAULT, store)
          : FpbLinkTree.open(IndexOptions.DEFAULT, store, new Geometry(1, 1));
    }
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  /** Three levels, with full pages, and room in memory. */
  private static LongIndex fullPages(Tree tree, PausingStore store, TreeMap<Long, Long> model) {
    LongIndex index = tree.open(store);
    long[] keys = IntStream.range(0, tree.entries()).mapToLong(tree::key).toArray();
    index.bulkload(keys, keys);
    for (long key : keys) {
      model.put(key, key);
    }
    assertEquals(3, structure(index).height());
    return index;
  }

  private static BLinkStructure structure(LongIndex index) {
    return index instanceof FpbLinkTree fpb ? fpb.tree : ((BLinkTree) index).tree;
  }

  @ParameterizedTest
  @EnumSource
  void splitsThatClimbStopNoReader(Tree tree) throws Exception {
    long key = tree.gap();
    int pauses = pauseEverywhere(tree, index -> index.put(key, 7), key, 7L);
    assertTrue(pauses > 60, "calls: " + pauses);
  }

  @ParameterizedTest
  @EnumSource
  void splitAtTheRightEdgeStopsNoReader(Tree tree) throws Exception {
    long key = tree.key(tree.entries());
    int pauses = pauseEverywhere(tree, index -> index.put(key, 7), key, 7L);
    assertTrue(pauses > 30, "calls: " + pauses);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("thorough")
  void removalOfALeafStopsNoReader(Tree tree) throws Exception {
    for (int leaf : new int[] {0, 5, tree.children - 1, tree.children, 3 * tree.children - 1}) {
      int pauses = pauseEverywhere(tree, leaf, leaf + 1);
      assertTrue(pauses > 20, "calls: " + pauses);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("thorough")
  void removalOfAnInnerPageWithItsLastLeafStopsNoReader(Tree tree) throws Exception {
    for (int inner = 0; inner < 3; inner++) {
      int pauses = pauseEverywhere(tree, inner * tree.children, (inner + 1) * tree.children);
      assertTrue(pauses > 30, "calls: " + pauses);
    }
  }

  /** Empties leaves, and pauses at each call of the removal of the last key. */
  private int pauseEverywhere(Tree tree, int firstLeaf, int endLeaf) throws Exception {
    int lastEntry = endLeaf * tree.leaf - 1;
    long last = tree.key(lastEntry);
    return pauseEverywhere(
        tree,
        index -> {
          for (int entry = firstLeaf * tree.leaf; entry < lastEntry; entry++) {
            index.remove(tree.key(entry));
          }
        },
        index -> index.remove(last),
        last,
        null);
  }

  private int pauseEverywhere(Tree tree, Consumer<LongIndex> write, long key, @Nullable Long after)
      throws Exception {
    return pauseEverywhere(tree, _ -> {}, write, key, after);
  }

  /**
   * Pauses at each call of a write, in a new index each time.
   *
   * @param key what the write changes
   * @param after its value then
   * @return how many calls there are
   */
  private int pauseEverywhere(
      Tree tree,
      Consumer<LongIndex> before,
      Consumer<LongIndex> write,
      long key,
      @Nullable Long after)
      throws Exception {
    for (int call = 0; ; call++) {
      PausingStore store = new PausingStore();
      TreeMap<Long, Long> model = new TreeMap<>();
      try (LongIndex index = fullPages(tree, store, model)) {
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
          putElsewhere(tree, index, model, key);
        }
        store.resume();
        writing.get();
        if (after == null) {
          model.remove(key);
        } else {
          model.put(key, after);
        }
        index.verify();
        assertEquals(0, structure(index).space.outside());
        assertHolds(index, model, _ -> false);
        assertEquals(model.size(), index.size());
        if (!isPaused) {
          return call;
        }
      }
    }
  }

  /** Others write where the paused writer has no latch: in the leaf at the other end. */
  private static void putElsewhere(
      Tree tree, LongIndex index, TreeMap<Long, Long> model, long key) {
    long other = key < tree.key(tree.children * tree.leaf) ? model.lastKey() : model.firstKey();
    assertEquals(model.get(other), index.put(other, -1));
    model.put(other, -1L);
  }
}
