// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.TestSize;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.RefusingPageStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Splits and removals in a tree of the smallest pages: 12 entries in a leaf, 16 children. */
@Tag("fallback-exhaustive")
class BLinkTreeTest {
  private static final int LEAF = 12;

  private static BLinkTree tree() {
    return BLinkTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256));
  }

  private static void putAscending(BLinkTree index, int count) {
    for (long key = 0; key < count; key++) {
      index.put(key, -key);
    }
  }

  @Test
  void splitKeepsTheLargestKeyOfTheLeftHalfAsHighKeyAndSeparator() {
    try (BLinkTree index = tree()) {
      for (long key = LEAF; key >= 0; key--) {
        index.put(10 * key, key);
      }
      BLinkStructure tree = index.tree;
      int left = tree.find(0, Long.MIN_VALUE);
      long at = tree.store.pin(left);
      long high = LinkedPage.high(tree.pages, at);
      assertEquals(60, high);
      assertEquals(7, tree.format.count(tree.pages, at));
      assertFalse(LinkedPage.isSplitIncomplete(tree.pages, at));
      long root = tree.store.pin(tree.rootPage());
      assertEquals(1, LinkedPage.level(tree.pages, root));
      assertEquals(60, BLinkPage.key(tree.pages, root, 0));
      assertEquals(left, tree.find(0, high));
      assertEquals(LinkedPage.right(tree.pages, at), tree.find(0, high + 1));
      index.verify();
    }
  }

  @Test
  void ascendingKeysLeaveFullPages() {
    try (BLinkTree index = tree()) {
      putAscending(index, 10 * LEAF);
      assertEquals(10 + 1, index.tree.store.pagesInUse());
      index.verify();
    }
  }

  @Test
  void leafThatHasBecomeEmptyIsFreedAtOnceWhereverItIs() {
    for (int leaf = 0; leaf < 4; leaf++) {
      try (BLinkTree index = tree()) {
        putAscending(index, 4 * LEAF);
        int before = index.tree.store.pagesInUse();
        for (long key = (long) leaf * LEAF; key < (leaf + 1) * LEAF; key++) {
          index.remove(key);
        }
        assertEquals(before - 1, index.tree.store.pagesInUse(), "leaf " + leaf);
        index.verify();
        long key = (long) leaf * LEAF + 1;
        index.put(key, 7);
        assertEquals(7, index.get(key));
        index.verify();
      }
    }
  }

  @Test
  void innerPagesThatLeadToAnEmptyLeafOnlyAreFreedWithItAndTheRootIsLowered() {
    int count = 40 * 16 * LEAF;
    for (boolean ascending : new boolean[] {true, false}) {
      try (BLinkTree index = tree()) {
        putAscending(index, count);
        assertEquals(4, index.tree.height());
        for (long i = 0; i < count; i++) {
          index.remove(ascending ? i : count - 1 - i);
          if (i % 500 == 0) {
            index.verify();
          }
        }
        assertEquals(0, index.size());
        assertEquals(1, index.tree.height());
        assertEquals(1, index.tree.store.pagesInUse());
        index.verify();
      }
    }
  }

  /** As a queue does, which takes keys at one end and adds them at the other. */
  @Test
  void windowThatMovesTakesNoMorePagesWithTime() {
    try (BLinkTree index = tree()) {
      int window = 30 * LEAF;
      int most = 0;
      for (long key = 0; key < 400 * LEAF; key++) {
        index.put(key, key);
        if (key >= window) {
          index.remove(key - window);
        }
        most = Math.max(most, index.tree.store.pagesInUse());
      }
      assertTrue(most <= 40, "pages: " + most);
      index.verify();
    }
  }

  @Test
  void agreesWithAMapWhilePagesAreSplitAndRemoved() {
    SplittableRandom random = new SplittableRandom(5);
    TreeMap<Long, Long> model = new TreeMap<>();
    try (BLinkTree index = tree()) {
      for (int i = 0; i < 40_000; i++) {
        // Keys come and go in waves, and in clusters.
        boolean grows = i / 5000 % 2 == 0;
        long key = random.nextInt(100) * 1000L + random.nextInt(60);
        if (random.nextInt(10) < (grows ? 8 : 2)) {
          Long before = model.put(key, (long) i);
          assertEquals(before == null ? index.missingValue() : before, index.put(key, i));
        } else {
          Long before = model.remove(key);
          assertEquals(before == null ? index.missingValue() : before, index.remove(key));
        }
        if (i % 1000 == 0) {
          index.verify();
          assertHolds(model, index);
        }
      }
    }
  }

  private static void assertHolds(TreeMap<Long, Long> model, BLinkTree index) {
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    model.forEach(
        (key, value) -> {
          assertTrue(cursor.next());
          assertEquals(key, cursor.key());
          assertEquals(value, cursor.value());
        });
    assertFalse(cursor.next());
    model
        .descendingMap()
        .forEach(
            (key, value) -> {
              assertTrue(cursor.previous());
              assertEquals(key, cursor.key());
            });
    assertFalse(cursor.previous());
  }

  @Test
  void whereThereIsNoRoomAboveASplitStaysIncompleteAndIsCompletedLater() {
    MemoryPageStore store = new MemoryPageStore(256, 2 * 256, HugePages.OFF);
    try (BLinkTree index = BLinkTree.open(IndexOptions.DEFAULT, store)) {
      putAscending(index, LEAF + 1); // Two leaves, and no room for a root above.
      assertEquals(1, index.tree.height());
      index.verify();
      assertEquals(-LEAF, index.get(LEAF));
      assertThrows(MemoryLimitException.class, () -> index.put(-1, 1));
      for (long key = LEAF + 1; key < 2 * LEAF; key++) {
        index.put(key, -key);
      }
      assertThrows(MemoryLimitException.class, () -> index.put(1000, 1));
      assertEquals(2 * LEAF, index.size());
      index.verify();
      for (long key = 0; key < 2 * LEAF; key++) {
        assertEquals(-key, index.get(key));
      }
    }
  }

  /** The store gets one page more after each refusal, so that any page is refused once. */
  @Test
  void insertsSurviveTheRefusalOfAnyPage() {
    int count = TestSize.of(1200, 4000);
    for (long factor : new long[] {1, -1, 0x9e37_79b9_7f4a_7c15L}) {
      RefusingPageStore full = new RefusingPageStore(IndexOptions.DEFAULT.pagesInMemory(256), 1);
      CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);
      TreeMap<Long, Long> model = new TreeMap<>();
      try (BLinkTree index = BLinkTree.open(IndexOptions.DEFAULT, pages)) {
        int refusals = 0;
        for (long i = 0; i < count; i++) {
          while (!isPut(index, i * factor, i)) {
            refusals++;
            pages.checkBalanced();
            assertHolds(model, index);
            index.verify();
            full.mostPages(1 + refusals);
          }
          model.put(i * factor, i);
        }
        index.verify();
        assertHolds(model, index);
        assertTrue(refusals >= count / LEAF - 1, "refusals: " + refusals);
        full.mostPages(Integer.MAX_VALUE);
        for (long i = 0; i < count; i++) {
          index.put(i * factor, i); // completes what could not be
        }
        assertTrue(index.tree.height() >= 3);
        index.verify();
      }
    }
  }

  private static boolean isPut(BLinkTree index, long key, long value) {
    try {
      index.put(key, value);
      return true;
    } catch (MemoryLimitException _) {
      return false;
    }
  }

  @Test
  void writerThatComesUponTheMarkOfAnotherCompletesTheSplit() {
    try (BLinkTree index = tree()) {
      putAscending(index, 5 * LEAF);
      BLinkStructure tree = index.tree;
      int leaf = tree.find(0, LEAF);
      // As the tree is after the first step of a split whose writer has failed then.
      int parent = tree.find(1, LEAF);
      tree.pinAndChange(
          parent, (pages, at) -> tree.format.removeChild(pages, at, parent, 2 * LEAF));
      tree.pinAndChange(
          leaf, (pages, at) -> LinkedPage.flags(pages, at, LinkedPage.SPLIT_IS_INCOMPLETE));
      index.verify();
      for (long key = 0; key < 5 * LEAF; key++) {
        assertEquals(-key, index.get(key));
      }
      index.put(LEAF, 7);
      assertTrue(isComplete(tree, leaf));
      index.verify();
    }
  }

  private static boolean isComplete(BLinkStructure tree, int page) {
    long at = tree.store.pin(page);
    boolean complete = !LinkedPage.isSplitIncomplete(tree.pages, at);
    tree.store.unpin(at, false);
    return complete;
  }

  @Test
  void pagesThatWaitForReadersAreFreedOnceThoseHaveEnded() {
    try (BLinkTree index = tree()) {
      putAscending(index, 6 * LEAF);
      int before = index.tree.store.pagesInUse();
      int reading = index.tree.epochs.enter();
      removeLeaves(index, 3);
      assertEquals(before, index.tree.store.pagesInUse());
      assertEquals(3, index.tree.space.outside());
      index.tree.epochs.exit(reading);
      index.verify();
      removeLeaves(index, 4);
      assertEquals(before - 4, index.tree.store.pagesInUse());
      assertEquals(0, index.tree.meta[BLinkSpace.LAST_WAITING]);
      index.verify();
    }
  }

  @Test
  void pagesThatWaitWhenTheStoreIsClosedAreFreedByTheNextWriter() {
    MemoryPageStore store = IndexOptions.DEFAULT.pagesInMemory(256);
    BLinkTree first = BLinkTree.open(IndexOptions.DEFAULT, store);
    putAscending(first, 6 * LEAF);
    first.tree.epochs.enter();
    removeLeaves(first, 3);
    int before = store.pagesInUse();
    try (BLinkTree second = BLinkTree.open(IndexOptions.DEFAULT, store)) {
      second.verify();
      removeLeaves(second, 4);
      assertEquals(before - 4, store.pagesInUse());
      second.verify();
    }
  }

  private static void removeLeaves(BLinkTree index, int leaves) {
    for (long key = 0; key < (long) leaves * LEAF; key++) {
      index.remove(key);
    }
  }

  /** Counts of threads are added up one by one, and a removal may be counted before its insert. */
  @Test
  void whatIsNotCountedYetMakesNoTreeEmptyAndNoSizeNegative() {
    try (BLinkTree index = tree()) {
      index.put(1, 1);
      index.tree.epochs.count(-1);
      assertEquals(0, index.size());
      assertFalse(index.isEmpty());
      index.tree.epochs.count(-1);
      assertEquals(0, index.size());
      assertThrows(InvariantViolationException.class, index::verify);
      index.tree.epochs.count(2);
      index.remove(1);
      assertTrue(index.isEmpty());
      index.verify();
      index.tree.epochs.count(-1);
      assertThrows(InvariantViolationException.class, index::verify);
    }
  }

  /** A tree is refused halfway, when it already has a count that nobody knows yet. */
  @Test
  void aTreeThatCanNotBeOpenedLeavesTheSize() {
    AtomicBoolean fails = new AtomicBoolean();
    PageStore store =
        new ForwardingPageStore(IndexOptions.DEFAULT.pagesInMemory(256)) {
          @Override
          public long pin(int page) {
            if (fails.get()) {
              throw new UncheckedIOException(new IOException("page " + page));
            }
            return super.pin(page);
          }
        };
    try (BLinkTree index = BLinkTree.open(IndexOptions.DEFAULT, store)) {
      putAscending(index, 10 * LEAF);
      int operation = index.tree.epochs.enter();
      removeLeaves(index, 2); // which wait
      index.tree.epochs.exit(operation);
      fails.set(true);
      assertThrows(UncheckedIOException.class, () -> BLinkTree.open(IndexOptions.DEFAULT, store));
      assertEquals(8 * LEAF, store.meta()[BLinkStructure.SIZE]);
      fails.set(false);
    }
  }

  @Test
  void smallestAndLargestKeyHaveTheirPlacesAtTheEdges() {
    try (BLinkTree index = tree()) {
      index.put(Long.MAX_VALUE, 1);
      index.put(Long.MIN_VALUE, 2);
      putAscending(index, 3 * LEAF);
      assertEquals(1, index.get(Long.MAX_VALUE));
      assertEquals(2, index.get(Long.MIN_VALUE));
      LongCursor cursor = index.cursor();
      assertTrue(cursor.last());
      assertEquals(Long.MAX_VALUE, cursor.key());
      assertTrue(cursor.lower(Long.MIN_VALUE + 1));
      assertFalse(cursor.lower(Long.MIN_VALUE));
      assertFalse(cursor.higher(Long.MAX_VALUE));
      assertEquals(1, index.remove(Long.MAX_VALUE));
      index.verify();
    }
  }

  @Test
  void storeWithPagesOfAnotherSizeIsRefused() {
    MemoryPageStore store = IndexOptions.DEFAULT.pagesInMemory(512);
    store.meta()[0] = tree().tree.stamp();
    assertThrows(IllegalArgumentException.class, () -> BLinkTree.open(IndexOptions.DEFAULT, store));
    store.close();
  }
}
