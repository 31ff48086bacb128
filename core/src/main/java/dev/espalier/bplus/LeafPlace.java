// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A place among the leaves that runs ahead of a cursor, along the tree's jump-pointer array. */
final class LeafPlace {
  private final BPlusStructure tree;
  private final InnerNode inner;
  private final @Nullable JumpPointerArray pointers;

  /** In the internal array, the leaf's parent, 0 behind the last leaf, and its slot there. */
  private long parent;

  private int slot;

  /** The place in an array outside the tree. */
  private long place;

  LeafPlace(BPlusStructure tree) {
    this.tree = tree;
    this.inner = tree.inner;
    this.pointers = tree.pointers;
  }

  /** Goes to a leaf, which is number {@code leafSlot} of its parent. */
  void start(MemorySegment nodes, long leafParent, int leafSlot) {
    if (pointers != null) {
      place = pointers.placeOf(inner.child(nodes, leafParent, leafSlot));
    } else {
      parent = leafParent;
      slot = leafSlot;
    }
  }

  /** Goes one leaf further; returns it, or 0 if there is none. */
  long step(MemorySegment nodes, int direction) {
    if (pointers != null) {
      return stepOutside(pointers, direction);
    }
    if (parent == 0) {
      return 0;
    }
    slot += direction;
    if (slot < 0 || slot > inner.count(nodes, parent)) {
      enterParent(nodes, direction);
    }
    return parent == 0 ? 0 : inner.child(nodes, parent, slot);
  }

  private long stepOutside(JumpPointerArray array, int direction) {
    if (place != JumpPointerArray.NO_PLACE) {
      place = array.step(place, direction);
    }
    return place == JumpPointerArray.NO_PLACE ? 0 : array.leafAt(place);
  }

  /** Enters the parent that comes next, and asks for the one after that. */
  private void enterParent(MemorySegment nodes, int direction) {
    parent = neighbour(nodes, parent, direction);
    if (parent != 0) {
      slot = direction == JumpPointerArray.FORWARD ? 0 : inner.count(nodes, parent);
      long after = neighbour(nodes, parent, direction);
      Words.prefetch(tree.base + after, inner.width, Locality.T0);
    }
  }

  private long neighbour(MemorySegment nodes, long innerNode, int direction) {
    return direction == JumpPointerArray.FORWARD
        ? inner.next(nodes, innerNode)
        : inner.previous(nodes, innerNode);
  }
}
