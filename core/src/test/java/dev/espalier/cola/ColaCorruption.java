// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.LongCursor;
import dev.espalier.memory.Words;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Ways to damage a healthy COLA, each against one invariant of {@link ColaStructure}. It has three
 * levels at least below level 0. Level 1 has no messages; the last but one, here called upper, has
 * puts, tombstones and pointers in more than one page, as the deepest has puts. Level 0 is in order
 * and has a put and a tombstone at least; all keys are multiples of 10, and the size is known.
 */
enum ColaCorruption {
  LEVEL_KEYS_OUT_OF_ORDER("I1", tree -> swapKeys(tree, tree.levels[tree.depth].firstPage())),
  KEY_TWICE_IN_A_LEVEL("I1", tree -> key(tree, tree.depth, 2, key(tree, tree.depth, 1))),
  PAGE_BEGINS_WITH_THE_KEY_BEFORE_IT(
      "I1",
      tree -> {
        int start = tree.layout.capacity;
        key(tree, tree.depth, start, key(tree, tree.depth, start - 1L));
      }),
  LEVEL_ZERO_OUT_OF_ORDER("I1", tree -> swapKeys(tree, top(tree))),
  KEY_TWICE_IN_LEVEL_ZERO(
      "I1",
      tree -> {
        long page = pin(tree, top(tree));
        long value = tree.layout.value(tree.pages, page, 1);
        tree.layout.set(tree.pages, page, 1, tree.layout.key(tree.pages, page, 0), value);
      }),

  RUNS_NEGATIVE("I2", tree -> runs(tree, tree.depth, -1)),
  RUNS_AS_MANY_AS_THE_GROWTH("I2", tree -> runs(tree, tree.depth, tree.geometry.growth())),
  NO_RUNS_BUT_MESSAGES("I2", tree -> runs(tree, upper(tree), 0)),
  MESSAGES_BEYOND_THE_RUNS(
      "I2",
      tree -> {
        Level level = tree.levels[tree.depth];
        long most = level.runs() * tree.run(tree.depth);
        counts(tree, tree.depth, level.elements(), most + 1, 0);
      }),
  LEVEL_ZERO_BEYOND_ITS_BATCH("I2", tree -> topNumber(tree, tree.batch + 1)),
  LEVEL_ZERO_COUNT_NEGATIVE("I2", tree -> topNumber(tree, 0xffff_ffffL)),
  TAIL_TOO_LONG("I2", tree -> topNumber(tree, (long) TopPage.TAIL << Integer.SIZE)),
  TAIL_COUNT_NEGATIVE("I2", tree -> topNumber(tree, Long.MIN_VALUE)),

  MERGE_NOT_COUNTED("I3", tree -> tree.meta[ColaStructure.MERGES]--),
  MERGE_COUNTED_TWICE("I3", tree -> tree.meta[ColaStructure.MERGES]++),
  MERGES_NEGATIVE("I3", tree -> tree.meta[ColaStructure.MERGES] = Long.MIN_VALUE),
  RUN_THAT_NEVER_CAME("I3", tree -> runs(tree, 1, 1)),

  POINTER_KEY_CHANGED(
      "I4",
      tree -> {
        long at = pointer(tree, upper(tree), 1);
        key(tree, upper(tree), at, key(tree, upper(tree), at) + 1);
      }),
  TARGET_KEY_CHANGED(
      "I4", tree -> key(tree, tree.depth, tree.stride, key(tree, tree.depth, tree.stride) + 1)),
  POINTER_MOVED_TO_A_NEIGHBOUR(
      "I4",
      tree -> {
        long at = pointer(tree, upper(tree), 1);
        pointerBit(tree, upper(tree), at, false);
        pointerBit(tree, upper(tree), at - 1, true);
        sumAnew(tree, upper(tree));
      }),
  POINTER_IN_BETWEEN_MISSING(
      "I4",
      tree -> {
        pointerBit(tree, upper(tree), pointer(tree, upper(tree), 1), false);
        sumAnew(tree, upper(tree));
      }),

  LAST_POINTER_MISSING(
      "I5",
      tree -> {
        long pointers = Math.ceilDiv(tree.levels[tree.depth].elements(), (long) tree.stride);
        pointerBit(tree, upper(tree), pointer(tree, upper(tree), pointers - 1), false);
        sumAnew(tree, upper(tree));
      }),
  POINTER_BEHIND_THE_END(
      "I5",
      tree -> {
        pointerBit(tree, upper(tree), tree.levels[upper(tree)].elements() - 1, true);
        sumAnew(tree, upper(tree));
      }),
  POINTER_IN_THE_DEEPEST_LEVEL("I5", tree -> pointerBit(tree, tree.depth, 0, true)),
  POINTER_IN_LEVEL_ZERO(
      "I5", tree -> ElementPageTest.setPointer(tree.layout, tree.pages, pin(tree, top(tree)), 0)),

