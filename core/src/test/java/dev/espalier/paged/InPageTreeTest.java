// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongRun;
import dev.espalier.ProgressListener;
import dev.espalier.inpage.PageScratch;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.model.MemoryTimes;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens inside the pages of the disk-first tree: splits, reorganization, upkeep. */
class InPageTreeTest {
  /** In-page leaves hold 7 values, in-page inner nodes have 6 children. */
  private static final Geometry SMALL = new Geometry(1, 2);

  /** A root, three nodes below it, and 13 leaves; 91 entries. */
  private static final int PAGE_BYTES = 2048;

  private static final int PER_LEAF = 7;
  private static final int MOST_LEAVES = 13;

  @Test
  void fullLeafIsSplitInHalvesAsLongAsThePageHasLines() {
    try (DiskFirstFpbPlusTree tree = create()) {
      descending(tree, 0, PER_LEAF);
      assertEquals(List.of(7), runs(tree));
      descending(tree, 7, 1);
      assertEquals(List.of(5, 3), runs(tree), "the lower half has the new entry");
    }
  }

  @Test
  void ascendingInsertsLeaveFullLeavesAndFullPages() {
    try (DiskFirstFpbPlusTree tree = create()) {
      int perPage = tree.tree.format.leafCapacity;
      for (int key = 0; key < 3 * perPage; key++) {
        tree.put(key, -key);
      }
      assertEquals(4, tree.tree.store.pagesInUse(), "three leaf pages and the root");
      assertTrue(runs(tree).stream().allMatch(count -> count == PER_LEAF));
      assertEquals(1.0, tree.statistics().leafFill());
    }
  }

  /** All but one of the leaves of a bulkloaded page have room, and that one gets all inserts. */
  @Test
  void pageIsReorganizedWhereALeafIsFullAndThePageIsNot() {
    try (DiskFirstFpbPlusTree tree = create()) {
      load(tree, 65);
      assertEquals(List.of(5), runs(tree).stream().distinct().toList());
      tree.put(1, 0);
      tree.put(2, 0);
      assertEquals(List.of(7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), runs(tree));
      tree.put(3, 0);
      assertEquals(1, tree.tree.store.pagesInUse());
      assertEquals(
          List.of(5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6),
          runs(tree).stream().sorted().toList(),
          "packed, so that there is room for another leaf where the inserts come");
      tree.verify();
    }
  }

  @Test
  void pageIsReorganizedEvenlyWhereInsertsComeToMostLeaves() {
    try (DiskFirstFpbPlusTree tree = create()) {
      load(tree, 65);
      for (long key = 101; key < 600; key += 100) {
        tree.put(key, 0);
      }
      for (long key = 1; key <= 3; key++) {
        tree.put(key, 0);
      }
      assertEquals(1, tree.tree.store.pagesInUse());
      assertEquals(
          List.of(5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6), runs(tree).stream().sorted().toList());
      tree.verify();
    }
  }

  @Test
  void pageIsSplitWhereLessThanAnEntryForEachLeafIsFree() {
    try (DiskFirstFpbPlusTree tree = create()) {
      int most = MOST_LEAVES * PER_LEAF;
      load(tree, most - MOST_LEAVES + 1);
      int key = 1;
      while (tree.tree.store.pagesInUse() == 1) {
        tree.put(key++, 0);
      }
      assertEquals(3, tree.tree.store.pagesInUse());
      assertTrue(tree.size() <= most - MOST_LEAVES + 3, "a full leaf was not taken apart any more");
      assertEquals(tree.size(), runs(tree).stream().mapToInt(count -> count).sum());
      tree.verify();
    }
  }

  @Test
  void pageThatIsNotNearlyFullIsNeverSplit() {
    for (int seed = 0; seed < 20; seed++) {
      try (DiskFirstFpbPlusTree tree = create()) {
        SplittableRandom random = new SplittableRandom(seed);
        int sure = MOST_LEAVES * (PER_LEAF - 1) + 1;
        while (tree.size() < sure) {
          tree.put(random.nextLong(), 0);
        }
        assertEquals(1, tree.tree.store.pagesInUse());
        tree.verify();
      }
    }
  }

  @Test
  void emptyLeafStaysAndScansPassIt() {
    try (DiskFirstFpbPlusTree tree = create()) {
      load(tree, 65);
      for (long key = 50; key < 100; key += 10) {
        tree.remove(key);
      }
      assertEquals(MOST_LEAVES - 1, runs(tree).size());
      tree.put(70, 7);
      assertEquals(MOST_LEAVES, runs(tree).size());
      assertEquals(7, tree.get(70));
    }
  }

