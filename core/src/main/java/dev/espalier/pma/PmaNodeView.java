// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.CacheLine;
import java.util.Objects;

/**
 * A window of the calibrator tree, for inspection: a segment as a leaf, any other as an inner node
 * with the separator at which the search divides it, from the index if there is one.
 *
 * @param depth 0 for the whole
 * @param part the window's number among those of its depth
 */
record PmaNodeView(PmaStructure tree, int depth, long part) implements NodeView {

  private int begin(long number, int atDepth) {
    return Calibrator.begin(tree.segments, number, atDepth);
  }

  private int from() {
    return begin(part, depth);
  }

  /** Returns the first segment of the window's right half. */
  private int boundary() {
    return begin(2 * part + 1, depth + 1);
  }

  private long node() {
    return (1L << depth) + part;
  }

  @Override
  public long offset() {
    if (level() == 0) {
      return tree.columns.slot(from()) << 3;
    }
    return tree.index == null
        ? tree.columns.slot(boundary()) << 3
        : tree.index.offset(tree.columns, node(), depth);
  }

  /** Returns what a search touches: without an index, the line of the first key on the right. */
  @Override
  public long bytes() {
    if (level() == 0) {
      return 2L * Long.BYTES * tree.columns.slots;
    }
    return tree.index == null ? CacheLine.BYTES : Long.BYTES;
  }

  @Override
  public int level() {
    return tree.calibrator.levels - 1 - depth;
  }

  @Override
  public int count() {
    if (level() > 0) {
      return children() - 1;
    }
    int card = tree.columns.card(from());
    if (card > capacity()) {
      throw new InvariantViolationException(
          "I3", "segment %d has %d entries of %d".formatted(from(), card, capacity()));
    }
    return card;
  }

  @Override
  public int capacity() {
    return level() == 0 ? tree.columns.slots : 1;
  }

  @Override
  public long key(int i) {
    Objects.checkIndex(i, count());
    if (level() == 0) {
      return tree.columns.key(tree.columns.slot(from()) + i);
    }
    return tree.index == null
        ? tree.columns.key(tree.columns.slot(boundary()))
        : tree.index.separator(tree.columns, node(), depth);
  }

  @Override
  public long value(int i) {
    Objects.checkIndex(i, level() == 0 ? count() : 0);
    return tree.columns.value(tree.columns.slot(from()) + i);
  }

  private boolean hasLeft() {
    return boundary() > from();
  }

  /** Returns 2, or 1 where a half of the window has no segments. */
  @Override
  public int children() {
    if (level() == 0) {
      return 0;
    }
    return hasLeft() && boundary() < begin(part + 1, depth) ? 2 : 1;
  }

  @Override
  public NodeView child(int i) {
    Objects.checkIndex(i, children());
    return new PmaNodeView(tree, depth + 1, 2 * part + (i == 0 && hasLeft() ? 0 : 1));
  }
}
