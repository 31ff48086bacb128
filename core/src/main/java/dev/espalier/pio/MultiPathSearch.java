// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import java.util.Arrays;

/**
 * Finds the leaves of many keys together (MPSearch, Algorithm 1 in the paper): level by level, the
 * nodes of each are read in waves of at most PioMax pages, and each node once. The leaves below one
 * wave of parents are dealt with before the next parents are read, which the pool may have no room
 * for beside them. O(keys * log(F)) for each level.
 */
final class MultiPathSearch {
  private final PioStructure tree;
  private final InnerPage inner;

  /** The most pages of a wave. */
  final int width;

  /** Number of leaves found last. */
  int leaves;

  /** For each leaf, the key after the last of its keys. */
  int[] ends = new int[16];

  /** For each leaf, its segments, or 0: those of leaf i from {@code i * leafSegments} on. */
  int[] segments = new int[16];

  // The nodes of the level that is being read, with the key after the last of each.
  private int[] nodes = new int[16];
  private int[] nodeEnds = new int[16];
  private int nodeCount;
  private final PageWave wave;

  /** The first of the leaves' parents that was not read yet, and the first key below it. */
  private int nextParent;

  private int nextKey;

  MultiPathSearch(PioStructure tree) {
    this.tree = tree;
    this.inner = tree.inner;
    this.wave = new PageWave(tree);
    this.width = wave.width();
  }

  /**
   * Finds the parents of the leaves of keys; {@link #nextLeaves} finds the leaves.
   *
   * @param keys in ascending order, which may occur several times
   * @param from the first key
   * @param to the key after the last
   */
  void find(long[] keys, int from, int to) {
    nodes[0] = tree.root();
    nodeEnds[0] = to;
    nodeCount = 1;
    for (int level = tree.height() - 1; level > 1; level--) {
      descend(keys, from);
    }
    nextParent = 0;
    nextKey = from;
  }

  /** Finds the leaves below the next wave of parents. Returns whether there were any. */
  boolean nextLeaves(long[] keys) {
    leaves = 0;
    int end = Math.min(nextParent + width, nodeCount);
    nextKey = addChildren(nextParent, end, keys, nextKey, inner.leafSegments);
    nextParent = end;
    return leaves > 0;
  }

  /** Replaces the nodes by their children. */
  private void descend(long[] keys, int from) {
    leaves = 0;
    int next = from;
    for (int done = 0; done < nodeCount; done += width) {
      next = addChildren(done, Math.min(done + width, nodeCount), keys, next, 1);
    }
    nodeCount = leaves;
    if (nodeCount > nodes.length) {
      nodes = new int[ends.length];
      nodeEnds = new int[ends.length];
    }
    System.arraycopy(segments, 0, nodes, 0, nodeCount);
    System.arraycopy(ends, 0, nodeEnds, 0, nodeCount);
  }

  /** Adds the children of nodes, which are read in one wave. Returns the key after theirs. */
  private int addChildren(int fromNode, int toNode, long[] keys, int from, int columns) {
    for (int i = fromNode; i < toNode; i++) {
      wave.add(nodes[i]);
    }
    wave.pin();
    int next = from;
    try {
      for (int i = fromNode; i < toNode; i++) {
        next = childrenOf(wave.at(i - fromNode), keys, next, nodeEnds[i], columns);
      }
    } finally {
      wave.unpin();
    }
    return next;
  }

  /** Adds the children of a node for the keys from {@code from} to {@code to - 1}. */
  private int childrenOf(long at, long[] keys, int from, int to, int columns) {
    int last = inner.checkedChildren(tree.pages, at) - 1;
    int next = from;
    while (next < to) {
      int child = inner.childSlot(tree.pages, at, keys[next]);
      int end = to;
      if (child < last) {
        long high = InnerPage.separator(tree.pages, at, child);
        for (end = next + 1; end < to && keys[end] <= high; ) {
          end++;
        }
      }
      add(at, child, end, columns);
      next = end;
    }
    return next;
  }

  private void add(long at, int child, int end, int columns) {
    if (leaves == ends.length) {
      ends = Arrays.copyOf(ends, 2 * leaves);
    }
    int first = leaves * columns;
    if (first + columns > segments.length) {
      segments = Arrays.copyOf(segments, 2 * (first + columns));
    }
    for (int i = 0; i < columns; i++) {
      segments[first + i] = inner.segment(tree.pages, at, child, i);
    }
    ends[leaves++] = end;
  }
}