  SUM_ONE_TOO_LARGE("I6", tree -> sum(tree, 1, 1)),
  SUM_ONE_TOO_SMALL("I6", tree -> sum(tree, 1, -1)),
  SUM_OF_THE_FIRST_PAGE_NOT_ZERO("I6", tree -> sum(tree, 0, 1)),
  SUM_NEGATIVE("I6", tree -> sum(tree, 1, Long.MIN_VALUE)),

  ELEMENTS_NEGATIVE("I7", tree -> elements(tree, Long.MIN_VALUE)),
  ELEMENTS_BEYOND_THE_PAGES(
      "I7",
      tree -> elements(tree, (long) tree.levels[tree.depth].pages() * tree.layout.capacity + 1)),
  ELEMENTS_BEYOND_ALL_MEMORY("I7", tree -> elements(tree, Long.MAX_VALUE)),
  MESSAGE_NOT_COUNTED("I7", tree -> count(tree, tree.depth, -1, 0)),
  TOMBSTONE_NOT_COUNTED("I7", tree -> count(tree, upper(tree), 0, -1)),
  TOMBSTONE_COUNTED_TWICE("I7", tree -> count(tree, upper(tree), 0, 1)),
  TOMBSTONE_BECOMES_A_PUT(
      "I7", tree -> at(tree, upper(tree), tombstone(tree), slot -> mark(tree, slot, true, 0))),
  TOMBSTONE_BECOMES_NOTHING(
      "I7",
      tree ->
          at(
              tree,
              upper(tree),
              tombstone(tree),
              slot -> mark(tree, slot, false, ElementPage.NOTHING))),
  TOMBSTONE_OF_ANOTHER_VALUE(
      "I7", tree -> at(tree, upper(tree), tombstone(tree), slot -> mark(tree, slot, false, 7))),
  PUT_BECOMES_A_HOLE(
      "I7", tree -> at(tree, tree.depth, 5, slot -> mark(tree, slot, false, ElementPage.NOTHING))),
  NOTHING_IN_LEVEL_ZERO(
      "I7",
      tree -> {
        long page = pin(tree, top(tree));
        ElementPage.isPut(tree.pages, page, 0, false);
        tree.layout.value(tree.pages, page, 0, ElementPage.NOTHING);
      }),

  TOMBSTONE_IN_THE_DEEPEST_LEVEL(
      "I8",
      tree -> {
        at(tree, tree.depth, 5, slot -> mark(tree, slot, false, ElementPage.TOMBSTONE));
        count(tree, tree.depth, 0, 1);
      }),
  HOLE_ABOVE_THE_DEEPEST_LEVEL(
      "I8",
      tree -> {
        at(
            tree,
            upper(tree),
            tombstone(tree),
            slot -> mark(tree, slot, false, ElementPage.NOTHING));
        count(tree, upper(tree), -1, -1);
      }),
  HEIGHT_IS_ONE_LESS("I8", tree -> tree.meta[ColaStructure.HEIGHT]--),
  HEIGHT_IS_ZERO("I8", tree -> tree.meta[ColaStructure.HEIGHT] = 0),
  HEIGHT_IS_BEYOND_ALL_LEVELS("I8", tree -> tree.meta[ColaStructure.HEIGHT] = Long.MAX_VALUE),
  DEPTH_NEGATIVE("I8", tree -> tree.depth = -1),
  DEPTH_BEYOND_THE_MANIFEST("I8", tree -> tree.depth = tree.mostLevels + 1),

