// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the leaves. It steps from leaf to leaf through their parents, which are chained,
 * and prefetches the leaf that lies {@code prefetchDistance} ahead in either direction: the
 * internal jump-pointer array of thesis 3.6. Distance 0 prefetches nothing.
 */
final class BPlusCursor extends LeafCursor {
  private static final int FORWARD = 1;
  private static final int BACKWARD = -1;

  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;
  private final int prefetchDistance;

  /** The current leaf's parent, or 0 if the leaf is the root, and the leaf's place in it. */
  private long parent;

  private int parentSlot;

  /**
   * Direction of the leaves asked for so far, 0 for none, and the place of the furthest of them.
   */
  private int aheadDirection;

  private long aheadParent;
  private int aheadSlot;

  /** Leaves asked for and not yet reached. */
  private int leavesAhead;

  BPlusCursor(BPlusStructure tree, int prefetchDistance) {
    super(tree.modifications);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.prefetchDistance = prefetchDistance;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected void descend(long key) {
    MemorySegment nodes = tree.nodes;
    long at = tree.root;
    parent = 0;
    for (int level = tree.height - 1; level > 0; level--) {
      parent = at;
      parentSlot = Keys.lowerBound(nodes, at, inner.keySlots, key);
      at = inner.child(nodes, at, parentSlot);
    }
    enterLeaf(nodes, at);
    aheadDirection = 0;
    slot = Math.min(Keys.lowerBound(nodes, at, leaf.keySlots, key), entries);
  }

  @Override
  protected void descendToLast() {
    MemorySegment nodes = tree.nodes;
    long at = tree.root;
    parent = 0;
    for (int level = tree.height - 1; level > 0; level--) {
      parent = at;
      parentSlot = inner.count(nodes, at);
      at = inner.child(nodes, at, parentSlot);
    }
    enterLeaf(nodes, at);
    aheadDirection = 0;
  }

  private void enterLeaf(MemorySegment nodes, long node) {
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
    if (parent == 0) {
      return false;
    }
    MemorySegment nodes = tree.nodes;
    if (prefetchDistance > 0) {
      prefetchAhead(nodes, FORWARD);
    }
    if (parentSlot < inner.count(nodes, parent)) {
      parentSlot++;
    } else {
      parent = inner.next(nodes, parent);
      parentSlot = 0;
      if (parent == 0) {
        return false;
      }
    }
    enterLeaf(nodes, inner.child(nodes, parent, parentSlot));
    return entries > 0;
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (parent == 0) {
      return false;
    }
    MemorySegment nodes = tree.nodes;
    if (prefetchDistance > 0) {
      prefetchAhead(nodes, BACKWARD);
    }
    if (parentSlot > 0) {
      parentSlot--;
    } else {
      parent = inner.previous(nodes, parent);
      if (parent == 0) {
        return false;
      }
      parentSlot = inner.count(nodes, parent);
    }
    enterLeaf(nodes, inner.child(nodes, parent, parentSlot));
    return entries > 0;
  }

  /**
   * Asks for the leaves ahead, two with every step until they are {@code prefetchDistance} ahead,
   * so that a short range does not fetch many leaves in vain. Their places are in their parents;
   * when the last of them enters a new parent, the parent after that is asked for too.
   */
  private void prefetchAhead(MemorySegment nodes, int direction) {
    if (aheadDirection != direction) {
      aheadDirection = direction;
      aheadParent = parent;
      aheadSlot = parentSlot;
      leavesAhead = 0;
    }
    leavesAhead = Math.max(leavesAhead - 1, 0);
    for (int i = 0; i < 2 && leavesAhead < prefetchDistance && aheadParent != 0; i++) {
      aheadSlot += direction;
      if (aheadSlot < 0 || aheadSlot > inner.count(nodes, aheadParent)) {
        enterAheadParent(nodes, direction);
      }
      if (aheadParent != 0) {
        long ahead = inner.child(nodes, aheadParent, aheadSlot);
        Words.prefetch(tree.base + ahead, leaf.width, Locality.T1);
        leavesAhead++;
      }
    }
  }

  private void enterAheadParent(MemorySegment nodes, int direction) {
    aheadParent = neighbour(nodes, aheadParent, direction);
    if (aheadParent != 0) {
      aheadSlot = direction == FORWARD ? 0 : inner.count(nodes, aheadParent);
      long after = neighbour(nodes, aheadParent, direction);
      Words.prefetch(tree.base + after, inner.width, Locality.T0);
    }
  }

  private long neighbour(MemorySegment nodes, long innerNode, int direction) {
    return direction == FORWARD ? inner.next(nodes, innerNode) : inner.previous(nodes, innerNode);
  }
}
