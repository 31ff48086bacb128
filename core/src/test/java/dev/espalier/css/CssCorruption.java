// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link CssStructure}. The tree has
 * at least three levels above its leaves, and unused separators in the last node of each; its
 * largest key is far below the largest there is. Digest leaves are full but for the last one.
 */
enum CssCorruption {
  ARRAY_KEYS_OUT_OF_ORDER(
      "I1",
      tree -> {
        long third = tree.array.key(2);
        key(tree.array, 2, tree.array.key(3));
        key(tree.array, 3, third);
      }),
  KEY_TWICE_IN_THE_ARRAY("I1", tree -> key(tree.array, 5, tree.array.key(4))),
  ARRAY_NOT_PADDED("I1", tree -> key(tree.array, tree.array.count, Keys.PADDING - 1)),
  LAST_PADDING_OF_THE_ARRAY_MISSING(
      "I1", tree -> key(tree.array, tree.array.count + tree.shape.padding() - 1, 0)),
  ARRAY_COUNT_TOO_SMALL("I1", tree -> tree.array.count--),
  ARRAY_COUNT_ABOVE_CAPACITY("I1", tree -> tree.array.count = tree.array.capacity() + 1),
  ARRAY_COUNT_NEGATIVE("I1", tree -> tree.array.count = Long.MIN_VALUE),

  DELTA_KEYS_OUT_OF_ORDER("I2", tree -> appendToDelta(tree, 2, 1)),
  KEY_TWICE_IN_THE_DELTA("I2", tree -> appendToDelta(tree, 1, 1)),
  DELTA_NOT_PADDED(
      "I2",
      tree -> {
        appendToDelta(tree, 1, 2);
        key(tree.delta, tree.delta.count, Keys.PADDING - 1);
      }),
  KEY_IN_ARRAY_AND_DELTA("I2", tree -> insertIntoDelta(tree, tree.array.key(7))),
  REMOVED_KEY_OF_THE_ARRAY_IN_THE_DELTA(
      "I2",
      tree -> {
        tree.removed.add(8);
        insertIntoDelta(tree, tree.array.key(8));
      }),
  DELTA_COUNT_TOO_SMALL(
      "I2",
      tree -> {
        appendToDelta(tree, 1);
        tree.delta.count--;
      }),
  DELTA_COUNT_ABOVE_CAPACITY("I2", tree -> tree.delta.count = tree.delta.capacity() + 1),
  DELTA_COUNT_NEGATIVE("I2", tree -> tree.delta.count = -1),

  LEVEL_TOO_FEW("I3", tree -> tree.directory.levels--),
  LEVEL_TOO_MANY("I3", tree -> tree.directory.levels++),
  LEVELS_NEGATIVE("I3", tree -> tree.directory.levels = -1),
  LEVELS_BEYOND_ALL_MEMORY("I3", tree -> tree.directory.levels = Integer.MAX_VALUE),
  TWO_ROOTS("I3", tree -> tree.directory.levelNodes[0]++),
  NODE_OF_A_LEVEL_MISSING("I3", tree -> tree.directory.levelNodes[2]--),
  LEAF_TOO_MANY("I3", tree -> tree.directory.levelNodes[tree.directory.levels]++),
  LEVEL_BEGINS_ON_THE_ONE_BEFORE("I3", tree -> tree.directory.levelOffset[2] -= 64),
  LEVEL_BEGINS_BEYOND_ALL_MEMORY("I3", tree -> tree.directory.levelOffset[1] = Long.MAX_VALUE),
  LEAVES_BEGIN_ON_THE_LEVEL_ABOVE(
      "I3", tree -> tree.directory.levelOffset[tree.directory.levels] -= 64),
  DIRECTORY_CUT_OFF(
      "I3",
      tree ->
          tree.directory.nodes =
              tree.directory.nodes.asSlice(0, tree.directory.usedBytes() - Long.BYTES)),

  SEPARATOR_BELOW_A_KEY_OF_ITS_CHILD("I4", tree -> separator(tree, 0, 0, 0, -1)),
  SEPARATOR_ABOVE_THE_KEYS_OF_ITS_CHILD("I4", tree -> separator(tree, 1, 1, 0, 1)),
  SEPARATOR_ABOVE_THE_KEYS_OF_ITS_LEAF("I4", tree -> separator(tree, lowest(tree), 2, 1, 1)),
  SEPARATORS_OUT_OF_ORDER(
      "I4",
      tree -> {
        long first = tree.directory.separator(1, 0, 0);
        long second = tree.directory.separator(1, 0, 1);
        separator(tree, 1, 0, 0, second - first);
        separator(tree, 1, 0, 1, first - second);
      }),
  LARGEST_KEY_OF_A_LEAF_CHANGED(
      "I4",
      tree -> {
        long last = tree.directory.leafEntries - 1L;
        key(tree.array, last, tree.array.key(last) - 1);
      }),
  UNUSED_SEPARATOR_NOT_PADDED(
      "I4",
      tree -> {
        int level = lowest(tree);
        long node = tree.directory.levelNodes[level] - 1;
        separator(tree, level, node, tree.directory.children(level, node) - 1, -1);
      }),
  LAST_SLOT_OF_THE_ROOT_NOT_PADDED(
      "I4", tree -> separator(tree, 0, 0, tree.directory.keySlots - 1, 1)),

