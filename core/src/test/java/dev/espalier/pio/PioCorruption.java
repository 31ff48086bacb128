// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.LongCursor;
import dev.espalier.support.Message;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link PioStructure}. The tree has
 * three levels at least, leaves of two segments, and a queue with two sorted pages at least and one
 * that was appended; its size is known.
 */
enum PioCorruption {
  HEIGHT_IS_ONE("I1", tree -> tree.meta[PioStructure.HEIGHT] = 1),
  HEIGHT_IS_BEYOND_ALL_PAGES(
      "I1", tree -> tree.meta[PioStructure.HEIGHT] = PioStructure.MAX_HEIGHT + 1),
  HEIGHT_IS_ONE_LESS("I1", tree -> tree.meta[PioStructure.HEIGHT]--),
  SEGMENT_SAYS_IT_IS_AN_INNER_NODE(
      "I1", tree -> EntryPage.initialize(tree.pages, at(tree, segment(tree, 0, 0)), 1)),

  NO_CHILDREN("I2", tree -> EntryPage.count(tree.pages, at(tree, parent(tree)), 0)),
  CHILDREN_ABOVE_CAPACITY(
      "I2", tree -> EntryPage.count(tree.pages, at(tree, tree.root()), tree.inner.capacity + 1)),
  ROOT_WITH_ONE_CHILD("I2", tree -> EntryPage.count(tree.pages, at(tree, tree.root()), 1)),

  SEPARATORS_OUT_OF_ORDER(
      "I3",
      tree -> {
        long at = at(tree, parent(tree));
        InnerPage.separator(tree.pages, at, 1, InnerPage.separator(tree.pages, at, 0) - 1);
      }),
  SEPARATOR_TWICE(
      "I3",
      tree -> {
        long at = at(tree, parent(tree));
        InnerPage.separator(tree.pages, at, 1, InnerPage.separator(tree.pages, at, 0));
      }),

  FENCE_MOVED_BELOW_A_KEY(
      "I4",
      tree -> {
        long at = at(tree, segment(tree, 0, 0));
        long key = EntryPage.key(tree.pages, at, EntryPage.count(tree.pages, at) - 1);
        InnerPage.separator(tree.pages, at(tree, parent(tree)), 0, key - 1);
      }),
  SEGMENT_OUT_OF_ORDER("I4", tree -> exchangeKeys(tree, segment(tree, 0, 0))),
  KEY_TWICE_IN_A_SEGMENT("I4", tree -> repeatKey(tree, segment(tree, 0, 0))),

  SEGMENT_ABOVE_CAPACITY(
      "I5",
      tree ->
          EntryPage.count(tree.pages, at(tree, segment(tree, 0, 0)), tree.entries.capacity + 1)),
  SEGMENT_COUNT_NEGATIVE(
      "I5", tree -> EntryPage.count(tree.pages, at(tree, segment(tree, 0, 0)), -1)),
  EMPTY_SEGMENT_BEFORE_THE_LAST(
      "I5", tree -> EntryPage.count(tree.pages, at(tree, fullSegment(tree)), 0)),

  OPERATION_OF_NO_KIND("I6", tree -> kind(tree, segment(tree, 0, 0), Message.NONE, 0)),
  OPERATION_THAT_ADDS("I6", tree -> kind(tree, segment(tree, 0, 0), Message.ADD, 1)),
  DELETE_WITH_A_VALUE("I6", tree -> kind(tree, segment(tree, 0, 0), Message.DELETE, 7)),
  QUEUED_OPERATION_OF_NO_KIND("I6", tree -> kind(tree, tree.queue.directory.number(0), 9, 0)),

  ROOT_IS_NONE("I7", tree -> tree.meta[PioStructure.ROOT] = 0),
  SEGMENT_IS_NONE("I7", tree -> setSegment(tree, 1, 0)),
  SEGMENT_IS_NEGATIVE("I7", tree -> setSegment(tree, 1, -1)),
  SEGMENT_NEVER_GIVEN_OUT("I7", tree -> setSegment(tree, 1, Integer.MAX_VALUE)),
  SEGMENT_TWICE("I7", tree -> setSegment(tree, 1, segment(tree, 0, 0))),
  SEGMENT_IN_USE_TAKEN_BACK("I7", tree -> tree.store.free(segment(tree, 0, 0))),
  QUEUE_PAGE_TAKEN_BACK("I7", tree -> tree.store.free(tree.queue.directory.number(0))),
  DIRECTORY_TAKEN_BACK("I7", tree -> tree.store.free(tree.queue.directory.page())),

