// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.LongCursor;
import dev.espalier.memory.Words;
import dev.espalier.support.Message;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link BEpsilonStructure}. The tree
 * has three levels at least, messages in the root and in the pages below it, and a size that is
 * known.
 */
enum BEpsilonCorruption {
  HEIGHT_IS_ZERO("I1", tree -> tree.meta[BEpsilonStructure.HEIGHT] = 0),
  HEIGHT_IS_BEYOND_ALL_PAGES(
      "I1", tree -> tree.meta[BEpsilonStructure.HEIGHT] = BEpsilonStructure.MAX_HEIGHT + 1),
  HEIGHT_IS_ONE_LESS("I1", tree -> tree.meta[BEpsilonStructure.HEIGHT]--),
  LEAF_SAYS_IT_IS_AN_INNER_PAGE(
      "I1", tree -> NodePage.initialize(tree.pages, at(tree, leaf(tree, 0)), 1)),
  LEAF_IN_PLACE_OF_AN_INNER_PAGE(
      "I1", tree -> tree.inner.child(tree.pages, at(tree, tree.root()), 0, leaf(tree, 0))),

  NO_CHILDREN("I2", tree -> NodePage.count(tree.pages, at(tree, child(tree, tree.root(), 0)), 0)),
  CHILDREN_ABOVE_FANOUT(
      "I2", tree -> NodePage.count(tree.pages, at(tree, tree.root()), tree.inner.fanout + 1)),
  ROOT_WITH_ONE_CHILD_AND_NO_MESSAGES(
      "I2",
      tree -> {
        NodePage.count(tree.pages, at(tree, tree.root()), 1);
        NodePage.messages(tree.pages, at(tree, tree.root()), 0);
      }),

  SEPARATORS_OUT_OF_ORDER(
      "I3",
      tree -> {
        long at = at(tree, tree.root());
        InnerPage.separator(tree.pages, at, 1, InnerPage.separator(tree.pages, at, 0) - 1);
      }),
  SEPARATOR_MOVED_BELOW_A_KEY(
      "I3",
      tree -> {
        int parent = lowestInner(tree);
        long at = at(tree, leaf(tree, 0));
        int last = NodePage.count(tree.pages, at) - 1;
        InnerPage.separator(
            tree.pages, at(tree, parent), 0, LeafPage.key(tree.pages, at, last) - 1);
      }),
  LEAF_KEYS_OUT_OF_ORDER("I3", tree -> leafKey(tree, 1, leafKey(tree, 0))),
  LEAF_KEY_TWICE("I3", tree -> leafKey(tree, 0, leafKey(tree, 1))),

  MESSAGES_OUT_OF_ORDER(
      "I4", tree -> messageKey(tree, tree.root(), 0, messageKey(tree, tree.root(), 1) + 1)),
  TWO_MESSAGES_OF_ONE_KEY(
      "I4", tree -> messageKey(tree, tree.root(), 0, messageKey(tree, tree.root(), 1))),
  MESSAGE_ROUTED_TO_THE_CHILD_BEFORE(
      "I4",
      tree -> {
        // As if the separator itself belonged to the child after it.
        int child = child(tree, tree.root(), 0);
        long bound = InnerPage.separator(tree.pages, at(tree, tree.root()), 0);
        int last = NodePage.messages(tree.pages, at(tree, child)) - 1;
        messageKey(tree, child, last, bound + 1);
      }),

  LEAF_COUNT_ABOVE_CAPACITY(
      "I5", tree -> NodePage.count(tree.pages, at(tree, leaf(tree, 0)), tree.leaf.capacity + 1)),
  LEAF_COUNT_NEGATIVE("I5", tree -> NodePage.count(tree.pages, at(tree, leaf(tree, 0)), -1)),
  MESSAGES_ABOVE_CAPACITY(
      "I5", tree -> NodePage.messages(tree.pages, at(tree, tree.root()), tree.inner.capacity + 1)),
  MESSAGES_NEGATIVE("I5", tree -> NodePage.messages(tree.pages, at(tree, tree.root()), -1)),

