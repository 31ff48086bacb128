// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.LongCursor;
import dev.espalier.support.DeadWalk;

/**
 * The removal of a range of keys by whole leaves. A leaf whose entries are all in the range is
 * given back; if it was entered from the one before it, nobody reads it. From the leaves at the
 * ends of the range entries go one by one. After each, the tree is one.
 */
final class BftlCut {
  private final BftlStructure tree;
  private final LeafPath path;
  private final LeafPart part;

  BftlCut(BftlStructure tree) {
    this.tree = tree;
    this.path = new LeafPath(tree);
    this.part = new LeafPart(tree);
  }

  /**
   * Removes the entries with keys from {@code first} to {@code last}, both included. The range is
   * one of the dead then, if many have gone. O(log n) for each leaf that has some, and for each
   * entry of the leaves at the ends.
   *
   * @return how many there were
   */
  long remove(long first, long last) {
    if (holdsAll(first, last)) {
      long size = tree.size();
      tree.clear();
      return size;
    }
    long removed = 0;
    long key = first;
    while (true) {
      int leaf = path.find(key);
      long bound = path.high;
      // What is below the leaf behind another is there: it has no keys but from its separator on.
      boolean isWithin = key > first && bound <= last;
      removed += isWithin ? drop(leaf) : cut(leaf, key, Math.min(bound, last));
      if (bound >= last) {
        break;
      }
      key = bound + 1;
    }
    if (removed >= DeadWalk.WORTH) {
      tree.dead.add(first, last);
    }
    return removed;
  }

  /** Tells whether there are entries, and all their keys are within the range. */
  private boolean holdsAll(long first, long last) {
    LongCursor cursor = tree.cursor();
    return cursor.first() && cursor.key() >= first && cursor.last() && cursor.key() <= last;
  }

  private int drop(int leaf) {
    int entries = tree.table.count(leaf);
    tree.drop(path.way);
    return entries;
  }

  /** Removes the entries of a leaf that are in an interval, or the leaf if these are all. */
  private int cut(int leaf, long first, long last) {
    part.read(leaf, first, last, Integer.MAX_VALUE, true);
    int count = part.entries.count;
    if (count > 0 && count == tree.table.count(leaf)) {
      return drop(leaf);
    }
    for (int i = 0; i < count; i++) {
      tree.remove(path.way, part.entries.keys[i]);
    }
    return count;
  }
}
