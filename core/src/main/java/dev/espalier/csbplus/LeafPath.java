// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import java.lang.foreign.MemorySegment;

/**
 * The way from the root to a leaf: for each level from 1 on, the inner node there and the child
 * taken. A cursor steps from leaf to leaf by it, so nodes need no references to their neighbours.
 */
final class LeafPath {
  static final int FORWARD = 1;
  static final int BACKWARD = -1;

  final long[] node = new long[CsbPlusStructure.MAX_HEIGHT];
  final int[] slot = new int[CsbPlusStructure.MAX_HEIGHT];

  /** Takes another path to the same tree. */
  void set(LeafPath other, int height) {
    System.arraycopy(other.node, 0, node, 0, height);
    System.arraycopy(other.slot, 0, slot, 0, height);
  }

  /**
   * Goes to the next leaf in a direction and returns its offset, or 0 if there is none. Amortized
   * O(1): the parent is left once for all its children.
   */
  long step(CsbPlusStructure tree, int direction) {
    MemorySegment nodes = tree.nodes;
    CsbInnerNode inner = tree.inner;
    int level = 1;
    while (level < tree.height && !hasSibling(nodes, inner, level, direction)) {
      level++;
    }
    if (level >= tree.height) {
      return 0;
    }
    slot[level] += direction;
    while (true) {
      long child = inner.child(nodes, node[level], slot[level], tree.childBytes(level));
      if (--level == 0) {
        return child;
      }
      node[level] = child;
      slot[level] = direction == FORWARD ? 0 : inner.children(nodes, child) - 1;
    }
  }

  private boolean hasSibling(MemorySegment nodes, CsbInnerNode inner, int level, int direction) {
    int sibling = slot[level] + direction;
    return sibling >= 0 && sibling < inner.children(nodes, node[level]);
  }
}
