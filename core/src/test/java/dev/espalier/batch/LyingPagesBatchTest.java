// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.LyingPages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Batched lookups give back their pins, each once, whatever the pages say. */
class LyingPagesBatchTest {
  private static final int PAGE_BYTES = 1024;
  private static final int KEYS = 3_000;

  private final Random random = new Random(2);

  private static Stream<String> trees() {
    return Family.all().stream()
        .filter(tree -> tree.medium() == TreeVariant.Medium.PAGES)
        .map(TreeVariant::name);
  }

  @ParameterizedTest
  @MethodSource("trees")
  void allPinsAreGivenBackOnce(String tree) {
    MemoryPageStore memory = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
    LyingPages lies = new LyingPages(memory, random);
    CheckedPageStore pages = new CheckedPageStore(memory, 70);
    try (LongIndex index = Family.named(tree).open(IndexOptions.DEFAULT, pages)) {
      for (int i = 0; i < KEYS; i++) {
        index.put(random.nextInt(KEYS), i);
      }
      for (int round = 0; round < TestSize.share(100, 30_000); round++) {
        long[] keys = random.longs(64, 0, KEYS).toArray();
        lies.lie();
        try {
          index.getAll(keys, new long[keys.length], new long[1]);
        } catch (RuntimeException refusal) {
          String message = String.valueOf(refusal.getMessage());
          assertFalse(message.contains("is unpinned"), message);
        }
        assertDoesNotThrow(pages::checkBalanced, tree + ", round " + round);
        lies.undo();
      }
    }
  }

  /** What the seam of the test says. */
  private static final class Told extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void whatCostsSayOfPagesThatLieGoesThroughTheSeam() {
    MemoryPageStore pages = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
    LyingPages lies = new LyingPages(pages, random);
    int told = 0;
    try (LongIndex index = DiskFirstFpbPlusTree.open(IndexOptions.DEFAULT, pages)) {
      for (int i = 0; i < 4 * KEYS; i++) {
        index.put(i, i);
      }
      for (int round = 0; round < 200; round++) {
        lies.lie();
        told += isTold(() -> asking(index).costs());
        told += isTold(() -> asking(index).choose(1 << 20));
        told += isTold(() -> asking(index).calibrate((_, _, _, _) -> 1));
        lies.undo();
      }
    }
    assertTrue(told > 0, "nothing was told");
  }

  /** Returns a lookup that knows no costs yet. */
  private static BatchLookup asking(LongIndex index) {
    return new BatchLookup(index, BatchLookup.of(index).levels())
        .withFailures((_, _) -> new Told());
  }

  private static int isTold(Runnable call) {
    try {
      call.run();
      return 0;
    } catch (Told told) {
      return 1;
    }
  }
}
