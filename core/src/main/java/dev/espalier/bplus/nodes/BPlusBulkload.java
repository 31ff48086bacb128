// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.nodes;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;

/**
 * Fills an empty structure from sorted entries, bottom up: leaves from left to right, and on every
 * level above them one node that is being filled.
 */
final class BPlusBulkload {
  private final BPlusStructure tree;
  private final LeafNode leaf;
  private final InnerNode inner;
  private final int entriesPerLeaf;
  private final int childrenPerInner;

  /** The node being filled on each level from 1 on, 0 if there is none yet, and its children. */
  private final long[] open = new long[BPlusStructure.MAX_HEIGHT];

  private final int[] openChildren = new int[BPlusStructure.MAX_HEIGHT];

  private int topLevel;

  BPlusBulkload(BPlusStructure tree, double fillFactor) {
    tree.checkOpen();
    BulkloadInput.checkStart(fillFactor, tree.size);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.entriesPerLeaf = Math.max((int) Math.round(leaf.capacity * fillFactor), 1);
    this.childrenPerInner = Math.max((int) Math.round((inner.capacity + 1) * fillFactor), 2);
  }

  /** Loads everything; the structure is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    try {
      fillLeaves(new BulkloadInput(entries, total, listener));
    } catch (RuntimeException | Error failed) {
      tree.clear();
      throw failed;
    }
    tree.modifications.changes++;
  }

  private void fillLeaves(BulkloadInput input) {
    long node = tree.root;
    tree.listener.loading(node);
    int count = 0;
    long previous = 0;
    while (input.next()) {
      long key = input.key();
      if (count == entriesPerLeaf) {
        long next = tree.allocate(leaf.width);
        leaf.initialize(tree.nodes, next);
        addAfter(1, node, previous, next);
        tree.listener.loaded(node, next);
        node = next;
        count = 0;
      }
      leaf.key(tree.nodes, node, count, key);
      leaf.value(tree.nodes, node, count, input.value());
      leaf.count(tree.nodes, node, ++count);
      previous = key;
    }
    for (int level = topLevel; level > 0; level--) {
      mendLast(level);
    }
    if (topLevel > 0) {
      tree.root = open[topLevel];
    }
    tree.height = topLevel + 1;
    tree.lastLeaf = node;
    tree.size = input.loaded();
    tree.levelChanges.changedAll();
    input.finish();
  }

  /** Makes {@code node} follow {@code sibling}, of which it is divided by {@code separator}. */
  private void addAfter(int level, long sibling, long separator, long node) {
    if (open[level] == 0) {
      open[level] = newInner();
      topLevel = level;
      addChild(level, sibling);
    }
    long parent = open[level];
    int children = openChildren[level];
    if (children < childrenPerInner) {
      inner.key(tree.nodes, parent, children - 1, separator);
      inner.count(tree.nodes, parent, children);
      addChild(level, node);
      return;
    }
    long next = newInner();
    inner.link(tree.nodes, parent, next);
    open[level] = next;
    openChildren[level] = 0;
    addChild(level, node);
    addAfter(level + 1, parent, separator, next);
  }

  private long newInner() {
    long node = tree.allocate(inner.width);
    inner.initialize(tree.nodes, node);
    return node;
  }

  private void addChild(int level, long child) {
    inner.child(tree.nodes, open[level], openChildren[level]++, child);
  }

  /**
   * Sees to it that the last node of a level has a separator. If it has but one child, the node
   * before it takes that child, or where that one is full, gives one of its own. Both have the same
   * parent, which has more than one child: parents are mended first.
   */
  private void mendLast(int level) {
    if (openChildren[level] > 1) {
      return;
    }
    if (level == topLevel) {
      tree.memory.free(open[level], inner.width);
      topLevel--;
    } else if (inner.count(tree.nodes, inner.previous(tree.nodes, open[level])) < inner.capacity) {
      giveChild(level);
      mendLast(level + 1);
    } else {
      borrowChild(level);
    }
  }

  /** Moves the last node's only child to the node before, which becomes the last. */
  private void giveChild(int level) {
    long node = open[level];
    long parent = open[level + 1];
    long sibling = inner.previous(tree.nodes, node);
    int separatorSlot = inner.count(tree.nodes, parent) - 1;
    int siblingCount = inner.count(tree.nodes, sibling);
    inner.key(tree.nodes, sibling, siblingCount, inner.key(tree.nodes, parent, separatorSlot));
    inner.child(tree.nodes, sibling, siblingCount + 1, inner.child(tree.nodes, node, 0));
    inner.count(tree.nodes, sibling, siblingCount + 1);
    inner.next(tree.nodes, sibling, 0);
    inner.clearKeys(tree.nodes, parent, separatorSlot);
    inner.count(tree.nodes, parent, separatorSlot);
    openChildren[level + 1]--;
    tree.memory.free(node, inner.width);
    open[level] = sibling;
    openChildren[level] = siblingCount + 2;
  }

  /** Gives the last node, which has one child, the last child of the node before. */
  private void borrowChild(int level) {
    long node = open[level];
    long parent = open[level + 1];
    long sibling = inner.previous(tree.nodes, node);
    int separatorSlot = inner.count(tree.nodes, parent) - 1;
    int siblingCount = inner.count(tree.nodes, sibling);
    inner.child(tree.nodes, node, 1, inner.child(tree.nodes, node, 0));
    inner.child(tree.nodes, node, 0, inner.child(tree.nodes, sibling, siblingCount));
    inner.key(tree.nodes, node, 0, inner.key(tree.nodes, parent, separatorSlot));
    inner.count(tree.nodes, node, 1);
    openChildren[level] = 2;
    inner.key(tree.nodes, parent, separatorSlot, inner.key(tree.nodes, sibling, siblingCount - 1));
    inner.clearKeys(tree.nodes, sibling, siblingCount - 1);
    inner.count(tree.nodes, sibling, siblingCount - 1);
  }
}
