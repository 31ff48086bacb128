// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.LongCursor;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link FdStructure}. The tree has
 * two runs at least, the first with puts, the deepest with two pages, and two leaves in the head
 * tree; its size is known.
 */
enum FdCorruption {
  KEYS_OUT_OF_ORDER("I1", tree -> exchangeKeys(tree, lastPage(tree, tree.depth))),
  KEY_TWICE("I1", tree -> repeatKey(tree, lastPage(tree, tree.depth))),

  HEIGHT_IS_ANOTHER("I2", tree -> tree.meta[FdStructure.HEIGHT]++),
  MESSAGES_OF_THE_HEAD_MISCOUNTED("I2", tree -> tree.meta[FdStructure.HEAD]++),
  COUNT_ABOVE_CAPACITY(
      "I2",
      tree ->
          RunPage.count(
              tree.pages, at(tree, lastPage(tree, tree.depth)), tree.layout.capacity + 1)),
  COUNT_NEGATIVE("I2", tree -> RunPage.count(tree.pages, at(tree, tree.head.leaves()[0]), -1)),
  PAGE_BEFORE_THE_LAST_NOT_FULL(
      "I2", tree -> RunPage.count(tree.pages, at(tree, tree.runs[tree.depth].firstPage()), 1)),
  ELEMENT_OF_NO_TYPE("I2", tree -> setType(tree, lastPage(tree, tree.depth), 0, 4)),
  ELEMENTS_MISCOUNTED("I2", tree -> change(tree, tree.depth, 1, 0, 0)),
  MESSAGES_MISCOUNTED("I2", tree -> change(tree, tree.depth, 0, 1, 0)),
  TOMBSTONES_MISCOUNTED("I2", tree -> change(tree, 1, 0, 0, 1)),

  FENCE_TO_ANOTHER_PAGE("I3", tree -> changeFence(tree, 0, 1)),
  FENCE_WITH_ANOTHER_KEY("I3", tree -> changeFence(tree, -1, 0)),
  FENCE_IS_A_MESSAGE(
      "I3",
      tree -> {
        int page = lastPage(tree, 1);
        setType(tree, page, lastFence(tree, page), RunPage.PUT);
        change(tree, 1, 0, 1, 0);
      }),

  FENCE_BEFORE_A_PAGE_IS_ANOTHER(
      "I4", tree -> RunPage.before(tree.pages, at(tree, lastPage(tree, tree.depth)), 1)),
  FENCE_BEFORE_A_LEAF_IS_ANOTHER(
      "I4", tree -> RunPage.before(tree.pages, at(tree, tree.head.leaves()[0]), 1)),

  TOMBSTONE_IN_THE_DEEPEST_RUN(
      "I5",
      tree -> {
        setType(tree, lastPage(tree, tree.depth), 0, RunPage.TOMBSTONE);
        change(tree, tree.depth, 0, 0, 1);
      }),
  NOTHING_ABOVE_THE_DEEPEST_RUN(
      "I5",
      tree -> {
        int page = tree.runs[1].firstPage();
        int slot = first(tree, page, RunPage.PUT);
        setType(tree, page, slot, RunPage.NOTHING);
        change(tree, 1, 0, -1, 0);
      }),

  ROOT_IS_NONE("I6", tree -> tree.meta[FdStructure.ROOT] = 0),
  LEAF_TWICE(
      "I6",
      tree -> {
        long root = at(tree, tree.root());
        long key = RootPage.key(tree.pages, root, 1);
        tree.rootLayout.set(tree.pages, root, 1, key, tree.head.leaves()[0]);
      }),
  LEAF_NEVER_GIVEN_OUT(
      "I6",
      tree ->
          tree.rootLayout.set(
              tree.pages, at(tree, tree.root()), 0, Long.MIN_VALUE, Integer.MAX_VALUE)),
  PAGE_OF_A_RUN_TAKEN_BACK("I6", tree -> tree.store.free(tree.runs[1].firstPage())),
  RUNS_IN_ONE_PLACE("I6", tree -> tree.runs[1] = tree.runs[2]),
  PAGE_LEAKED("I6", tree -> tree.allocate(1)),

