// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.ProgressListener;
import dev.espalier.support.Verifier;
import org.jspecify.annotations.Nullable;

/** Checks the invariants I1 to I7 of {@link PmaStructure}; there are no pointers to follow. */
final class PmaVerifier extends Verifier {
  private final PmaStructure tree;
  private final SegmentColumns columns;
  private final Calibrator calibrator;

  /** The key that was checked last. */
  private long lastKey;

  private PmaVerifier(PmaStructure tree, ProgressListener listener) {
    super(listener, tree.size);
    this.tree = tree;
    this.columns = tree.columns;
    this.calibrator = tree.calibrator;
  }

  static void verify(PmaStructure tree, ProgressListener listener) {
    tree.checkOpen();
    PmaVerifier verifier = new PmaVerifier(tree, listener);
    verifier.checkCalibrator();
    verifier.checkMemory();
    verifier.checkLayout(tree.index);
    verifier.checkCards();
    verifier.checkKeys(tree.index);
    verifier.checkSeparators(tree.index);
  }

  private void checkCalibrator() {
    int segments = tree.segments;
    checkRange("I4", segments, 1, columns.room, "the number of segments");
    checkEqual("I4", calibrator.segments, segments, "the number of the calibrator's segments");
    int levels = Calibrator.levels(segments);
    checkEqual("I4", calibrator.levels, levels, "the number of the calibrator's levels");
    for (int level = 1; level <= calibrator.levels; level++) {
      int upper = calibrator.upper[level];
      int lower = calibrator.lower[level];
      boolean narrows =
          level == 1
              || (upper < calibrator.upper[level - 1] && lower > calibrator.lower[level - 1]);
      check(
          narrows && 0 <= lower && lower < upper,
          "I4",
          "the thresholds %d to %d of level %d don't lie within those of the level below",
          lower,
          upper,
          level);
    }
  }

  private void checkMemory() {
    long taken = tree.budget.taken();
    check(
        columns.bytes() == taken
            && tree.usedBytes() <= taken
            && taken <= tree.options.memoryLimit(),
        "I5",
        "%d bytes are in use, of %d; %d are accounted for, the limit is %d",
        tree.usedBytes(),
        columns.bytes(),
        taken,
        tree.options.memoryLimit());
  }

  // ---------------------------------------------------------------- segments

  private void checkCards() {
    long sum = 0;
    int least = tree.segments == 1 ? 0 : calibrator.leastOfSegment;
    for (int segment = 0; segment < tree.segments; segment++) {
      int card = columns.card(segment);
      checkRange("I3", card, least, columns.slots, "the card of segment %d", segment);
      sum += card;
    }
    checkEqual("I2", sum, tree.size, "the sum of the cards");
  }

  private void checkKeys(@Nullable VebIndex index) {
    for (int segment = 0; segment < tree.segments; segment++) {
      if (index != null && segment > 0) {
        checkBoundary(index, segment);
      }
      long first = columns.slot(segment);
      for (int slot = 0; slot < columns.card(segment); slot++) {
        checkKey(segment, slot, columns.key(first + slot));
      }
    }
  }

  private void checkKey(int segment, int slot, long key) {
    check(
        entries() == 0 || lastKey < key,
        "I1",
        "in slot %d of segment %d, key %d is not above its predecessor %d",
        slot,
        segment,
        key,
        lastKey);
    lastKey = key;
    count(1);
  }

  // ---------------------------------------------------------------- index

  /** Checks the separator of a segment, in one of the nodes that have it. */
  private void checkBoundary(VebIndex index, int segment) {
    long separator = index.separatorOf(columns, segment);
    long first = columns.key(columns.slot(segment));
    check(
        lastKey >= first || (lastKey < separator && separator <= first),
        "I6",
        "the separator of segment %d is %d, but it begins with key %d, after %d",
        segment,
        separator,
        first,
        lastKey);
  }

  private void checkSeparators(@Nullable VebIndex index) {
    if (index == null) {
      return;
    }
    for (int depth = 0; depth < index.layout.height; depth++) {
      for (long node = 1L << depth; node < 2L << depth; node++) {
        int boundary = index.boundary(node, depth);
        long expected = boundary == 0 ? Long.MIN_VALUE : index.separatorOf(columns, boundary);
        long separator = index.separator(columns, node, depth);
        checkEqual("I6", separator, expected, "the separator of node %d", node);
      }
    }
  }

  private void checkLayout(@Nullable VebIndex index) {
    if (index == null) {
      return;
    }
    check(
        index.segments == tree.segments && index.layout.height == calibrator.levels - 1,
        "I7",
        "the index has %d levels over %d segments; the calibrator has %d over %d",
        index.layout.height,
        index.segments,
        calibrator.levels,
        tree.segments);
    checkSubtree(index.layout, 1, 0, index.layout.height, 0);
  }

  /** Checks the positions of a subtree's nodes by the definition of their order. */
  private static void checkSubtree(
      VebLayout layout, long root, int depth, int height, long position) {
    if (height == 0) {
      return;
    }
    if (height == 1) {
      checkEqual("I7", layout.position(root, depth), position, "the position of node %d", root);
      return;
    }
    int below = VebLayout.bottomHeight(height);
    int above = height - below;
    checkSubtree(layout, root, depth, above, position);
    long bottom = position + (1L << above) - 1;
    for (long i = 0; i < 1L << above; i++) {
      checkSubtree(layout, (root << above) + i, depth + above, below, bottom);
      bottom += (1L << below) - 1;
    }
  }
}
