// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.DamagedUse;
import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Words of pages overwritten at random, with merges half done: every call answers something or
 * throws, and ends.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeamortizedDamageTest {
  private static final long LIMIT = 16 << 20;

  @Test
  void smallBatchesSurvive() {
    damageAndUse(60, 400, 1024, 2);
  }

  @Test
  void defaultPagesSurvive() {
    damageAndUse(15, 4_000, 4096, 256);
  }

  /** What is wrong in the manifest is found when the index is opened, or by those who use it. */
  @Test
  void damagedManifestIsRefusedOrUsed() {
    for (int seed = 0; seed < 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      PageStore store = new MemoryPageStore(1024, LIMIT, HugePages.OFF);
      try (DeamortizedCola index = fill(store, 400, 2)) {
        long manifest = store.pin((int) index.tree.meta[MessageLevels.MANIFEST]);
        for (int i = random.nextInt(1, 4); i > 0; i--) {
          long word = manifest + 8L * random.nextInt(2, 90);
          Words.putLong(index.tree.pages, word, contents(index.tree, random));
        }
        long mostSteps = mostSteps(index.tree);
        try {
          DamagedUse.of(open(store, 2), random, 400, mostSteps);
        } catch (RuntimeException _) {
          // Refused: as good as an answer.
        }
        index.clear();
      }
    }
  }

  private static DeamortizedCola open(PageStore store, int batch) {
    return DeamortizedCola.open(IndexOptions.DEFAULT, store, new DeamortizedCola.Geometry(batch));
  }

  private static DeamortizedCola fill(PageStore store, int entries, int batch) {
    DeamortizedCola index = open(store, batch);
    for (long key = 0; key < entries; key++) {
      index.put((key * 7919) % entries, key);
    }
    return index;
  }

  private static void damageAndUse(int trees, int entries, int pageBytes, int batch) {
    for (long seed : TestSize.seeds(trees)) {
      PageStore store = new MemoryPageStore(pageBytes, LIMIT, HugePages.OFF);
      try (DeamortizedCola index = fill(store, entries, batch)) {
        SplittableRandom random = new SplittableRandom(seed);
        long mostSteps = mostSteps(index.tree);
        for (int i = random.nextInt(1, 17); i > 0; i--) {
          damage(index.tree, random);
        }
        DamagedUse.of(index, random, entries, mostSteps);
        index.clear();
        index.verify();
        index.put(1, 10);
        assertEquals(10, index.get(1));
        index.verify();
      }
    }
  }

  /** Overwrites a word, one of the header and the bits more often than one of the rest. */
  private static void damage(DeamortizedStructure tree, SplittableRandom random) {
    long page = tree.store.pin(random.nextInt(1, tree.store.pagesInUse() + 1));
    int words = (int) (random.nextInt(3) == 0 ? tree.layout.keysOffset : tree.layout.bytes) / 8;
    int word = random.nextInt(PageStore.RESERVED_BYTES / Long.BYTES, words);
    Words.putLong(tree.pages, page + 8L * word, contents(tree, random));
  }

  private static long contents(DeamortizedStructure tree, SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong();
      case 1 -> DamagedUse.extreme(random);
      case 2 -> random.nextInt(64);
      default -> (long) somePage(tree, random) << 32 | somePage(tree, random);
    };
  }

  private static int somePage(DeamortizedStructure tree, SplittableRandom random) {
    return random.nextInt(tree.store.pagesInUse() + 2);
  }

  /** A scan passes each element once, and use makes at most as many pages again as there were. */
  private static long mostSteps(DeamortizedStructure tree) {
    return (4L * tree.store.pagesInUse() + 1000) * tree.layout.capacity;
  }
}
