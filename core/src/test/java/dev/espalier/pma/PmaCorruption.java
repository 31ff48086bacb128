// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.memory.Words;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy array, each against one invariant of {@link PmaStructure}. The array has
 * an index, at least five segments, none of them full or at its least, and a number of segments
 * that is no power of two.
 */
enum PmaCorruption {
  KEYS_OF_A_SEGMENT_OUT_OF_ORDER("I1", tree -> swapKeys(tree, 1, tree.columns.slot(2))),
  KEYS_OUT_OF_ORDER_ACROSS_A_BOUNDARY(
      "I1",
      tree -> {
        long last = tree.columns.slot(1) + tree.columns.card(1) - 1;
        swapKeys(tree, tree.columns.slot(2), last);
      }),
  KEY_TWICE("I1", tree -> key(tree, 1, tree.columns.key(0))),
  LAST_KEY_BELOW_ITS_PREDECESSOR(
      "I1",
      tree -> {
        int last = tree.segments - 1;
        key(tree, tree.columns.slot(last) + tree.columns.card(last) - 1, Long.MIN_VALUE);
      }),

  CARD_OFF_BY_ONE("I2", tree -> tree.columns.card(0, tree.columns.card(0) - 1)),
  SIZE_TOO_LARGE("I2", tree -> tree.size++),
  SIZE_NEGATIVE("I2", tree -> tree.size = Long.MIN_VALUE),

  CARD_ABOVE_THE_SLOTS("I3", tree -> tree.columns.card(2, tree.columns.slots + 1)),
  CARD_FAR_ABOVE_THE_SLOTS("I3", tree -> tree.columns.card(1, 0xffff)),
  EMPTY_SEGMENT("I3", tree -> tree.columns.card(3, 0)),
  SEGMENT_BELOW_ITS_LEAST("I3", tree -> tree.columns.card(0, tree.calibrator.leastOfSegment - 1)),

  NO_SEGMENTS("I4", tree -> tree.segments = 0),
  MORE_SEGMENTS_THAN_ROOM("I4", tree -> tree.segments = tree.columns.room + 1),
  SEGMENTS_NEGATIVE("I4", tree -> tree.segments = Integer.MIN_VALUE),
  LAST_SEGMENT_LOST("I4", tree -> tree.segments--),
  CALIBRATOR_OVER_FEWER_SEGMENTS(
      "I4", tree -> tree.calibrator = new Calibrator(tree.geometry, tree.segments - 1)),
  THRESHOLDS_OF_SEGMENT_AND_ROOT_SWAPPED(
      "I4",
      tree -> {
        int[] upper = tree.calibrator.upper;
        int root = upper[tree.calibrator.levels];
        upper[tree.calibrator.levels] = upper[1];
        upper[1] = root;
      }),
  LOWER_THRESHOLD_ABOVE_THE_UPPER(
      "I4", tree -> tree.calibrator.lower[tree.calibrator.levels] = tree.calibrator.upper[1] + 1),

  MEMORY_NOT_ACCOUNTED_FOR("I5", tree -> tree.budget.clear()),
  MEMORY_ACCOUNTED_FOR_TWICE("I5", tree -> tree.budget.count(tree.columns.bytes())),

  SEPARATOR_ABOVE_THE_FIRST_KEY(
      "I6", tree -> separators(tree, 2, tree.columns.key(tree.columns.slot(2)) + 1)),
  SEPARATOR_AT_THE_LAST_KEY_BEFORE(
      "I6",
      tree -> {
        long last = tree.columns.slot(1) + tree.columns.card(1) - 1;
        separators(tree, 2, tree.columns.key(last));
      }),
  NODES_OF_A_BOUNDARY_DISAGREE("I6", tree -> separator(tree, twin(tree), 1)),
  FIRST_SEGMENT_HAS_A_SEPARATOR("I6", tree -> separator(tree, leftmost(tree), 1)),

  INDEX_OVER_FEWER_SEGMENTS("I7", tree -> tree.index = new VebIndex(tree.segments - 1)),
  INDEX_TOO_LOW("I7", tree -> tree.index = new VebIndex(2)),
  TOP_TREE_OF_THE_WRONG_SIZE("I7", tree -> index(tree).layout.top[1]++),
  BOTTOM_TREE_OF_THE_WRONG_SIZE(
      "I7", tree -> index(tree).layout.bottom[index(tree).layout.height - 1]--),
  TABLE_OF_THE_WRONG_DEPTH(
      "I7",
      tree -> {
        int[] topDepth = index(tree).layout.topDepth;
        int last = topDepth.length - 1;
        topDepth[last] = topDepth[last] == 0 ? 1 : 0;
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<PmaStructure> damage;

  PmaCorruption(String invariant, Consumer<PmaStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  /** Tells whether an array without an index can be damaged so. */
  boolean needsNoIndex() {
    return invariant.compareTo("I6") < 0;
  }

  void inflictOn(PmaStructure tree) {
    damage.accept(tree);
  }

  private static VebIndex index(PmaStructure tree) {
    return Objects.requireNonNull(tree.index);
  }

  private static void key(PmaStructure tree, long slot, long key) {
    Words.putLong(tree.columns.memory, slot << 3, key);
  }

  private static void swapKeys(PmaStructure tree, long one, long other) {
    long key = tree.columns.key(one);
    key(tree, one, tree.columns.key(other));
    key(tree, other, key);
  }

  /** Overwrites the separators of all nodes that divide at a segment. */
  private static void separators(PmaStructure tree, int segment, long separator) {
    VebIndex index = index(tree);
    for (long node = 1; node <= index.layout.nodes(); node++) {
      if (index.boundary(node, depth(node)) == segment) {
        separator(tree, node, separator);
      }
    }
  }

  private static void separator(PmaStructure tree, long node, long separator) {
    long offset = index(tree).offset(tree.columns, node, depth(node));
    Words.putLong(tree.columns.memory, offset, separator);
  }

  private static int depth(long node) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(node);
  }

  /** Returns a node that divides where another does. */
  private static long twin(PmaStructure tree) {
    VebIndex index = index(tree);
    long[] seen = new long[tree.segments];
    for (long node = 1; node <= index.layout.nodes(); node++) {
      int boundary = index.boundary(node, depth(node));
      if (boundary > 0 && seen[boundary]++ > 0) {
        return node;
      }
    }
    throw new IllegalStateException("every boundary has one node");
  }

  /** Returns the node that divides at the first segment. */
  private static long leftmost(PmaStructure tree) {
    return 1L << (index(tree).layout.height - 1);
  }
}
