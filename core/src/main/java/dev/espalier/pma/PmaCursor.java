// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.support.LeafCursor;

/** A cursor whose leaves are the segments. */
final class PmaCursor extends LeafCursor {
  private final PmaStructure tree;
  private int segment;

  PmaCursor(PmaStructure tree) {
    super(tree.modifications);
    this.tree = tree;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    enterSegment(tree.segmentOf(key));
    slot = Math.min(tree.lowerBound(segment, key), entries);
  }

  @Override
  protected void descendToLast() {
    enterSegment(tree.segments - 1);
  }

  private void enterSegment(int entered) {
    SegmentColumns columns = tree.columns;
    segment = entered;
    long keys = columns.slot(entered) << 3;
    int card = Math.min(columns.card(entered), columns.slots);
    enter(columns.memory, keys, columns.valuesOffset + keys, card);
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- delete

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  protected boolean enterNextLeaf() {
    if (segment + 1 >= tree.segments) {
      return false;
    }
    enterSegment(segment + 1);
    return entries > 0;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (segment == 0) {
      return false;
    }
    enterSegment(segment - 1);
    return entries > 0;
  }
}
