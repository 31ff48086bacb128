// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link CsbPlusStructure}. The tree
 * has at least four levels, more than two children below each inner node, and nodes that are
 * neither full nor at their minimum.
 */
enum CsbPlusCorruption {
  LEAF_KEYS_OUT_OF_ORDER(
      "I1",
      tree -> {
        long node = leaf(tree, 1);
        long first = tree.leaf.key(tree.nodes, node, 0);
        tree.leaf.key(tree.nodes, node, 0, tree.leaf.key(tree.nodes, node, 1));
        tree.leaf.key(tree.nodes, node, 1, first);
      }),
  KEY_TWICE_IN_A_LEAF(
      "I1",
      tree -> {
        long node = leaf(tree, 1);
        tree.leaf.key(tree.nodes, node, 1, tree.leaf.key(tree.nodes, node, 0));
      }),
  SEPARATORS_OUT_OF_ORDER(
      "I1",
      tree -> {
        long node = inner(tree, 1, 1);
        long first = tree.inner.key(tree.nodes, node, 0);
        tree.inner.key(tree.nodes, node, 0, tree.inner.key(tree.nodes, node, 1));
        tree.inner.key(tree.nodes, node, 1, first);
      }),
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
        tree.inner.key(tree.nodes, node, tree.inner.children(tree.nodes, node) - 2, bound);
      }),

  HEIGHT_IS_ZERO("I3", tree -> tree.height = 0),
  HEIGHT_IS_BEYOND_ALL_MEMORY("I3", tree -> tree.height = CsbPlusStructure.MAX_HEIGHT + 1),

  LEAF_COUNT_ABOVE_CAPACITY(
      "I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), tree.leaf.capacity + 1)),
  LEAF_COUNT_NEGATIVE("I4", tree -> tree.leaf.count(tree.nodes, leaf(tree, 1), -1)),
  LEAF_EMPTY("I4", tree -> cutLeaf(tree, leaf(tree, 1), 0)),
  MORE_CHILDREN_THAN_SEPARATORS_DIVIDE(
      "I4", tree -> lastEnd(tree, inner(tree, 1, 1), tree.inner.maxChildren + 1)),
  INNER_WITHOUT_CHILD("I4", tree -> tree.inner.initialize(tree.nodes, inner(tree, 1, 1))),
  ROOT_WITH_ONE_CHILD(
      "I4",
      tree -> {
        long group = tree.inner.group(tree.nodes, tree.root, 0);
        tree.inner.initialize(tree.nodes, tree.root);
        for (int segment = 0; segment < tree.inner.segments; segment++) {
          tree.inner.segment(
              tree.nodes, tree.root, segment, segment == 0 ? group : 0, 1, segment == 0 ? 1 : 0);
        }
      }),

  LEAF_BELOW_MINIMUM("I5", tree -> cutLeaf(tree, leaf(tree, 1), tree.leaf.minimum - 1)),

  SIZE_TOO_LARGE("I6", tree -> tree.size++),
  ENTRY_LOST(
      "I6",
      tree -> {
        long node = leaf(tree, 1);
        cutLeaf(tree, node, tree.leaf.count(tree.nodes, node) - 1);
      }),

  NO_ROOM_FOR_ALL_CHILDREN("I7", tree -> changeRoom(tree, inner(tree, 1, 1), 0)),
  ROOM_FOR_TOO_MANY_CHILDREN(
      "I7", tree -> changeRoom(tree, inner(tree, 1, 1), tree.inner.maxChildren + 1)),
  FIRST_SEGMENT_ENDS_BEFORE_IT_BEGINS(
      "I7",
      tree -> {
        long node = inner(tree, 1, 1);
        int children = tree.inner.children(tree.nodes, node);
        for (int segment = 0; segment < tree.inner.segments; segment++) {
          tree.inner.segment(
              tree.nodes, node, segment, 0, segment + 1 < tree.inner.segments ? 0 : children, 0);
        }
      }),
  ROOT_WITHOUT_ROOM("I7", tree -> tree.rootRoom = 0),
  ROOT_WITH_TOO_MUCH_ROOM("I7", tree -> tree.rootRoom = tree.inner.maxChildren + 1),

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
        int unused = tree.inner.children(tree.nodes, node) - 1;
        tree.inner.key(tree.nodes, node, unused, Long.MIN_VALUE);
      }),

  GROUP_IS_NONE("I9", tree -> changeGroup(tree, inner(tree, 2, 0), 0)),
  GROUP_OUTSIDE_THE_MEMORY("I9", tree -> changeGroup(tree, inner(tree, 2, 0), 0xffff_ffffL << 6)),
  GROUP_IN_MEMORY_NEVER_GIVEN_OUT(
      "I9", tree -> changeGroup(tree, inner(tree, 1, 1), tree.memory.endOffset())),
  GROUP_OF_TWO_PARENTS(
      "I9",
      tree -> {
        long group = tree.inner.group(tree.nodes, inner(tree, 1, 0), 0);
        changeGroup(tree, inner(tree, 1, 1), group);
      }),
  GROUP_CONTAINS_ITS_PARENT(
      "I9",
      tree -> {
        long node = inner(tree, 1, 1);
        changeGroup(tree, node, node);
      }),
  GROUPS_SHARE_A_LINE(
      "I9",
      tree -> {
        long node = inner(tree, 1, 0);
        int room = tree.inner.room(tree.nodes, node, 0);
        long last = tree.inner.group(tree.nodes, node, 0) + (long) room * tree.leaf.bytes - 64;
        changeGroup(tree, inner(tree, 1, 1), last);
      }),
  ROOT_OFF_ITS_LINE("I9", tree -> tree.root += 8),

  NODE_LEAKED("I10", tree -> tree.allocate(tree.leaf.width)),
  GROUP_IN_USE_TAKEN_BACK(
      "I10",
      tree -> {
        long node = inner(tree, 1, 1);
        long group = tree.inner.group(tree.nodes, node, 0);
        long overwrittenByTheFreeList = tree.leaf.key(tree.nodes, group, 0);
        tree.memory.free(group, tree.inner.room(tree.nodes, node, 0) * tree.leaf.width);
        tree.leaf.key(tree.nodes, group, 0, overwrittenByTheFreeList);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<CsbPlusStructure> damage;

  CsbPlusCorruption(String invariant, Consumer<CsbPlusStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(CsbPlusStructure tree) {
    damage.accept(tree);
  }

  /** Returns an inner node: that child of the first node one level up. */
  private static long inner(CsbPlusStructure tree, int level, int number) {
    long node = tree.root;
    for (int at = tree.height - 1; at > level; at--) {
      node = tree.inner.child(tree.nodes, node, at == level + 1 ? number : 0, tree.inner.bytes);
    }
    return node;
  }

  /** Returns leaf {@code number} of those under the first parent, counted from 0. */
  private static long leaf(CsbPlusStructure tree, int number) {
    return tree.inner.child(tree.nodes, inner(tree, 1, 0), number, tree.leaf.bytes);
  }

  private static void cutLeaf(CsbPlusStructure tree, long node, int count) {
    tree.leaf.count(tree.nodes, node, count);
    tree.leaf.clearKeys(tree.nodes, node, count);
  }

  /** Changes where the first segment of a node is said to lie. */
  private static void changeGroup(CsbPlusStructure tree, long node, long group) {
    int end = tree.inner.end(tree.nodes, node, 0);
    tree.inner.segment(tree.nodes, node, 0, group, end, tree.inner.room(tree.nodes, node, 0));
  }

  /** Changes how much room the first segment of a node is said to have. */
  private static void changeRoom(CsbPlusStructure tree, long node, int room) {
    long group = tree.inner.group(tree.nodes, node, 0);
    tree.inner.segment(tree.nodes, node, 0, group, tree.inner.end(tree.nodes, node, 0), room);
  }

  private static void lastEnd(CsbPlusStructure tree, long node, int end) {
    int last = tree.inner.segments - 1;
    long group = tree.inner.group(tree.nodes, node, last);
    tree.inner.segment(tree.nodes, node, last, group, end, tree.inner.room(tree.nodes, node, last));
  }
}
