// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link BPlusStructure}. The tree has
 * at least four levels, more than two nodes on each level below the root, and nodes that are
 * neither full nor at their minimum.
 */
enum BPlusCorruption {
  LEAF_KEYS_OUT_OF_ORDER("I1", tree -> swapKeys(tree, leaf(tree, 1))),
  KEY_TWICE_IN_A_LEAF(
      "I1",
      tree -> {
        long node = leaf(tree, 1);
        tree.leaf.key(tree.nodes, node, 1, tree.leaf.key(tree.nodes, node, 0));
      }),
  SEPARATORS_OUT_OF_ORDER("I1", tree -> swapKeys(tree, inner(tree, 1, 1))),
  SEPARATOR_TWICE(
      "I1",
      tree -> {
        long node = inner(tree, 2, 0);
        tree.inner.key(tree.nodes, node, 1, tree.inner.key(tree.nodes, node, 0));
      }),

  LAST_KEY_ABOVE_ITS_SEPARATOR(
      "I2",
      tree -> {
        long node = leaf(tree, 0);
        long separator = tree.inner.key(tree.nodes, inner(tree, 1, 0), 0);
        tree.leaf.key(tree.nodes, node, tree.leaf.count(tree.nodes, node) - 1, separator + 1);
      }),
  FIRST_KEY_IS_THE_SEPARATOR_BEFORE(
      "I2",
      tree -> {
        long separator = tree.inner.key(tree.nodes, inner(tree, 1, 0), 0);
        tree.leaf.key(tree.nodes, leaf(tree, 1), 0, separator);
      }),
  SEPARATOR_BELOW_ITS_CHILDS_KEYS(
      "I2",
      tree -> {
        long node = inner(tree, 1, 0);
        tree.inner.key(tree.nodes, node, 0, tree.inner.key(tree.nodes, node, 0) - 1);
      }),
  SEPARATOR_OUTSIDE_ITS_PARENTS_BOUNDS(
      "I2",
      tree -> {
        long bound = tree.inner.key(tree.nodes, inner(tree, 2, 0), 0);
        tree.inner.key(tree.nodes, inner(tree, 1, 1), 0, bound);
      }),
  NO_KEY_FITS_INTO_THE_LAST_CHILD(
      "I2",
      tree -> {
        long node = inner(tree, 1, 0);
        long bound = tree.inner.key(tree.nodes, inner(tree, 2, 0), 0);
        tree.inner.key(tree.nodes, node, tree.inner.count(tree.nodes, node) - 1, bound);
      }),

  HEIGHT_IS_ZERO("I3", tree -> tree.height = 0),
  HEIGHT_IS_BEYOND_ALL_MEMORY("I3", tree -> tree.height = BPlusStructure.MAX_HEIGHT + 1),

