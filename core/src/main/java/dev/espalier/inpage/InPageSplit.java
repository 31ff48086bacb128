// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.inpage.InPageTrees.node;

import java.lang.foreign.MemorySegment;

/**
 * Splits of the nodes of an in-page tree: of a leaf that is full, and of full inner nodes above it.
 * The way to the leaf is noted in the writer's {@link PageScratch}.
 */
final class InPageSplit {
  private final InPageTrees trees;
  private final InPageInnerNode inner;

  InPageSplit(InPageTrees trees) {
    this.trees = trees;
    this.inner = trees.inner;
  }

  /**
   * Splits the full leaf to which the path leads and inserts an entry: where that belongs if it is
   * one of a run, else in the middle. Returns false, and changes nothing, if the page has no room
   * for the new nodes.
   */
  boolean split(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      InPageLeaf leaf,
      int line,
      int slot,
      long key,
      long payload,
      InsertRun run) {
    long left = trees.written(page, line, leaf.width);
    int next = leaf.next(pages, left);
    long behind = next == 0 ? 0 : trees.written(page, next, leaf.width);
    if (!allocateForSplits(scratch, pages, page, leaf.width)) {
      return false;
    }
    int rightLine = scratch.spares[0];
    long right = trees.written(page, rightLine, leaf.width);
    boolean atEnd = next == 0 && slot == leaf.capacity;
    leaf.initialize(pages, right, 0);
    leaf.previous(pages, right, line);
    leaf.next(pages, right, next);
    leaf.next(pages, left, rightLine);
    if (next == 0) {
      trees.header.lastLeaf(pages, page, rightLine);
    } else {
      leaf.previous(pages, behind, rightLine);
    }
    int kept = atEnd ? leaf.capacity : (leaf.capacity + 1) / 2;
    // Up to the slot where the halves part, the new entry is below the first key of the right one.
    boolean goesLeft = slot < kept || (slot == kept && !atEnd);
    if (run != InsertRun.NONE) {
      kept = slot;
      goesLeft = slot == 0 || (slot < leaf.capacity && run == InsertRun.AFTER);
    }
    leaf.moveTo(pages, left, kept, leaf.capacity, right);
    if (goesLeft) {
      leaf.insertAt(pages, left, slot, kept, key, payload);
    } else {
      leaf.insertAt(pages, right, slot - kept, leaf.capacity - kept, key, payload);
    }
    long separator = leaf.key(pages, left, leaf.count(pages, left) - 1);
    if (run != InsertRun.NONE) {
      separator = InsertRun.between(separator, leaf.key(pages, right, 0));
    }
    insertChild(scratch, pages, page, separator, rightLine, atEnd);
    return true;
  }

  /** Tells whether {@link #split} would find lines for its nodes, and room in the root. */
  boolean hasRoom(PageScratch scratch, MemorySegment pages, long page, int leafWidth) {
    int above = trees.header.above(pages, page);
    int below = trees.header.below(pages, page);
    int root = trees.header.root(pages, page);
    int width = leafWidth;
    for (int level = 1; level < trees.levels; level++) {
      if (above + width <= trees.pageLines) {
        above += width;
      } else if (below + width <= root) {
        below += width;
      } else {
        return false;
      }
      if (inner.checkedCount(pages, node(page, scratch.lines[level])) < inner.capacity) {
        return true;
      }
      width = inner.width;
    }
    return false;
  }

  /**
   * Takes the lines of every node that a split of the path's leaf needs into the spares: those of
   * the leaf first. Returns false, and takes none, if they are not to be had or the root is full.
   */
  private boolean allocateForSplits(
      PageScratch scratch, MemorySegment pages, long page, int leafWidth) {
    int needed = 1;
    while (needed < trees.levels
        && inner.checkedCount(pages, node(page, scratch.lines[needed])) == inner.capacity) {
      needed++;
    }
    if (needed == trees.levels) {
      return false;
    }
    int above = trees.header.above(pages, page);
    int below = trees.header.below(pages, page);
    for (int i = 0; i < needed; i++) {
      scratch.spares[i] = trees.allocate(pages, page, i == 0 ? leafWidth : inner.width);
      if (scratch.spares[i] == 0) {
        trees.header.above(pages, page, above);
        trees.header.below(pages, page, below);
        return false;
      }
    }
    return true;
  }

  /** Climbs the path with the new node behind the one that was split, splitting full nodes. */
  private void insertChild(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long leafSeparator,
      int newLeaf,
      boolean atEnd) {
    long separator = leafSeparator;
    int right = newLeaf;
    for (int level = 1; ; level++) {
      long node = trees.written(page, scratch.lines[level], inner.width);
      int slot = scratch.slots[level];
      int count = inner.checkedCount(pages, node);
      if (count < inner.capacity) {
        inner.insertBehind(pages, node, slot, count, separator, right);
        return;
      }
      int siblingLine = scratch.spares[level];
      long sibling = trees.written(page, siblingLine, inner.width);
      inner.initialize(pages, sibling, level);
      if (level == 1) {
        chain(pages, page, scratch.lines[level], siblingLine);
      }
      if (atEnd) {
        inner.child(pages, sibling, 0, right);
        inner.count(pages, sibling, 1);
      } else {
        int kept = count / 2;
        long upper = inner.key(pages, node, kept - 1);
        inner.moveTo(pages, node, kept, count, sibling);
        if (slot < kept) {
          inner.insertBehind(pages, node, slot, kept, separator, right);
        } else {
          inner.insertBehind(pages, sibling, slot - kept, count - kept, separator, right);
        }
        separator = upper;
      }
      right = siblingLine;
    }
  }

  /** Makes a new node above leaves the neighbour of the one before it. */
  private void chain(MemorySegment pages, long page, int leftLine, int rightLine) {
    long left = node(page, leftLine);
    int next = inner.next(pages, left);
    inner.next(pages, left, rightLine);
    inner.previous(pages, node(page, rightLine), leftLine);
    inner.next(pages, node(page, rightLine), next);
    if (next != 0) {
      inner.previous(pages, trees.written(page, next, inner.width), rightLine);
    }
  }
}
