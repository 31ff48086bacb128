// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.inspect.NodeView;
import java.util.Objects;

/** A node of a structure, for inspection. */
record BPlusNodeView(BPlusStructure tree, long offset, int level) implements NodeView {

  @Override
  public long bytes() {
    return level == 0 ? tree.leaf.bytes : tree.inner.bytes;
  }

  /** A count that can't be is refused: who looks at all children would not come to an end. */
  @Override
  public int count() {
    int count =
        level == 0 ? tree.leaf.count(tree.nodes, offset) : tree.inner.count(tree.nodes, offset);
    if (count < 0 || count > capacity()) {
      throw new InvariantViolationException(
          "I4",
          "the node @%d of level %d has count %d of %d"
              .formatted(offset, level, count, capacity()));
    }
    return count;
  }

  @Override
  public int capacity() {
    return level == 0 ? tree.leaf.capacity : tree.inner.capacity;
  }

  @Override
  public long key(int i) {
    Objects.checkIndex(i, count());
    return level == 0
        ? tree.leaf.key(tree.nodes, offset, i)
        : tree.inner.key(tree.nodes, offset, i);
  }

  @Override
  public long value(int i) {
    Objects.checkIndex(i, level == 0 ? count() : 0);
    return tree.leaf.value(tree.nodes, offset, i);
  }

  @Override
  public int children() {
    return level == 0 ? 0 : count() + 1;
  }

  @Override
  public NodeView child(int i) {
    Objects.checkIndex(i, children());
    return new BPlusNodeView(tree, tree.inner.child(tree.nodes, offset, i), level - 1);
  }
}