  REMOVED_ENTRY_NOT_COUNTED(
      "I5",
      tree -> {
        tree.removed.add(8);
        tree.removed.count--;
      }),
  REMOVED_COUNT_TOO_LARGE("I5", tree -> tree.removed.count++),
  REMOVED_COUNT_NEGATIVE("I5", tree -> tree.removed.count = -1),
  SLOT_BEYOND_THE_ARRAY_REMOVED("I5", tree -> tree.removed.add(tree.array.count)),
  NO_BITS_FOR_THE_END_OF_THE_ARRAY("I5", tree -> tree.removed.reset(tree.array.count - 100)),

  MEMORY_NOT_ACCOUNTED_FOR("I6", tree -> tree.budget = new MemoryBudget(Long.MAX_VALUE)),
  MEMORY_ACCOUNTED_FOR_TWICE("I6", tree -> tree.budget.count(tree.array.committedBytes())),
  MEMORY_ACCOUNTED_FOR_BUT_NOT_USED_BY_ANY_PART("I6", tree -> tree.budget.count(64)),

  BASE_BELOW_THE_FIRST_KEY(
      "I7",
      tree -> {
        long first = tree.array.key(3L * DigestLeaf.CAPACITY);
        Words.putLong(tree.directory.nodes, tree.directory.digestLeaf(3), first - 1);
      }),
  SHIFT_TOO_LARGE("I7", tree -> twoBytes(tree, 4, 8, 1)),
  SHIFT_BEYOND_A_LONG("I7", tree -> twoBytes(tree, 4, 8, 64)),
  DIGEST_TOO_SMALL("I7", tree -> twoBytes(tree, 5, 10, 29)),
  DIGEST_TOO_LARGE("I7", tree -> twoBytes(tree, 5, 10, 31)),
  DIGEST_NEGATIVE("I7", tree -> twoBytes(tree, 5, 10, -1)),
  DIGESTS_OUT_OF_ORDER(
      "I7",
      tree -> {
        twoBytes(tree, 6, 12, 110);
        twoBytes(tree, 6, 14, 70);
      }),
  LAST_DIGEST_MISSING("I7", tree -> twoBytes(tree, 7, 62, DigestLeaf.PADDING)),
  UNUSED_DIGEST_NOT_PADDED(
      "I7",
      tree ->
          twoBytes(
              tree,
              tree.directory.levelNodes[tree.directory.levels] - 1,
              62,
              DigestLeaf.PADDING - 1));

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<CssStructure> damage;

  CssCorruption(String invariant, Consumer<CssStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  /** Tells whether the tree has what this damages. */
  boolean concerns(CssStructure tree) {
    return tree.shape.hasDigests() || !invariant.equals("I7");
  }

  void inflictOn(CssStructure tree) {
    damage.accept(tree);
  }

  private static int lowest(CssStructure tree) {
    return tree.directory.levels - 1;
  }

  /** Overwrites two bytes of a digest leaf. */
  private static void twoBytes(CssStructure tree, long leaf, int offset, int value) {
    Words.putShort(tree.directory.nodes, tree.directory.digestLeaf(leaf) + offset, value);
  }

  private static void key(EntryArray entries, long slot, long key) {
    Words.putLong(entries.memory, slot << (entries.hasPairs() ? 4 : 3), key);
  }

  /** Changes a separator by a difference. */
  private static void separator(CssStructure tree, int level, long node, int slot, long by) {
    CssDirectory directory = tree.directory;
    long offset = directory.levelOffset[level] + ((node * directory.keySlots + slot) << 3);
    Words.putLong(directory.nodes, offset, directory.separator(level, node, slot) + by);
  }

  /** Appends keys, given by how far they are above the largest of the array. */
  private static void appendToDelta(CssStructure tree, long... distances) {
    long largest = tree.array.key(tree.array.count - 1);
    tree.delta.ensure(tree.delta.count + distances.length);
    for (long distance : distances) {
      tree.delta.insert(tree.delta.count, largest + distance, 0);
    }
  }

  private static void insertIntoDelta(CssStructure tree, long key) {
    tree.delta.ensure(tree.delta.count + 1);
    tree.delta.insert(tree.delta.lowerBound(key), key, 0);
  }
}
