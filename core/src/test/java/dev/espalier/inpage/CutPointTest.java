// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Where a full leaf page is split. */
class CutPointTest {
  private static final int PAGE_BYTES = 1024;

  private final InPageTrees trees = new InPageTrees(PAGE_BYTES, 1, 2, PagePrefix.END);
  private final PageScratch scratch = trees.newScratch();
  private final MemorySegment pages = Arena.ofAuto().allocate(PAGE_BYTES, CacheLine.BYTES);
  private final long[] keys = new long[trees.leafCapacity + 1];
  private final long[] values = new long[trees.leafCapacity + 1];

  @Test
  void boundPartsWhatStaysFromWhatGoesWhereverTheNewKeyBelongs() {
    int runs = checkCuts(i -> 10 * i) + checkCuts(i -> -10 * i);
    assertTrue(runs > 10, () -> runs + " cuts at runs");
  }

  /**
   * Fills a page, and looks at the cuts for keys that are new, and for those that have come between
   * the refusal of an insert and the split.
   */
  private int checkCuts(LongUnaryOperator order) {
    trees.initialize(scratch, pages, 0, 1);
    PagePrefix.count(pages, 0, 0);
    int inserted = 0;
    while (trees.insert(scratch, pages, 0, order.applyAsLong(inserted), 0)) {
      inserted++;
    }
    int count = trees.load(pages, 0, keys, values, 0);
    int runs = 0;
    for (int i = 0; i < count; i++) {
      for (long key = keys[i] - 5; key <= keys[i] + 5; key += 5) {
        PageCutPoint cut = trees.cutPoint(scratch, pages, 0, key);
        int kept = cut.kept();
        long bound = cut.separator();
        if (cut.isAtRun()) {
          runs++;
          assertTrue(kept == 0 || bound >= keys[kept - 1], cut::toString);
          assertTrue(kept == count || bound < keys[kept], cut::toString);
          assertTrue(kept != 0 || bound >= key, cut::toString);
          assertTrue(kept != count || bound < key, cut::toString);
        }
      }
    }
    return runs;
  }
}
