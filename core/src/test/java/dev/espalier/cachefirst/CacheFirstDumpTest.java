// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree.Geometry;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.RecordingPageStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Small trees as they lie in their pages: which node is where. */
class CacheFirstDumpTest {
  /** Pages of seven nodes, of 3 entries or 4 children. */
  private static CacheFirstFpbPlusTree small() {
    return CacheFirstFpbPlusTree.open(
        IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(512), new Geometry(1));
  }

  /** A node's offset is 512 times its page, and 64 times its line; the first page is number 1. */
  @Test
  void leafIsSplitWithinItsPage() {
    try (CacheFirstFpbPlusTree tree = small()) {
      LongStream.of(10, 30, 40, 20).forEach(key -> tree.put(key, key / 10));
      assertEquals(
          """
          inner 1 @1152 1/3: 10
            leaf @576 1/3: 10=1
            leaf @640 3/3: 20=2 30=3 40=4
          """,
          print(tree));
    }
  }

  /** fpB+ 4.1: the nodes through which pages are entered are at different lines. */
  @Test
  void firstNodeOfAPageIsWhereItsNumberSaysButForLeaves() {
    try (CacheFirstFpbPlusTree tree = small()) {
      CacheFirstPage page = tree.tree.page;
      Set<Integer> first = new HashSet<>();
      for (int number = 1; number <= 2 * page.slots; number++) {
        first.add(page.firstSlot(number, CacheFirstPage.NONLEAF));
        assertEquals(0, page.firstSlot(number, CacheFirstPage.LEAF));
      }
      assertEquals(page.slots, first.size());
    }
  }

  @Test
  void fullLeafPageIsSplitInTwo() {
    try (CacheFirstFpbPlusTree tree = small()) {
      long[] keys = LongStream.rangeClosed(1, 21).map(i -> 10 * i).toArray();
      tree.bulkload(keys, keys);
      assertEquals(1, leafPages(tree).size());
      tree.put(15, 0);
      tree.verify();
      int first = tree.tree.page.pageOf(tree.tree.findLeaf(10));
      int second = tree.tree.page.pageOf(tree.tree.findLeaf(210));
      assertEquals(List.of(first, second), leafPages(tree));
      assertEquals(4, nodes(tree, first), "3 of 7 leaves, one of which was split then");
      assertEquals(4, nodes(tree, second));
    }
  }

