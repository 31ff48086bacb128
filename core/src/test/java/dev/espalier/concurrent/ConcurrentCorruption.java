// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.memory.Words;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link ConcurrentStructure}. The
 * tree has at least four levels, more than two nodes on each level below the root, and nodes that
 * are neither full nor at their minimum.
 */
enum ConcurrentCorruption {
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
  SPLIT_STOPPED_BEFORE_ITS_LAST_STEP(
      "I2",
      tree -> {
        // The parent says that keys above the first are another leaf's; they are in both.
        long node = inner(tree, 1, 0);
        long left = leaf(tree, 0);
        tree.inner.key(tree.nodes, node, 0, tree.leaf.key(tree.nodes, left, 0));
      }),

  LEVEL_OF_THE_ROOT_IS_BEYOND_ALL_MEMORY(
      "I3", tree -> tree.setRoot(tree.nodes, root(tree), ConcurrentStructure.MAX_HEIGHT)),

  LEAF_COUNT_ABOVE_CAPACITY(
      "I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), tree.leaf.capacity + 1)),
  LEAF_COUNT_NEGATIVE("I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), -1)),
  LEAF_EMPTY("I4", tree -> cutLeaf(tree, leaf(tree, 1), 0)),
  INNER_COUNT_ABOVE_CAPACITY(
      "I4", tree -> tree.inner.count(tree.nodes, inner(tree, 1, 1), tree.inner.capacity + 1)),
  INNER_COUNT_NEGATIVE("I4", tree -> tree.inner.count(tree.nodes, root(tree), Integer.MIN_VALUE)),
  INNER_WITHOUT_SEPARATOR("I4", tree -> cutInner(tree, inner(tree, 1, 1), 0)),

  LEAF_BELOW_MINIMUM("I5", tree -> cutLeaf(tree, leaf(tree, 1), tree.leaf.minimum - 1)),
  INNER_BELOW_MINIMUM("I5", tree -> cutInner(tree, inner(tree, 1, 1), tree.inner.minimum - 1)),

  SIZE_TOO_LARGE("I6", tree -> tree.size.increment()),
  ENTRY_LOST(
      "I6",
      tree -> {
        long node = leaf(tree, 1);
        cutLeaf(tree, node, tree.leaf.count(tree.nodes, node) - 1);
      }),

  LATCH_NOT_GIVEN_BACK("I7", tree -> Versions.latch(tree.nodes, leaf(tree, 1))),
  LATCH_OF_THE_ROOT_NOT_GIVEN_BACK("I7", tree -> Versions.latch(tree.nodes, root(tree))),
  CHANGE_NOT_ENDED("I7", tree -> Versions.beginChange(tree.nodes, inner(tree, 1, 1))),
  CHANGE_STILL_COUNTED("I7", tree -> Versions.countBegin(tree.nodes, ConcurrentStructure.CHANGES)),
  NODE_GONE_BUT_IN_THE_TREE(
      "I7",
      tree -> {
        long node = leaf(tree, 1);
        Versions.latch(tree.nodes, node);
        Versions.retire(tree.nodes, node);
      }),

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
      tree ->
          tree.inner.child(tree.nodes, inner(tree, 1, 1), 1, tree.pool.memory().endOffset() + 64)),
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
  ROOT_IS_NONE("I9", tree -> tree.setRoot(tree.nodes, 0, 3)),

  NODE_LEAKED("I10", tree -> tree.pool.takeOrMove(tree.leaf.width)),
  NODE_IN_USE_TAKEN_BACK(
      "I10",
      tree -> {
        long node = leaf(tree, 1);
        long word = Words.getLong(tree.nodes, node);
        long overwrittenByTheFreeList = tree.leaf.key(tree.nodes, node, 0);
        tree.pool.free(node, tree.leaf.width);
        tree.leaf.key(tree.nodes, node, 0, overwrittenByTheFreeList);
        Words.putLong(tree.nodes, node, word);
      }),

  LAST_LEAF_IS_ANOTHER(
      "I11", tree -> Words.putLong(tree.nodes, ConcurrentStructure.LAST_LEAF, leaf(tree, 1))),
  LAST_LEAF_FROM_A_KEY_OF_THE_ONE_BEFORE(
      "I11",
      tree -> {
        long from = Words.getLong(tree.nodes, ConcurrentStructure.LAST_LEAF_FROM);
        Words.putLong(tree.nodes, ConcurrentStructure.LAST_LEAF_FROM, from - 1);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<ConcurrentStructure> damage;

  ConcurrentCorruption(String invariant, Consumer<ConcurrentStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(ConcurrentStructure tree) {
    damage.accept(tree);
  }

  static int rootLevel(ConcurrentStructure tree) {
    return ConcurrentStructure.levelOf(Words.getLong(tree.nodes, ConcurrentStructure.ROOT));
  }

  private static long root(ConcurrentStructure tree) {
    return ConcurrentStructure.nodeOf(Words.getLong(tree.nodes, ConcurrentStructure.ROOT));
  }

  /** Returns inner node {@code number} of a level, of those under the first node above it. */
  private static long inner(ConcurrentStructure tree, int level, int number) {
    long node = root(tree);
    for (int at = rootLevel(tree); at > level; at--) {
      node = tree.inner.child(tree.nodes, node, at == level + 1 ? number : 0);
    }
    return node;
  }

  /** Returns leaf {@code number} of those under the first parent, counted from 0. */
  private static long leaf(ConcurrentStructure tree, int number) {
    return inner(tree, 0, number);
  }

  /** Swaps the first two keys, which are at the same place in leaves and inner nodes. */
  private static void swapKeys(ConcurrentStructure tree, long node) {
    long first = tree.leaf.key(tree.nodes, node, 0);
    tree.leaf.key(tree.nodes, node, 0, tree.leaf.key(tree.nodes, node, 1));
    tree.leaf.key(tree.nodes, node, 1, first);
  }

  private static void cutLeaf(ConcurrentStructure tree, long node, int count) {
    tree.leaf.count(tree.nodes, node, count);
    tree.leaf.clearKeys(tree.nodes, node, count);
  }

  private static void cutInner(ConcurrentStructure tree, long node, int count) {
    tree.inner.count(tree.nodes, node, count);
    tree.inner.clearKeys(tree.nodes, node, count);
  }
}
