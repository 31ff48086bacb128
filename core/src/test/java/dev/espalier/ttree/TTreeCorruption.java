// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ttree;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.ttree.TTreeNode.LEFT;
import static dev.espalier.ttree.TTreeNode.RIGHT;

import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link TTreeStructure}. The tree has
 * at least four full levels, and nodes of two entries or more that are neither full nor at their
 * minimum.
 */
enum TTreeCorruption {
  KEYS_OUT_OF_ORDER(
      "I1",
      tree -> {
        long node = at(tree, LEFT);
        long first = tree.layout.key(tree.nodes, node, 0);
        key(tree, node, 0, tree.layout.key(tree.nodes, node, 1));
        key(tree, node, 1, first);
      }),
  KEY_TWICE_IN_A_NODE(
      "I1", tree -> key(tree, tree.root, 1, tree.layout.key(tree.nodes, tree.root, 0))),

  LEFT_KEY_IS_ITS_PARENTS_LEAST(
      "I2",
      tree -> {
        long node = at(tree, LEFT);
        int last = tree.layout.count(tree.nodes, node) - 1;
        key(tree, node, last, tree.layout.key(tree.nodes, tree.root, 0));
        tree.layout.count(tree.nodes, node, last + 1);
      }),
  RIGHT_KEY_IS_ITS_PARENTS_GREATEST(
      "I2", tree -> key(tree, at(tree, RIGHT), 0, tree.layout.greatest(tree.nodes, tree.root))),
  KEY_OUTSIDE_AN_ANCESTORS_BOUNDS(
      "I2", tree -> key(tree, at(tree, RIGHT, LEFT), 0, tree.layout.key(tree.nodes, tree.root, 0))),
  NO_KEY_FITS_INTO_THE_LEFT_SUBTREE(
      "I2", tree -> key(tree, outermost(tree, LEFT), 0, Long.MIN_VALUE)),
  NO_KEY_FITS_INTO_THE_RIGHT_SUBTREE(
      "I2",
      tree -> {
        long node = outermost(tree, RIGHT);
        int count = tree.layout.count(tree.nodes, node);
        key(tree, node, count - 1, Long.MAX_VALUE);
        tree.layout.count(tree.nodes, node, count);
      }),

  HEIGHT_IS_ZERO("I3", tree -> tree.layout.height(tree.nodes, at(tree, LEFT, LEFT), 0)),
  HEIGHT_OF_THE_ROOT_IS_BEYOND_ALL_MEMORY(
      "I3", tree -> tree.layout.height(tree.nodes, tree.root, TTreeStructure.MAX_HEIGHT + 1)),
  HEIGHT_TOO_GREAT(
      "I3",
      tree ->
          tree.layout.height(tree.nodes, tree.root, tree.layout.height(tree.nodes, tree.root) + 1)),
  HEIGHT_TOO_SMALL(
      "I3",
      tree ->
          tree.layout.height(tree.nodes, tree.root, tree.layout.height(tree.nodes, tree.root) - 1)),
  SUBTREE_CUT_OFF("I3", tree -> tree.layout.child(tree.nodes, at(tree, LEFT), RIGHT, 0)),

  COUNT_ABOVE_CAPACITY("I4", tree -> count(tree, at(tree, RIGHT, RIGHT), tree.layout.capacity + 1)),
  COUNT_NEGATIVE("I4", tree -> count(tree, tree.root, Integer.MIN_VALUE)),
  LEAF_EMPTY("I4", tree -> tree.layout.count(tree.nodes, leaf(tree), 0)),

  INTERNAL_NODE_BELOW_MINIMUM(
      "I5", tree -> tree.layout.count(tree.nodes, at(tree, LEFT), tree.layout.minimum - 1)),

  SIZE_TOO_LARGE("I6", tree -> tree.size++),
  ENTRY_LOST(
      "I6",
      tree -> {
        long node = leaf(tree);
        tree.layout.count(tree.nodes, node, tree.layout.count(tree.nodes, node) - 1);
      }),

