// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafPlace;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A place among the leaves that runs ahead of a cursor, along the chosen jump-pointer array. */
final class PlaceInArray {
  private final InnerNode inner;
  private final @Nullable JumpPointerArray pointers;

  /** The place in the internal array, or that in an array outside the tree. */
  private final LeafPlace internal;

  private long place;

  PlaceInArray(BPlusStructure tree, @Nullable JumpPointerArray pointers) {
    this.inner = tree.inner;
    this.pointers = pointers;
    this.internal = new LeafPlace(tree);
  }

  /** Goes to a leaf, which is number {@code slot} of its parent. */
  void start(MemorySegment nodes, long parent, int slot) {
    if (pointers != null) {
      place = pointers.placeOf(inner.child(nodes, parent, slot));
    } else {
      internal.start(parent, slot);
    }
  }

  /** Goes one leaf further; returns it, or 0 if there is none. */
  long step(MemorySegment nodes, int direction) {
    if (pointers == null) {
      return internal.step(nodes, direction);
    }
    if (place != JumpPointerArray.NO_PLACE) {
      place = pointers.step(place, direction);
    }
    return place == JumpPointerArray.NO_PLACE ? 0 : pointers.leafAt(place);
  }
}
