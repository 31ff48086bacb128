// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;

/**
 * The windows of the calibrator tree, for inspection: a segment as a leaf, any other as an inner
 * node with the separator at which the search divides it, from the index if there is one.
 */
record CalibratorView(PmaStructure tree) {

  /** Returns window {@code part} of those {@code depth} below the whole array. */
  NodeView node(int depth, long part) {
    int from = begin(part, depth);
    int level = tree.calibrator.levels - 1 - depth;
    return level == 0 ? segment(from) : window(depth, part, level, from);
  }

  private int begin(long part, int depth) {
    return Calibrator.begin(tree.segments, part, depth);
  }

  private NodeView segment(int number) {
    SegmentColumns columns = tree.columns;
    int card = columns.card(number);
    if (card > columns.slots) {
      throw new InvariantViolationException(
          "I3", "segment %d has %d entries of %d".formatted(number, card, columns.slots));
    }
    long slot = columns.slot(number);
    return NodeView.leaf(
        slot << 3,
        2L * Long.BYTES * columns.slots,
        card,
        columns.slots,
        i -> columns.key(slot + i),
        i -> columns.value(slot + i));
  }

  /**
   * Its bytes are those that a search touches: without an index, the line of the first key on the
   * right. It has two children, or one where a half of the window has no segments.
   */
  private NodeView window(int depth, long part, int level, int from) {
    SegmentColumns columns = tree.columns;
    VebIndex index = tree.index;
    int boundary = begin(2 * part + 1, depth + 1);
    long node = (1L << depth) + part;
    boolean hasLeft = boundary > from;
    boolean hasRight = boundary < begin(part + 1, depth);
    long right = columns.slot(boundary);
    return NodeView.inner(
        index == null ? right << 3 : index.offset(columns, node, depth),
        index == null ? CacheLine.BYTES : Long.BYTES,
        level,
        hasLeft && hasRight ? 1 : 0,
        1,
        i -> index == null ? columns.key(right) : index.separator(columns, node, depth),
        i -> node(depth + 1, 2 * part + (i == 0 && hasLeft ? 0 : 1)));
  }
}
