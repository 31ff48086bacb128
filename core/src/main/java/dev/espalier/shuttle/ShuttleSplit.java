// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Splits a leaf, and the nodes above that have become too heavy by that. */
final class ShuttleSplit {
  /* Overview
   *
   *   before      [ v ]                after       [ v ]
   *              b1                              b1   b1'        b1', b2' new and empty, each placed
   *              b2                              b2   b2'        behind that of its size
   *              |                               |     |
   *             [ u ]                           [ u ] [ u' ]
   *            / | | \                          / |     | \      with their buffers
   *
   * The buffers between v and u are empty: what makes u split came through them, and a buffer is
   * emptied before its messages are delivered.
   */

  private final ShuttleStructure tree;
  private final ShuttleLayout layout;

  ShuttleSplit(ShuttleStructure tree) {
    this.tree = tree;
    this.layout = tree.layout;
  }

  /**
   * Splits the full leaf where a key belongs.
   *
   * @throws MemoryLimitException if there is no room; nothing has changed then
   */
  void splitLeaf(long key) {
    findPath(key);
    int heights = heightsToSplit();
    long lines = linesNeeded(heights);
    if ((heights & 1 << tree.height) != 0) {
      tree.stack.reserve(layout.pathCapacity(tree.height + 1));
    }
    tree.array.ensure(lines);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment scratch = scratch(arena, linesToOrder(heights, lines));
      addLeafToWeights();
      for (int at = 1, top = tree.height; at <= top; at++) {
        if ((heights & 1 << at) != 0) {
          splitNode(at, key, scratch);
        }
      }
    }
  }

  private void findPath(long key) {
    PackedArray array = tree.array;
    long node = array.root;
    Arrays.fill(array.path, 0);
    for (int at = tree.height; at > 1; at--) {
      array.path[at] = node;
      int child = layout.childFor(array.nodes, node, key);
      node = layout.child(array.nodes, node, child);
    }
    array.path[1] = node;
  }

  /**
   * Returns the heights of the nodes on the path that will be split, as a set of bits: the leaf,
   * and what another leaf makes too heavy, which need not be the nodes next to it.
   */
  private int heightsToSplit() {
    MemorySegment nodes = tree.array.nodes;
    int heights = 0;
    for (int at = 1; at <= tree.height; at++) {
      long node = tree.array.path[at];
      boolean getsChild = (heights & 1 << (at - 1)) != 0;
      if (at == 1
          || layout.weight(nodes, node) + 1 > layout.mostWeight(at)
          || (getsChild && layout.count(nodes, node) + 1 >= layout.maxChildren)) {
        heights |= 1 << at;
        if (at < tree.height) {
          checkBuffersAreEmpty(at);
        } else if (at == BufferSchedule.MAX_HEIGHT) {
          throw new MemoryLimitException("the tree would get more than " + at + " levels");
        }
      }
    }
    return heights;
  }

  /** A buffer between the nodes would belong to both parts of the lower one. */
  private void checkBuffersAreEmpty(int at) {
    MemorySegment nodes = tree.array.nodes;
    long above = tree.array.path[at + 1];
    int children = layout.count(nodes, above);
    if (children < 1 || children >= layout.maxChildren) {
      throw PackedArray.torn();
    }
    for (int i = 0; i < children; i++) {
      if (layout.child(nodes, above, i) == tree.array.path[at]) {
        for (int list = 0; list < layout.lists(at + 1); list++) {
          if (layout.count(nodes, layout.buffer(nodes, above, list, i)) != 0) {
            throw PackedArray.torn();
          }
        }
      }
    }
  }

  private long linesNeeded(int heights) {
    long lines = 0;
    for (int at = 1; at <= tree.height; at++) {
      if ((heights & 1 << at) != 0) {
        lines += layout.nodeLines(at) + layout.edgeLines(at + 1);
        if (at == tree.height) {
          lines += layout.nodeLines(at + 1) + layout.edgeLines(at + 1);
        }
      }
    }
    return lines;
  }

  /**
   * Returns the most lines of a piece that is put into order after a split.
   *
   * @param added lines that all splits add
   */
  private long linesToOrder(int heights, long added) {
    long most = 0;
    for (int at = 2; at <= tree.height; at++) {
      if ((heights & 1 << at) != 0 && BufferSchedule.factor(at) > 1) {
        LayoutOrder order = order();
        order.addLargestPiece(tree.array.path[at], at);
        most = Math.max(most, order.lines);
      }
    }
    return most == 0 ? 0 : most + added;
  }

  private static MemorySegment scratch(Arena arena, long lines) {
    try {
      return Region.scratch(arena, lines << CacheLine.SHIFT);
    } catch (OutOfMemoryError refused) {
      throw new MemoryLimitException(
          "the system refused " + (lines << CacheLine.SHIFT) + " bytes of native memory", refused);
    }
  }

  private LayoutOrder order() {
    PackedArray array = tree.array;
    return new LayoutOrder(layout, array.nodes, array.elements, array.used);
  }

  private void addLeafToWeights() {
    PackedArray array = tree.array;
    for (int at = 2; at <= tree.height; at++) {
      long node = array.path[at];
      layout.weight(array.nodes, node, layout.weight(array.nodes, node) + 1);
    }
  }

  /** Splits the node of one height on the path; the one above has room for another child. */
  private void splitNode(int at, long key, MemorySegment scratch) {
    if (at == tree.height) {
      growRoot();
    }
    PackedArray array = tree.array;
    MemorySegment nodes = array.nodes;
    long twin = array.insertAfter(array.path[at], layout.nodeLines(at));
    long node = array.path[at];
    long above = array.path[at + 1];
    layout.initializeNode(nodes, twin, at, above);
    array.linkInserted(twin);
    int slot = layout.childFor(nodes, above, key);
    long separator = at == 1 ? divideLeaf(node, twin) : divideInner(node, at, twin);
    layout.openChild(nodes, above, at + 1, slot);
    layout.separator(nodes, above, slot, separator);
    layout.child(nodes, above, slot + 1, twin);
    for (int list = 0; list < layout.lists(at + 1); list++) {
      addBuffer(layout.buffer(nodes, above, list, slot), at + 1, list, slot + 1);
      above = array.path[at + 1];
    }
    if (BufferSchedule.factor(at) > 1) {
      LayoutOrder order = order();
      order.addLargestPiece(layout.child(nodes, above, slot), at);
      order.addLargestPiece(layout.child(nodes, above, slot + 1), at);
      array.permute(order, scratch);
    }
  }

  /** Adds an empty buffer to an edge below a node of the path, behind another in memory. */
  private void addBuffer(long behind, int at, int list, int slot) {
    PackedArray array = tree.array;
    long chunk = array.insertAfter(behind, layout.chunkLines(at, list));
    long above = array.path[at];
    layout.initializeChunk(array.nodes, chunk, at, list, above);
    array.linkInserted(chunk);
    layout.buffer(array.nodes, above, list, slot, chunk);
  }

  /** Puts a new root above the old one, first in memory, with the buffers of its only edge. */
  private void growRoot() {
    PackedArray array = tree.array;
    MemorySegment nodes = array.nodes;
    int height = tree.height + 1;
    long root = array.insertAfter(0, layout.nodeLines(height));
    layout.initializeNode(nodes, root, height, 0);
    array.linkInserted(root);
    layout.child(nodes, root, 0, array.root);
    layout.count(nodes, root, 1);
    // The old root's weight counts the leaf that its own split adds, unless it is a leaf itself.
    long weight = layout.weight(nodes, array.root);
    layout.weight(nodes, root, height == 2 ? 2 : weight);
    layout.parent(nodes, array.root, root);
    array.root = root;
    array.path[height] = root;
    tree.height = height;
    for (int list = 0; list < layout.lists(height); list++) {
      long above = array.path[height];
      addBuffer(list == 0 ? above : layout.buffer(nodes, above, list - 1, 0), height, list, 0);
    }
  }

  /** Moves the upper half of a full leaf's entries; returns the largest key that stays. */
  private long divideLeaf(long leaf, long twin) {
    MemorySegment nodes = tree.array.nodes;
    int stay = layout.leafEntries / 2;
    int move = layout.leafEntries - stay;
    for (int column : new int[] {ShuttleLayout.KEYS, layout.leafValues}) {
      Words.copy(nodes, leaf + column + 8L * stay, twin + column, 8L * move);
    }
    layout.count(nodes, leaf, stay);
    layout.count(nodes, twin, move);
    return ShuttleLayout.key(nodes, leaf, stay - 1);
  }

  /** Moves children so that both weigh as much as can be; returns the separator between them. */
  private long divideInner(long node, int at, long twin) {
    MemorySegment nodes = tree.array.nodes;
    int children = layout.count(nodes, node);
    long weight = layout.weight(nodes, node);
    long left = 0;
    int stay = 0;
    do {
      left += layout.weight(nodes, layout.child(nodes, node, stay++));
    } while (stay < children - 1
        && 2 * left + layout.weight(nodes, layout.child(nodes, node, stay)) <= weight);
    long separator = layout.separator(nodes, node, stay - 1);
    layout.moveChildren(nodes, node, at, stay, twin);
    layout.weight(nodes, node, left);
    layout.weight(nodes, twin, weight - left);
    return separator;
  }
}
