// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The order in which nodes and buffers lie in memory, listed piece by piece (paper, section 2).
 *
 * <p>A piece is the part of a tree between two heights, below one node. It is cut at the largest
 * Fibonacci number strictly below its number of levels: first comes its top, then the pieces below
 * the top from left to right, each listed the same way. After a piece of {@code F(k - 1)} levels
 * come the buffers of class {@code k} on the edges that leave it.
 *
 * <p>The tree is listed as if it were as high as a large Fibonacci number, with nothing in the
 * levels above its root: so a tree that grows keeps its order, and the buffers below a new root lie
 * where they will belong.
 */
final class LayoutOrder {
  /** A Fibonacci number above the height of any tree. */
  private static final int VIRTUAL_HEIGHT = BufferSchedule.fibonacci(10);

  private final ShuttleLayout layout;
  private final MemorySegment nodes;
  private final long mostElements;
  private final long mostLines;

  /** The elements in order, {@code count} of them. */
  long[] elements = new long[64];

  int count;

  /** The lines of the elements. */
  long lines;

  /**
   * Creates an empty list.
   *
   * @param mostElements elements that there are; a torn tree may seem to have more
   * @param mostLines lines of them
   */
  LayoutOrder(ShuttleLayout layout, MemorySegment nodes, long mostElements, long mostLines) {
    this.layout = layout;
    this.nodes = nodes;
    this.mostElements = mostElements;
    this.mostLines = mostLines;
  }

  /** Lists a whole tree. */
  void addTree(long root, int height) {
    addPiece(root, height, VIRTUAL_HEIGHT, 1);
  }

  /** Lists the largest piece of which a node is the root, with the buffers that follow it. */
  void addLargestPiece(long node, int height) {
    addPiece(node, height, height, height - BufferSchedule.factor(height) + 1);
  }

  /**
   * Lists a piece.
   *
   * @param node its root, or where the piece begins above the tree's root, that
   * @param height of {@code node}
   * @param high the piece's highest level
   * @param low its lowest level
   */
  private void addPiece(long node, int height, int high, int low) {
    if (low > height) {
      return;
    }
    int levels = high - low + 1;
    if (levels == 1) {
      add(node);
      return;
    }
    int bottom = BufferSchedule.cut(levels);
    int lowestOfTop = low + bottom;
    addPiece(node, height, high, lowestOfTop);
    if (height < lowestOfTop) {
      addPiece(node, height, lowestOfTop - 1, low);
    } else {
      addBottoms(node, height, lowestOfTop, low);
    }
    int k = BufferSchedule.index(levels) + 1;
    if (BufferSchedule.fibonacci(k - 1) == levels && low > 1) {
      int list = layout.schedule.listOf(low, k);
      if (list >= 0) {
        addBuffers(node, height, low, list);
      }
    }
  }

  /** Lists the pieces below the nodes of height {@code from}, each with the levels down to low. */
  private void addBottoms(long node, int height, int from, int low) {
    int children = children(node);
    for (int i = 0; i < children; i++) {
      long child = layout.child(nodes, node, i);
      if (height == from) {
        addPiece(child, height - 1, height - 1, low);
      } else {
        addBottoms(child, height - 1, from, low);
      }
    }
  }

  /** Lists one buffer of each edge that leaves a node of height {@code low}. */
  private void addBuffers(long node, int height, int low, int list) {
    int children = children(node);
    for (int i = 0; i < children; i++) {
      if (height == low) {
        add(layout.buffer(nodes, node, list, i));
      } else {
        addBuffers(layout.child(nodes, node, i), height - 1, low, list);
      }
    }
  }

  private int children(long node) {
    int children = layout.count(nodes, node);
    if (children < 1 || children > layout.maxChildren) {
      throw PackedArray.torn();
    }
    return children;
  }

  private void add(long element) {
    int size = element == 0 ? 0 : layout.lines(nodes, element);
    if (size < 1 || lines + size > mostLines || count >= mostElements) {
      throw PackedArray.torn();
    }
    if (count == elements.length) {
      elements = Arrays.copyOf(elements, 2 * count);
    }
    elements[count++] = element;
    lines += size;
  }
}
