// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.LongCursor;
import dev.espalier.memory.Words;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy deamortized COLA, each against one invariant of {@link
 * DeamortizedStructure}. It has messages in the top, an array of several pages in the deepest
 * level, and a merge that has written something and has something left.
 */
enum DeamortizedCorruption {
  KEYS_SWAPPED_IN_THE_TOP("I1", tree -> swapKeys(tree, top(tree))),
  KEYS_SWAPPED_IN_AN_ARRAY("I1", tree -> swapKeys(tree, page(tree, oldest(tree), 0))),
  KEY_TWICE_IN_AN_ARRAY("I1", tree -> setKey(tree, page(tree, oldest(tree), 0), 1, 0)),
  KEYS_SWAPPED_IN_A_TARGET("I1", tree -> swapKeys(tree, target(tree))),
  PAGE_BEGINS_WITH_THE_KEY_BEFORE(
      "I1",
      tree -> {
        long last =
            tree.layout.key(tree.pages, page(tree, oldest(tree), 0), tree.layout.capacity - 1);
        setKeyTo(tree, page(tree, oldest(tree), 1), 0, last);
      }),

  TOP_ABOVE_ITS_BATCH("I2", tree -> ElementPage.number(tree.pages, top(tree), tree.batch + 1L)),
  TOP_COUNT_NEGATIVE("I2", tree -> ElementPage.number(tree.pages, top(tree), -1)),
  ARRAY_ABOVE_ITS_LEVEL(
      "I2", tree -> resize(tree, merging(tree), 1 + (tree.batch << merging(tree)))),
  ELEMENTS_NEGATIVE("I2", tree -> resize(tree, merging(tree), -1)),
  NEWER_ARRAY_WITHOUT_AN_OLDER("I2", tree -> tree.arrays[2 * merging(tree) + 1] = Level.EMPTY),
  DEEPEST_LEVEL_EMPTY(
      "I2",
      tree -> {
        tree.depth++;
        tree.meta[MessageLevels.HEIGHT]++;
      }),
  HEIGHT_IS_ONE_MORE("I2", tree -> tree.meta[MessageLevels.HEIGHT]++),
  MORE_LEVELS_THAN_THERE_CAN_BE("I2", tree -> tree.depth = DeamortizedStructure.MOST_LEVELS),

  ADJACENT_LEVELS_UNSAFE(
      "I3",
      tree -> {
        int next = merging(tree) + 1;
        tree.arrays[2 * next] = tree.arrays[2 * merging(tree)];
        tree.arrays[2 * next + 1] = tree.arrays[2 * merging(tree) + 1];
      }),

  TARGET_HAS_ANOTHER_VALUE("I4", tree -> tree.layout.value(tree.pages, target(tree), 0, 12345)),
  TARGET_LACKS_A_MESSAGE(
      "I4",
      tree -> {
        half(tree).elements--;
        half(tree).messages--;
      }),
  TARGET_HAS_MORE_THAN_WAS_MOVED(
      "I4", tree -> half(tree).elements = half(tree).movedNewer + half(tree).movedOlder + 1),
  TARGET_HAS_NO_ROOM_FOR_WHAT_IS_WRITTEN("I4", tree -> half(tree).pages = 1),
  TARGET_HAS_NO_ROOM_FOR_THE_REST(
      "I4",
      tree -> {
        HalfMerge half = half(tree);
        int used = half.written(tree.layout.capacity).pages();
        for (int i = used; i < half.pages; i++) {
          tree.store.free(half.firstPage + i);
        }
        if (used < Fences.LEAST_PAGES) {
          tree.store.free(half.firstFence);
          half.firstFence = 0;
        }
        half.pages = used;
      }),
  SOURCE_CHANGED_AFTER_IT_WAS_MOVED(
      "I4",
      tree -> {
        long page = page(tree, 2 * merging(tree) + 1, 0);
        tree.layout.value(tree.pages, page, 0, 54321);
      }),

