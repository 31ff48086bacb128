// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree.Geometry;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of pages overwritten at random: every call answers something or throws, and ends. A call
 * that never ends is found by the limit on steps or, as a last resort, by the time limit.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheFirstDamageTest {
  @Test
  void smallestPagesSurvive() {
    damageAndUse(300, 300, 256, 1);
  }

  @Test
  void wideNodesSurvive() {
    damageAndUse(100, 4_000, 4096, 9);
  }

  private static void damageAndUse(int trees, int entries, int pageBytes, int width) {
    for (long seed : TestSize.seeds(trees)) {
      try (CacheFirstFpbPlusTree index =
          CacheFirstFpbPlusTree.open(
              IndexOptions.DEFAULT,
              IndexOptions.DEFAULT.pagesInMemory(pageBytes),
              new Geometry(width))) {
        long[] keys = LongStream.range(0, entries).toArray();
        index.bulkload(
            LongEntrySource.of(keys, keys, entries), 0.67, entries, ProgressListener.NONE);
        SplittableRandom random = new SplittableRandom(seed);
        damage(index.tree, random);
        DamagedUse.of(index, random, entries, mostSteps(index.tree));
        index.clear();
        index.verify();
        index.put(1, 10);
        assertEquals(10, index.get(1));
        index.verify();
      }
    }
  }

  /** Overwrites up to 16 words in any pages, their headers more often than the rest. */
  private static void damage(CacheFirstStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      int number = random.nextInt(1, tree.store.pagesInUse() + 1);
      int first = PageStore.RESERVED_BYTES / 8;
      int words = (random.nextInt(4) == 0 ? CacheFirstPage.HEADER_BYTES : tree.page.pageBytes) / 8;
      long at = tree.store.pin(number);
      Words.putLong(tree.pages, at + 8L * random.nextInt(first, words), contents(tree, random));
      tree.store.unpin(at, true);
    }
  }

  private static long contents(CacheFirstStructure tree, SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> random.nextInt(64);
      default -> (long) node(tree, random) << 32 | node(tree, random);
    };
  }

  /** Returns a node in any line of any page. */
  private static int node(CacheFirstStructure tree, SplittableRandom random) {
    return random.nextInt((tree.store.pagesInUse() + 1) << tree.page.lineBits);
  }

  /** A leaf may begin at every line, and each is scanned at most once. */
  private static long mostSteps(CacheFirstStructure tree) {
    return ((tree.store.pagesInUse() + 1L) << tree.page.lineBits) * tree.leaf.capacity;
  }
}