  PARENT_IS_NONE("I7", tree -> tree.layout.parent(tree.nodes, at(tree, LEFT), 0)),
  PARENT_IS_THE_GRANDPARENT(
      "I7", tree -> tree.layout.parent(tree.nodes, at(tree, RIGHT, LEFT), tree.root)),
  ROOT_HAS_A_PARENT("I7", tree -> tree.layout.parent(tree.nodes, tree.root, at(tree, LEFT))),
  CHILDREN_EXCHANGED_BETWEEN_PARENTS(
      "I7",
      tree -> {
        long left = at(tree, LEFT, RIGHT);
        tree.layout.child(tree.nodes, at(tree, LEFT), RIGHT, at(tree, RIGHT, LEFT));
        tree.layout.child(tree.nodes, at(tree, RIGHT), LEFT, left);
      }),

  HEADER_REPEATS_ANOTHER_KEY(
      "I8",
      tree ->
          tree.layout.greatest(tree.nodes, leaf(tree), tree.layout.key(tree.nodes, tree.root, 0))),

  CHILD_OUTSIDE_THE_MEMORY(
      "I9", tree -> tree.layout.child(tree.nodes, at(tree, LEFT), RIGHT, 0xffff_ffffL << 6)),
  CHILD_IN_MEMORY_NEVER_GIVEN_OUT(
      "I9",
      tree -> {
        long end = tree.allocate() + tree.layout.bytes;
        tree.layout.child(tree.nodes, at(tree, RIGHT), RIGHT, end);
      }),
  CHILD_OF_TWO_PARENTS(
      "I9", tree -> tree.layout.child(tree.nodes, at(tree, RIGHT), LEFT, at(tree, LEFT, RIGHT))),
  CHILD_IS_ITS_OWN_PARENT(
      "I9", tree -> tree.layout.child(tree.nodes, at(tree, RIGHT), LEFT, at(tree, RIGHT))),
  ROOT_OFF_ITS_LINE("I9", tree -> tree.root += 8),

  NODE_LEAKED("I10", TTreeStructure::allocate),
  NODE_IN_USE_TAKEN_BACK(
      "I10",
      tree -> {
        long node = leaf(tree);
        long overwrittenByTheFreeList = getLong(tree.nodes, node);
        tree.memory.free(node, tree.layout.width);
        putLong(tree.nodes, node, overwrittenByTheFreeList);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<TTreeStructure> damage;

  TTreeCorruption(String invariant, Consumer<TTreeStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(TTreeStructure tree) {
    damage.accept(tree);
  }

  /** Returns the node to which a path leads from the root. */
  private static long at(TTreeStructure tree, int... sides) {
    long node = tree.root;
    for (int side : sides) {
      node = tree.layout.child(tree.nodes, node, side);
    }
    return node;
  }

  /** Returns the first leaf on the right of the root. */
  private static long leaf(TTreeStructure tree) {
    long node = at(tree, RIGHT);
    while (tree.layout.height(tree.nodes, node) > 1) {
      long left = tree.layout.child(tree.nodes, node, LEFT);
      node = left != 0 ? left : tree.layout.child(tree.nodes, node, RIGHT);
    }
    return node;
  }

  /** Returns the last node with two children on the way from the root to one side. */
  private static long outermost(TTreeStructure tree, int side) {
    long node = tree.root;
    while (tree.layout.height(tree.nodes, node) > 3) {
      node = tree.layout.child(tree.nodes, node, side);
    }
    return node;
  }

  private static void key(TTreeStructure tree, long node, int slot, long key) {
    tree.layout.entry(tree.nodes, node, slot, key, tree.layout.value(tree.nodes, node, slot));
  }

  /** Sets a count and leaves the greatest key as it is. */
  private static void count(TTreeStructure tree, long node, int count) {
    putInt(tree.nodes, node + TTreeNode.COUNT_OFFSET, count);
  }
}
