// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.LongEntryRanges;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;
import java.lang.foreign.MemorySegment;

/**
 * Fills an empty tree from sorted entries, bottom up, beside the empty leaf that readers see until
 * all is there: each level has one node that is being filled. The last node of a level and the one
 * before it share what they have if the last has no separator. No other thread writes.
 */
final class ConcurrentBulkload {
  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;
  private final int entriesPerLeaf;
  private final int childrenPerInner;

  /** For each level, the node being filled, the one before it, and entries or children in it. */
  private final long[] open = new long[ConcurrentStructure.MAX_HEIGHT + 1];

  private final long[] before = new long[ConcurrentStructure.MAX_HEIGHT + 1];
  private final int[] counts = new int[ConcurrentStructure.MAX_HEIGHT + 1];

  private int top;

  /** The least key that belongs to the last leaf. */
  private long lastLeafFrom = Long.MIN_VALUE;

  ConcurrentBulkload(ConcurrentStructure tree, double fillFactor) {
    tree.checkOpen();
    BulkloadInput.checkStart(fillFactor, tree.size());
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.entriesPerLeaf = Math.max((int) Math.round(leaf.capacity * fillFactor), 1);
    this.childrenPerInner = Math.max((int) Math.round((inner.capacity + 1) * fillFactor), 2);
  }

  /** Loads everything; the tree is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    emptyIfFailing(() -> fill(new BulkloadInput(entries, total, listener)));
  }

  /** Loads everything with several threads; the tree is empty again if that fails. */
  void load(LongEntryRanges entries, int threads, ProgressListener listener) {
    emptyIfFailing(() -> fill(entries, threads, listener));
  }

  private void emptyIfFailing(Runnable loading) {
    try {
      loading.run();
    } catch (RuntimeException | Error failed) {
      if (!tree.isClosed()) {
        tree.clearAlone();
      }
      throw failed;
    }
  }

  private void fill(BulkloadInput input) {
    long planted = planted();
    open[0] = newNode(0);
    long previous = 0;
    while (input.next()) {
      if (counts[0] == entriesPerLeaf) {
        startNext(0, previous);
      }
      MemorySegment nodes = tree.nodes;
      int slot = counts[0]++;
      previous = input.key();
      leaf.key(nodes, open[0], slot, previous);
      leaf.value(nodes, open[0], slot, input.value());
      leaf.count(nodes, open[0], slot + 1);
    }
    replaceRoot(planted, input.loaded());
    input.finish();
  }

  /** Fills leaves that lie side by side, in new memory, and then builds what is above them. */
  private void fill(LongEntryRanges entries, int threads, ProgressListener listener) {
    long planted = planted();
    long count = entries.count();
    if (count < 0) {
      throw new IllegalArgumentException("entries.count() is " + count);
    }
    long leaves = Math.max(1, (count - 1) / entriesPerLeaf + 1);
    long first = tree.pool.takeAll(leaf.width, leaves);
    tree.followMemory();
    ParallelFill filling = new ParallelFill(tree, entries, entriesPerLeaf, first, listener);
    filling.run(threads);
    open[0] = first;
    for (long i = 1; i < leaves; i++) {
      long full = open[0];
      link(0, full + leaf.bytes, leaf.key(tree.nodes, full, entriesPerLeaf - 1));
    }
    replaceRoot(planted, count);
    filling.finish();
  }

  /** Returns the empty leaf that is the root. */
  private long planted() {
    long root = getLong(tree.nodes, ConcurrentStructure.ROOT);
    if (ConcurrentStructure.levelOf(root) > 0) {
      throw new IllegalStateException(
          "an empty tree has a root of level " + ConcurrentStructure.levelOf(root));
    }
    return ConcurrentStructure.nodeOf(root);
  }

