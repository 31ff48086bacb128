// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import dev.espalier.bplus.nodes.BPlusCursor;
import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.bplus.nodes.LeafPlace;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;

/**
 * A cursor that fetches the leaf that lies {@code prefetchDistance} ahead in either direction,
 * which the internal jump-pointer array tells (thesis 3.6).
 */
final class PrefetchingCursor extends BPlusCursor {
  private final BPlusStructure tree;
  private final int leafLines;
  private final int prefetchDistance;

  /** The furthest leaf asked for, and how many were asked for and are not yet reached. */
  private final LeafPlace ahead;

  private int leavesAhead;

  PrefetchingCursor(BPlusStructure tree, int prefetchDistance) {
    super(tree);
    this.tree = tree;
    this.leafLines = tree.leaf.width;
    this.prefetchDistance = prefetchDistance;
    this.ahead = new LeafPlace(tree);
  }

  /**
   * Asks for the leaves ahead, two with every step until they are {@code prefetchDistance} ahead,
   * so that a short range does not fetch many leaves in vain.
   */
  @Override
  protected void lookAhead(
      MemorySegment nodes, long parentOfLeaf, int slotInParent, int direction, boolean anew) {
    if (anew) {
      ahead.start(parentOfLeaf, slotInParent);
      leavesAhead = 0;
    }
    leavesAhead = Math.max(leavesAhead - 1, 0);
    for (int i = 0; i < 2 && leavesAhead < prefetchDistance; i++) {
      long node = ahead.step(nodes, direction);
      if (node == 0) {
        break;
      }
      Words.prefetch(tree.base + node, leafLines, Locality.T1);
      leavesAhead++;
    }
  }
}
