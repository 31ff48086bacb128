// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.blink.BLinkStructure.PageChange;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link BLinkStructure}. The tree has
 * three levels and no split that is not complete; each leaf but the last has three entries at
 * least, the second inner page of level 1 has three children at least.
 */
enum BLinkCorruption {
  KEYS_OUT_OF_ORDER(
      "I1",
      tree ->
          change(
              tree,
              second(tree, 0),
              (pages, at) -> {
                long key = BLinkPage.key(pages, at, 0);
                BLinkPage.key(pages, at, 0, BLinkPage.key(pages, at, 1));
                BLinkPage.key(pages, at, 1, key);
              })),
  KEY_TWICE(
      "I1",
      tree ->
          change(
              tree,
              second(tree, 0),
              (pages, at) -> BLinkPage.key(pages, at, 1, BLinkPage.key(pages, at, 0)))),
  SEPARATORS_OUT_OF_ORDER(
      "I1",
      tree ->
          change(
              tree,
              second(tree, 1),
              (pages, at) -> BLinkPage.key(pages, at, 1, BLinkPage.key(pages, at, 0)))),

  KEY_ABOVE_THE_HIGH_KEY(
      "I2",
      tree ->
          change(
              tree,
              second(tree, 0),
              (pages, at) ->
                  BLinkPage.key(
                      pages,
                      at,
                      LinkedPage.rawCount(pages, at) - 1,
                      LinkedPage.high(pages, at) + 1))),
  KEY_OF_THE_LEFT_NEIGHBOUR(
      "I2",
      tree -> {
        long high = read(tree, first(tree, 0), LinkedPage::high);
        change(tree, second(tree, 0), (pages, at) -> BLinkPage.key(pages, at, 0, high));
      }),
  LAST_LEAF_WITH_A_BOUND(
      "I2",
      tree -> change(tree, last(tree, 0), (pages, at) -> LinkedPage.high(pages, at, 1L << 60))),
  BOUND_LOST(
      "I2",
      tree ->
          change(tree, second(tree, 0), (pages, at) -> LinkedPage.high(pages, at, Long.MAX_VALUE))),

  LEFT_LINK_TO_ANOTHER(
      "I3", tree -> change(tree, last(tree, 0), (pages, at) -> LinkedPage.left(pages, at, 0))),
  LEFT_LINK_OF_THE_FIRST(
      "I3",
      tree -> {
        int second = second(tree, 1);
        change(tree, first(tree, 1), (pages, at) -> LinkedPage.left(pages, at, second));
      }),

  HEIGHT_TOO_LARGE("I4", tree -> tree.meta[BLinkStructure.HEIGHT]++),
  HEIGHT_ZERO("I4", tree -> tree.meta[BLinkStructure.HEIGHT] = 0),
  LEAF_OF_ANOTHER_LEVEL(
      "I4", tree -> change(tree, second(tree, 0), (pages, at) -> LinkedPage.level(pages, at, 1))),

  MARK_LOST(
      "I5",
      tree -> {
        // As a split leaves it, but for the mark of the first leaf.
        change(
            tree,
            first(tree, 1),
            (pages, at) -> tree.format.removeChild(pages, at, 0, BLinkPage.key(pages, at, 0) + 1));
      }),
  MARK_OF_A_SPLIT_THAT_IS_COMPLETE(
      "I5",
      tree ->
          change(
              tree,
              first(tree, 0),
              (pages, at) -> LinkedPage.flags(pages, at, LinkedPage.SPLIT_IS_INCOMPLETE))),
  SEPARATOR_IS_NOT_THE_HIGH_KEY(
      "I5",
      tree ->
          change(
              tree,
              first(tree, 1),
              (pages, at) -> BLinkPage.key(pages, at, 0, BLinkPage.key(pages, at, 0) + 1))),
  CHAIN_ENDS_EARLY(
      "I5",
      tree ->
          change(
              tree,
              first(tree, 0),
              (pages, at) -> {
                LinkedPage.right(pages, at, 0);
                LinkedPage.high(pages, at, Long.MAX_VALUE);
              })),

  COUNT_ABOVE_CAPACITY(
      "I6",
      tree ->
          change(
              tree,
              second(tree, 0),
              (pages, at) -> LinkedPage.count(pages, at, tree.format.leafCapacity + 1))),
  COUNT_NEGATIVE(
      "I6", tree -> change(tree, second(tree, 0), (pages, at) -> LinkedPage.count(pages, at, -1))),
  INNER_PAGE_WITHOUT_CHILDREN(
      "I6", tree -> change(tree, second(tree, 1), (pages, at) -> LinkedPage.count(pages, at, 0))),
  PAGE_IS_MARKED_AS_GONE(
      "I6",
      tree ->
          change(
              tree, second(tree, 0), (pages, at) -> LinkedPage.flags(pages, at, LinkedPage.LEFT))),
  LAST_PAGE_IS_MARKED_AS_SPLIT(
      "I6",
      tree ->
          change(
              tree,
              last(tree, 0),
              (pages, at) -> LinkedPage.flags(pages, at, LinkedPage.SPLIT_IS_INCOMPLETE))),

  SIZE_TOO_LARGE("I7", tree -> tree.epochs.count(1)),
  ENTRY_LOST(
      "I7",
      tree ->
          change(
              tree,
              last(tree, 0),
              (pages, at) -> LinkedPage.count(pages, at, LinkedPage.rawCount(pages, at) - 1))),

  ROOT_IS_NONE("I8", tree -> tree.meta[BLinkStructure.ROOT] = 0),
  CHILD_TWICE(
      "I8",
      tree -> {
        int first = first(tree, 0);
        change(
            tree,
            first(tree, 1),
            (pages, at) -> ((BLinkPage) tree.format).child(pages, at, 1, first));
      }),
  CHILD_NEVER_GIVEN_OUT(
      "I8",
      tree ->
          change(
              tree,
              second(tree, 1),
              (pages, at) -> ((BLinkPage) tree.format).child(pages, at, 1, Integer.MAX_VALUE))),
  PAGE_TAKEN_BACK("I8", tree -> tree.store.free(second(tree, 0))),
  CHAIN_IN_A_CIRCLE(
      "I8",
      tree -> {
        int first = first(tree, 0);
        change(
            tree,
            second(tree, 0),
            (pages, at) -> {
              LinkedPage.right(pages, at, first);
              LinkedPage.flags(pages, at, LinkedPage.SPLIT_IS_INCOMPLETE);
            });
      }),

  PAGE_LEAKED("I8", tree -> tree.store.allocate());

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<BLinkStructure> damage;

  BLinkCorruption(String invariant, Consumer<BLinkStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(BLinkStructure tree) {
    damage.accept(tree);
  }

  private interface Field {
    long of(MemorySegment pages, long at);
  }

  private static long read(BLinkStructure tree, int page, Field field) {
    long at = tree.store.pin(page);
    long value = field.of(tree.pages, at);
    tree.store.unpin(at, false);
    return value;
  }

  private static void change(BLinkStructure tree, int page, PageChange change) {
    tree.pinAndChange(page, change);
  }

  static int first(BLinkStructure tree, int level) {
    return tree.find(level, Long.MIN_VALUE);
  }

  static int second(BLinkStructure tree, int level) {
    return (int) read(tree, first(tree, level), LinkedPage::right);
  }

  private static int last(BLinkStructure tree, int level) {
    return tree.find(level, Long.MAX_VALUE);
  }
}
