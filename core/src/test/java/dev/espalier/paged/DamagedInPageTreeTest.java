// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Shorts and words of pages overwritten at random: every call answers something or throws, and
 * ends. A call that never ends is found by the limit on steps or, as a last resort, by the time
 * limit.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedInPageTreeTest {
  @Test
  void smallestPagesSurvive() {
    damageAndUse(150, 300, () -> create(256, new Geometry(1, 1)));
    damageAndUse(60, 600, () -> create(1024, new Geometry(1, 1)));
  }

  @Test
  void defaultPagesSurvive() {
    damageAndUse(20, 4_000, () -> DiskFirstFpbPlusTree.create(IndexOptions.DEFAULT));
  }

  /** Behind the pages lie gigabytes of address space, where a wild count or line may lead. */
  @Test
  void treeInReservedMemorySurvives() {
    damageAndUse(3, 100_000, () -> create(2048, new Geometry(1, 3)));
  }

  private static DiskFirstFpbPlusTree create(int pageBytes, Geometry geometry) {
    return DiskFirstFpbPlusTree.open(
        IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes), geometry);
  }

  private static void damageAndUse(int trees, int entries, Supplier<DiskFirstFpbPlusTree> factory) {
    for (long seed : TestSize.seeds(trees)) {
      try (DiskFirstFpbPlusTree index = factory.get()) {
        long[] keys = LongStream.range(0, entries).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, entries), 0.67, entries, ProgressListener.NONE);
        SplittableRandom random = new SplittableRandom(seed);
        long mostSteps =
            (2L * index.tree.store.pagesInUse() + 1000) * index.tree.format.leafCapacity;
        damage(index.tree, random);
        DamagedUse.of(index, random, entries, mostSteps);
        index.clear();
        index.verify();
        index.put(1, 10);
        assertEquals(10, index.get(1));
        index.verify();
      }
    }
  }

  /** Overwrites up to 16 places, those of the headers more often than the rest. */
  private static void damage(PagedStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      long page = tree.store.pin(random.nextInt(1, tree.store.pagesInUse() + 1));
      if (random.nextInt(4) == 0) {
        page = tree.store.pin(tree.root());
      }
      int end = random.nextInt(3) == 0 ? PageHeader.BYTES : tree.format.pageBytes;
      if (random.nextBoolean()) {
        int word = random.nextInt(PageStore.RESERVED_BYTES / 8, end / 8);
        long contents = random.nextBoolean() ? DamagedUse.extreme(random) : random.nextInt(64);
        Words.putLong(tree.pages, page + 8L * word, contents);
      } else {
        int place = random.nextInt(PageStore.RESERVED_BYTES / 2, end / 2);
        int line = random.nextInt(tree.format.pageBytes / 64 + 2);
        Words.putShort(
            tree.pages, page + 2L * place, random.nextInt(4) == 0 ? random.nextInt() : line);
      }
    }
  }
}
