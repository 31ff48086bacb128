// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import dev.espalier.LongCursor;
import dev.espalier.memory.Words;
import dev.espalier.support.Message;
import dev.espalier.support.MessageColumns;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link ShuttleStructure}. The tree
 * has at least six levels, messages in buffers and empty buffers, leaves of at least two entries,
 * and its size is known.
 */
enum ShuttleCorruption {
  HEIGHT_OF_THE_TREE_IS_ZERO("I1", tree -> tree.height = 0),
  HEIGHT_OF_THE_TREE_IS_BEYOND_ALL_MEMORY(
      "I1", tree -> tree.height = BufferSchedule.MAX_HEIGHT + 1),
  LEAF_SAYS_IT_IS_AN_INNER_NODE("I1", tree -> Words.putInt(tree.array.nodes, leaf(tree), 2)),
  LEAF_ONE_LEVEL_UP(
      "I1",
      tree -> {
        long twoUp = ancestor(tree, leaf(tree), 2);
        tree.layout.child(tree.array.nodes, twoUp, 0, leaf(tree));
      }),

  WEIGHT_OF_THE_ROOT_OFF_BY_ONE(
      "I2",
      tree ->
          tree.layout.weight(
              tree.array.nodes,
              tree.array.root,
              tree.layout.weight(tree.array.nodes, tree.array.root) + 1)),
  LEAF_WEIGHS_TWO("I2", tree -> tree.layout.weight(tree.array.nodes, leaf(tree), 2)),

  SEPARATOR_BELOW_A_KEY(
      "I3",
      tree -> {
        long first = leaf(tree);
        long key = ShuttleLayout.key(tree.array.nodes, first, count(tree, first) - 1);
        tree.layout.separator(tree.array.nodes, ancestor(tree, first, 1), 0, key - 1);
      }),
  KEYS_OUT_OF_ORDER(
      "I3",
      tree -> {
        long leaf = leafWithTwoEntries(tree);
        long first = ShuttleLayout.key(tree.array.nodes, leaf, 0);
        key(tree, leaf, 0, ShuttleLayout.key(tree.array.nodes, leaf, 1));
        key(tree, leaf, 1, first);
      }),
  KEY_OF_ANOTHER_LEAF("I3", tree -> key(tree, leaf(tree), 0, Long.MAX_VALUE)),
  MESSAGE_OF_ANOTHER_EDGE("I3", tree -> key(tree, bufferOfALaterEdge(tree), 0, Long.MIN_VALUE)),
  PADDING_OVERWRITTEN(
      "I3",
      tree ->
          tree.layout.separator(tree.array.nodes, tree.array.root, tree.layout.keySlots - 1, 5)),

  BUFFER_DROPPED("I4", tree -> tree.layout.buffer(tree.array.nodes, height6(tree), 0, 0, 0)),
  BUFFERS_OF_AN_EDGE_EXCHANGED(
      "I4",
      tree -> {
        long node = height6(tree);
        long small = tree.layout.buffer(tree.array.nodes, node, 0, 0);
        tree.layout.buffer(
            tree.array.nodes, node, 0, 0, tree.layout.buffer(tree.array.nodes, node, 1, 0));
        tree.layout.buffer(tree.array.nodes, node, 1, 0, small);
      }),
  BUFFER_OF_NO_EDGE(
      "I4",
      tree ->
          tree.layout.buffer(
              tree.array.nodes,
              height6(tree),
              0,
              tree.layout.maxChildren - 1,
              tree.layout.buffer(tree.array.nodes, height6(tree), 0, 0))),

  LEAF_COUNT_ABOVE_CAPACITY(
      "I5", tree -> tree.layout.count(tree.array.nodes, leaf(tree), tree.layout.leafEntries + 1)),
  BUFFER_COUNT_NEGATIVE("I5", tree -> tree.layout.count(tree.array.nodes, buffer(tree, true), -1)),
  BUFFER_COUNT_ABOVE_CAPACITY(
      "I5", tree -> tree.layout.count(tree.array.nodes, buffer(tree, true), 1 << 20)),
  INNER_NODE_WITHOUT_CHILDREN(
      "I5", tree -> tree.layout.count(tree.array.nodes, ancestor(tree, leaf(tree), 1), 0)),

  MESSAGE_OF_NO_KIND(
      "I6",
      tree -> {
        long chunk = buffer(tree, true);
        int capacity = capacity(tree, chunk);
        MessageColumns.kind(tree.array.nodes, chunk + ShuttleLayout.KEYS, capacity, 0, Message.ADD);
      }),

  SIZE_TOO_LARGE("I7", tree -> tree.size++),
  SETTLED_ENTRIES_MISCOUNTED("I7", tree -> tree.settled--),
  MESSAGES_MISCOUNTED("I7", tree -> tree.messages++),
  MESSAGE_LOST(
      "I7",
      tree -> {
        long chunk = buffer(tree, true);
        tree.layout.count(tree.array.nodes, chunk, count(tree, chunk) - 1);
      }),
  REMOVED_ENTRY_IS_BACK(
      "I7",
      tree -> {
        long chunk = buffer(tree, true);
        int capacity = capacity(tree, chunk);
        int kind = ShuttleLayout.kind(tree.array.nodes, chunk, capacity, 0);
        int other = kind == Message.PUT ? Message.DELETE : Message.PUT;
        MessageColumns.kind(tree.array.nodes, chunk + ShuttleLayout.KEYS, capacity, 0, other);
      }),

