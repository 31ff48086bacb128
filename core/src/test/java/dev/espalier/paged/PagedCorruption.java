// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree of pages, each against one invariant of {@link PagedStructure} and
 * whatever the page format. The tree has four levels at least, more than two pages on each level
 * below the root, and pages that are not full.
 */
enum PagedCorruption {
  LEAF_KEYS_OUT_OF_ORDER("I1", tree -> rewrite(tree, leaf(tree, 1), swapKeys())),
  KEY_TWICE_IN_A_LEAF("I1", tree -> rewrite(tree, leaf(tree, 1), repeatKey())),
  BOUNDS_OUT_OF_ORDER("I1", tree -> rewrite(tree, inner(tree, 1, 1), swapKeys())),
  BOUND_TWICE("I1", tree -> rewrite(tree, inner(tree, 2, 0), repeatKey())),

  LAST_KEY_ABOVE_ITS_BOUND(
      "I2",
      tree -> {
        long bound = key(tree, inner(tree, 1, 0), 0);
        rewrite(tree, leaf(tree, 0), (keys, _) -> keys[keys.length - 1] = bound + 1);
      }),
  FIRST_KEY_IS_THE_BOUND_BEFORE(
      "I2",
      tree -> {
        long bound = key(tree, inner(tree, 1, 0), 0);
        rewrite(tree, leaf(tree, 1), (keys, _) -> keys[0] = bound);
      }),
  BOUND_BELOW_A_KEY(
      "I2",
      tree -> {
        long[] keys = keys(tree, leaf(tree, 1));
        rewrite(tree, inner(tree, 1, 0), (bounds, _) -> bounds[1] = keys[keys.length - 1] - 1);
      }),
  LAST_BOUND_IS_NOT_THE_PAGES("I2", tree -> rewrite(tree, inner(tree, 1, 0), raiseLast(1))),
  RIGHT_EDGE_HAS_AN_END("I2", tree -> rewrite(tree, tree.root(), raiseLast(-1))),

  HEIGHT_IS_ZERO("I3", tree -> tree.meta[PagedStructure.HEIGHT] = 0),
  HEIGHT_IS_BEYOND_ALL_PAGES(
      "I3", tree -> tree.meta[PagedStructure.HEIGHT] = PagedStructure.MAX_HEIGHT + 1),
  HEIGHT_IS_ONE_LESS("I3", tree -> tree.meta[PagedStructure.HEIGHT]--),
  LEAF_SAYS_IT_IS_AN_INNER_PAGE("I3", tree -> level(tree, leaf(tree, 1), 1)),
  INNER_PAGE_SAYS_ANOTHER_LEVEL("I3", tree -> level(tree, inner(tree, 1, 1), 2)),

  LEAF_COUNT_ABOVE_CAPACITY("I4", tree -> count(tree, leaf(tree, 1), tree.format.leafCapacity + 1)),
  LEAF_COUNT_NEGATIVE("I4", tree -> count(tree, leaf(tree, 1), -1)),
  LEAF_EMPTY("I4", tree -> cut(tree, leaf(tree, 1), 0)),
  INNER_COUNT_ABOVE_CAPACITY(
      "I4", tree -> count(tree, inner(tree, 1, 1), tree.format.innerCapacity + 1)),
  INNER_COUNT_NEGATIVE("I4", tree -> count(tree, tree.root(), Integer.MIN_VALUE)),
  ROOT_WITH_ONE_CHILD("I4", tree -> cut(tree, tree.root(), 1)),

  SIZE_TOO_LARGE("I5", tree -> tree.meta[PagedStructure.SIZE]++),
  ENTRY_LOST(
      "I5",
      tree -> {
        int page = leaf(tree, 1);
        cut(tree, page, keys(tree, page).length - 1);
      }),

  NEXT_SKIPS_A_PAGE("I6", tree -> next(tree, inner(tree, 1, 0), inner(tree, 1, 2))),
  NEXT_IS_NONE_TOO_EARLY("I6", tree -> next(tree, inner(tree, 2, 0), 0)),
  LAST_HAS_A_NEXT("I6", tree -> next(tree, tree.root(), inner(tree, 2, 0))),
  PREVIOUS_SKIPS_A_PAGE("I6", tree -> previous(tree, inner(tree, 1, 2), inner(tree, 1, 0))),
  FIRST_HAS_A_PREVIOUS("I6", tree -> previous(tree, inner(tree, 1, 0), inner(tree, 1, 1))),
  LEAF_HAS_A_NEXT("I6", tree -> next(tree, leaf(tree, 0), leaf(tree, 1))),
  LEAF_HAS_A_PREVIOUS("I6", tree -> previous(tree, leaf(tree, 1), leaf(tree, 0))),

