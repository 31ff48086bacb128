// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.bplus.nodes.BPlusCursor;
import dev.espalier.bplus.nodes.BPlusStructure;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A cursor that fetches the leaf that lies {@code prefetchDistance} ahead by the chosen policy, and
 * finds it by the chosen jump-pointer array. Distance 0 fetches nothing.
 */
final class ConfigurableCursor extends BPlusCursor {
  private final BPlusStructure tree;
  private final int prefetchDistance;
  private final NodePrefetcher prefetcher;
  private final Locality locality;

  /** The furthest leaf asked for, and how many were asked for and are not yet reached. */
  private final PlaceInArray ahead;

  private int leavesAhead;

  /** The furthest leaf of which all is asked for, where that waits for the leaf's header. */
  private final PlaceInArray complete;

  private int leavesComplete;

  ConfigurableCursor(
      BPlusStructure tree,
      @Nullable JumpPointerArray pointers,
      int prefetchDistance,
      NodePrefetcher prefetcher,
      Locality locality) {
    super(tree);
    this.tree = tree;
    this.prefetchDistance = prefetchDistance;
    this.prefetcher = prefetcher;
    this.locality = locality;
    this.ahead = new PlaceInArray(tree, pointers);
    this.complete = new PlaceInArray(tree, pointers);
  }

  /** As PrefetchingCursor.lookAhead, but with HALF_LINEAR in two requests. */
  @Override
  protected void lookAhead(
      MemorySegment nodes, long parentOfLeaf, int slotInParent, int direction, boolean anew) {
    if (prefetchDistance == 0) {
      return;
    }
    if (anew) {
      ahead.start(nodes, parentOfLeaf, slotInParent);
      leavesAhead = 0;
      complete.start(nodes, parentOfLeaf, slotInParent);
      leavesComplete = 0;
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
