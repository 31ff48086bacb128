// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.node.Keys;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;

/**
 * A cursor over the leaves. It steps from leaf to leaf through their parents, which are chained. A
 * subclass may ask for the leaves that come next.
 */
public class BPlusCursor extends LeafCursor {
  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;

  /** The current leaf's parent, or 0 if the leaf is the root, and the leaf's place in it. */
  private long parent;

  private int parentSlot;

  /** Direction of the last step from leaf to leaf, 0 for none since a seek. */
  private int lastDirection;

  /** Creates a cursor that is nowhere. */
  public BPlusCursor(BPlusStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  // ---------------------------------------------------------------- seek

  @Override
  protected final void descend(long key) {
    MemorySegment nodes = tree.nodes;
    long at = tree.root;
    parent = 0;
    for (int level = tree.height - 1; level > 0; level--) {
      parent = at;
      parentSlot = Keys.lowerBound(nodes, at, inner.keySlots, key);
      at = inner.child(nodes, at, parentSlot);
    }
    enterLeaf(nodes, at);
    lastDirection = 0;
    slot = Math.min(Keys.lowerBound(nodes, at, leaf.keySlots, key), entries);
  }

  @Override
  protected final void descendToLast() {
    MemorySegment nodes = tree.nodes;
    long at = tree.root;
    parent = 0;
    for (int level = tree.height - 1; level > 0; level--) {
      parent = at;
      parentSlot = inner.count(nodes, at);
      at = inner.child(nodes, at, parentSlot);
    }
    enterLeaf(nodes, at);
    lastDirection = 0;
  }

  private void enterLeaf(MemorySegment nodes, long node) {
    int count = Math.min(leaf.count(nodes, node), leaf.capacity);
    enter(nodes, node, node + leaf.valuesOffset, count);
  }

  @Override
  protected final void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- delete

  @Override
  protected final void removeFromTree(long key) {
    tree.change.remove(key);
  }

  // ---------------------------------------------------------------- range scan

  /**
   * Asks for leaves that come next, before a step from leaf to leaf. Asks for none unless a
   * subclass does.
   *
   * @param parentOfLeaf of the leaf that is left, which is number {@code slotInParent} there
   * @param direction {@link LeafPlace#FORWARD} or {@link LeafPlace#BACKWARD}
   * @param anew whether the step before went the other way, or there was none since a seek
   */
  protected void lookAhead(
      MemorySegment nodes, long parentOfLeaf, int slotInParent, int direction, boolean anew) {}

  private void leaveLeaf(MemorySegment nodes, int direction) {
    lookAhead(nodes, parent, parentSlot, direction, direction != lastDirection);
    lastDirection = direction;
  }

  @Override
  protected final boolean enterNextLeaf() {
    if (parent == 0) {
      return false;
    }
    MemorySegment nodes = tree.nodes;
    leaveLeaf(nodes, LeafPlace.FORWARD);
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
  protected final boolean enterPreviousLeaf() {
    if (parent == 0) {
      return false;
    }
    MemorySegment nodes = tree.nodes;
    leaveLeaf(nodes, LeafPlace.BACKWARD);
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
}
