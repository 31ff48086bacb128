// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import dev.espalier.inspect.IndexStatistics;
import dev.espalier.inspect.InvariantViolationException;

/** Counts the nodes of a structure and what is in them, in one pass. */
final class RTreeCount {
  private final RTreeStructure tree;
  private long innerNodes;
  private long children;
  private long leaves;
  private long entries;

  private RTreeCount(RTreeStructure tree) {
    this.tree = tree;
  }

  static IndexStatistics of(RTreeStructure tree) {
    tree.checkOpen();
    RTreeCount count = new RTreeCount(tree);
    count.visit(tree.root, tree.height - 1);
    return new IndexStatistics(
        tree.size,
        tree.height,
        count.innerNodes,
        count.leaves,
        fill(count.children, count.innerNodes, tree.inner),
        fill(count.entries, count.leaves, tree.leaf),
        tree.memory.usedBytes(),
        tree.memory.committedBytes(),
        tree.memory.hugePagesGranted());
  }

  private static double fill(long used, long nodes, RTreeNode layout) {
    return nodes == 0 ? 0 : (double) used / (nodes * layout.capacity);
  }

  /** A count that can't be is refused: who looks at all children would not come to an end. */
  private void visit(long node, int level) {
    RTreeNode layout = tree.layout(level);
    int count = layout.count(tree.nodes, node);
    if (count < 0 || count > layout.capacity) {
      throw new InvariantViolationException(
          "I4",
          "the node @%d of level %d has count %d of %d"
              .formatted(node, level, count, layout.capacity));
    }
    if (level == 0) {
      leaves++;
      entries += count;
      return;
    }
    innerNodes++;
    children += count;
    for (int slot = 0; slot < count; slot++) {
      visit(tree.inner.child(tree.nodes, node, slot), level - 1);
    }
  }
}
