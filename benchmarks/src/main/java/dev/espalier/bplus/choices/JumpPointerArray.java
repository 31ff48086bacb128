// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.bplus.nodes.LeafListener;
import java.util.ConcurrentModificationException;

/**
 * A jump-pointer array outside the tree (thesis 3.6): the leaves in order of keys, for scans that
 * fetch ahead. Places in it are longs, to which only the array gives a meaning; they hold until the
 * tree next changes.
 */
sealed interface JumpPointerArray extends LeafListener
    permits ChunkedJumpPointers, FlatJumpPointers {
  /* Invariants, beyond those of BPlusStructure:
   *   I11 The array lists the leaves of the tree, each once, in order of keys.
   *   I12 The hint of a leaf is the chunk that lists it.
   *   I13 next and previous chain the chunks in order, both ways, and end in none.
   *   I14 A chunk has pointers in no slots but its own, at least one pointer, and at least its
   *       minimum if a chunk comes after it.
   * A flat array has no chunks; its hints may be stale, and only I11 is asked of it.
   */

  /** The place before the first leaf and after the last. */
  long NO_PLACE = -1;

  /** Returns the place of a leaf, or {@link #NO_PLACE} if threads have torn the tree. */
  long placeOf(long leaf);

  /**
   * Returns the place one leaf further in a direction of {@code LeafPlace}, or {@link #NO_PLACE}.
   */
  long step(long place, int direction);

  /** Returns the leaf at a place. */
  long leafAt(long place);

  /** What an array throws that does not list a leaf of the tree. */
  static ConcurrentModificationException notListed(long leaf) {
    return new ConcurrentModificationException(
        "the leaf @"
            + leaf
            + " is not in the jump-pointer array: the index was changed by another thread at the"
            + " same time");
  }
}
