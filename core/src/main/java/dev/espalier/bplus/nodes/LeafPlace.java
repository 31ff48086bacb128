// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;

/**
 * A place among the leaves that runs ahead of a cursor, along the internal jump-pointer array: the
 * leaves' parents, which are chained (thesis 3.6).
 */
public final class LeafPlace {
  /** The direction of ascending keys. */
  public static final int FORWARD = 1;

  /** The direction of descending keys. */
  public static final int BACKWARD = -1;

  private final BPlusStructure tree;
  private final InnerNode inner;

  /** The leaf's parent, 0 behind the last leaf, and its slot there. */
  private long parent;

  private int slot;

  /** Makes a place that has to be started. */
  public LeafPlace(BPlusStructure tree) {
    this.tree = tree;
    this.inner = tree.inner;
  }

  /** Goes to a leaf, which is number {@code leafSlot} of its parent. */
  public void start(long leafParent, int leafSlot) {
    parent = leafParent;
    slot = leafSlot;
  }

  /** Goes one leaf further; returns it, or 0 if there is none. */
  public long step(MemorySegment nodes, int direction) {
    if (parent == 0) {
      return 0;
    }
    slot += direction;
    if (slot < 0 || slot > inner.count(nodes, parent)) {
      enterParent(nodes, direction);
    }
    return parent == 0 ? 0 : inner.child(nodes, parent, slot);
  }

  /** Enters the parent that comes next, and asks for the one after that. */
  private void enterParent(MemorySegment nodes, int direction) {
    parent = neighbour(nodes, parent, direction);
    if (parent != 0) {
      slot = direction == FORWARD ? 0 : inner.count(nodes, parent);
      long after = neighbour(nodes, parent, direction);
      Words.prefetch(tree.base + after, inner.width, Locality.T0);
    }
  }

  private long neighbour(MemorySegment nodes, long innerNode, int direction) {
    return direction == FORWARD ? inner.next(nodes, innerNode) : inner.previous(nodes, innerNode);
  }
}
