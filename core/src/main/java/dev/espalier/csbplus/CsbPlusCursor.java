// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import static dev.espalier.csbplus.LeafPath.BACKWARD;
import static dev.espalier.csbplus.LeafPath.FORWARD;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the leaves. It steps from leaf to leaf by the path from the root, and prefetches
 * the leaves up to {@code prefetchDistance} ahead in either direction by a second path that runs
 * ahead: within a node group both steps are arithmetic. Distance 0 prefetches nothing.
 */
final class CsbPlusCursor extends LeafCursor {
  private final CsbPlusStructure tree;
  private final CsbLeafNode leaf;
  private final int prefetchDistance;

  /** The way to the current leaf. */
  private final LeafPath path = new LeafPath();

  /** The way to the furthest leaf asked for, in this direction; 0 for none. */
  private final LeafPath ahead = new LeafPath();

  private int aheadDirection;

  /** Leaves asked for and not yet reached. */
  private int leavesAhead;

  private boolean aheadAtEnd;

  CsbPlusCursor(CsbPlusStructure tree, int prefetchDistance) {
    super(tree.modifications);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.prefetchDistance = prefetchDistance;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    long node = tree.findPath(key, path);
    enterLeaf(node);
    slot = Math.min(Keys.lowerBound(tree.nodes, node, leaf.keySlots, key), entries);
    aheadDirection = 0;
  }

  @Override
  protected void descendToLast() {
    MemorySegment nodes = tree.nodes;
    long node = tree.root;
    for (int level = tree.height - 1; level > 0; level--) {
      int last = tree.inner.children(nodes, node) - 1;
      path.node[level] = node;
      path.slot[level] = last;
      node = tree.inner.child(nodes, node, last, tree.childBytes(level));
    }
    enterLeaf(node);
    aheadDirection = 0;
  }

  private void enterLeaf(long node) {
    MemorySegment nodes = tree.nodes;
    int count = Math.min(leaf.count(nodes, node), leaf.capacity);
    enter(nodes, node, node + leaf.valuesOffset, count);
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
    return step(FORWARD);
  }

  @Override
  protected boolean enterPreviousLeaf() {
    return step(BACKWARD);
  }

  private boolean step(int direction) {
    if (prefetchDistance > 0) {
      prefetchAhead(direction);
    }
    long next = path.step(tree, direction);
    if (next == 0) {
      return false;
    }
    enterLeaf(next);
    return entries > 0;
  }

  /**
   * Asks for the leaves ahead, two with every step until they are {@code prefetchDistance} ahead,
   * so that a short range does not fetch many leaves in vain.
   */
  private void prefetchAhead(int direction) {
    if (aheadDirection != direction) {
      aheadDirection = direction;
      ahead.set(path, tree.height);
      leavesAhead = 0;
      aheadAtEnd = false;
    }
    leavesAhead = Math.max(leavesAhead - 1, 0);
    for (int i = 0; i < 2 && leavesAhead < prefetchDistance && !aheadAtEnd; i++) {
      long next = ahead.step(tree, direction);
      aheadAtEnd = next == 0;
      if (!aheadAtEnd) {
        Words.prefetch(tree.base + next, leaf.width, Locality.T1);
        leavesAhead++;
      }
    }
  }
}