  /** fpB+ 3.2.2: one full level, and of the children below, the underflow's share by the bitmap. */
  @Test
  void bulkloadSpreadsTheChildrenThatStayWithTheirParent() {
    try (CacheFirstFpbPlusTree tree =
        CacheFirstFpbPlusTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256), new Geometry(1))) {
      long[] keys = LongStream.range(0, 3 * 4 * 4).toArray();
      tree.bulkload(keys, keys);
      CacheFirstStructure structure = tree.tree;
      int root = structure.root();
      List<Boolean> beside = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        beside.add(structure.page.pageOf(structure.child(root, i)) == structure.page.pageOf(root));
      }
      assertEquals(List.of(false, true, false, true), beside, "2 of 4 fit, beside the root");
      tree.verify();
    }
  }

  /** fpB+ 3.2.2, figure 9c. The root's page is full: root, 4 children and 2 of 16 below. */
  @Test
  void childrenOfASplitNodeGoWithItIntoANewPage() {
    try (CacheFirstFpbPlusTree tree = small()) {
      long[] keys = LongStream.range(0, 3 * 4 * 4 * 4).map(i -> 10 * i).toArray();
      tree.bulkload(keys, keys);
      CacheFirstStructure structure = tree.tree;
      int old = structure.root();
      assertEquals(7, nodes(tree, structure.page.pageOf(old)));
      tree.put(5, 0);
      tree.verify();
      assertEquals(5, structure.height());
      int right = structure.child(structure.root(), 1);
      assertEquals(old, structure.child(structure.root(), 0));
      assertNotEquals(structure.page.pageOf(old), structure.page.pageOf(right));
      assertEquals(3, besideParent(structure, old), "2 stay, and one was split");
      assertEquals(2, besideParent(structure, right));
    }
  }

  /** Returns how many children of a node are in its page. */
  private static int besideParent(CacheFirstStructure tree, int node) {
    int found = 0;
    for (int i = 0; i < tree.innerCount(node); i++) {
      found += tree.page.pageOf(tree.child(node, i)) == tree.page.pageOf(node) ? 1 : 0;
    }
    return found;
  }

  @Test
  void emptiedTreeGivesAllPagesBackButOne() {
    try (CacheFirstFpbPlusTree tree = small()) {
      for (long key = 0; key < 2_000; key++) {
        tree.put(key * 7 % 2_003, key);
      }
      tree.removeRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true);
      assertEquals(1, tree.tree.store.pagesInUse());
      tree.verify();
    }
  }

  @Test
  void searchAsksTheStoreOnlyWhereThePageChanges() {
    CountingPageStore store =
        new CountingPageStore(
            new MemoryPageStore(4 << 10, 1 << 24, HugePages.OFF), CountingPageStore.UNLIMITED);
    try (CacheFirstFpbPlusTree tree =
        CacheFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, new Geometry(2))) {
      long[] keys = LongStream.range(0, 7 * 10 * 3).toArray();
      tree.bulkload(keys, keys);
      assertEquals(3, tree.tree.height());
      long before = store.counters().pins();
      tree.get(100);
      assertEquals(2, store.counters().pins() - before, "the root's page and a leaf page");
    }
  }

  // ---------------------------------------------------------------- range scan

  @Test
  void scanAsksForTheLeafPagesAheadInOrderButForNoneBeyondItsEnd() {
    RecordingPageStore store =
        new RecordingPageStore(new MemoryPageStore(512, 1 << 24, HugePages.OFF));
    try (CacheFirstFpbPlusTree tree =
        CacheFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, new Geometry(1))) {
      long[] keys = LongStream.range(0, 21 * 300).toArray();
      tree.bulkload(keys, keys);
      List<Integer> leafPages = leafPages(tree);
      assertEquals(300, leafPages.size());
      LongCursor cursor = tree.cursor();
      while (cursor.next()) {
        // all of it
      }
      assertEquals(leafPages.subList(1, 300), store.allAsked());
      store.forget();
      cursor = tree.cursor();
      while (cursor.previous()) {
        // all of it
      }
      assertEquals(leafPages.subList(0, 299).reversed(), store.allAsked());
      store.forget();
      cursor = tree.cursor();
      cursor.scanTo(21 * 40 + 5);
      cursor.ceiling(21 * 3);
      while (cursor.key() < 21 * 40 + 5 && cursor.next()) {
        // up to the end
      }
      assertEquals(leafPages.subList(4, 41), store.allAsked());
      store.forget();
      tree.get(77);
      tree.getAll(new long[] {5, 700}, new long[2]);
      tree.cursor().ceiling(500);
      assertEquals(List.of(), store.asked());
    }
  }

  /** Returns the jump-pointer array, or where there is none the only leaf page. */
  private static List<Integer> leafPages(CacheFirstFpbPlusTree tree) {
    List<Integer> found = new ArrayList<>();
    int first = tree.tree.page.pageOf(tree.tree.findLeaf(Long.MIN_VALUE));
    found.add(first);
    long place = tree.tree.leafPages.placeOf(first);
    while (place != 0) {
      place = tree.tree.leafPages.step(place, 1);
      if (place != 0) {
        found.add(tree.tree.leafPages.pageAt(place));
      }
    }
    return found;
  }

  private static int nodes(CacheFirstFpbPlusTree tree, int number) {
    return CacheFirstPage.count(tree.tree.pages, tree.tree.store.pin(number));
  }

  private static String print(CacheFirstFpbPlusTree tree) {
    tree.verify();
    return TreePrinter.print(tree.rootView(), 100);
  }
}