  PAGE_LEAKED("I8", PioStructure::allocate),

  QUEUE_PAGE_WITH_TOO_FEW(
      "I9", tree -> EntryPage.count(tree.pages, at(tree, tree.queue.directory.number(0)), 1)),
  QUEUE_PAGE_IS_A_LEAF(
      "I9",
      tree ->
          EntryPage.initialize(
              tree.pages, at(tree, tree.queue.directory.number(0)), EntryPage.LEAF)),
  QUEUE_OUT_OF_ORDER("I9", tree -> exchangeKeys(tree, tree.queue.directory.number(0))),
  APPENDED_PAGE_OUT_OF_ORDER("I9", tree -> exchangeKeys(tree, appended(tree))),
  APPENDED_PAGE_EMPTY("I9", tree -> EntryPage.count(tree.pages, at(tree, appended(tree)), 0)),
  SORTED_PAGES_OVERLAP(
      "I9",
      tree -> {
        long at = at(tree, tree.queue.directory.number(0));
        setKey(tree, tree.queue.directory.number(1), 0, EntryPage.key(tree.pages, at, 0));
      }),

  OPERATIONS_MISCOUNTED("I10", tree -> tree.meta[PioStructure.IN_LEAVES]++),
  OPERATION_LOST(
      "I10",
      tree -> {
        long at = at(tree, segment(tree, 0, 0));
        EntryPage.count(tree.pages, at, EntryPage.count(tree.pages, at) - 1);
      }),

  SIZE_TOO_LARGE("I11", tree -> tree.meta[PioStructure.SIZE]++),
  QUEUED_OPERATION_LOST(
      "I11",
      tree -> {
        long at = at(tree, appended(tree));
        EntryPage.count(tree.pages, at, EntryPage.count(tree.pages, at) - 1);
      }),

  DEAD_RANGE_OVER_ALL("I12", tree -> tree.dead.ranges.add(Long.MIN_VALUE, Long.MAX_VALUE)),
  DEAD_RANGE_FROM_AN_ENTRY_ON(
      "I12",
      tree -> {
        LongCursor cursor = tree.cursor();
        cursor.last();
        tree.dead.ranges.add(cursor.key(), Long.MAX_VALUE);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<PioStructure> damage;

  PioCorruption(String invariant, Consumer<PioStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(PioStructure tree) {
    damage.accept(tree);
  }

  private static long at(PioStructure tree, int page) {
    return tree.store.pin(page);
  }

  /** Returns the first parent of leaves. */
  static int parent(PioStructure tree) {
    int page = tree.root();
    for (int level = tree.height() - 1; level > 1; level--) {
      page = tree.inner.child(tree.pages, at(tree, page), 0);
    }
    return page;
  }

  /** Returns a segment of one of the first leaves. */
  static int segment(PioStructure tree, int leaf, int segment) {
    return tree.inner.segment(tree.pages, at(tree, parent(tree)), leaf, segment);
  }

  private static void setSegment(PioStructure tree, int leaf, int number) {
    tree.inner.segment(tree.pages, at(tree, parent(tree)), leaf, 0, number);
  }

  /** Returns the first of a leaf's two segments, among the leaves of the first parent; or 0. */
  static int fullSegment(PioStructure tree) {
    long at = at(tree, parent(tree));
    for (int leaf = 0; leaf < EntryPage.count(tree.pages, at); leaf++) {
      if (tree.inner.segments(tree.pages, at, leaf) == 2) {
        return tree.inner.segment(tree.pages, at, leaf, 0);
      }
    }
    return 0;
  }

  /** Returns the first page that was appended to the queue. */
  private static int appended(PioStructure tree) {
    return tree.queue.directory.number(tree.queue.sortedPages());
  }

  private static void setKey(PioStructure tree, int page, int slot, long key) {
    tree.entries.set(tree.pages, at(tree, page), slot, key, 0, Message.PUT);
  }

  private static void exchangeKeys(PioStructure tree, int page) {
    long at = at(tree, page);
    long first = EntryPage.key(tree.pages, at, 0);
    setKey(tree, page, 0, EntryPage.key(tree.pages, at, 1));
    setKey(tree, page, 1, first);
  }

  private static void repeatKey(PioStructure tree, int page) {
    setKey(tree, page, 1, EntryPage.key(tree.pages, at(tree, page), 0));
  }

  /** Gives a page's first operation another kind and value. */
  private static void kind(PioStructure tree, int page, int kind, long value) {
    long at = at(tree, page);
    tree.entries.set(tree.pages, at, 0, EntryPage.key(tree.pages, at, 0), value, kind);
  }
}