  ROOT_IS_NONE("I7", tree -> tree.meta[PagedStructure.ROOT] = 0),
  CHILD_IS_NONE("I7", tree -> rewrite(tree, inner(tree, 2, 0), child(0))),
  CHILD_IS_NEGATIVE("I7", tree -> rewrite(tree, inner(tree, 1, 1), child(-1))),
  CHILD_NEVER_GIVEN_OUT("I7", tree -> rewrite(tree, inner(tree, 2, 0), child(Integer.MAX_VALUE))),
  CHILD_OF_TWO_PARENTS("I7", tree -> rewrite(tree, inner(tree, 1, 1), child(leaf(tree, 0)))),
  CHILD_IS_ITS_OWN_PARENT("I7", tree -> rewrite(tree, inner(tree, 1, 1), child(inner(tree, 1, 1)))),
  LEAF_IN_USE_TAKEN_BACK("I7", tree -> tree.store.free(leaf(tree, 1))),
  INNER_PAGE_IN_USE_TAKEN_BACK("I7", tree -> tree.store.free(inner(tree, 1, 1))),

  PAGE_LEAKED("I8", PagedStructure::allocate);

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<PagedStructure> damage;

  PagedCorruption(String invariant, Consumer<PagedStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(PagedStructure tree) {
    damage.accept(tree);
  }

  // ---------------------------------------------------------------- pages

  /** Returns inner page {@code number} of a level, counted from 0. */
  static int inner(PagedStructure tree, int level, int number) {
    int page = tree.root();
    for (int at = tree.height() - 1; at > level; at--) {
      page = (int) payloads(tree, page)[0];
    }
    for (int i = 0; i < number; i++) {
      page = PageHeader.next(tree.pages, tree.store.pin(page));
    }
    return page;
  }

  /** Returns leaf page {@code number} of those under the first parent, counted from 0. */
  static int leaf(PagedStructure tree, int number) {
    return (int) payloads(tree, inner(tree, 1, 0))[number];
  }

  static long[] keys(PagedStructure tree, int page) {
    return load(tree, page)[0];
  }

  private static long key(PagedStructure tree, int page, int i) {
    return keys(tree, page)[i];
  }

  static long[] payloads(PagedStructure tree, int page) {
    return load(tree, page)[1];
  }

  private static long[][] load(PagedStructure tree, int page) {
    long at = tree.store.pin(page);
    int count = PageHeader.count(tree.pages, at);
    long[][] entries = new long[2][count];
    tree.format.load(tree.pages, at, entries[0], entries[1], 0);
    return entries;
  }

  // ---------------------------------------------------------------- damage

  /** Stores a page again after its keys or payloads were changed. */
  private static void rewrite(PagedStructure tree, int page, BiConsumer<long[], long[]> change) {
    long[][] entries = load(tree, page);
    change.accept(entries[0], entries[1]);
    store(tree, page, entries, entries[0].length);
  }

  /** Stores a page again with its first entries only. */
  private static void cut(PagedStructure tree, int page, int count) {
    store(tree, page, load(tree, page), count);
  }

  private static void store(PagedStructure tree, int page, long[][] entries, int count) {
    tree.format.store(
        tree.change.scratch, tree.pages, tree.store.pin(page), entries[0], entries[1], 0, count);
  }

  private static BiConsumer<long[], long[]> swapKeys() {
    return (keys, _) -> {
      long first = keys[0];
      keys[0] = keys[1];
      keys[1] = first;
    };
  }

  private static BiConsumer<long[], long[]> repeatKey() {
    return (keys, _) -> keys[1] = keys[0];
  }

  private static BiConsumer<long[], long[]> raiseLast(long by) {
    return (keys, _) -> keys[keys.length - 1] += by;
  }

  /** Puts a page in the place of the second child. */
  private static BiConsumer<long[], long[]> child(int page) {
    return (_, children) -> children[1] = page;
  }

  private static void level(PagedStructure tree, int page, int level) {
    PageHeader.level(tree.pages, tree.store.pin(page), level);
  }

  private static void count(PagedStructure tree, int page, int count) {
    PageHeader.count(tree.pages, tree.store.pin(page), count);
  }

  private static void next(PagedStructure tree, int page, int next) {
    PageHeader.next(tree.pages, tree.store.pin(page), next);
  }

  private static void previous(PagedStructure tree, int page, int previous) {
    PageHeader.previous(tree.pages, tree.store.pin(page), previous);
  }
}
