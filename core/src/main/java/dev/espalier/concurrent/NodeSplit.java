// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static dev.espalier.memory.Words.getLong;

import java.lang.foreign.MemorySegment;

/** Splits full nodes, each with the latches of itself and of a parent that has room. */
final class NodeSplit {
  /** What {@link #splitLeaf} returns if the leaf may have room now. */
  static final int ROOM = 0;

  /** What {@link #splitLeaf} returns if it has inserted the entry. */
  static final int INSERTED = -1;

  /** What {@link #splitLeaf} returns if there is no memory to keep nodes for a snapshot. */
  static final int REFUSED = -2;

  private static final int AGAIN = -3;

  private final ConcurrentStructure tree;
  private final VersionedLeaf leaf;
  private final VersionedInner inner;

  NodeSplit(ConcurrentStructure tree) {
    this.tree = tree;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
  }

  /**
   * Splits the leaf that covers a key, if it is full; within a write. At the right edge of the tree
   * the leaf stays full, and the new one gets the entry alone, so that ascending inserts leave full
   * leaves.
   *
   * @return {@link #ROOM}, {@link #INSERTED} or {@link #REFUSED}; or the width of a node for which
   *     there is no memory unless it moves
   */
  int splitLeaf(long key, long value) {
    return split(0, key, value);
  }

  /** Splits the node of a level that covers a key, if it is full. The value is for leaves only. */
  private int split(int level, long key, long value) {
    while (true) {
      long found = tree.latch(level + 1, key);
      if (found == ConcurrentStructure.NO_SUCH_LEVEL) {
        int done = splitRoot(level, key, value);
        if (done != AGAIN) {
          return done;
        }
        continue;
      }
      MemorySegment nodes = tree.nodes;
      long parent = ConcurrentStructure.nodeOf(found);
      int count = inner.count(nodes, parent);
      if (count == inner.capacity) {
        Versions.unlatch(nodes, parent);
        int need = split(level + 1, key, 0);
        if (need > 0 || need == REFUSED) {
          return need;
        }
        continue;
      }
      int slot = inner.search(nodes, parent, key);
      long node = inner.child(nodes, parent, slot);
      Versions.latch(nodes, node);
      boolean isLast = slot == count && (found & ConcurrentStructure.LAST_OF_LEVEL) != 0;
      int done = isFull(nodes, level, node) ? split(level, node, isLast, parent, key, value) : ROOM;
      Versions.unlatch(nodes, node);
      Versions.unlatch(nodes, parent);
      return done;
    }
  }

  private boolean isFull(MemorySegment nodes, int level, long node) {
    return level == 0
        ? leaf.count(nodes, node) == leaf.capacity
        : inner.count(nodes, node) == inner.capacity;
  }

  private int splitRoot(int level, long key, long value) {
    long found = tree.latch(level, key);
    if (found == ConcurrentStructure.NO_SUCH_LEVEL) {
      return ROOM; // The tree has become lower, and a full node will be found anew.
    }
    MemorySegment nodes = tree.nodes;
    long node = ConcurrentStructure.nodeOf(found);
    int done = AGAIN;
    if (getLong(nodes, ConcurrentStructure.ROOT) == (node | level)) {
      done = isFull(nodes, level, node) ? split(level, node, true, 0, key, value) : ROOM;
    }
    Versions.unlatch(nodes, node);
    return done;
  }

  /**
   * Splits a full node.
   *
   * @param parent has room; 0 if the node is the root. Both are latched
   */
  private int split(int level, long node, boolean isLast, long parent, long key, long value) {
    int width = level == 0 ? leaf.width : inner.width;
    if (!tree.snapshots.keep(node, width)
        || (parent != 0 && !tree.snapshots.keep(parent, inner.width))) {
      return REFUSED;
    }
    long right = tree.pool.take(width);
    if (right == 0) {
      return width;
    }
    long above = parent == 0 ? tree.pool.take(inner.width) : parent;
    if (above == 0) {
      tree.pool.free(right, width);
      return inner.width;
    }
    int done =
        level == 0
            ? splitLeaf(node, right, isLast, parent, above, key, value)
            : splitInner(level, node, right, isLast, parent, above, key);
    Versions.unlatch(tree.nodes, right);
    if (parent == 0) {
      Versions.unlatch(tree.nodes, above);
    }
    return done;
  }

  private int splitLeaf(
      long left, long right, boolean isLast, long parent, long above, long key, long value) {
    MemorySegment nodes = tree.nodes;
    boolean atEdge = isLast && leaf.search(nodes, left, key) == leaf.capacity;
    int kept = atEdge ? leaf.capacity : (leaf.capacity + 1) / 2;
    leaf.initialize(nodes, right);
    if (atEdge) {
      leaf.insert(nodes, right, 0, 0, key, value);
    } else {
      for (int i = kept; i < leaf.capacity; i++) {
        leaf.copyEntry(nodes, left, i, right, i - kept);
      }
      leaf.count(nodes, right, leaf.capacity - kept);
    }
    long separator = leaf.key(nodes, left, kept - 1);
    addAbove(0, left, separator, right, parent, above);
    if (ConcurrentStructure.isLastLeaf(nodes, left)) {
      tree.setLastLeaf(nodes, right, separator + 1);
    }
    if (atEdge) {
      return INSERTED;
    }
    tree.beginStep(left);
    leaf.clearKeys(nodes, left, kept);
    leaf.count(nodes, left, kept);
    tree.endStep(left);
    return ROOM;
  }

  private int splitInner(
      int level, long left, long right, boolean isLast, long parent, long above, long key) {
    MemorySegment nodes = tree.nodes;
    int count = inner.capacity;
    boolean atEdge = isLast && inner.search(nodes, left, key) == count;
    int kept = atEdge ? count - 2 : count / 2;
    inner.initialize(nodes, right);
    for (int i = kept + 1; i < count; i++) {
      inner.key(nodes, right, i - kept - 1, inner.key(nodes, left, i));
    }
    for (int i = kept + 1; i <= count; i++) {
      inner.copyChild(nodes, left, i, right, i - kept - 1);
    }
    inner.count(nodes, right, count - kept - 1);
    addAbove(level, left, inner.key(nodes, left, kept), right, parent, above);
    tree.beginInnerStep(left);
    inner.clearKeys(nodes, left, kept);
    inner.count(nodes, left, kept);
    tree.endInnerStep(left);
    return ROOM;
  }

  /** Makes {@code right} the sibling after {@code left}: in their parent, or in a new root. */
  private void addAbove(int level, long left, long separator, long right, long parent, long above) {
    MemorySegment nodes = tree.nodes;
    if (parent != 0) {
      tree.beginInnerStep(parent);
      inner.insert(nodes, parent, inner.search(nodes, parent, separator), separator, right);
      tree.endInnerStep(parent);
      return;
    }
    inner.initialize(nodes, above);
    inner.key(nodes, above, 0, separator);
    inner.child(nodes, above, 0, left);
    inner.child(nodes, above, 1, right);
    inner.count(nodes, above, 1);
    tree.beforeStep.run();
    tree.setRoot(nodes, above, level + 1);
  }
}
