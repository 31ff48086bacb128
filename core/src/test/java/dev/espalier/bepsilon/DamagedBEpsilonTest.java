// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of pages overwritten at random: every call answers something or throws, and ends. A call
 * that never ends is found by the limit on steps or, as a last resort, by the time limit.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedBEpsilonTest {
  @Test
  void smallestPagesSurvive() {
    damageAndUse(
        120,
        400,
        () ->
            BEpsilonTree.open(
                IndexOptions.DEFAULT,
                IndexOptions.DEFAULT.pagesInMemory(256),
                new BEpsilonTree.Geometry(4)));
    damageAndUse(
        120,
        400,
        () ->
            BufferedRepositoryTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256)));
  }

  @Test
  void defaultPagesSurvive() {
    damageAndUse(20, 4_000, () -> BEpsilonTree.create(IndexOptions.DEFAULT));
    damageAndUse(20, 4_000, () -> BufferedRepositoryTree.create(IndexOptions.DEFAULT));
  }

  private static void damageAndUse(
      int trees, int entries, Supplier<? extends BEpsilonTree> factory) {
    for (long seed : TestSize.seeds(trees)) {
      try (BEpsilonTree index = factory.get()) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < entries; i++) {
          index.set(random.nextInt(entries), i);
        }
        long mostSteps = mostSteps(index.tree);
        damage(index.tree, random);
        DamagedUse.of(index, random, entries, mostSteps);
        write(index, random, entries);
        index.clear();
        index.verify();
        index.put(1, 10);
        assertEquals(10, index.get(1));
        index.verify();
      }
    }
  }

  /** Writes that don't look send the most messages down. */
  private static void write(BEpsilonTree index, SplittableRandom random, int entries) {
    for (int i = 0; i < 100; i++) {
      try {
        long key = random.nextInt(entries);
        switch (random.nextInt(3)) {
          case 0 -> index.set(key, i);
          case 1 -> index.add(key, i);
          default -> index.delete(key);
        }
      } catch (RuntimeException _) {
        // As good as an answer: the tree is damaged.
      }
    }
  }

  /** Overwrites up to 16 words, those of the headers more often than the rest. */
  private static void damage(BEpsilonStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      int words =
          (random.nextInt(3) == 0 ? 2 * NodePage.BYTES : tree.store.pageBytes()) / Long.BYTES;
      int word = random.nextInt(PageStore.RESERVED_BYTES / Long.BYTES, words);
      Words.putLong(tree.pages, randomPage(tree, random) + 8L * word, contents(tree, random));
    }
  }

  /** Returns the place of some page, of the root more often than of others. */
  private static long randomPage(BEpsilonStructure tree, SplittableRandom random) {
    return tree.store.pin(
        random.nextInt(3) == 0 ? tree.root() : random.nextInt(1, tree.store.pagesInUse() + 1));
  }

  private static long contents(BEpsilonStructure tree, SplittableRandom random) {
    int pages = tree.store.pagesInUse() + 2;
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> random.nextInt(64);
      default -> (long) random.nextInt(pages) << 32 | random.nextInt(pages);
    };
  }

  /**
   * A scan goes to a leaf for each interval, whose ends ascend and stand in pages; each may show
   * the same leaf, and all messages of a path.
   */
  private static long mostSteps(BEpsilonStructure tree) {
    long intervals = (2L * tree.store.pagesInUse() + 1000) * tree.inner.fanout;
    return intervals * (tree.leaf.capacity + 10L * tree.inner.capacity);
  }
}
