// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.tree.Structures;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of pages overwritten at random: every call answers something or throws, and ends. A call
 * that never ends is found by the limit on steps or, as a last resort, by the time limit.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedPagesTest {
  @Test
  void smallestPagesSurvive() {
    damageAndUse(
        200,
        400,
        () ->
            DiskOptimizedBPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256)));
    damageAndUse(
        200,
        400,
        () ->
            MicroIndexBPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256)));
  }

  @Test
  void defaultPagesSurvive() {
    damageAndUse(50, 4_000, () -> DiskOptimizedBPlusTree.create(IndexOptions.DEFAULT));
    damageAndUse(50, 4_000, () -> MicroIndexBPlusTree.create(IndexOptions.DEFAULT));
  }

  /** Behind the pages lie gigabytes of address space, where a wild count or number may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    damageAndUse(
        5,
        100_000,
        () ->
            DiskOptimizedBPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(1024)));
  }

  private static void damageAndUse(int trees, int entries, Supplier<? extends LongIndex> factory) {
    for (long seed : TestSize.seeds(trees)) {
      try (LongIndex index = factory.get()) {
        long[] keys = LongStream.range(0, entries).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, entries), 0.67, entries, ProgressListener.NONE);
        SplittableRandom random = new SplittableRandom(seed);
        long mostSteps = mostSteps(Structures.of(index, PagedStructure.class));
        damage(Structures.of(index, PagedStructure.class), random);
        DamagedUse.of(index, random, entries, mostSteps);
        index.clear();
        index.verify();
        index.put(1, 10);
        assertEquals(10, index.get(1));
        index.verify();
      }
    }
  }

  /** Overwrites up to 16 words, those of the headers more often than the rest. */
  private static void damage(PagedStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      int headerWords = PageHeader.BYTES / Long.BYTES;
      int words = random.nextInt(3) == 0 ? headerWords : tree.format.pageBytes / Long.BYTES;
      int word = random.nextInt(PageStore.RESERVED_BYTES / Long.BYTES, words);
      Words.putLong(tree.pages, randomPage(tree, random) + 8L * word, contents(tree, random));
    }
  }

  /** Returns the place of some page, of the upper levels more often than they are many. */
  private static long randomPage(PagedStructure tree, SplittableRandom random) {
    if (random.nextInt(3) == 0) {
      return tree.store.pin(tree.root());
    }
    return tree.store.pin(random.nextInt(1, tree.store.pagesInUse() + 1));
  }

  private static long contents(PagedStructure tree, SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> random.nextInt(64);
      case 3 -> Words.getLong(tree.pages, randomWord(tree, random));
      default -> (long) somePage(tree, random) << 32 | somePage(tree, random);
    };
  }

  private static long randomWord(PagedStructure tree, SplittableRandom random) {
    return random.nextLong((long) tree.store.pagesInUse() * tree.format.pageBytes / 8) * 8;
  }

  /** Returns the number of a page, or one behind the last. */
  private static int somePage(PagedStructure tree, SplittableRandom random) {
    return random.nextInt(tree.store.pagesInUse() + 2);
  }

  /**
   * Keys ascend in every scan, so no leaf page comes twice. Use makes at most as many pages again
   * as there were.
   */
  private static long mostSteps(PagedStructure tree) {
    return (2L * tree.store.pagesInUse() + 1000) * tree.format.leafCapacity;
  }
}