  TARGET_OF_A_SAFE_LEVEL(
      "I5", tree -> tree.merges[tree.depth - 1].begin(new Level(1, 1, 0, 0, 0, 0))),
  MOVED_MORE_THAN_THERE_IS(
      "I5", tree -> half(tree).movedNewer = tree.arrays[2 * merging(tree)].elements() + 1),
  MOVED_LESS_THAN_NOTHING("I5", tree -> half(tree).movedOlder = -1),

  POINTER_IN_AN_ARRAY(
      "I6", tree -> tree.layout.pointerWord(tree.pages, page(tree, oldest(tree), 0), 0, 4)),
  SUM_OF_POINTERS_IN_A_PAGE(
      "I6", tree -> ElementPage.number(tree.pages, page(tree, oldest(tree), 1), 7)),

  MESSAGES_COUNTED_WRONG("I7", tree -> count(tree, 1, 0)),
  TOMBSTONES_COUNTED_WRONG("I7", tree -> count(tree, 0, 1)),
  HOLE_IN_THE_TOP("I7", tree -> toNoPut(tree, top(tree), ElementPage.NOTHING)),
  HOLE_NOT_COUNTED("I7", tree -> toNoPut(tree, page(tree, oldest(tree), 0), ElementPage.NOTHING)),
  TARGET_COUNTED_WRONG("I7", tree -> half(tree).messages--),
  ARRAY_WITH_A_PAGE_MORE(
      "I7",
      tree -> {
        Level array = tree.arrays[oldest(tree)];
        tree.arrays[oldest(tree)] =
            new Level(
                array.firstPage(),
                array.pages() + 1,
                array.elements(),
                array.messages(),
                array.tombstones(),
                0);
      }),

  TOMBSTONE_IN_THE_OLDEST_ARRAY(
      "I8",
      tree -> {
        toNoPut(tree, page(tree, oldest(tree), 0), ElementPage.TOMBSTONE);
        Level array = tree.arrays[oldest(tree)];
        tree.arrays[oldest(tree)] =
            new Level(
                array.firstPage(),
                array.pages(),
                array.elements(),
                array.messages(),
                array.tombstones() + 1,
                0);
      }),

  PAGE_OF_AN_ARRAY_TAKEN_BACK(
      "I9", tree -> tree.store.free(tree.arrays[oldest(tree)].firstPage() + 1)),
  TOP_TAKEN_BACK("I9", tree -> tree.store.free((int) tree.meta[MessageLevels.TOP])),
  PAGE_LEAKED("I9", tree -> tree.store.allocate()),
  TOP_IS_THE_MANIFEST(
      "I9", tree -> tree.meta[MessageLevels.TOP] = tree.meta[MessageLevels.MANIFEST]),
  MANIFEST_ELSEWHERE("I9", tree -> tree.meta[MessageLevels.MANIFEST]++),
  TARGET_IN_A_SOURCE(
      "I9", tree -> half(tree).firstPage = tree.arrays[2 * merging(tree)].firstPage()),
  WASTE_IN_USE("I9", tree -> half(tree).waste(0, tree.arrays[oldest(tree)].firstPage(), 1)),
  WASTE_NEVER_GIVEN_OUT("I9", tree -> half(tree).waste(2, Integer.MAX_VALUE - 1, 1)),
  ARRAY_AT_NO_PAGE(
      "I9",
      tree -> {
        Level array = tree.arrays[oldest(tree)];
        tree.arrays[oldest(tree)] =
            new Level(-5, array.pages(), array.elements(), array.messages(), array.tombstones(), 0);
      }),

  FENCES_TAKEN_BACK("I9", tree -> tree.store.free(tree.arrays[oldest(tree)].firstFence())),
  FENCES_OF_A_TARGET_IN_ITS_PAGES("I9", tree -> half(tree).firstFence = half(tree).firstPage),
  FENCES_AT_NO_PAGE("I9", tree -> moveFences(tree, -1)),

  SIZE_TOO_LARGE("I10", tree -> tree.meta[MessageLevels.SIZE]++),