  PAGE_LEAKED("I9", tree -> tree.store.allocate()),
  PAGE_IN_USE_TAKEN_BACK("I9", tree -> tree.store.free(tree.levels[tree.depth].firstPage())),
  LEVEL_ZERO_TAKEN_BACK("I9", tree -> tree.store.free(top(tree))),
  MANIFEST_IS_NONE("I9", tree -> tree.meta[ColaStructure.MANIFEST] = 0),
  LEVEL_ZERO_IS_THE_MANIFEST(
      "I9", tree -> tree.meta[ColaStructure.TOP] = tree.meta[ColaStructure.MANIFEST]),
  EXTENT_IN_TWO_LEVELS("I9", tree -> extent(tree, tree.levels[tree.depth].firstPage(), 2)),
  EXTENT_BEGINS_WITH_NONE("I9", tree -> extent(tree, 0, 2)),
  EXTENT_BEGINS_BEFORE_ALL_PAGES("I9", tree -> extent(tree, Integer.MIN_VALUE, 2)),
  EXTENT_BEGINS_BEHIND_ALL_PAGES("I9", tree -> extent(tree, Integer.MAX_VALUE, 2)),
  EXTENT_LONGER_THAN_ALL_PAGES("I9", tree -> extent(tree, 1, Integer.MAX_VALUE)),
  EXTENT_OF_LESS_THAN_NO_PAGES(
      "I9", tree -> extent(tree, tree.levels[upper(tree)].firstPage(), -1)),
  EXTENT_CUT_OFF(
      "I9",
      tree ->
          extent(tree, tree.levels[upper(tree)].firstPage(), tree.levels[upper(tree)].pages() - 1)),

  SIZE_TOO_LARGE("I10", tree -> tree.meta[ColaStructure.SIZE]++),
  SIZE_TOO_SMALL("I10", tree -> tree.meta[ColaStructure.SIZE]--),
  SIZE_IS_NO_SIZE("I10", tree -> tree.meta[ColaStructure.SIZE] = -2),
  REMOVED_ENTRY_IS_BACK(
      "I10",
      tree -> {
        at(tree, upper(tree), lastingTombstone(tree), slot -> mark(tree, slot, true, 0));
        count(tree, upper(tree), 0, -1);
      }),