  LEAF_COUNT_ABOVE_CAPACITY(
      "I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), tree.leaf.capacity + 1)),
  LEAF_COUNT_NEGATIVE("I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), -1)),
  LEAF_EMPTY("I4", tree -> cutLeaf(tree, leaf(tree, 1), 0)),
  INNER_COUNT_ABOVE_CAPACITY(
      "I4", tree -> tree.inner.count(tree.nodes, inner(tree, 1, 1), tree.inner.capacity + 1)),
  INNER_COUNT_NEGATIVE("I4", tree -> tree.inner.count(tree.nodes, tree.root, Integer.MIN_VALUE)),
  INNER_WITHOUT_SEPARATOR("I4", tree -> cutInner(tree, inner(tree, 1, 1), 0)),

  LEAF_BELOW_MINIMUM("I5", tree -> cutLeaf(tree, leaf(tree, 1), tree.leaf.minimum - 1)),
  INNER_BELOW_MINIMUM("I5", tree -> cutInner(tree, inner(tree, 1, 1), tree.inner.minimum - 1)),

  LAST_LEAF_IS_THE_ONE_BEFORE("I11", tree -> tree.lastLeaf = leaf(tree, 1)),

  SIZE_TOO_LARGE("I6", tree -> tree.size++),
  ENTRY_LOST(
      "I6",
      tree -> {
        long node = leaf(tree, 1);
        cutLeaf(tree, node, tree.leaf.count(tree.nodes, node) - 1);
      }),

  NEXT_SKIPS_A_NODE(
      "I7", tree -> tree.inner.next(tree.nodes, inner(tree, 1, 0), inner(tree, 1, 2))),
  NEXT_IS_NONE_TOO_EARLY("I7", tree -> tree.inner.next(tree.nodes, inner(tree, 2, 0), 0)),
  LAST_HAS_A_NEXT("I7", tree -> tree.inner.next(tree.nodes, tree.root, inner(tree, 2, 0))),
  PREVIOUS_SKIPS_A_NODE(
      "I7", tree -> tree.inner.previous(tree.nodes, inner(tree, 1, 2), inner(tree, 1, 0))),
  FIRST_HAS_A_PREVIOUS(
      "I7", tree -> tree.inner.previous(tree.nodes, inner(tree, 1, 0), inner(tree, 1, 1))),

  LEAF_SLOT_NOT_PADDED(
      "I8",
      tree -> {
        long node = leaf(tree, 1);
        tree.leaf.key(tree.nodes, node, tree.leaf.count(tree.nodes, node), 1);
      }),
  LAST_KEY_SLOT_NOT_PADDED(
      "I8", tree -> tree.leaf.key(tree.nodes, leaf(tree, 1), tree.leaf.keySlots - 1, 0)),
  INNER_SLOT_NOT_PADDED(
      "I8",
      tree -> {
        long node = inner(tree, 1, 1);
        tree.inner.key(tree.nodes, node, tree.inner.count(tree.nodes, node), Long.MIN_VALUE);
      }),

  CHILD_IS_NONE("I9", tree -> tree.inner.child(tree.nodes, inner(tree, 2, 0), 1, 0)),
  CHILD_OUTSIDE_THE_MEMORY(
      "I9", tree -> tree.inner.child(tree.nodes, inner(tree, 2, 0), 1, 0xffff_ffffL << 6)),
  CHILD_IN_MEMORY_NEVER_GIVEN_OUT(
      "I9",
      tree -> {
        long end = tree.allocate(1) + 64;
        tree.inner.child(tree.nodes, inner(tree, 1, 1), 1, end);
      }),
  CHILD_OF_TWO_PARENTS(
      "I9", tree -> tree.inner.child(tree.nodes, inner(tree, 1, 1), 1, leaf(tree, 0))),
  CHILD_IS_ITS_OWN_PARENT(
      "I9", tree -> tree.inner.child(tree.nodes, inner(tree, 1, 1), 1, inner(tree, 1, 1))),
  NODES_SHARE_A_LINE(
      "I9",
      tree -> {
        long last = leaf(tree, 0) + tree.leaf.bytes - 64;
        tree.inner.child(tree.nodes, inner(tree, 1, 0), 1, last);
      }),
  ROOT_OFF_ITS_LINE("I9", tree -> tree.root += 8),

  NODE_LEAKED("I10", tree -> tree.allocate(tree.leaf.width)),
  NODE_IN_USE_TAKEN_BACK(
      "I10",
      tree -> {
        long node = leaf(tree, 1);
        long overwrittenByTheFreeList = tree.leaf.key(tree.nodes, node, 0);
        tree.memory.free(node, tree.leaf.width);
        tree.leaf.key(tree.nodes, node, 0, overwrittenByTheFreeList);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<BPlusStructure> damage;

  BPlusCorruption(String invariant, Consumer<BPlusStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(BPlusStructure tree) {
    damage.accept(tree);
  }

  /** Returns inner node {@code number} of a level, counted from 0. */
  private static long inner(BPlusStructure tree, int level, int number) {
    long node = tree.root;
    for (int at = tree.height - 1; at > level; at--) {
      node = tree.inner.child(tree.nodes, node, 0);
    }
    for (int i = 0; i < number; i++) {
      node = tree.inner.next(tree.nodes, node);
    }
    return node;
  }

  /** Returns leaf {@code number} of those under the first parent, counted from 0. */
  private static long leaf(BPlusStructure tree, int number) {
    return tree.inner.child(tree.nodes, inner(tree, 1, 0), number);
  }

  /** Swaps the first two keys, which are at the same place in leaves and inner nodes. */
  private static void swapKeys(BPlusStructure tree, long node) {
    long first = tree.leaf.key(tree.nodes, node, 0);
    tree.leaf.key(tree.nodes, node, 0, tree.leaf.key(tree.nodes, node, 1));
    tree.leaf.key(tree.nodes, node, 1, first);
  }

  private static void cutLeaf(BPlusStructure tree, long node, int count) {
    tree.leaf.count(tree.nodes, node, count);
    tree.leaf.clearKeys(tree.nodes, node, count);
  }

  private static void cutInner(BPlusStructure tree, long node, int count) {
    tree.inner.count(tree.nodes, node, count);
    tree.inner.clearKeys(tree.nodes, node, count);
  }
}
