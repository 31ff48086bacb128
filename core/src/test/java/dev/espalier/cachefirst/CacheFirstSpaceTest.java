// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree.Geometry;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.model.CacheFirstWidths;
import dev.espalier.model.MemoryTimes;
import dev.espalier.model.PageOptimizer;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What fits into nodes and pages, and how many pages a tree has. */
class CacheFirstSpaceTest {
  private static final int ENTRIES = 1_000_000;

  @Test
  void capacitiesFollowFromTheWidth() {
    assertEquals("3 of 4", capacities(1));
    assertEquals("35 of 47", capacities(9));
    assertEquals("55 of 74", capacities(14));
    for (int width = 1; width <= PageOptimizer.MAX_WIDTH; width++) {
      CacheFirstLeaf leaf = new CacheFirstLeaf(width);
      assertTrue(leaf.capacity * 8 <= leaf.valuesOffset);
      assertEquals(leaf.countOffset, leaf.valuesOffset + leaf.capacity * 8);
      assertEquals(leaf.bytes, leaf.countOffset + 8);
      CacheFirstInner inner = new CacheFirstInner(width);
      assertTrue(inner.keySlots * 8 <= inner.childrenOffset);
      assertEquals(inner.countOffset, inner.childrenOffset + inner.capacity * 4);
      assertEquals(inner.bytes, inner.countOffset + 16);
    }
  }

  private static String capacities(int width) {
    return new CacheFirstLeaf(width).capacity + " of " + new CacheFirstInner(width).capacity;
  }

  /** fpB+ 4.3, figure 16a. The width is that of typical memory, whatever this machine's is. */
  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 8 << 10, 16 << 10, 32 << 10})
  void fullTreeHasAtMostATwentiethMorePagesThanTheDiskOptimizedOne(int pageBytes) {
    CacheFirstWidths widths =
        PageOptimizer.cacheFirst(
            MemoryTimes.TYPICAL,
            (pageBytes - CacheFirstPage.HEADER_BYTES) / 64,
            CacheFirstInner::capacity,
            CacheFirstLeaf::capacity);
    long[] keys = LongStream.range(0, ENTRIES).toArray();
    IndexOptions options = IndexOptions.DEFAULT;
    PageStore ofBaseline =
        new MemoryPageStore(pageBytes, options.memoryLimit(), options.hugePages());
    try (CacheFirstFpbPlusTree tree =
            CacheFirstFpbPlusTree.open(
                options, options.pagesInMemory(pageBytes), new Geometry(widths.width()));
        DiskOptimizedBPlusTree baseline = DiskOptimizedBPlusTree.open(options, ofBaseline)) {
      tree.bulkload(keys, keys);
      baseline.bulkload(keys, keys);
      int pages = tree.tree.store.pagesInUse();
      int least = ofBaseline.pagesInUse();
      assertTrue(pages <= 1.05 * least, () -> pages + " pages instead of " + least);
    }
  }

  @Test
  void ascendingInsertsFillLeavesAndLeafPages() {
    try (CacheFirstFpbPlusTree tree =
        CacheFirstFpbPlusTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(4 << 10), new Geometry(9))) {
      for (long key = 0; key < 35 * 7 * 100; key++) {
        tree.put(key, key);
      }
      tree.verify();
      assertEquals(1.0, tree.statistics().leafFill());
      assertEquals(700, tree.statistics().leafNodes());
      assertEquals(100 + 1, leafPagesAndChunks(tree), "leaf pages and one chunk");
    }
  }

  private static int leafPagesAndChunks(CacheFirstFpbPlusTree tree) {
    int found = 0;
    for (int number = 1; number <= tree.tree.store.pagesInUse(); number++) {
      int kind = CacheFirstPage.kind(tree.tree.pages, tree.tree.store.pin(number));
      found += kind == CacheFirstPage.LEAF || kind == CacheFirstPage.CHUNK ? 1 : 0;
    }
    return found;
  }

  @Test
  void defaultWidthIsTheOptimizers() {
    try (CacheFirstFpbPlusTree tree = CacheFirstFpbPlusTree.create(IndexOptions.DEFAULT)) {
      assertEquals(
          PageOptimizer.cacheFirst(
                  MemoryTimes.ofThisMachine(),
                  255,
                  CacheFirstInner::capacity,
                  CacheFirstLeaf::capacity)
              .width(),
          tree.tree.page.width);
    }
  }

  @Test
  void treeIsOpenedWithTheWidthItWasMadeWith() {
    PageStore store = new MemoryPageStore(4 << 10, 1 << 20, HugePages.OFF);
    CacheFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, new Geometry(5)).put(1, 10);
    assertThrows(
        IllegalArgumentException.class,
        () -> CacheFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, new Geometry(6)));
    try (CacheFirstFpbPlusTree tree = CacheFirstFpbPlusTree.open(IndexOptions.DEFAULT, store)) {
      assertEquals(5, tree.tree.page.width);
      assertEquals(10, tree.get(1));
    }
  }

  @Test
  void pagesWithTooFewOrTooManyNodesAreRefused() {
    assertRefused(256, 2, "width is 2 lines; a page of 256 bytes then holds 1 nodes");
    assertRefused(4 << 10, 32, "then holds 1 nodes, but must hold 3 to 256");
    assertRefused(64 << 10, 3, "then holds 341 nodes");
    assertRefused(128, 1, "pageBytes is 128");
    assertThrows(IllegalArgumentException.class, () -> new Geometry(0));
    assertThrows(IllegalArgumentException.class, () -> new Geometry(33));
  }

  private static void assertRefused(int pageBytes, int width, String message) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                CacheFirstFpbPlusTree.open(
                    IndexOptions.DEFAULT,
                    IndexOptions.DEFAULT.pagesInMemory(pageBytes),
                    new Geometry(width)));
    assertTrue(String.valueOf(refused.getMessage()).contains(message), refused::toString);
  }
}
