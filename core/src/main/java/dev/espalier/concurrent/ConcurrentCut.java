// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.LongCursor;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One removal of a range of keys beside other threads. The leaves below one parent are removed
 * together, with its latch and theirs: those that are within the range as a whole leave the parent
 * in one step, and their entries with them, unread. So what is below one parent goes at one moment,
 * but for the leaves at the ends of the range and the first below the parent, which are changed
 * each by itself.
 */
final class ConcurrentCut {
  private static final long NO_SUCH_LEVEL = ConcurrentStructure.NO_SUCH_LEVEL;

  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  private final long to;

  /** A key below each parent whose leaves were cut. */
  private long[] cutKeys = new long[16];

  private int cuts;

  private @Nullable LongCursor cursor;
  private long removed;

  /** Makes the removal of keys up to one, which is included. */
  ConcurrentCut(ConcurrentStructure tree, long to) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.to = to;
  }

  /** Removes the entries from a key on; returns how many this call has removed. */
  long removeFrom(long from) {
    try {
      for (long key = from; ; key = cursor().key()) {
        noteCut(key);
        long done;
        int operation = tree.gate.enter();
        try {
          done = removeBelow(key);
        } finally {
          tree.gate.exit(operation);
        }
        if (done >= to || !isThereMore(done + 1)) {
          return removed;
        }
      }
    } finally {
      if (removed > 0) {
        noteCut(to);
        refill();
      }
    }
  }

  private void noteCut(long key) {
    if (cuts == cutKeys.length) {
      cutKeys = Arrays.copyOf(cutKeys, 2 * cuts);
    }
    cutKeys[cuts++] = key;
  }

  /**
   * Brings all nodes that were cut back to their minimum: at the end, for they would take from
   * those to their right, which were about to be cut.
   */
  private void refill() {
    for (int i = 0; i < cuts; i++) {
      int operation = tree.gate.enter();
      try {
        tree.refills.refill(0, cutKeys[i]);
        tree.refills.refill(1, cutKeys[i]);
      } finally {
        tree.gate.exit(operation);
      }
    }
  }

  private LongCursor cursor() {
    if (cursor == null) {
      cursor = tree.cursor();
      cursor.scanTo(to);
    }
    return cursor;
  }

  private boolean isThereMore(long key) {
    return cursor().ceiling(key) && cursor().key() <= to;
  }

  // ---------------------------------------------------------------- below one parent

  /**
   * Removes the part of the range below the parent of the leaf that covers a key; within a write.
   *
   * @return a key up to which all has gone, at least {@code key}
   */
  private long removeBelow(long key) {
    long found = tree.latch(1, key);
    if (found == NO_SUCH_LEVEL) {
      return removeFromRoot(key);
    }
    MemorySegment nodes = tree.nodes;
    long parent = ConcurrentStructure.nodeOf(found);
    int count = inner.count(nodes, parent);
    int first = inner.search(nodes, parent, key);
    int last = inner.search(nodes, parent, to);
    boolean unlinks = first < last && tree.snapshots.keep(parent, inner.width);
    if (first < last && !unlinks) {
      tree.hasThinNodes = true; // Leaves stay there, without entries.
    }
    prefetch(nodes, parent, first, last);
    long before = removed;
    long lastKey = key;
    int goneFrom = 1;
    int goneTo = 1;
    try {
      for (int i = first; i <= last; i++) {
        long node = inner.child(nodes, parent, i);
        Versions.latch(nodes, node); // It can't be gone while its parent is latched.
        int entries = leaf.count(nodes, node);
        int start = i == first ? start(nodes, node, key, entries) : 0;
        int end = i == last ? end(nodes, node, entries) : entries;
        if (i == last && entries > 0) {
          lastKey = Math.max(key, leaf.key(nodes, node, entries - 1));
        }
        boolean isWhole = start == 0 && end == entries;
        // The first child stays in any case, so that there is one.
        if (unlinks && i > 0 && isWhole && tree.snapshots.keepForRemoval(node, leaf.width)) {
          goneFrom = goneTo == 1 ? i : goneFrom;
          goneTo = i + 1;
          removed += entries;
        } else {
          unlinks &= goneFrom == goneTo; // Those that leave the parent lie side by side.
          cut(nodes, node, start, end, entries);
        }
      }
    } finally {
      if (goneFrom < goneTo) {
        unlink(nodes, parent, goneFrom, goneTo);
      }
      Versions.unlatch(nodes, parent);
      noteRemoved(removed - before);
    }
    boolean isLast = last < count || (found & ConcurrentStructure.LAST_OF_LEVEL) != 0;
    return isLast ? to : lastKey;
  }

  /** As {@link #removeBelow}, in a leaf that has no parent, unless it has one by now. */
  private long removeFromRoot(long key) {
    long node = tree.latch(0, key);
    MemorySegment nodes = tree.nodes;
    if (Words.getLong(nodes, ConcurrentStructure.ROOT) != node) {
      Versions.unlatch(nodes, node);
      return removeBelow(key);
    }
    long before = removed;
    int entries = leaf.count(nodes, node);
    cut(nodes, node, start(nodes, node, key, entries), end(nodes, node, entries), entries);
    noteRemoved(removed - before);
    return to;
  }

  private void noteRemoved(long entries) {
    if (entries > 0) {
      tree.size.add(-entries);
      tree.noteOwnChange();
    }
  }

  /** Asks for the first and the last line of leaves. */
  private void prefetch(MemorySegment nodes, long parent, int first, int last) {
    for (int i = first; i <= last; i++) {
      long node = tree.base + inner.child(nodes, parent, i);
      Words.prefetch(node, 1, Locality.T0);
      Words.prefetch(node + leaf.countOffset, 1, Locality.T0);
    }
  }

  // ---------------------------------------------------------------- leaves

  private int start(MemorySegment nodes, long node, long key, int count) {
    return Math.min(leaf.search(nodes, node, key), count);
  }

  private int end(MemorySegment nodes, long node, int count) {
    return to == Long.MAX_VALUE ? count : start(nodes, node, to + 1, count);
  }

  /** Removes some entries of a latched leaf, and gives the latch back. */
  private void cut(MemorySegment nodes, long node, int start, int end, int count) {
    if (start < end) {
      if (!tree.snapshots.keepForRemoval(node, leaf.width)) {
        Versions.unlatch(nodes, node);
        throw tree.snapshots.refusal();
      }
      Versions.beginChange(nodes, node);
      for (int i = end; i < count; i++) {
        leaf.copyEntry(nodes, node, i, node, start + i - end);
      }
      int left = count - (end - start);
      leaf.clearKeys(nodes, node, left);
      leaf.count(nodes, node, left);
      removed += end - start;
    }
    Versions.unlatch(nodes, node);
  }

  /**
   * Takes latched leaves out of their parent, and frees them; the leaf before them covers their
   * keys from then on.
   */
  private void unlink(MemorySegment nodes, long parent, int from, int to) {
    long[] gone = new long[to - from];
    for (int i = from; i < to; i++) {
      gone[i - from] = inner.child(nodes, parent, i);
    }
    int count = inner.count(nodes, parent);
    int left = count - gone.length;
    tree.beginInnerStep(parent);
    for (int i = to; i <= count; i++) {
      inner.key(nodes, parent, i - gone.length - 1, inner.key(nodes, parent, i - 1));
      inner.copyChild(nodes, parent, i, parent, i - gone.length);
    }
    inner.clearKeys(nodes, parent, left);
    inner.count(nodes, parent, left);
    tree.endInnerStep(parent);
    if (ConcurrentStructure.isLastLeaf(nodes, gone[gone.length - 1])) {
      // All keys from the same one on belong to the leaf before, which stays while its parent is
      // latched.
      Words.putLong(nodes, ConcurrentStructure.LAST_LEAF, inner.child(nodes, parent, from - 1));
    }
    tree.beforeStep.run();
    for (long node : gone) {
      tree.pool.free(node, leaf.width);
    }
  }
}
