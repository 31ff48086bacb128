// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.NodePrefetcher;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.prefetch.Locality;

/**
 * Scans of a {@link LongKeyTree}, one after the other: visits of all leaves in order, which fetch
 * the leaf that lies a distance ahead. A policy that reads the header first asks for what it needs
 * without, and for the rest when the leaf is half as far away, as scans of the pB+-tree do.
 */
final class LongKeyScan {
  private final LongKeyTree tree;
  private final NodePrefetcher prefetcher;
  private final int distance;

  /** The number of the leaf where the scan is. */
  private int leaf;

  /** The furthest leaf asked for, and the furthest of which all is asked for. */
  private int ahead;

  private int complete;

  /**
   * Makes scans that have not begun.
   *
   * @param policy NONE, LINEAR or HALF_LINEAR
   * @param distance how many leaves ahead
   */
  LongKeyScan(LongKeyTree tree, NodePrefetch policy, int distance) {
    this.tree = tree;
    this.prefetcher = NodePrefetcher.of(policy, tree.parts(), tree.width());
    this.distance = distance;
    start();
  }

  /** Goes before the first leaf. */
  void start() {
    leaf = -1;
    ahead = 0;
    complete = 0;
  }

  /** Goes to the next leaf, or returns false behind the last one. */
  boolean next() {
    if (leaf + 1 == tree.leafCount) {
      return false;
    }
    leaf++;
    for (int last = atMost(leaf + distance); ahead < last; ) {
      prefetcher.prefetchFirst(tree.nodes.address(), tree.leaf(++ahead), Locality.T1);
    }
    if (prefetcher.readsHeader()) {
      for (int last = atMost(leaf + (distance + 1) / 2); complete < last; ) {
        prefetcher.prefetchRest(
            tree.nodes, tree.nodes.address(), tree.leaf(++complete), Locality.T1);
      }
    }
    return true;
  }

  private int atMost(int number) {
    return Math.min(number, tree.leafCount - 1);
  }

  /** Returns the leaf where the scan is. */
  long leaf() {
    return tree.leaf(leaf);
  }

  /** Scans all; returns the sum of all words of keys and values. */
  long sum() {
    start();
    long sum = 0;
    while (next()) {
      sum += tree.sumOf(leaf());
    }
    return sum;
  }
}