  /** Lets everybody see what was built in place of the empty leaf. */
  private void replaceRoot(long planted, long loaded) {
    for (int level = top; level > 0; level--) {
      mendLast(level);
    }
    Versions.latch(tree.nodes, planted);
    if (!tree.snapshots.keep(planted, leaf.width)) {
      Versions.unlatch(tree.nodes, planted);
      throw tree.snapshots.refusal();
    }
    tree.setRoot(tree.nodes, open[top], top);
    tree.setLastLeaf(tree.nodes, open[0], lastLeafFrom);
    tree.pool.free(planted, leaf.width);
    tree.size.add(loaded);
  }

  private long newNode(int level) {
    long node = tree.takeOrMove(level == 0 ? leaf.width : inner.width);
    MemorySegment nodes = tree.nodes;
    if (level == 0) {
      leaf.initialize(nodes, node);
    } else {
      inner.initialize(nodes, node);
    }
    Versions.unlatch(nodes, node);
    return node;
  }

  /** Begins the next node of a level, which the separator divides from the one that is full. */
  private void startNext(int level, long separator) {
    link(level, newNode(level), separator);
  }

  private void link(int level, long next, long separator) {
    long full = open[level];
    if (open[level + 1] == 0) {
      open[level + 1] = newNode(level + 1);
      top = level + 1;
      addChild(level + 1, full);
    }
    before[level] = full;
    open[level] = next;
    counts[level] = 0;
    if (level == 0) {
      lastLeafFrom = separator + 1;
    }
    int children = counts[level + 1];
    if (children == childrenPerInner) {
      startNext(level + 1, separator);
    } else {
      inner.key(tree.nodes, open[level + 1], children - 1, separator);
      inner.count(tree.nodes, open[level + 1], children);
    }
    addChild(level + 1, next);
  }

  private void addChild(int level, long child) {
    inner.child(tree.nodes, open[level], counts[level]++, child);
  }

  /**
   * Sees to it that the last node of a level has a separator. If it has but one child, the node
   * before it takes that child, or where that one is full, gives one of its own. Both have the same
   * parent, which has more than one child: parents are mended first.
   */
  private void mendLast(int level) {
    if (counts[level] > 1) {
      return;
    }
    if (level == top) {
      long node = open[level];
      Versions.latch(tree.nodes, node);
      tree.pool.free(node, inner.width);
      top--;
    } else if (inner.count(tree.nodes, before[level]) < inner.capacity) {
      giveChild(level);
      mendLast(level + 1);
    } else {
      borrowChild(level);
    }
  }

  /** Moves the last node's only child to the node before, which becomes the last. */
  private void giveChild(int level) {
    MemorySegment nodes = tree.nodes;
    long node = open[level];
    long parent = open[level + 1];
    long sibling = before[level];
    int separatorSlot = inner.count(nodes, parent) - 1;
    int count = inner.count(nodes, sibling);
    inner.key(nodes, sibling, count, inner.key(nodes, parent, separatorSlot));
    inner.child(nodes, sibling, count + 1, inner.child(nodes, node, 0));
    inner.count(nodes, sibling, count + 1);
    inner.clearKeys(nodes, parent, separatorSlot);
    inner.count(nodes, parent, separatorSlot);
    counts[level + 1]--;
    Versions.latch(nodes, node);
    tree.pool.free(node, inner.width);
    open[level] = sibling;
    counts[level] = count + 2;
  }

  /** Gives the last node, which has one child, the last child of the node before. */
  private void borrowChild(int level) {
    MemorySegment nodes = tree.nodes;
    long node = open[level];
    long parent = open[level + 1];
    long sibling = before[level];
    int separatorSlot = inner.count(nodes, parent) - 1;
    int count = inner.count(nodes, sibling);
    inner.child(nodes, node, 1, inner.child(nodes, node, 0));
    inner.child(nodes, node, 0, inner.child(nodes, sibling, count));
    inner.key(nodes, node, 0, inner.key(nodes, parent, separatorSlot));
    inner.count(nodes, node, 1);
    counts[level] = 2;
    inner.key(nodes, parent, separatorSlot, inner.key(nodes, sibling, count - 1));
    inner.clearKeys(nodes, sibling, count - 1);
    inner.count(nodes, sibling, count - 1);
  }
}