  NO_LEAVES("I7", tree -> RootPage.count(tree.pages, at(tree, tree.root()), 0)),
  SEPARATOR_ABOVE_THE_LEAF(
      "I7",
      tree -> {
        long leaf = at(tree, tree.head.leaves()[1]);
        long root = at(tree, tree.root());
        long key = RunPage.key(tree.pages, leaf, 0) + 1;
        tree.rootLayout.set(tree.pages, root, 1, key, tree.head.leaves()[1]);
      }),
  SEPARATORS_OUT_OF_ORDER(
      "I7",
      tree ->
          tree.rootLayout.set(
              tree.pages, at(tree, tree.root()), 1, Long.MIN_VALUE, tree.head.leaves()[1])),

  SIZE_TOO_LARGE("I9", tree -> tree.meta[FdStructure.SIZE]++),
  ENTRY_LOST(
      "I9",
      tree -> {
        int page = lastPage(tree, tree.depth);
        setType(tree, page, first(tree, page, RunPage.PUT), RunPage.NOTHING);
        change(tree, tree.depth, 0, -1, 0);
      }),

  DEAD_RANGE_OVER_ALL("I10", tree -> tree.dead.add(Long.MIN_VALUE, Long.MAX_VALUE)),
  DEAD_RANGE_FROM_AN_ENTRY_ON(
      "I10",
      tree -> {
        LongCursor cursor = tree.cursor();
        cursor.last();
        tree.dead.add(cursor.key(), Long.MAX_VALUE);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<FdStructure> damage;

  FdCorruption(String invariant, Consumer<FdStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(FdStructure tree) {
    damage.accept(tree);
  }

  private static long at(FdStructure tree, int page) {
    return tree.store.pin(page);
  }

  static int lastPage(FdStructure tree, int run) {
    return tree.runs[run].firstPage() + tree.runs[run].pages() - 1;
  }

  private static void setType(FdStructure tree, int page, int slot, int type) {
    long at = at(tree, page);
    tree.layout.set(tree.pages, at, slot, tree.layout.value(tree.pages, at, slot), type);
  }

  /** Changes what is counted of a run. */
  private static void change(FdStructure tree, int number, int elements, int messages, int dead) {
    Run run = tree.runs[number];
    tree.runs[number] =
        new Run(
            run.firstPage(),
            run.pages(),
            run.elements() + elements,
            run.messages() + messages,
            run.tombstones() + dead);
  }

  /** Returns the slot of a page's first element of a type, or -1. */
  static int first(FdStructure tree, int page, int type) {
    long at = at(tree, page);
    for (int slot = 0; slot < tree.layout.count(tree.pages, at); slot++) {
      if (tree.layout.type(tree.pages, at, slot) == type) {
        return slot;
      }
    }
    return -1;
  }

  /** Returns the slot of a page's last fence, or -1. */
  static int lastFence(FdStructure tree, int page) {
    long at = at(tree, page);
    int slot = tree.layout.count(tree.pages, at) - 1;
    while (slot >= 0 && tree.layout.type(tree.pages, at, slot) != RunPage.FENCE) {
      slot--;
    }
    return slot;
  }

  /** Changes the first fence of the first run. */
  private static void changeFence(FdStructure tree, int keyBy, int targetBy) {
    int page = tree.runs[1].firstPage();
    int slot = first(tree, page, RunPage.FENCE);
    long at = at(tree, page);
    long key = RunPage.key(tree.pages, at, slot);
    long target = tree.layout.value(tree.pages, at, slot);
    tree.layout.set(tree.pages, at, slot, key + keyBy, target + targetBy, RunPage.FENCE);
  }

  private static void exchangeKeys(FdStructure tree, int page) {
    long at = at(tree, page);
    long first = RunPage.key(tree.pages, at, 1);
    setKey(tree, at, 1, RunPage.key(tree.pages, at, 2));
    setKey(tree, at, 2, first);
  }

  private static void repeatKey(FdStructure tree, int page) {
    long at = at(tree, page);
    setKey(tree, at, 2, RunPage.key(tree.pages, at, 1));
  }

  private static void setKey(FdStructure tree, long at, int slot, long key) {
    long value = tree.layout.value(tree.pages, at, slot);
    tree.layout.set(tree.pages, at, slot, key, value, tree.layout.type(tree.pages, at, slot));
  }
}
