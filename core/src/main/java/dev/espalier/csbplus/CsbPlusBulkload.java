// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.support.BulkloadInput;

/**
 * Fills an empty structure from sorted entries: leaves from left to right, and on every level above
 * them one node that is being filled. A node group is allocated segment by segment, when its first
 * child comes, for as many children as it will have; the groups at the right edge keep what room
 * they do not need.
 */
final class CsbPlusBulkload {
  private final CsbPlusStructure tree;
  private final CsbLeafNode leaf;
  private final CsbInnerNode inner;
  private final int entriesPerLeaf;
  private final int childrenPerInner;

  /** The node being filled on each level. */
  private final long[] open = new long[CsbPlusStructure.MAX_HEIGHT];

  CsbPlusBulkload(CsbPlusStructure tree, double fillFactor) {
    tree.checkOpen();
    BulkloadInput.checkStart(fillFactor, tree.size);
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.entriesPerLeaf = Math.max((int) Math.round(leaf.capacity * fillFactor), 1);
    this.childrenPerInner = (int) Math.round(inner.maxChildren * fillFactor);
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
    tree.levelChanges.changedAll();
  }

  private void fillLeaves(BulkloadInput input) {
    open[0] = tree.root;
    int count = 0;
    long previous = 0;
    while (input.next()) {
      long key = input.key();
      if (count == entriesPerLeaf) {
        openNext(0, previous);
        leaf.initialize(tree.nodes, open[0]);
        count = 0;
      }
      long node = open[0];
      leaf.key(tree.nodes, node, count, key);
      leaf.value(tree.nodes, node, count, input.value());
      leaf.count(tree.nodes, node, ++count);
      previous = key;
    }
    tree.size = input.loaded();
    input.finish();
  }

  /** Opens a node behind the open one of a level, from which {@code separator} divides it. */
  private void openNext(int level, long separator) {
    if (level == tree.height - 1) {
      tree.raiseRoot();
      open[level + 1] = tree.root;
    }
    long parent = open[level + 1];
    int children = inner.children(tree.nodes, parent);
    if (children == childrenPerInner) {
      openNext(level + 1, separator);
      parent = open[level + 1];
      inner.initialize(tree.nodes, parent);
      children = 0;
    } else {
      inner.key(tree.nodes, parent, children - 1, separator);
    }
    open[level] = addChild(parent, children, tree.widthOf(level));
  }

  /** Adds a child behind the last and returns its offset. */
  private long addChild(long node, int children, int childWidth) {
    int segment = 0;
    int start = 0;
    int planned = plannedSize(0);
    while (children >= start + planned) {
      start += planned;
      planned = plannedSize(++segment);
    }
    long bytes = (long) childWidth << CacheLine.SHIFT;
    int size = children - start;
    long group = inner.group(tree.nodes, node, segment);
    int room = inner.room(tree.nodes, node, segment);
    if (size == room) {
      // No memory yet, or that of a former root, which grows as long as the level has one parent.
      int newRoom =
          size == 0
              ? tree.groups.roomFor(planned)
              : Math.min(2 * size, tree.groups.roomFor(planned));
      long newGroup = tree.allocate(newRoom * childWidth);
      if (size > 0) {
        Words.copy(tree.nodes, group, newGroup, size * bytes);
        tree.memory.free(group, room * childWidth);
      }
      group = newGroup;
      room = newRoom;
    }
    inner.segment(tree.nodes, node, segment, group, children + 1, room);
    for (int i = segment + 1; i < inner.segments; i++) {
      inner.segment(tree.nodes, node, i, 0, children + 1, 0);
    }
    return group + size * bytes;
  }

  private int plannedSize(int segment) {
    return tree.groups.evenSize(childrenPerInner, segment);
  }
}
