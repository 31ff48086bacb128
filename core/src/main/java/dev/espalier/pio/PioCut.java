// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.support.NewestMessages;
import dev.espalier.support.Torn;
import dev.espalier.support.Waits;
import java.util.concurrent.TimeUnit;

/** One removal of a range of keys by whole leaves, beside other threads. */
final class PioCut {
  /* Overview
   *
   * The range goes in parts, from left to right. A part is what some leaves of one parent have, and the
   * queue for them: so little that others need not wait for long.
   *
   *   1. The leaves are read and their entries counted, while others search and append. Whoever flushes
   *      waits, so nodes and leaves stay as they are.
   *   2. The tree is alone. Where the queue has operations for a leaf, its entries are counted anew: the
   *      newest operation of a key, in the queue or in a segment, says whether it has one.
   *   3. A leaf that has other operations loses those of the part in place. One that has none is given
   *      back, and with it the nodes above of which it is the only child. The leaf before it, or else
   *      the one behind, gets its interval.
   *   4. The part's operations leave the queue (QueueCut).
   *
   * All is read before anything is changed, and after each part the tree is one. So a removal that fails
   * has removed a part of the range. No page is allocated for it, and no deletion is entered.
   *
   * A writer of one of the part's keys may have looked what is there, but not yet entered its operation:
   * it looks again, as the generation of the tree tells.
   *
   * Nodes and leaves that are left with little are on the ways to the two ends of the range. They merge
   * in the end, as after a flush.
   */

  /** The most pages of leaves in a part, unless the first leaf has more. */
  private static final int MOST_PAGES = 64;

  /** How long to wait for one who wants to flush to wake up, and how often. */
  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private static final int MOST_NAPS = 500;

  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage layout;
  private final InnerPage inner;
  private final LeafPath path;
  private final QueueCut queue;
  private final PageWave wave;

  /** The ends of the range, both included. */
  private final long first;

  private final long last;

  /** The last key of the part. */
  private long end;

  /** How many leaves the part has: those of the path's parent from the path's slot on. */
  private int leafCount;

  /** For each leaf, its greatest key. */
  private final long[] highs = new long[MOST_PAGES];

  /** For each leaf, which of the segments is its first; and behind the last, how many there are. */
  private final int[] begins = new int[MOST_PAGES + 1];

  /** For each leaf, how many operations it has that are not the part's. */
  private final int[] others = new int[MOST_PAGES];

  /** For each leaf, how many entries are the part's, as far as the leaf knows. */
  private final int[] entries = new int[MOST_PAGES];

  /** The segments of the leaves, and how many operations each has. */
  private final int[] segments;

  private final int[] counts;

  /** For each segment, which of its operations are the part's, and how many of these are puts. */
  private final int[] from;

  private final int[] to;
  private final int[] puts;

  /** How many operations of the part are in leaves. */
  private int found;

  /** The leaves that have no others are from this one up to the one before the other. */
  private int dropFrom;

  private int dropTo;

  /** The level of the lowest node on the way to them that has other children, 0 if none has. */
  private int keeper;

  /** Whether leaves have changed, so that some may have become small. */
  private boolean hasCutLeaves;