  FENCE_ABOVE_ITS_PAGE("I11", tree -> addToFence(tree, tree.arrays[oldest(tree)].firstFence(), 1)),
  FENCE_BELOW_ITS_PAGE("I11", tree -> addToFence(tree, tree.arrays[oldest(tree)].firstFence(), -1)),
  FENCE_OF_A_TARGET_WRONG("I11", tree -> addToFence(tree, half(tree).firstFence, 1)),
  SHORT_ARRAY_WITH_FENCES(
      "I11",
      tree -> {
        int i = 2 * tree.depth - 1;
        while (tree.arrays[i].pages() != 1) {
          i--;
        }
        tree.arrays[i] = tree.arrays[i].withFences(tree.arrays[oldest(tree)].firstFence());
      }),

  DEAD_RANGE_OVER_ALL("I12", tree -> tree.dead.add(Long.MIN_VALUE, Long.MAX_VALUE)),
  DEAD_RANGE_FROM_AN_ENTRY_ON(
      "I12",
      tree -> {
        LongCursor cursor = tree.cursor();
        cursor.last();
        tree.dead.add(cursor.key(), Long.MAX_VALUE);
      });

  private final String invariant;
  private final Consumer<DeamortizedStructure> damage;

  DeamortizedCorruption(String invariant, Consumer<DeamortizedStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  String invariant() {
    return invariant;
  }

  void inflictOn(DeamortizedStructure tree) {
    damage.accept(tree);
  }

  /** Returns the deepest level, but the last, whose merge has written a page and has some left. */
  static int merging(DeamortizedStructure tree) {
    for (int k = tree.depth - 2; k >= 0; k--) {
      HalfMerge half = tree.merges[k];
      if (half.elements > tree.layout.capacity
          && half.movedOlder > 0
          && half.elements < (long) (half.pages - 1) * tree.layout.capacity) {
        return k;
      }
    }
    return -1;
  }

  private static void moveFences(DeamortizedStructure tree, int to) {
    tree.arrays[oldest(tree)] = tree.arrays[oldest(tree)].withFences(to);
  }

  /** Changes the fence of an array's second page. */
  private static void addToFence(DeamortizedStructure tree, int firstFence, long more) {
    long fence = tree.store.pin(firstFence) + tree.fences.offset(1);
    Words.putLong(tree.pages, fence, Words.getLong(tree.pages, fence) + more);
  }

  private static HalfMerge half(DeamortizedStructure tree) {
    return tree.merges[merging(tree)];
  }

  private static int oldest(DeamortizedStructure tree) {
    return 2 * tree.depth - 1;
  }

  private static long top(DeamortizedStructure tree) {
    return tree.store.pin((int) tree.meta[MessageLevels.TOP]);
  }

  private static long target(DeamortizedStructure tree) {
    return tree.store.pin(half(tree).firstPage);
  }

  private static long page(DeamortizedStructure tree, int array, int number) {
    return tree.store.pin(tree.arrays[array].firstPage() + number);
  }

  private static void setKeyTo(DeamortizedStructure tree, long page, int slot, long key) {
    tree.layout.set(tree.pages, page, slot, key, tree.layout.value(tree.pages, page, slot));
  }

  private static void setKey(DeamortizedStructure tree, long page, int slot, int other) {
    setKeyTo(tree, page, slot, tree.layout.key(tree.pages, page, other));
  }

  private static void swapKeys(DeamortizedStructure tree, long page) {
    long first = tree.layout.key(tree.pages, page, 0);
    setKey(tree, page, 0, 1);
    setKeyTo(tree, page, 1, first);
  }

  private static void toNoPut(DeamortizedStructure tree, long page, long value) {
    tree.layout.value(tree.pages, page, 0, value);
    ElementPage.isPut(tree.pages, page, 0, false);
  }

  private static void resize(DeamortizedStructure tree, int level, long elements) {
    Level array = tree.arrays[2 * level];
    tree.arrays[2 * level] =
        new Level(
            array.firstPage(), array.pages(), elements, array.messages(), array.tombstones(), 0);
  }

  private static void count(DeamortizedStructure tree, int messages, int tombstones) {
    int i = 2 * merging(tree);
    Level array = tree.arrays[i];
    tree.arrays[i] =
        new Level(
            array.firstPage(),
            array.pages(),
            array.elements(),
            array.messages() + messages,
            array.tombstones() + tombstones,
            0);
  }
}
