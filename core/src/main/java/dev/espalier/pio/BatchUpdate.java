// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.inspect.InvariantViolationException;

/**
 * Takes operations from the queue to their leaves (bupdate, Algorithm 2 in the paper), beside
 * searches and appends. Until all have got there they stay in the queue, where searches find them;
 * so it does not matter which of them a leaf has already got. By the thread that holds {@link
 * PioStructure#flushing}.
 */
final class BatchUpdate {
  private final PioStructure tree;
  private final EntryPage layout;
  private final int leafSegments;
  private final MultiPathSearch search;
  private final Operations taken;
  private final Operations refused = new Operations(0);

  private final PageWave wave;

  BatchUpdate(PioStructure tree) {
    this.tree = tree;
    this.layout = tree.entries;
    this.leafSegments = tree.inner.leafSegments;
    this.search = new MultiPathSearch(tree);
    this.taken = new Operations(layout.capacity);
    this.wave = new PageWave(tree);
  }

  /**
   * Flushes at most so many operations. Those for which there is no memory stay in the queue.
   *
   * @return whether any has left the queue
   */
  boolean flushSome(int most) {
    try {
      return flushTaken(most);
    } finally {
      tree.endAlone();
    }
  }

  private boolean flushTaken(int most) {
    tree.beginAlone();
    tree.queue.sort();
    tree.endAlone();
    int from = tree.queue.next(taken, most);
    if (taken.count == 0) {
      return false;
    }
    refused.clear();
    tree.leaves.begin();
    int next = 0;
    while (next < taken.count) {
      search.find(taken.keys, next, taken.count);
      int before = next;
      long rearranged = tree.leaves.rearranged;
      while (tree.leaves.rearranged == rearranged && search.nextLeaves(taken.keys)) {
        next = applyAll(next);
      }
      if (next == before) {
        throw new InvariantViolationException("I3", "no leaf has the key " + taken.keys[next]);
      }
    }
    tree.beginAlone();
    tree.queue.flushed(from, taken.count, refused);
    return refused.count < taken.count;
  }

  /**
   * Applies operations to the leaves that were found, until one takes entries from another, whose
   * pages are then no longer known. Returns the operation after the last.
   */
  private int applyAll(int first) {
    long rearranged = tree.leaves.rearranged;
    int next = first;
    for (int leaf = 0; leaf < search.leaves; leaf += search.width) {
      if (tree.leaves.rearranged != rearranged) {
        return next;
      }
      int end = Math.min(leaf + search.width, search.leaves);
      read(leaf, end, next);
      for (int i = leaf; i < end; i++) {
        int to = search.ends[i];
        int done = tree.leaves.apply(taken, next, to);
        for (; done < to; done++) {
          refused.add(taken.keys[done], taken.values[done], taken.kinds[done]);
        }
        next = to;
      }
      tree.endAlone();
    }
    return next;
  }

  /**
   * Reads what the update of leaves needs: the last segments in one wave, and in more waves the
   * other segments of those that will be full.
   */
  private void read(int from, int to, int firstKey) {
    for (int leaf = from; leaf < to; leaf++) {
      wave.add(search.segments[leaf * leafSegments + segments(leaf) - 1]);
    }
    wave.pin();
    long full = 0;
    int next = firstKey;
    for (int leaf = from; leaf < to; leaf++) {
      int free = layout.capacity - EntryPage.count(tree.pages, wave.at(leaf - from));
      boolean isLast = segments(leaf) == leafSegments;
      full |= isLast && search.ends[leaf] - next > free ? 1L << (leaf - from) : 0;
      next = search.ends[leaf];
    }
    wave.unpin();
    for (long rest = full; rest != 0; rest &= rest - 1) {
      int leaf = from + Long.numberOfTrailingZeros(rest);
      for (int i = 0; i < leafSegments - 1; i++) {
        wave.bring(search.segments[leaf * leafSegments + i]);
      }
    }
    wave.bring();
  }

  private int segments(int leaf) {
    int count = leafSegments;
    while (count > 1 && search.segments[leaf * leafSegments + count - 1] == 0) {
      count--;
    }
    return count;
  }
}