  /** Makes the removal of the keys from one to another, both included. */
  PioCut(PioStructure tree, long first, long last) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.entries;
    this.inner = tree.inner;
    this.path = tree.leaves.path;
    this.queue = new QueueCut(tree);
    this.wave = new PageWave(tree);
    this.first = first;
    this.last = last;
    int most = MOST_PAGES + inner.leafSegments;
    this.segments = new int[most];
    this.counts = new int[most];
    this.from = new int[most];
    this.to = new int[most];
    this.puts = new int[most];
  }

  /** Removes the entries; returns how many this call has removed. */
  long remove() {
    long removed = 0;
    for (long key = first; ; key = end + 1) {
      removed += removePart(key);
      if (end == last) {
        break;
      }
      letOthersFlush();
    }
    if (hasCutLeaves) {
      settle();
    }
    if (removed > 0 && tree.knownSize() == 0) {
      tree.becomeEmptyIfNothingIsLeft();
    }
    return removed;
  }

  /** Removes the part that begins at a key. */
  private int removePart(long key) {
    tree.flushing.lock();
    try {
      tree.change.begin();
      findLeaves(key);
      bringLeaves();
      countEntries(key);
      findKeeper();
      tree.beginAlone();
      try {
        return cut(key);
      } finally {
        tree.endAlone();
      }
    } finally {
      tree.flushing.unlock();
    }
  }

  /** Waits until one who is about to flush the queue does: a lock goes to who asks first. */
  private void letOthersFlush() {
    for (int i = 0; i < MOST_NAPS && tree.flushing.hasQueuedThreads(); i++) {
      if (tree.flushing.isLocked()) {
        return;
      }
      Waits.nap(NAP_NANOS);
    }
  }

  /** Merges what has become small at the ends of the range. */
  private void settle() {
    tree.flushing.lock();
    try {
      tree.change.begin();
      tree.beginAlone();
      try {
        tree.leaves.settle(first);
        tree.leaves.settle(last);
      } finally {
        tree.endAlone();
      }
    } finally {
      tree.flushing.unlock();
    }
  }

  // ---------------------------------------------------------------- find

  /** Finds the leaves of the part that begins at a key, and where it ends. */
  private void findLeaves(long key) {
    path.find(key);
    end = Math.min(last, queue.endOfPart(key));
    leafCount = 0;
    long high = key - 1;
    long at = store.pin(path.pages[1]);
    try {
      int children = inner.checkedChildren(tree.pages, at);
      int slot = path.slots[1];
      while (slot < children && (leafCount == 0 || high < end) && addLeaf(at, slot)) {
        slot++;
        long below = high;
        high = slot < children ? InnerPage.separator(tree.pages, at, slot - 1) : path.parentHigh;
        highs[leafCount++] = high;
        if (leafCount > 1 ? high <= below : high < key) { // A part ends because keys ascend.
          throw Torn.torn("separators are out of order");
        }
      }
    } finally {
      store.unpin(at, false);
    }
    end = Math.min(end, high);
  }

  /** Adds the segments of a leaf, unless these are too many. */
  private boolean addLeaf(long at, int slot) {
    int begin = begins[leafCount];
    int count = inner.segments(tree.pages, at, slot);
    if (leafCount > 0 && begin + count > MOST_PAGES) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      segments[begin + i] = inner.segment(tree.pages, at, slot, i);
    }
    begins[leafCount + 1] = begin + count;
    return true;
  }

  private void bringLeaves() {
    if (!store.pagesStay()) {
      for (int i = 0; i < begins[leafCount]; i++) {
        wave.bring(segments[i]);
      }
      wave.bring();
    }
  }

  // ---------------------------------------------------------------- count

  /** Counts what the leaves have of the part that begins at a key. */
  private void countEntries(long key) {
    found = 0;
    long low = key;
    for (int leaf = 0; leaf < leafCount; leaf++) {
      long high = Math.min(highs[leaf], end);
      others[leaf] = 0;
      for (int i = begins[leaf]; i < begins[leaf + 1]; i++) {
        look(i, low, high);
        int some = to[i] - from[i];
        found += some;
        others[leaf] += counts[i] - some;
      }
      if (leaf > 0 && leaf < leafCount - 1 && others[leaf] > 0) {
        throw Torn.torn("page " + segments[begins[leaf]] + " has keys of another leaf");
      }
      entries[leaf] = entries(leaf, NewestMessages.NONE);
      low = high + 1;
    }
  }

  /** Looks up which operations of a segment are in an interval: most of the time, all. */
  private void look(int segment, long low, long high) {
    long at = store.pin(segments[segment]);
    try {
      if (EntryPage.level(tree.pages, at) != EntryPage.LEAF) {
        throw Torn.torn("page " + segments[segment] + " is not of a leaf");
      }
      int count = layout.checkedCount(tree.pages, at);
      counts[segment] = count;
      from[segment] =
          count == 0 || EntryPage.key(tree.pages, at, 0) >= low
              ? 0
              : layout.lowerBound(tree.pages, at, low);
      to[segment] =
          count == 0 || EntryPage.key(tree.pages, at, count - 1) <= high
              ? count
              : Math.max(from[segment], layout.upperBound(tree.pages, at, high));
      puts[segment] = layout.puts(tree.pages, at, from[segment], to[segment]);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Returns how many of the part's keys in a leaf have an entry, after what waits for them. */
  private int entries(int leaf, NewestMessages waiting) {
    NewestMessages newest = waiting;
    int oldest = begins[leaf];
    for (int i = begins[leaf + 1] - 1; i > oldest || (i == oldest && !newest.isEmpty()); i--) {
      long at = store.pin(segments[i]);
      try {
        long operations = at + EntryPage.HEADER_BYTES;
        newest = newest.over(tree.pages, operations, layout.capacity, from[i], to[i]);
      } finally {
        store.unpin(at, false);
      }
    }
    return newest.isEmpty() ? puts[oldest] : newest.entries();
  }

  /** Counts the entries of the part that begins at a key, with those that wait in the queue. */
  private int entriesWith(NewestMessages waiting, long key) {
    int all = 0;
    long low = key;
    for (int leaf = 0; leaf < leafCount; leaf++) {
      long high = Math.min(highs[leaf], end);
      NewestMessages forLeaf = waiting.within(low, high);
      all += forLeaf.isEmpty() ? entries[leaf] : entries(leaf, forLeaf);
      low = high + 1;
    }
    return all;
  }

  // ---------------------------------------------------------------- cut

  /** Finds which leaves go, and the node above them that stays. */
  private void findKeeper() {
    int lastLeaf = leafCount - 1;
    dropFrom = others[0] == 0 ? 0 : 1;
    dropTo = others[lastLeaf] == 0 ? leafCount : lastLeaf;
    keeper = 0;
    for (int level = 1; keeper == 0 && level < tree.height(); level++) {
      long at = store.pin(path.pages[level]);
      try {
        int going = level == 1 ? dropTo - dropFrom : 1;
        keeper = inner.checkedChildren(tree.pages, at) > going ? level : 0;
      } finally {
        store.unpin(at, false);
      }
    }
  }

  /** Removes the part that begins at a key, while the tree is alone; returns how many entries. */
  private int cut(long key) {
    NewestMessages waiting = queue.newest(key, end);
    if (found == 0 && waiting.isEmpty()) {
      return 0;
    }
    int removed = entriesWith(waiting, key);
    try {
      if (found > 0) {
        cutLeaves();
      }
      if (!waiting.isEmpty()) {
        queue.remove(key, end);
      }
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
    tree.partWasRemoved(key, end, removed);
    return removed;
  }

  /** Removes the part's operations from its leaves: all of them, but for the first and the last. */
  private void cutLeaves() {
    if (dropFrom > 0) {
      cutLeaf(0);
    }
    if (dropTo < leafCount && leafCount > 1) {
      cutLeaf(leafCount - 1);
    }
    if (dropFrom < dropTo) {
      drop();
    }
    for (int i = 0; i < begins[leafCount]; i++) {
      int deletions = to[i] - from[i] - puts[i];
      tree.meta[PioStructure.IN_LEAVES] -= puts[i] - deletions;
    }
    hasCutLeaves = true;
  }

  private boolean isLeft(int segment) {
    return counts[segment] > to[segment] - from[segment];
  }

  /** Removes what is the part's of a leaf that has other operations. */
  private void cutLeaf(int leaf) {
    int left = 0;
    for (int i = begins[leaf]; i < begins[leaf + 1]; i++) {
      left += isLeft(i) ? 1 : 0;
      if (isLeft(i) && from[i] < to[i]) {
        long at = store.pin(segments[i]);
        try {
          layout.remove(tree.pages, at, from[i], to[i]);
        } finally {
          store.unpin(at, true);
        }
      }
    }
    if (left < begins[leaf + 1] - begins[leaf]) {
      dropSegments(leaf);
    }
  }

  /** Gives back the segments of a leaf that nothing is left of, but not all of them. */
  private void dropSegments(int leaf) {
    int slot = path.slots[1] + leaf;
    int kept = 0;
    long at = store.pin(path.pages[1]);
    try {
      for (int i = begins[leaf]; i < begins[leaf + 1]; i++) {
        if (isLeft(i)) {
          inner.segment(tree.pages, at, slot, kept++, segments[i]);
        }
      }
      while (kept < inner.leafSegments) {
        inner.segment(tree.pages, at, slot, kept++, 0);
      }
    } finally {
      store.unpin(at, true);
    }
    for (int i = begins[leaf]; i < begins[leaf + 1]; i++) {
      if (!isLeft(i)) {
        store.free(segments[i]);
      }
    }
  }

  /** Takes leaves out of the tree, and gives back their pages, and nodes without other children. */
  private void drop() {
    int freeFrom = begins[dropFrom];
    if (keeper == 0) {
      keepEmpty(segments[freeFrom++]);
    } else {
      takeOut();
      for (int level = 1; level < keeper; level++) {
        store.free(path.pages[level]);
      }
    }
    for (int i = freeFrom; i < begins[dropTo]; i++) {
      store.free(segments[i]);
    }
    tree.leaves.fences.shrinkRoot();
  }

  private void takeOut() {
    int slot = path.slots[keeper];
    long at = store.pin(path.pages[keeper]);
    try {
      if (keeper == 1) {
        inner.removeChildren(tree.pages, at, slot + dropFrom, slot + dropTo);
      } else {
        inner.removeChildren(tree.pages, at, slot, slot + 1);
      }
    } finally {
      store.unpin(at, true);
    }
  }

  /** Makes a page the only segment of the only leaf, and empty, where all leaves are to go. */
  private void keepEmpty(int page) {
    long at = store.pin(page);
    try {
      EntryPage.initialize(tree.pages, at, EntryPage.LEAF);
    } finally {
      store.unpin(at, true);
    }
    at = store.pin(path.pages[1]);
    try {
      inner.initialize(tree.pages, at, 1);
      inner.segment(tree.pages, at, 0, 0, page);
    } finally {
      store.unpin(at, true);
    }
  }
}
