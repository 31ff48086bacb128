// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a deamortized COLA promises: no write does more than its share, and that is enough. */
class DeamortizedScheduleTest {
  private static final int MESSAGES = 20_000;

  /** Pages of 58 elements, so that the deeper arrays have hundreds of them. */
  private static final int PAGE_BYTES = 1024;

  private final PageStore store =
      new MemoryPageStore(PAGE_BYTES, IndexOptions.DEFAULT.memoryLimit(), HugePages.OFF);
  private DeamortizedCola index = open(1);

  private DeamortizedCola open(int batch) {
    return DeamortizedCola.open(IndexOptions.DEFAULT, store, new DeamortizedCola.Geometry(batch));
  }

  private DeamortizedStructure empty(int batch) {
    store.clear();
    index = open(batch);
    return index.tree;
  }

  @AfterEach
  void close() {
    index.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 58})
  void noSetMovesMoreThanItsShare(int batch) {
    write(empty(batch), key -> key);
    assertEquals(MESSAGES, index.size());
    assertTrue(index.tree.moves > 5L * MESSAGES, "each entry was moved through several levels");
    write(empty(batch), key -> -key);
    write(empty(batch), DeamortizedScheduleTest::scatter);
    assertEquals(MESSAGES, index.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 58})
  void overwritesAndDeletesMoveNoMoreEither(int batch) {
    DeamortizedStructure tree = empty(batch);
    SplittableRandom random = new SplittableRandom(batch);
    for (int i = 0; i < MESSAGES; i++) {
      long key = random.nextInt(2000);
      boolean isPut = random.nextInt(3) > 0;
      checkShare(tree, () -> write(key, isPut));
    }
    index.verify();
  }

  @Test
  void loadedLevelsAreMergedInTimeToo() {
    DeamortizedStructure tree = empty(4);
    long[] keys = LongStream.range(0, 4 * 512 + 1).map(i -> 2 * i).toArray();
    index.bulkload(keys, keys);
    write(tree, key -> 2 * key + 1);
    assertEquals(keys.length + MESSAGES, index.size());
  }

  private void write(DeamortizedStructure tree, LongUnaryOperator keys) {
    for (long i = 0; i < MESSAGES; i++) {
      long key = keys.applyAsLong(i);
      checkShare(tree, () -> write(key, true));
    }
    index.verify();
  }

  private void write(long key, boolean isPut) {
    if (isPut) {
      index.set(key, key);
    } else {
      index.delete(key);
    }
  }

  private static void checkShare(DeamortizedStructure tree, Runnable write) {
    long moves = tree.moves;
    long frees = tree.frees;
    int depth = tree.depth;
    write.run();
    assertTrue(
        tree.moves - moves <= 2 * Math.max(depth, 1) + 2,
        () -> tree.moves - moves + " moves with " + depth + " levels");
    assertTrue(tree.frees - frees <= DeamortizedStructure.FREES);
    for (int k = 1; k < tree.depth; k++) {
      assertFalse(tree.isUnsafe(k - 1) && tree.isUnsafe(k), "adjacent levels are unsafe");
    }
  }

  @Test
  void mergeIsCompleteBeforeTheNextArrayOfItsLevelComes() {
    DeamortizedStructure tree = empty(3);
    // The last writes of a batch of batches, when most merges ought to be over.
    for (long i = 0; i < 3 << 10; i++) {
      index.set(i, i);
    }
    for (int k = 0; k < tree.depth; k++) {
      long waiting = tree.merges[k].wastePages();
      assertTrue(waiting <= 3L * (1 + tree.capacity(k) * 2 / tree.layout.capacity));
    }
    index.verify();
  }

  @Test
  void mergeGoesOnWhereItWasAfterReopening() {
    DeamortizedStructure tree = empty(2);
    for (long i = 0; i < MESSAGES; i++) {
      long key = scatter(i);
      if (i % 997 == 996) {
        int pages = store.pagesInUse();
        index = open(2);
        assertFalse(tree == index.tree);
        tree = index.tree;
        assertEquals(pages, store.pagesInUse());
        index.verify();
      }
      checkShare(tree, () -> write(key, true));
    }
    assertEquals(MESSAGES, index.size());
  }

  @Test
  void anotherBatchOrATreeOfAnotherKindIsRefused() {
    empty(2);
    index.put(1, 1);
    assertThrows(IllegalArgumentException.class, () -> open(3));
    assertThrows(IllegalArgumentException.class, () -> Cola.open(IndexOptions.DEFAULT, store));
    assertEquals(1, index.get(1));
  }

  @Test
  void overwritesDoNotMakeTheStructureDeeper() {
    DeamortizedStructure tree = empty(2);
    for (int i = 0; i < MESSAGES; i++) {
      index.set(i % 100, i);
    }
    assertTrue(tree.depth <= 7, () -> tree.depth + " levels for 100 entries");
    assertEquals(100, index.size());
  }

  @Test
  void tombstonesVanishInTheDeepestLevel() {
    DeamortizedStructure tree = empty(2);
    for (int i = 0; i < 1000; i++) {
      index.set(i, i);
    }
    for (int i = 0; i < 1000; i++) {
      index.delete(i);
    }
    assertTrue(index.isEmpty());
    for (int i = 0; i < 6000; i++) {
      index.set(5000 + i % 10, i);
    }
    assertEquals(0, tree.tombstones());
    assertEquals(10, index.size());
    assertTrue(index.sizeEstimate() >= 10);
    index.verify();
  }

  @Test
  void deletedKeysStayDeletedThroughAllMerges() {
    DeamortizedStructure tree = empty(2);
    index.set(77, 1);
    for (int i = 100; i < 1100; i++) {
      index.set(i, i);
    }
    index.delete(77);
    for (int i = 1100; i < 5000; i++) {
      index.set(i, i);
      assertFalse(index.containsKey(77));
    }
    assertTrue(tree.depth > 8);
  }

  private static long scatter(long number) {
    return number * 0x9e37_79b9_7f4a_7c15L;
  }
}
