// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import java.util.Objects;

/**
 * A node, for inspection; buffers are not shown. Who looks at all children comes to an end on any
 * damage: a child that has another parent, is not one level lower or was a child before is refused.
 */
record ShuttleNodeView(ShuttleStructure tree, long offset, int level) implements NodeView {

  static ShuttleNodeView ofRoot(ShuttleStructure tree) {
    return new ShuttleNodeView(tree, tree.array.root, tree.height - 1);
  }

  @Override
  public long bytes() {
    return (long) tree.layout.nodeLines(level + 1) << 6;
  }

  /** Entries of a leaf, or separators. */
  @Override
  public int count() {
    return level == 0 ? used() : used() - 1;
  }

  private int used() {
    int count = tree.layout.count(tree.array.nodes, offset);
    int most = level == 0 ? tree.layout.leafEntries : tree.layout.maxChildren;
    if (count < Math.min(level, 1) || count > most) {
      throw new InvariantViolationException(
          "I5", "the node @%d has count %d of %d".formatted(offset, count, most));
    }
    return count;
  }

  @Override
  public int capacity() {
    return level == 0 ? tree.layout.leafEntries : tree.layout.maxChildren - 1;
  }

  @Override
  public long key(int i) {
    Objects.checkIndex(i, count());
    return ShuttleLayout.key(tree.array.nodes, offset, i);
  }

  @Override
  public long value(int i) {
    Objects.checkIndex(i, level == 0 ? count() : 0);
    return getLong(tree.array.nodes, offset + tree.layout.leafValues + ((long) i << 3));
  }

  @Override
  public int children() {
    return level == 0 ? 0 : used();
  }

  @Override
  public NodeView child(int i) {
    Objects.checkIndex(i, children());
    long child = reference(i);
    boolean isRepeated = false;
    for (int before = 0; before < i; before++) {
      isRepeated |= reference(before) == child;
    }
    if (isRepeated
        || tree.layout.parent(tree.array.nodes, child) != offset
        || tree.layout.height(tree.array.nodes, child) != level) {
      throw new InvariantViolationException(
          "I9", "the node @%d is not a child of @%d alone".formatted(child, offset));
    }
    return new ShuttleNodeView(tree, child, level - 1);
  }

  private long reference(int i) {
    return tree.layout.child(tree.array.nodes, offset, i);
  }
}