  DEAD_RANGE_OVER_ALL("I11", tree -> tree.dead.add(Long.MIN_VALUE, Long.MAX_VALUE)),
  DEAD_RANGE_FROM_AN_ENTRY_ON(
      "I11",
      tree -> {
        LongCursor cursor = tree.cursor();
        cursor.last();
        tree.dead.add(cursor.key(), Long.MAX_VALUE);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<ColaStructure> damage;

  ColaCorruption(String invariant, Consumer<ColaStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(ColaStructure tree) {
    damage.accept(tree);
  }

  // ---------------------------------------------------------------- places

  /** Returns the level before the deepest. */
  static int upper(ColaStructure tree) {
    return tree.depth - 1;
  }

  private static int top(ColaStructure tree) {
    return (int) tree.meta[ColaStructure.TOP];
  }

  /** The store keeps its places, so nothing is unpinned. */
  static long pin(ColaStructure tree, int page) {
    return tree.store.pin(page);
  }

  static long pageAt(ColaStructure tree, int level, long position) {
    return pin(tree, tree.levels[level].firstPage() + (int) (position / tree.layout.capacity));
  }

  static int slotAt(ColaStructure tree, long position) {
    return (int) (position % tree.layout.capacity);
  }

  /** Gives the page of an element, plus its slot, to {@code change}: pages are aligned. */
  private static void at(ColaStructure tree, int level, long position, LongConsumer change) {
    change.accept(pageAt(tree, level, position) + slotAt(tree, position));
  }

  static boolean isTombstone(ColaStructure tree, int level, long position) {
    long page = pageAt(tree, level, position);
    int slot = slotAt(tree, position);
    return !ElementPage.isPut(tree.pages, page, slot)
        && tree.layout.value(tree.pages, page, slot) == ElementPage.TOMBSTONE;
  }

  static boolean isPointer(ColaStructure tree, int level, long position) {
    return tree.layout.isPointer(tree.pages, pageAt(tree, level, position), slotAt(tree, position));
  }

  /** Returns where the upper level has a tombstone that is no pointer, or -1. */
  static long tombstone(ColaStructure tree) {
    int level = upper(tree);
    for (long position = 0; position < tree.levels[level].elements(); position++) {
      if (isTombstone(tree, level, position) && !isPointer(tree, level, position)) {
        return position;
      }
    }
    return -1;
  }

  /** Returns where the upper level has a tombstone that no newer message covers, or -1. */
  static long lastingTombstone(ColaStructure tree) {
    int level = upper(tree);
    for (long position = 0; position < tree.levels[level].elements(); position++) {
      if (isTombstone(tree, level, position) && isNewest(tree, level, position)) {
        return position;
      }
    }
    return -1;
  }

  private static boolean isNewest(ColaStructure tree, int level, long position) {
    long key = key(tree, level, position);
    if (tree.findInTop(tree.pages, pin(tree, top(tree)), key) >= 0) {
      return false;
    }
    for (int k = 1; k < level; k++) {
      Level newer = tree.levels[k];
      long at = tree.lowerBound(newer, 0, newer.elements(), key);
      if (at < newer.elements() && key(tree, k, at) == key) {
        return false;
      }
    }
    return true;
  }

  /** Returns the position of a level's i-th pointer. */
  private static long pointer(ColaStructure tree, int level, long i) {
    long position = 0;
    for (long before = isPointer(tree, level, 0) ? 1 : 0; before <= i; ) {
      position++;
      before += isPointer(tree, level, position) ? 1 : 0;
    }
    return position;
  }

  // ---------------------------------------------------------------- damage

  static long key(ColaStructure tree, int level, long position) {
    return tree.layout.key(tree.pages, pageAt(tree, level, position), slotAt(tree, position));
  }

  private static void key(ColaStructure tree, int level, long position, long key) {
    long slot = (long) slotAt(tree, position) << 3;
    Words.putLong(tree.pages, pageAt(tree, level, position) + tree.layout.keysOffset + slot, key);
  }

  private static void swapKeys(ColaStructure tree, int pageNumber) {
    long page = pin(tree, pageNumber);
    long at = page + tree.layout.keysOffset;
    // Neither the first nor a stride's: nothing points to them.
    int slot = pageNumber == top(tree) ? 0 : 1;
    long first = tree.layout.key(tree.pages, page, slot);
    Words.putLong(tree.pages, at + 8L * slot, tree.layout.key(tree.pages, page, slot + 1));
    Words.putLong(tree.pages, at + 8L * slot + 8, first);
  }

  private static void mark(ColaStructure tree, long pageAndSlot, boolean isPut, long value) {
    int slot = (int) (pageAndSlot % tree.layout.bytes);
    ElementPage.isPut(tree.pages, pageAndSlot - slot, slot, isPut);
    tree.layout.value(tree.pages, pageAndSlot - slot, slot, value);
  }

  private static void pointerBit(ColaStructure tree, int level, long position, boolean set) {
    long page = pageAt(tree, level, position);
    int slot = slotAt(tree, position);
    long word = tree.layout.pointerWord(tree.pages, page, slot >>> 6);
    long bit = 1L << slot;
    tree.layout.pointerWord(tree.pages, page, slot >>> 6, set ? word | bit : word & ~bit);
  }

  /** Makes the pages' sums those of the bits that are there now. */
  private static void sumAnew(ColaStructure tree, int level) {
    long sum = 0;
    for (int i = 0; i < tree.levels[level].pages(); i++) {
      long page = pin(tree, tree.levels[level].firstPage() + i);
      ElementPage.number(tree.pages, page, sum);
      sum = tree.layout.pointersBefore(tree.pages, page, tree.layout.capacity);
    }
  }

  private static void sum(ColaStructure tree, int pageOfLevel, long by) {
    long page = pin(tree, tree.levels[upper(tree)].firstPage() + pageOfLevel);
    ElementPage.number(tree.pages, page, ElementPage.number(tree.pages, page) + by);
  }

  private static void topNumber(ColaStructure tree, long number) {
    ElementPage.number(tree.pages, pin(tree, top(tree)), number);
  }

  private static void runs(ColaStructure tree, int level, int runs) {
    tree.levels[level] = tree.levels[level].withRuns(runs);
  }

  private static void elements(ColaStructure tree, long elements) {
    Level level = tree.levels[tree.depth];
    counts(tree, tree.depth, elements, level.messages(), level.tombstones());
  }

  private static void count(ColaStructure tree, int number, long messages, long tombstones) {
    Level level = tree.levels[number];
    counts(
        tree,
        number,
        level.elements(),
        level.messages() + messages,
        level.tombstones() + tombstones);
  }

  private static void counts(
      ColaStructure tree, int number, long elements, long messages, long tombstones) {
    Level level = tree.levels[number];
    tree.levels[number] =
        new Level(level.firstPage(), level.pages(), elements, messages, tombstones, level.runs());
  }

  /** Puts the upper level into other pages. */
  private static void extent(ColaStructure tree, int firstPage, int pages) {
    Level level = tree.levels[upper(tree)];
    tree.levels[upper(tree)] =
        new Level(
            firstPage, pages, level.elements(), level.messages(), level.tombstones(), level.runs());
  }
}
