// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.cola.Cola.Geometry;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of pages overwritten at random: every call answers something or throws, and ends. A call
 * that never ends is found by the limit on steps or, as a last resort, by the time limit.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ColaDamageTest {
  private static final int HEADER_WORDS = 8;

  @Test
  void smallLevelsSurvive() {
    damageAndUse(30, 400, 1024, new Geometry(2, 0.3, 5));
    damageAndUse(30, 400, 1024, new Geometry(4, 1, 20));
  }

  @Test
  void defaultPagesSurvive() {
    damageAndUse(5, 4_000, 4096, Geometry.DEFAULT);
  }

  private static void damageAndUse(int trees, int entries, int pageBytes, Geometry geometry) {
    for (long seed : TestSize.seeds(trees)) {
      try (Cola index =
          Cola.open(
              IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes), geometry)) {
        SplittableRandom random = new SplittableRandom(seed);
        fill(index, entries, random);
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

  private static void fill(Cola index, int entries, SplittableRandom random) {
    for (int i = 0; i < entries; i++) {
      long key = random.nextInt(entries);
      if (random.nextInt(5) == 0) {
        index.delete(key);
      } else {
        index.set(key, i);
      }
    }
  }

  /** Writes that don't look merge the most. */
  private static void write(Cola index, SplittableRandom random, int entries) {
    for (int i = 0; i < 200; i++) {
      try {
        long key = random.nextInt(entries);
        if (random.nextInt(3) == 0) {
          index.delete(key);
        } else {
          index.set(key, i);
        }
      } catch (RuntimeException _) {
        // As good as an answer: the tree is damaged.
      }
    }
  }

  /** Overwrites up to 16 words, those of the headers more often than the rest. */
  private static void damage(ColaStructure tree, SplittableRandom random) {
    int damaged = random.nextInt(1, 17);
    for (int i = 0; i < damaged; i++) {
      int words = random.nextInt(3) == 0 ? HEADER_WORDS : tree.layout.bytes / Long.BYTES;
      int word = random.nextInt(PageStore.RESERVED_BYTES / Long.BYTES, words);
      Words.putLong(tree.pages, randomPage(tree, random) + 8L * word, contents(tree, random));
    }
  }

  /** Returns the place of some page, of level 0 more often than of others. */
  private static long randomPage(ColaStructure tree, SplittableRandom random) {
    return tree.store.pin(
        random.nextInt(4) == 0
            ? (int) tree.meta[ColaStructure.TOP]
            : random.nextInt(1, tree.store.pagesInUse() + 1));
  }

  private static long contents(ColaStructure tree, SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> random.nextInt(64);
      default -> (long) random.nextInt(tree.batch) << 32 | random.nextInt(tree.batch);
    };
  }

  /** Each element is passed once in a scan, whatever its key; use makes twice as many at most. */
  private static long mostSteps(ColaStructure tree) {
    return (2L * tree.store.pagesInUse() + 1000) * tree.layout.capacity;
  }
}
