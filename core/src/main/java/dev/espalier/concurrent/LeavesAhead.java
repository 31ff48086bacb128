// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;

/**
 * Asks for the leaves that a cursor comes to next. They are found through their parents, and the
 * next parent from the root, since inner nodes are not chained. Nothing that is read for this is
 * checked: at worst, the wrong lines are fetched.
 */
final class LeavesAhead {
  /** The direction of ascending keys. */
  static final int FORWARD = 1;

  /** The direction of descending keys. */
  static final int BACKWARD = -1;

  /**
   * Lines to fetch ahead, as {@link dev.espalier.bplus.PbPlusTree} has them
   * (docs/decisions/0011-choices-of-the-pb-plus-tree.md), and most leaves.
   */
  private static final int PREFETCH_LINES = 128;

  private static final int MAX_DISTANCE = 64;

  private final ConcurrentStructure tree;
  private final VersionedInner inner;
  private final int leafLines;
  private final int distance;

  /** Direction of the last step; 0 if there was none. */
  private int lastDirection;

  /** The furthest leaf asked for: its parent, and its place there. */
  private long parent;

  private int slot;

  /** The keys that are the parent's. */
  private long lowest;

  private long highest;

  /** How many leaves were asked for and are not yet reached. */
  private int leavesAhead;

  LeavesAhead(ConcurrentStructure tree) {
    this.tree = tree;
    this.inner = tree.inner;
    this.leafLines = tree.leaf.width;
    this.distance = Math.min(PREFETCH_LINES / leafLines, MAX_DISTANCE);
  }

  /** Forgets what was asked for. */
  void restart() {
    lastDirection = 0;
  }

  /**
   * Asks for leaves before a step from leaf to leaf, two with every step until enough are ahead, so
   * that a short range does not fetch many leaves in vain.
   *
   * @param parentOfLeaf of the leaf that is left, which is number {@code slotInParent} there
   * @param parentLowest the lowest key that is the parent's, and {@code parentHighest} the highest
   */
  void look(
      MemorySegment nodes,
      long parentOfLeaf,
      int slotInParent,
      long parentLowest,
      long parentHighest,
      int direction) {
    if (direction != lastDirection) {
      lastDirection = direction;
      parent = parentOfLeaf;
      slot = slotInParent;
      lowest = parentLowest;
      highest = parentHighest;
      leavesAhead = 0;
    }
    leavesAhead = Math.max(leavesAhead - 1, 0);
    for (int i = 0; i < 2 && leavesAhead < distance; i++) {
      int next = slot + direction;
      if (next < 0 || next > inner.count(nodes, parent)) {
        if (!enterNextParent(nodes, direction)) {
          return;
        }
        next = direction == FORWARD ? 0 : inner.count(nodes, parent);
      }
      slot = next;
      Words.prefetch(tree.base + inner.child(nodes, parent, next), leafLines, Locality.T0);
      leavesAhead++;
    }
  }

  /** Goes down to the parent beside this one; returns false if there is none. */
  private boolean enterNextParent(MemorySegment nodes, int direction) {
    if (direction == FORWARD ? highest == Long.MAX_VALUE : lowest == Long.MIN_VALUE) {
      return false;
    }
    long key = direction == FORWARD ? highest + 1 : lowest - 1;
    long root = getLong(nodes, ConcurrentStructure.ROOT);
    int level = ConcurrentStructure.levelOf(root);
    if (level == 0) {
      return false;
    }
    long node = ConcurrentStructure.nodeOf(root);
    lowest = Long.MIN_VALUE;
    highest = Long.MAX_VALUE;
    for (; level > 1; level--) {
      int at = inner.search(nodes, node, key);
      if (at > 0) {
        lowest = inner.key(nodes, node, at - 1) + 1;
      }
      if (at < inner.count(nodes, node)) {
        highest = inner.key(nodes, node, at);
      }
      node = inner.child(nodes, node, at);
    }
    // The cursor will come down to it and read all of it.
    Words.prefetch(tree.base + node, inner.width, Locality.T0);
    parent = node;
    return true;
  }
}
