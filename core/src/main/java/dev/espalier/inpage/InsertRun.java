// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.inpage.InPageTrees.node;

import java.lang.foreign.MemorySegment;

/**
 * Whether a new key comes where the last ones came, as the next of an ascending or descending
 * stream does. A node or page that is full is then split just there: what the stream leaves behind
 * stays full, and there is room where it goes on.
 */
enum InsertRun {
  /** The key comes anywhere. */
  NONE,

  /** The key comes behind the last ones. */
  AFTER,

  /** The key comes before the last ones. */
  BEFORE;

  /** How many of the keys that were noted lately have to be near where a leaf is split. */
  static final int TO_SPLIT_A_LEAF = InPageTreeHeader.NOTED / 2;

  /**
   * How many have to be near where a page is split: all. If the run then ends, the page may have
   * been cut anywhere, and not in the middle.
   */
  static final int TO_SPLIT_A_PAGE = InPageTreeHeader.NOTED;

  /**
   * Looks at the neighbours of a key that belongs before a slot of an in-page leaf of values. By
   * chance, and of short runs, few of the keys that were noted are near.
   *
   * @param fewest of them that make a run
   */
  static InsertRun of(
      InPageTrees trees, MemorySegment pages, long page, int line, int slot, long key, int fewest) {
    long hashes = trees.header.recent(pages, page);
    // As many keys are near, on each side, as one stream needs.
    int near = fewest * InPageTreeHeader.SAMPLING;
    int before = recentBefore(trees, pages, page, line, slot, hashes, near);
    int behind = recentBehind(trees, pages, page, line, slot, hashes, near);
    if (before + behind < fewest) {
      return NONE;
    }
    if (before == 0 || behind == 0) {
      return before > 0 ? AFTER : BEFORE;
    }
    // Two streams meet. The differences are unsigned: they may be too large for a long.
    int place = InPageTrees.place(line, slot);
    int next = place;
    if (slot == trees.valueLeaf.count(pages, node(page, line))) {
      next = trees.firstPlaceFrom(pages, page, trees.valueLeaf.next(pages, node(page, line)));
    }
    int previous = trees.previousPlace(pages, page, place);
    long gapBefore = key - trees.key(pages, page, previous);
    long gapBehind = trees.key(pages, page, next) - key;
    return Long.compareUnsigned(gapBefore, gapBehind) <= 0 ? AFTER : BEFORE;
  }

  /** Counts the keys with one of the hashes among the nearest before a slot. */
  private static int recentBefore(
      InPageTrees trees,
      MemorySegment pages,
      long page,
      int line,
      int slot,
      long hashes,
      int near) {
    InPageLeaf leaf = trees.valueLeaf;
    int recent = 0;
    long node = node(page, line);
    int at = slot;
    for (int left = near; left > 0; left--) {
      if (at == 0) {
        int previous = trees.lastInUse(pages, page, leaf.previous(pages, node), leaf);
        if (previous == 0) {
          break;
        }
        node = node(page, previous);
        at = leaf.checkedCount(pages, node);
      }
      at--;
      recent += InPageTreeHeader.isAmong(hashes, leaf.key(pages, node, at)) ? 1 : 0;
    }
    return recent;
  }

  /** Counts the keys with one of the hashes among the nearest from a slot on. */
  private static int recentBehind(
      InPageTrees trees,
      MemorySegment pages,
      long page,
      int line,
      int slot,
      long hashes,
      int near) {
    InPageLeaf leaf = trees.valueLeaf;
    int recent = 0;
    long node = node(page, line);
    int at = slot;
    int end = leaf.checkedCount(pages, node);
    for (int left = near; left > 0; left--) {
      if (at == end) {
        int next = trees.firstInUse(pages, page, leaf.next(pages, node), leaf);
        if (next == 0) {
          break;
        }
        node = node(page, next);
        at = 0;
        end = leaf.checkedCount(pages, node);
      }
      recent += InPageTreeHeader.isAmong(hashes, leaf.key(pages, node, at)) ? 1 : 0;
      at++;
    }
    return recent;
  }

  /**
   * Returns the upper bound of keys up to {@code low}, which leaves as much of the gap before
   * {@code high} to both sides. A stream that ends at {@code low}, and one that comes down to
   * {@code high}, then both go on where they are.
   */
  static long between(long low, long high) {
    return low + ((high - low - 1) >>> 1);
  }
}
