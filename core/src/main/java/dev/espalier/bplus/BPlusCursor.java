// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.bplus.PbPlusChoices.NodePrefetch;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the leaves. It steps from leaf to leaf through their parents, which are chained,
 * and prefetches the leaf that lies {@code prefetchDistance} ahead in either direction, which the
 * tree's jump-pointer array tells (thesis 3.6). Distance 0 prefetches nothing.
 */
final class BPlusCursor extends LeafCursor {
  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;
  private final int prefetchDistance;
  private final NodePrefetcher prefetcher;
  private final Locality locality;

  /** The current leaf's parent, or 0 if the leaf is the root, and the leaf's place in it. */
  private long parent;

  private int parentSlot;

  /** Direction of the leaves asked for so far, 0 for none, and the furthest of them. */
  private int aheadDirection;

  private final LeafPlace ahead;

  /** Leaves asked for and not yet reached. */
  private int leavesAhead;

  /** The furthest leaf of which all is asked for, where that waits for the leaf's header. */
  private final LeafPlace complete;

  private int leavesComplete;

  /** Creates a cursor that prefetches nothing. */
  BPlusCursor(BPlusStructure tree) {
    this(tree, 0, NodePrefetcher.of(NodePrefetch.NONE, tree.leaf), Locality.T0);
  }

  BPlusCursor(
      BPlusStructure tree, int prefetchDistance, NodePrefetcher prefetcher, Locality locality) {
    super(tree.modifications);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.prefetchDistance = prefetchDistance;
    this.prefetcher = prefetcher;
    this.locality = locality;
    this.ahead = new LeafPlace(tree);
    this.complete = new LeafPlace(tree);
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
      prefetchAhead(nodes, JumpPointerArray.FORWARD);
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
      prefetchAhead(nodes, JumpPointerArray.BACKWARD);
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
   * so that a short range does not fetch many leaves in vain.
   */
  private void prefetchAhead(MemorySegment nodes, int direction) {
    if (aheadDirection != direction) {
      aheadDirection = direction;
      ahead.start(nodes, parent, parentSlot);
      leavesAhead = 0;
      if (prefetcher.readsHeader()) {
        complete.start(nodes, parent, parentSlot);
        leavesComplete = 0;
      }
    }
    leavesAhead = Math.max(leavesAhead - 1, 0);
    for (int i = 0; i < 2 && leavesAhead < prefetchDistance; i++) {
      long node = ahead.step(nodes, direction);
      if (node == 0) {
        break;
      }
      prefetcher.prefetchFirst(tree.base, node, locality);
      leavesAhead++;
    }
    if (prefetcher.readsHeader()) {
      completeAhead(nodes, direction);
    }
  }

  /** Half way between request and use a leaf's header is there, and tells what else to ask for. */
  private void completeAhead(MemorySegment nodes, int direction) {
    leavesComplete = Math.max(leavesComplete - 1, 0);
    for (int i = 0; i < 2 && leavesComplete < (leavesAhead + 1) / 2; i++) {
      long node = complete.step(nodes, direction);
      if (node == 0) {
        break;
      }
      prefetcher.prefetchRest(nodes, tree.base, node, locality);
      leavesComplete++;
    }
  }
}
