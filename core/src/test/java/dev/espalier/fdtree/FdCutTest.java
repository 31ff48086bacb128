// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.RangeCuts;
import dev.espalier.TestSize;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.support.DeadRanges;
import dev.espalier.tree.RangeRemoval;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges that leave the head tree and the runs where they are. */
class FdCutTest extends RangeCuts {
  /** Trees of many runs, or of head trees with several leaves. */
  enum Shape {
    MANY_RUNS(2, 1),
    WIDE_HEAD(4, 5);

    private final FdTree.Geometry geometry;

    Shape(int ratio, int headPages) {
      geometry = new FdTree.Geometry(ratio, headPages);
    }

    FdTree open(PageStore store) {
      return FdTree.open(IndexOptions.DEFAULT, store, geometry);
    }
  }

  // ---------------------------------------------------------------- histories

  @ParameterizedTest
  @EnumSource
  void rangesThatGoAndComeBackAgreeWithAMap(Shape shape) {
    for (long seed : TestSize.seeds(2, 48)) {
      history(shape::open, inMemory(), seed);
      history(shape::open, new CheckedPageStore(inMemory(), CheckedPageStore.MIN_PINS), seed);
    }
  }

  // ---------------------------------------------------------------- ends

  /** Each pair of ends meets the same tree, with puts and tombstones in all runs. */
  @ParameterizedTest
  @EnumSource
  void rangeBetweenAnyTwoEndsLeavesNoPut(Shape shape) {
    int step = TestSize.isThorough() ? 31 : 97;
    long[] ends =
        LongStream.concat(
                LongStream.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, KEYS, Long.MAX_VALUE),
                LongStream.range(0, KEYS).filter(key -> key % step < 2))
            .sorted()
            .toArray();
    int cuts = 0;
    for (int i = 0; i < ends.length; i++) {
      for (int j = i; j < ends.length; j += i == 0 || j < i + 3 ? 1 : 7) {
        try (FdTree index = (FdTree) small(shape.open(inMemory()))) {
          String what = ends[i] + " to " + ends[j];
          int removed = model.subMap(ends[i], true, ends[j], true).size();
          remove(index, ends[i], true, ends[j], true, what);
          index.verify();
          if (removed >= RangeRemoval.MANY) {
            cuts++;
            assertNoPutFrom(ends[i], ends[j], index.tree, what);
          }
          assertHolds(index, what);
        }
      }
    }
    assertTrue(cuts > 50, "cuts: " + cuts);
  }

  /** Checks that no run has a put of a range, and the head tree no message. */
  private static void assertNoPutFrom(long first, long last, FdStructure tree, String what) {
    for (int leaf : tree.head.leaves()) {
      assertNone(first, last, tree, leaf, true, what);
    }
    for (int k = 1; k <= tree.depth; k++) {
      for (int i = 0; i < tree.runs[k].pages(); i++) {
        assertNone(first, last, tree, tree.runs[k].firstPage() + i, k == tree.depth, what);
      }
    }
    LongCursor cursor = new FdCursor(tree, new DeadRanges());
    assertFalse(cursor.ceiling(first) && cursor.key() <= last, what);
  }

  private static void assertNone(
      long first, long last, FdStructure tree, int number, boolean ofAnyType, String what) {
    long page = tree.store.pin(number);
    for (int slot = 0; slot < tree.layout.count(tree.pages, page); slot++) {
      long key = RunPage.key(tree.pages, page, slot);
      int type = tree.layout.type(tree.pages, page, slot);
      boolean isLeft = ofAnyType ? RunPage.isMessage(type) : type == RunPage.PUT;
      assertFalse(isLeft && key >= first && key <= last, what + ": a page has key " + key);
    }
    tree.store.unpin(page, false);
  }

  /** The newest message of a key says whether it has an entry, wherever the others are. */
  @Test
  void keysThatAreInSeveralRunsAreCountedOnce() {
    try (FdTree index = Shape.MANY_RUNS.open(inMemory())) {
      long[] keys = LongStream.range(0, 2_000).toArray();
      index.bulkload(keys, keys);
      for (long key = 0; key < 2_000; key++) {
        model.put(key, key);
      }
      for (long key = 500; key < 1_500; key += 2) {
        write(index, key, 1, key % 4 == 0 ? 0 : 9); // in the runs above the deepest
      }
      for (long key = 500; key < 520; key++) {
        write(index, key, 2, key % 3 == 0 ? 0 : 9); // in the head tree
      }
      assertTrue(index.tree.depth > 2, "depth " + index.tree.depth);
      assertNotEquals(0, index.tree.meta[FdStructure.HEAD]);
      remove(index, 400, true, 1_200, true, "over all of them");
      index.verify();
      assertHolds(index, "over all of them");
    }
  }

  // ---------------------------------------------------------------- costs

  /** A message for each entry would fill the head tree many times. */
  @ParameterizedTest
  @EnumSource
  void rangeTouchesItsPagesAndTheEnds(Shape shape) {
    CountingPageStore store = new CountingPageStore(inMemory(), CountingPageStore.UNLIMITED);
    try (FdTree index = shape.open(store)) {
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < 20_000; i++) {
        long key = random.nextInt(1 << 20);
        index.set(key, key);
        model.put(key, key);
      }
      int pages = store.pagesInUse();
      long written = index.tree.written;
      store.resetCounters();
      remove(index, 1 << 19, true, (1 << 19) + (1 << 15), true, "a 32nd");
      long pins = store.counters().pins();
      assertTrue(pins < 4 * pages, pins + " pins of " + pages + " pages");
      assertEquals(0, store.counters().allocated());
      assertEquals(written, index.tree.written);
      assertEquals(FdStructure.UNKNOWN, index.tree.meta[FdStructure.SIZE]);
      index.verify();
      assertHolds(index, "a 32nd");
      remove(index, 0, true, 1 << 14, true, "where the size is known");
      assertEquals(model.size(), index.tree.meta[FdStructure.SIZE]);
      index.verify();
    }
  }

  /** What is left of a tree from which nearly all has gone takes few pages. */
  @ParameterizedTest
  @EnumSource
  void pagesComeBackWhenLittleIsLeft(Shape shape) {
    try (PageStore store = inMemory()) {
      FdTree index = shape.open(store);
      for (long key = 0; key < 20_000; key++) {
        index.set(key, key);
        model.put(key, key);
      }
      int pages = store.pagesInUse();
      for (long from = 0; from < 18_000; from += 1_000) {
        remove(index, from, true, from + 1_000, false, "from " + from);
        index.verify();
      }
      int inUse = store.pagesInUse();
      assertTrue(inUse < pages / 2, inUse + " of " + pages + " pages are in use");
      assertHolds(index, "at last");
    }
  }

  /** A few entries of a large tree are no reason to copy it, whatever has gone before. */
  @ParameterizedTest
  @EnumSource
  void smallRangeCopiesNothing(Shape shape) {
    CountingPageStore store = new CountingPageStore(inMemory(), CountingPageStore.UNLIMITED);
    try (FdTree index = shape.open(store)) {
      long[] keys = LongStream.range(0, 40_000).toArray();
      index.bulkload(keys, keys);
      for (long from = 0; from < 36_000; from += 100) {
        long written = index.tree.written;
        assertEquals(100, index.removeRange(from, true, from + 100, false));
        long pages = index.tree.written - written;
        assertTrue(pages <= 40, pages + " pages were written after " + from);
      }
      index.verify();
      assertEquals(4_000, index.size());
    }
  }

  // ---------------------------------------------------------------- failures

  @ParameterizedTest
  @EnumSource
  void removalThatFailsHasRemovedAllOrNothingOrSaysSo(Shape shape) {
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    for (int pins = 0; !outcomes.containsKey(Outcome.DONE); pins += 1 + pins / 20) {
      outcomes.merge(removeWithPins(shape::open, pins), 1, Integer::sum);
    }
    assertTrue(outcomes.getOrDefault(Outcome.WHOLE, 0) > 20, outcomes.toString());
  }

  @ParameterizedTest
  @EnumSource
  void rangesGoWhereThereIsNoMemory(Shape shape) {
    try (PageStore full = new MemoryPageStore(PAGE_BYTES, 90 * PAGE_BYTES, HugePages.OFF)) {
      fillAndRemove(shape.open(full));
    }
  }
}
