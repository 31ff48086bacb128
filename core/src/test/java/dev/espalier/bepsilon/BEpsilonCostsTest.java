// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What writes cost, as counts: the bounds of the papers, with their constants. */
class BEpsilonCostsTest {
  private static final int PAGE_BYTES = 1024;
  private static final int WRITES = 60_000;

  /** Far fewer than the pages of a tree. */
  private static final int FRAMES = 16;

  private static BEpsilonTree bEpsilon(PageStore store) {
    return BEpsilonTree.open(IndexOptions.DEFAULT, store);
  }

  private static BEpsilonTree repository(PageStore store) {
    return BufferedRepositoryTree.open(IndexOptions.DEFAULT, store);
  }

  private static CountingPageStore store() {
    return new CountingPageStore(
        new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF), FRAMES);
  }

  private static <T extends LongIndex> T write(T index) {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < WRITES; i++) {
      index.set(random.nextLong(), i);
    }
    return index;
  }

  /** The fullest of F runs of a full buffer of M messages has M / F at least. */
  @Test
  void movesCarryAsManyMessagesAsAChildHasOnAverage() {
    try (BEpsilonTree index = write(bEpsilon(store()))) {
      BEpsilonFlush flush = index.tree.flush;
      InnerPage inner = index.tree.inner;
      assertTrue(
          flush.moved >= flush.flushes * inner.capacity / inner.fanout,
          flush.moved + " messages in " + flush.flushes + " moves");
    }
  }

  /** All messages of a buffer go in one move for each child, and in none for empty runs. */
  @Test
  void wholeBuffersGoInOneMoveForEachChild() {
    try (BEpsilonTree index = write(repository(store()))) {
      BEpsilonFlush flush = index.tree.flush;
      InnerPage inner = index.tree.inner;
      assertTrue(
          flush.moved >= flush.flushes * inner.capacity / inner.fanout,
          flush.moved + " messages in " + flush.flushes + " moves");
    }
  }

  @Test
  void messageMovesOnceForEachLevel() {
    for (BEpsilonTree index : new BEpsilonTree[] {bEpsilon(store()), repository(store())}) {
      try (index) {
        write(index);
        assertTrue(index.tree.flush.moved <= (long) WRITES * (index.tree.height() - 1));
      }
    }
  }

  @Test
  void treeIsNoHigherThanPagesThatAreHalfFullMakeIt() {
    for (BEpsilonTree index : new BEpsilonTree[] {bEpsilon(store()), repository(store())}) {
      try (index) {
        write(index);
        double leaves = 2.0 * WRITES / index.tree.leaf.capacity;
        double least = Math.max(index.tree.inner.fanout / 2.0, 2);
        assertTrue(index.tree.height() <= 2 + Math.ceil(Math.log(leaves) / Math.log(least)));
      }
    }
  }

  @Test
  void mostBlindWritesTouchTheRootAlone() {
    try (CountingPageStore store = store();
        BEpsilonTree index = write(bEpsilon(store))) {
      int alone = 0;
      SplittableRandom random = new SplittableRandom(4);
      for (int i = 0; i < 1000; i++) {
        store.resetCounters();
        switch (i % 3) {
          case 0 -> index.set(random.nextLong(), i);
          case 1 -> index.delete(random.nextLong());
          default -> index.add(random.nextLong(), i);
        }
        alone += store.counters().pins() == 1 ? 1 : 0;
      }
      assertTrue(alone > 800, "of 1000 writes " + alone + " touched one page");
    }
  }

  @Test
  void scatteredWritesReadAFractionOfThePagesThatABPlusTreeReads() {
    long plain = reads(store -> DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store));
    long bEpsilon = reads(BEpsilonCostsTest::bEpsilon);
    long repository = reads(BEpsilonCostsTest::repository);
    assertTrue(5 * bEpsilon < plain, bEpsilon + " and " + plain);
    assertTrue(3 * repository < plain, repository + " and " + plain);
  }

  private static long reads(Function<PageStore, LongIndex> factory) {
    CountingPageStore store = store();
    try (LongIndex index = write(factory.apply(store))) {
      long reads = store.counters().reads();
      assertEquals(WRITES, index.size());
      return reads;
    }
  }

  @Test
  void ascendingWritesLeaveFullLeaves() {
    try (BEpsilonTree index = bEpsilon(store())) {
      for (int i = 0; i < WRITES; i++) {
        index.set(i, i);
      }
      assertTrue(index.statistics().leafFill() > 0.95);
    }
  }

  @Test
  void sizeIsKnownUntilAWriteDoesNotLook() {
    try (BEpsilonTree index = bEpsilon(store())) {
      for (int i = 0; i < 5000; i++) {
        index.put(i, i);
        index.remove(i - 1000L);
      }
      assertEquals(1000, index.tree.size());
      index.set(7, 7);
      assertEquals(BEpsilonStructure.UNKNOWN, index.tree.knownSize());
      assertEquals(1001, index.size());
      assertEquals(1001, index.tree.size());
      index.remove(7);
      assertEquals(1000, index.tree.size());
      index.delete(7);
      assertEquals(BEpsilonStructure.UNKNOWN, index.tree.knownSize());
      assertTrue(index.sizeEstimate() > 500 && !index.isEmpty());
    }
  }
}