  @Test
  void insertThatIsSureToSucceedDoes() {
    InPageTreeFormat format = new InPageTreeFormat(PAGE_BYTES, 1, 2);
    PageScratch scratch = format.newScratch();
    try (MemoryPageStore store = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF)) {
      int number = store.allocate();
      long page = store.pin(number);
      for (int level = 0; level < 2; level++) {
        for (int seed = 0; seed < 50; seed++) {
          SplittableRandom random = new SplittableRandom(seed);
          format.initialize(scratch, store.segment(), page, number, level);
          if (level > 0) {
            assertTrue(format.insert(scratch, store.segment(), page, Long.MAX_VALUE, 1));
          }
          while (!format.mayOverflow(store.segment(), page)) {
            assertTrue(format.insert(scratch, store.segment(), page, random.nextLong(), 1));
          }
          format.verify(store.segment(), page, number);
        }
      }
    }
  }

  @Test
  void innerPageTakesAsManyChildrenAsItsCapacity() {
    InPageTreeFormat format = new InPageTreeFormat(PAGE_BYTES, 1, 2);
    PageScratch scratch = format.newScratch();
    try (MemoryPageStore store = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF)) {
      int number = store.allocate();
      long page = store.pin(number);
      format.initialize(scratch, store.segment(), page, number, 1);
      assertTrue(format.insert(scratch, store.segment(), page, Long.MAX_VALUE, 1));
      SplittableRandom random = new SplittableRandom(5);
      for (int count = 1; count < format.innerCapacity; count++) {
        assertTrue(format.insert(scratch, store.segment(), page, random.nextLong(), count));
      }
      format.verify(store.segment(), page, number);
      assertFalse(format.insert(scratch, store.segment(), page, random.nextLong(), 1));
      for (int count = format.innerCapacity; count > 0; count--) {
        int place = format.firstPlace(store.segment(), page);
        for (int steps = random.nextInt(count); steps > 0; steps--) {
          place = format.nextPlace(store.segment(), page, place);
        }
        format.remove(scratch, store.segment(), page, place);
        format.verify(store.segment(), page, number);
      }
      assertEquals(PageFormat.NONE, format.firstPlace(store.segment(), page));
    }
  }

  @Test
  void treeOpenedAgainHasTheGeometryOfItsStore() {
    PageStore store = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
    try (DiskFirstFpbPlusTree tree =
        DiskFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, SMALL)) {
      load(tree, 1000);
      DiskFirstFpbPlusTree again = DiskFirstFpbPlusTree.open(IndexOptions.DEFAULT, store);
      assertEquals(1000, again.size());
      assertEquals(990, again.get(990));
      again.verify();
      Geometry other = new Geometry(1, 3);
      assertThrows(
          IllegalArgumentException.class,
          () -> DiskFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, other));
      assertThrows(
          IllegalArgumentException.class,
          () -> DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store));
    }
  }

  /**
   * Space overhead as in figure 16: by pages after bulkload. In pages of 4 KiB, no widths within a
   * tenth of the least cost lose less: a leaf's header costs an entry, and only few large leaves,
   * which are slow, would make up for that.
   */
  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10})
  void fullTreeHasFewPagesMoreThanTheDiskOptimizedTree(int pageBytes) {
    long[] keys = LongStream.range(0, 400_000).toArray();
    try (DiskFirstFpbPlusTree tree =
            DiskFirstFpbPlusTree.open(
                IndexOptions.DEFAULT,
                IndexOptions.DEFAULT.pagesInMemory(pageBytes),
                Geometry.forPages(pageBytes, MemoryTimes.TYPICAL));
        DiskOptimizedBPlusTree plain =
            DiskOptimizedBPlusTree.open(
                IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes))) {
      tree.bulkload(keys, keys);
      plain.bulkload(keys, keys);
      double overhead = (double) tree.tree.store.pagesInUse() / plain.tree.store.pagesInUse() - 1;
      assertTrue(overhead <= (pageBytes == 4 << 10 ? 0.096 : 0.09), () -> "overhead " + overhead);
      assertTrue(overhead > 0);
    }
  }

  private static DiskFirstFpbPlusTree create() {
    return DiskFirstFpbPlusTree.open(
        IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES), SMALL);
  }

  /** Bulkloads the keys 0, 10, 20 and so on. */
  private static void load(DiskFirstFpbPlusTree tree, int entries) {
    long[] keys = LongStream.range(0, entries).map(i -> 10 * i).toArray();
    tree.bulkload(LongEntrySource.of(keys, keys, entries), 1.0, entries, ProgressListener.NONE);
  }

  private static void descending(DiskFirstFpbPlusTree tree, int from, int count) {
    for (int i = from; i < from + count; i++) {
      tree.put(-i, i);
    }
  }

  /** Returns how many entries the in-page leaves have that have any. */
  private static List<Integer> runs(DiskFirstFpbPlusTree tree) {
    List<Integer> runs = new ArrayList<>();
    LongCursor cursor = tree.cursor();
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      runs.add(run.count());
    }
    return runs;
  }
}
