// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link RTreeStructure}. The tree has
 * at least three levels, and nodes that are neither full nor at their minimum.
 */
enum RTreeCorruption {
  COORDINATE_IS_NO_NUMBER(
      "I1", tree -> setLeaf(tree, tree.leaf.minX(tree.nodes, leaf(tree, 1), 0), Double.NaN)),
  RECTANGLE_INVERTED(
      "I1",
      tree -> {
        double minX = tree.leaf.minX(tree.nodes, leaf(tree, 1), 0);
        setLeaf(tree, minX, minX - 1);
      }),
  CHILD_HAS_NO_RECTANGLE(
      "I1",
      tree -> {
        long node = inner(tree, 1);
        tree.inner.set(tree.nodes, node, 1, 0, Double.NaN, 1, 1);
      }),

  RECTANGLE_OUTSIDE_ITS_PARENTS("I2", tree -> setLeaf(tree, -1e9, 1e9)),
  CHILDS_RECTANGLE_TOO_LARGE(
      "I2",
      tree -> {
        long node = inner(tree, 1);
        tree.inner.set(
            tree.nodes,
            node,
            0,
            tree.inner.minX(tree.nodes, node, 0),
            tree.inner.minY(tree.nodes, node, 0),
            tree.inner.maxX(tree.nodes, node, 0),
            Math.nextUp(tree.inner.maxY(tree.nodes, node, 0)));
      }),
  CHILDREN_EXCHANGED(
      "I2",
      tree -> {
        long node = inner(tree, 1);
        long first = tree.inner.child(tree.nodes, node, 0);
        tree.inner.reference(tree.nodes, node, 0, tree.inner.child(tree.nodes, node, 1));
        tree.inner.reference(tree.nodes, node, 1, first);
      }),

  HEIGHT_IS_ZERO("I3", tree -> tree.height = 0),
  HEIGHT_IS_BEYOND_ALL_MEMORY("I3", tree -> tree.height = RTreeStructure.MAX_HEIGHT + 1),

  LEAF_COUNT_ABOVE_CAPACITY(
      "I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), tree.leaf.capacity + 1)),
  LEAF_COUNT_NEGATIVE("I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), -1)),
  LEAF_EMPTY("I4", tree -> cut(tree, tree.leaf, leaf(tree, 1), 0)),
  INNER_COUNT_NEGATIVE("I4", tree -> tree.inner.count(tree.nodes, tree.root, Integer.MIN_VALUE)),
  ROOT_WITH_ONE_CHILD("I4", tree -> cut(tree, tree.inner, tree.root, 1)),

  LEAF_BELOW_MINIMUM("I5", tree -> cut(tree, tree.leaf, leaf(tree, 1), tree.leaf.minimum - 1)),
  INNER_BELOW_MINIMUM("I5", tree -> cut(tree, tree.inner, inner(tree, 1), tree.inner.minimum - 1)),

  SIZE_TOO_LARGE("I6", tree -> tree.size++),
  SIZE_TOO_SMALL("I6", tree -> tree.size--),

  LEAF_SLOT_NOT_PADDED(
      "I7",
      tree -> {
        long node = leaf(tree, 1);
        tree.leaf.set(tree.nodes, node, tree.leaf.count(tree.nodes, node), 0, 0, 1, 1);
      }),
  LAST_SLOT_HALF_PADDED(
      "I7",
      tree -> {
        double none = Double.NaN;
        tree.leaf.set(tree.nodes, leaf(tree, 1), tree.leaf.slots - 1, none, 0, none, none);
      }),
  INNER_SLOT_NOT_PADDED(
      "I7",
      tree -> {
        long node = inner(tree, 1);
        tree.inner.set(tree.nodes, node, tree.inner.count(tree.nodes, node), 0, 0, 1, 1);
      }),

  CHILD_IS_NONE("I8", tree -> tree.inner.reference(tree.nodes, inner(tree, 1), 1, 0)),
  CHILD_OUTSIDE_THE_MEMORY(
      "I8", tree -> tree.inner.reference(tree.nodes, inner(tree, 1), 1, 0xffff_ffffL << 6)),
  CHILD_IN_MEMORY_NEVER_GIVEN_OUT(
      "I8",
      tree -> {
        long end = tree.allocate(1) + 64;
        tree.inner.reference(tree.nodes, inner(tree, 1), 1, end);
      }),
  CHILD_OF_TWO_PARENTS(
      "I8", tree -> tree.inner.reference(tree.nodes, inner(tree, 1), 1, leaf(tree, 0))),
  CHILD_IS_ITS_OWN_PARENT(
      "I8", tree -> tree.inner.reference(tree.nodes, inner(tree, 1), 0, inner(tree, 1))),
  NODES_SHARE_A_LINE(
      "I8",
      tree -> {
        long last = leaf(tree, 0) + tree.leaf.bytes - 64;
        tree.inner.reference(tree.nodes, inner(tree, 1), 1, last);
      }),
  ROOT_OFF_ITS_LINE("I8", tree -> tree.root += 8),

  NODE_LEAKED("I9", tree -> tree.allocate(tree.leaf.width)),
  NODE_IN_USE_TAKEN_BACK(
      "I9",
      tree -> {
        long node = leaf(tree, 1);
        double overwrittenByTheFreeList = tree.leaf.minX(tree.nodes, node, 0);
        tree.memory.free(node, tree.leaf.width);
        tree.leaf.set(
            tree.nodes,
            node,
            0,
            overwrittenByTheFreeList,
            tree.leaf.minY(tree.nodes, node, 0),
            tree.leaf.maxX(tree.nodes, node, 0),
            tree.leaf.maxY(tree.nodes, node, 0));
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<RTreeStructure> damage;

  RTreeCorruption(String invariant, Consumer<RTreeStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(RTreeStructure tree) {
    damage.accept(tree);
  }

  /** Returns the first inner node of a level. */
  private static long inner(RTreeStructure tree, int level) {
    long node = tree.root;
    for (int at = tree.height - 1; at > level; at--) {
      node = tree.inner.child(tree.nodes, node, 0);
    }
    return node;
  }

  /** Returns leaf {@code number} of those under the first parent, counted from 0. */
  private static long leaf(RTreeStructure tree, int number) {
    return tree.inner.child(tree.nodes, inner(tree, 1), number);
  }

  /** Gives the first rectangle of a leaf other coordinates on the x axis. */
  private static void setLeaf(RTreeStructure tree, double minX, double maxX) {
    long node = leaf(tree, 1);
    tree.leaf.set(
        tree.nodes,
        node,
        0,
        minX,
        tree.leaf.minY(tree.nodes, node, 0),
        maxX,
        tree.leaf.maxY(tree.nodes, node, 0));
  }

  private static void cut(RTreeStructure tree, RTreeNode layout, long node, int count) {
    layout.count(tree.nodes, node, count);
    layout.pad(tree.nodes, node, count);
  }
}