  MESSAGE_OF_NO_KIND("I6", tree -> kind(tree, 0, 0)),
  MESSAGE_OF_AN_UNKNOWN_KIND("I6", tree -> kind(tree, 4, 0)),
  DELETE_WITH_A_VALUE("I6", tree -> kind(tree, Message.DELETE, 7)),
  LEAF_WITH_A_MESSAGE("I6", tree -> NodePage.messages(tree.pages, at(tree, leaf(tree, 0)), 1)),

  ROOT_IS_NONE("I7", tree -> tree.meta[BEpsilonStructure.ROOT] = 0),
  CHILD_IS_NONE("I7", tree -> setChild(tree, 1, 0)),
  CHILD_IS_NEGATIVE("I7", tree -> setChild(tree, 1, -1)),
  CHILD_NEVER_GIVEN_OUT("I7", tree -> setChild(tree, 1, Integer.MAX_VALUE)),
  CHILD_TWICE("I7", tree -> setChild(tree, 1, leaf(tree, 0))),
  LEAF_IN_USE_TAKEN_BACK("I7", tree -> tree.store.free(leaf(tree, 0))),

  PAGE_LEAKED("I8", BEpsilonStructure::allocate),

  ENTRIES_MISCOUNTED("I9", tree -> tree.meta[BEpsilonStructure.LEAF_ENTRIES]++),
  ENTRY_LOST(
      "I9",
      tree -> {
        long at = at(tree, leaf(tree, 0));
        NodePage.count(tree.pages, at, NodePage.count(tree.pages, at) - 1);
      }),

  SIZE_TOO_LARGE("I10", tree -> tree.meta[BEpsilonStructure.SIZE]++),
  MESSAGE_LOST(
      "I10",
      tree -> {
        long at = at(tree, tree.root());
        tree.inner.removeMessages(tree.pages, at, 0, NodePage.messages(tree.pages, at));
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
  private final Consumer<BEpsilonStructure> damage;

  BEpsilonCorruption(String invariant, Consumer<BEpsilonStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(BEpsilonStructure tree) {
    damage.accept(tree);
  }

  private static long at(BEpsilonStructure tree, int page) {
    return tree.store.pin(page);
  }

  static int child(BEpsilonStructure tree, int page, int slot) {
    return tree.inner.child(tree.pages, at(tree, page), slot);
  }

  /** Returns the first inner page of level 1. */
  private static int lowestInner(BEpsilonStructure tree) {
    int page = tree.root();
    for (int level = tree.height() - 1; level > 1; level--) {
      page = child(tree, page, 0);
    }
    return page;
  }

  /** Returns a leaf below the first inner page of level 1. */
  static int leaf(BEpsilonStructure tree, int slot) {
    return child(tree, lowestInner(tree), slot);
  }

  private static void setChild(BEpsilonStructure tree, int slot, int child) {
    tree.inner.child(tree.pages, at(tree, lowestInner(tree)), slot, child);
  }

  private static long leafKey(BEpsilonStructure tree, int slot) {
    return LeafPage.key(tree.pages, at(tree, leaf(tree, 0)), slot);
  }

  private static void leafKey(BEpsilonStructure tree, int slot, long key) {
    long at = at(tree, leaf(tree, 0));
    Words.putLong(tree.pages, at + LeafPage.KEYS_OFFSET + 8L * slot, key);
  }

  private static long messageKey(BEpsilonStructure tree, int page, int slot) {
    return tree.inner.messageKey(tree.pages, at(tree, page), slot);
  }

  private static void messageKey(BEpsilonStructure tree, int page, int slot, long key) {
    long at = at(tree, page);
    tree.inner.message(tree.pages, at, slot, key, 0, Message.PUT);
  }

  /** Gives the root's first message another kind and value. */
  private static void kind(BEpsilonStructure tree, int kind, long value) {
    long key = messageKey(tree, tree.root(), 0);
    tree.inner.message(tree.pages, at(tree, tree.root()), 0, key, value, kind);
  }
}
