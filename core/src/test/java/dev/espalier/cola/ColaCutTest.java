// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.RangeCuts;
import dev.espalier.TestSize;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.support.DeadRanges;
import dev.espalier.tree.RangeRemoval;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges that leave the levels of both COLAs where they are. */
class ColaCutTest extends RangeCuts {
  /** Trees of small batches, and so of many levels. */
  enum Shape {
    COLA {
      @Override
      LongIndex open(PageStore store) {
        return Cola.open(IndexOptions.DEFAULT, store, new Cola.Geometry(2, 1, 5));
      }
    },
    WIDER_COLA {
      @Override
      LongIndex open(PageStore store) {
        return Cola.open(IndexOptions.DEFAULT, store, new Cola.Geometry(4, 0.1, 50));
      }
    },
    DEAMORTIZED {
      @Override
      LongIndex open(PageStore store) {
        return DeamortizedCola.open(IndexOptions.DEFAULT, store, new DeamortizedCola.Geometry(7));
      }
    };

    abstract LongIndex open(PageStore store);
  }

  private static MessageLevels tree(LongIndex index) {
    return index instanceof Cola cola ? cola.tree : ((DeamortizedCola) index).tree;
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

  /** Each pair of ends meets the same tree, with puts and tombstones in all levels. */
  @ParameterizedTest
  @EnumSource
  void rangeBetweenAnyTwoEndsLeavesNoPut(Shape shape) {
    long[] ends =
        LongStream.concat(
                LongStream.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, KEYS, Long.MAX_VALUE),
                LongStream.range(0, KEYS)
                    .filter(key -> key % (TestSize.isThorough() ? 31 : 97) < 2))
            .sorted()
            .toArray();
    int cuts = 0;
    for (int i = 0; i < ends.length; i++) {
      for (int j = i; j < ends.length; j += i == 0 || j < i + 3 ? 1 : 7) {
        try (LongIndex index = small(shape.open(inMemory()))) {
          String what = ends[i] + " to " + ends[j];
          int removed = model.subMap(ends[i], true, ends[j], true).size();
          remove(index, ends[i], true, ends[j], true, what);
          index.verify();
          if (removed >= RangeRemoval.MANY) {
            cuts++;
            assertNoPutFrom(ends[i], ends[j], tree(index), what);
          }
          assertHolds(index, what);
        }
      }
    }
    assertTrue(cuts > 50, "cuts: " + cuts);
  }

  /** Checks that no level has a put of a range. */
  private static void assertNoPutFrom(long first, long last, MessageLevels tree, String what) {
    Level[] levels =
        tree instanceof ColaStructure cola
            ? Arrays.copyOfRange(cola.levels, 1, cola.depth + 1)
            : ((DeamortizedStructure) tree).arrays;
    for (Level level : levels) {
      for (long position = 0; position < level.elements(); position++) {
        long page = tree.store.pin(level.firstPage() + (int) tree.layout.pageOf(position));
        int slot = (int) (position % tree.layout.capacity);
        long key = tree.layout.key(tree.pages, page, slot);
        boolean isPut = ElementPage.isPut(tree.pages, page, slot);
        tree.store.unpin(page, false);
        assertFalse(isPut && key >= first && key <= last, what + ": a level has key " + key);
      }
    }
    LongCursor cursor = tree.cursor(new DeadRanges());
    assertFalse(cursor.ceiling(first) && cursor.key() <= last, what);
  }

  // ---------------------------------------------------------------- merges

  /** Whatever merges are under way when a range goes, they end as if it had gone before. */
  @ParameterizedTest
  @EnumSource
  void rangesGoInTheMiddleOfMerges(Shape shape) {
    int merges = 0;
    for (int written = 700; written < 1300; written += TestSize.isThorough() ? 1 : 11) {
      try (LongIndex index = shape.open(inMemory())) {
        model.clear();
        SplittableRandom random = new SplittableRandom(written);
        for (int i = 0; i < written; i++) {
          write(index, 2L * random.nextInt(KEYS / 2), i, random.nextInt(10));
        }
        if (tree(index) instanceof DeamortizedStructure deamortized) {
          for (HalfMerge half : deamortized.merges) {
            merges += half.isBegun() && half.elements > 0 ? 1 : 0;
          }
        }
        long from = random.nextInt(KEYS / 2);
        remove(index, from, true, from + KEYS / 3, true, "after " + written);
        index.verify();
        for (int i = 0; i < 1200; i++) {
          write(index, 2L * random.nextInt(KEYS / 2), -i, random.nextInt(10));
          if (i % 100 == 0) {
            index.verify();
          }
        }
        assertHolds(index, "after " + written);
      }
    }
    assertTrue(shape != Shape.DEAMORTIZED || merges > 15, "merges under way: " + merges);
  }

  // ---------------------------------------------------------------- costs

  /** A message for each entry would go down by merges of all levels. */
  @ParameterizedTest
  @EnumSource
  void rangeTouchesItsPagesAndTheEnds(Shape shape) {
    CountingPageStore store = new CountingPageStore(inMemory(), CountingPageStore.UNLIMITED);
    try (LongIndex index = shape.open(store)) {
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < 20_000; i++) {
        long key = random.nextInt(1 << 20);
        index.set(key, key);
        model.put(key, key);
      }
      int pages = store.pagesInUse();
      store.resetCounters();
      remove(index, 1 << 19, true, (1 << 19) + (1 << 15), true, "a 32nd");
      long pins = store.counters().pins();
      assertTrue(pins < pages, pins + " pins of " + pages + " pages");
      assertEquals(0, store.counters().allocated());
      assertEquals(MessageLevels.UNKNOWN, tree(index).meta[MessageLevels.SIZE]);
      index.verify();
      assertHolds(index, "a 32nd");
      remove(index, 0, true, 1 << 14, true, "where the size is known");
      assertEquals(model.size(), tree(index).meta[MessageLevels.SIZE]);
      index.verify();
    }
  }

  /** What is left of a tree from which nearly all has gone takes few pages. */
  @ParameterizedTest
  @EnumSource
  void pagesComeBackWhenLittleIsLeft(Shape shape) {
    try (PageStore store = inMemory()) {
      LongIndex index = shape.open(store);
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
      assertTrue(inUse < pages / 3, inUse + " of " + pages + " pages are in use");
      assertHolds(index, "at last");
    }
  }

  /** A few entries of a large tree are no reason to copy it, whatever has gone before. */
  @ParameterizedTest
  @EnumSource
  void smallRangeCopiesNothing(Shape shape) {
    CountingPageStore store = new CountingPageStore(inMemory(), CountingPageStore.UNLIMITED);
    try (LongIndex index = shape.open(store)) {
      long[] keys = LongStream.range(0, 40_000).toArray();
      index.bulkload(keys, keys);
      for (long from = 0; from < 36_000; from += 100) {
        store.resetCounters();
        assertEquals(100, index.removeRange(from, true, from + 100, false));
        long allocated = store.counters().allocated();
        long most = 16 * 100 / tree(index).layout.capacity + 40;
        assertTrue(allocated <= most, allocated + " pages were written after " + from);
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