  CHILD_OUTSIDE_THE_ARRAY(
      "I8", tree -> tree.layout.child(tree.array.nodes, tree.array.root, 1, 0xffff_ffffL << 6)),
  CHILD_TWICE(
      "I8",
      tree ->
          tree.layout.child(
              tree.array.nodes,
              tree.array.root,
              1,
              tree.layout.child(tree.array.nodes, tree.array.root, 0))),
  LINES_OF_A_LEAF_WRONG("I8", tree -> Words.putInt(tree.array.nodes, leaf(tree) + 8, 1)),
  TWO_BUFFERS_IN_EACH_OTHERS_PLACE(
      "I8",
      tree -> {
        long node = height6(tree);
        for (int edge = 0; edge < 2; edge++) {
          long chunk = tree.layout.buffer(tree.array.nodes, node, 1, edge);
          tree.messages -= count(tree, chunk);
          tree.layout.count(tree.array.nodes, chunk, 0);
        }
        long first = tree.layout.buffer(tree.array.nodes, node, 1, 0);
        long second = tree.layout.buffer(tree.array.nodes, node, 1, 1);
        tree.layout.buffer(tree.array.nodes, node, 1, 0, second);
        tree.layout.buffer(tree.array.nodes, node, 1, 1, first);
        tree.size = -1;
      }),
  NEXT_IS_NONE("I8", tree -> tree.layout.next(tree.array.nodes, tree.array.root, 0)),
  PREVIOUS_IS_ITSELF("I8", tree -> tree.layout.previous(tree.array.nodes, leaf(tree), leaf(tree))),
  MOVE_NOT_FINISHED("I8", tree -> tree.layout.forward(tree.array.nodes, leaf(tree), 64)),
  ARRAY_BEGINS_ELSEWHERE("I8", tree -> tree.array.first = leaf(tree)),

  PARENT_OF_A_LEAF_STALE(
      "I9", tree -> tree.layout.parent(tree.array.nodes, leaf(tree), tree.array.root)),
  PARENT_OF_A_BUFFER_STALE(
      "I9", tree -> tree.layout.parent(tree.array.nodes, buffer(tree, false), leaf(tree))),
  ROOT_HAS_A_PARENT(
      "I9", tree -> tree.layout.parent(tree.array.nodes, tree.array.root, leaf(tree))),

  ELEMENTS_MISCOUNTED("I10", tree -> tree.array.elements++),
  LINES_MISCOUNTED("I10", tree -> tree.array.used--),
  MEMORY_MISCOUNTED("I10", tree -> tree.budget.count(64)),

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
  private final Consumer<ShuttleStructure> damage;

  ShuttleCorruption(String invariant, Consumer<ShuttleStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(ShuttleStructure tree) {
    damage.accept(tree);
  }

  /** Returns the leftmost leaf. */
  private static long leaf(ShuttleStructure tree) {
    long node = tree.array.root;
    for (int at = tree.height; at > 1; at--) {
      node = tree.layout.child(tree.array.nodes, node, 0);
    }
    return node;
  }

  private static long leafWithTwoEntries(ShuttleStructure tree) {
    long at = tree.array.first;
    while (tree.layout.height(tree.array.nodes, at) != 1 || count(tree, at) < 2) {
      at = tree.layout.next(tree.array.nodes, at);
    }
    return at;
  }

  private static long ancestor(ShuttleStructure tree, long node, int levels) {
    long at = node;
    for (int i = 0; i < levels; i++) {
      at = tree.layout.parent(tree.array.nodes, at);
    }
    return at;
  }

  /** Returns the leftmost node of height 6, whose edges have two buffers. */
  private static long height6(ShuttleStructure tree) {
    return ancestor(tree, leaf(tree), 5);
  }

  private static int count(ShuttleStructure tree, long element) {
    return tree.layout.count(tree.array.nodes, element);
  }

  private static int capacity(ShuttleStructure tree, long chunk) {
    long above = tree.layout.parent(tree.array.nodes, chunk);
    int list = tree.layout.list(tree.array.nodes, chunk);
    return tree.layout.chunkCapacity(tree.layout.height(tree.array.nodes, above), list);
  }

  /** Returns the first buffer in memory that has messages, or has none. */
  private static long buffer(ShuttleStructure tree, boolean hasMessages) {
    long at = tree.array.first;
    while (tree.layout.height(tree.array.nodes, at) != 0 || count(tree, at) > 0 != hasMessages) {
      at = tree.layout.next(tree.array.nodes, at);
    }
    return at;
  }

  /** Returns a buffer with messages whose edge is not the first below its node. */
  private static long bufferOfALaterEdge(ShuttleStructure tree) {
    long at = buffer(tree, true);
    while (tree.layout.height(tree.array.nodes, at) != 0
        || count(tree, at) == 0
        || tree.layout.buffer(
                tree.array.nodes,
                tree.layout.parent(tree.array.nodes, at),
                tree.layout.list(tree.array.nodes, at),
                0)
            == at) {
      at = tree.layout.next(tree.array.nodes, at);
    }
    return at;
  }

  private static void key(ShuttleStructure tree, long element, int slot, long key) {
    Words.putLong(tree.array.nodes, element + ShuttleLayout.KEYS + 8L * slot, key);
  }
}
