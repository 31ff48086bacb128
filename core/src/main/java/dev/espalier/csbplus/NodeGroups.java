// SPDX-License-Identifier: Apache-2.0
package dev.espalier.csbplus;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Words;
import dev.espalier.node.Slots;
import dev.espalier.support.Torn;

/**
 * The children of one inner node: where they lie, and how they move when one comes or goes (thesis
 * 3.5). Each operation changes one inner node and its node group, or two siblings and theirs, and
 * finds all the memory it needs before it changes anything.
 *
 * <pre>
 *  one segment:    [A B C D . . . .]                room for the most siblings, in the end
 *    C splits:     [A B C c D . . .]                D is shifted
 *  two segments:   [A B] [C D]                      room for what is there
 *    C splits:     [A B] [C c D]                    copied into a new segment, the old one freed
 *    A goes:       [B .] [C c D]                    the room is kept
 * </pre>
 */
final class NodeGroups {
  private final CsbPlusStructure tree;
  private final CsbInnerNode inner;
  private final boolean full;

  /** Most children of a segment whose node has as many in every other: its share. */
  private final int share;

  /** Segments for the children of a node to come, and their room. */
  private final long[] newGroups;

  private final int[] newRooms;
  private int newSegments;

  NodeGroups(CsbPlusStructure tree) {
    this.tree = tree;
    this.inner = tree.inner;
    this.full = inner.segments == 1;
    this.share = (inner.maxChildren + inner.segments - 1) / inner.segments;
    this.newGroups = new long[inner.segments];
    this.newRooms = new int[inner.segments];
  }

  // ---------------------------------------------------------------- insert

  /**
   * Makes room for a child after child {@code slot}, with a separator between them, and returns its
   * offset. Its contents may be anything; its siblings may have moved.
   *
   * @throws MemoryLimitException if it finds no memory; nothing has changed then
   */
  long insertChild(long node, int slot, long separator, int childWidth) {
    checkSegments(node);
    int segment = segmentForChildAfter(node, slot);
    if (isFullWithMoreThanItsShare(node, segment)) {
      divideSegment(node, segment, childWidth);
      segment = segmentForChildAfter(node, slot);
    }
    int start = inner.start(tree.nodes, node, segment);
    int end = inner.end(tree.nodes, node, segment);
    int room = inner.room(tree.nodes, node, segment);
    long group = inner.group(tree.nodes, node, segment);
    int size = end - start;
    int before = slot + 1 - start;
    long bytes = (long) childWidth << CacheLine.SHIFT;
    long gap = before * bytes;
    long behind = (size - before) * bytes;
    if (size < room) {
      Words.copy(tree.nodes, group + gap, group + gap + bytes, behind);
    } else {
      int newRoom = largerRoom(size);
      long newGroup = tree.allocate(newRoom * childWidth);
      if (size > 0) {
        Words.copy(tree.nodes, group, newGroup, gap);
        Words.copy(tree.nodes, group + gap, newGroup + gap + bytes, behind);
        tree.memory.free(group, room * childWidth);
      }
      group = newGroup;
      room = newRoom;
    }
    int separators = inner.children(tree.nodes, node) - 1;
    moveEnds(node, segment, 1);
    inner.segment(tree.nodes, node, segment, group, end + 1, room);
    Slots.openGap(tree.nodes, node + inner.keysOffset, slot, separators);
    inner.key(tree.nodes, node, slot, separator);
    return group + gap;
  }

  /**
   * Returns the room of the segment to which one of {@code size} nodes moves. Of a full tree only
   * the first group of a level, which began as the root, and one for which memory was short have
   * room for fewer than the most siblings; they double.
   */
  int largerRoom(int size) {
    return full ? Math.min(2 * size, inner.maxChildren) : size + 1;
  }

  /** A child between two segments belongs to the second once the first has its share. */
  private int segmentForChildAfter(long node, int slot) {
    int segment = inner.segmentOf(tree.nodes, node, slot);
    boolean isBetween =
        segment + 1 < inner.segments && slot + 1 == inner.end(tree.nodes, node, segment);
    if (!isBetween || inner.size(tree.nodes, node, segment) < share) {
      return segment;
    }
    int sizeOfNext = inner.size(tree.nodes, node, segment + 1);
    return sizeOfNext < inner.size(tree.nodes, node, segment) ? segment + 1 : segment;
  }

  private boolean isFullWithMoreThanItsShare(long node, int segment) {
    int size = inner.size(tree.nodes, node, segment);
    return inner.segmentsInUse(tree.nodes, node) < inner.segments
        && size >= share
        && size > 1
        && size == inner.room(tree.nodes, node, segment);
  }

  /** Moves half of a segment to a new one behind it, with room for one node more. */
  private void divideSegment(long node, int segment, int childWidth) {
    int start = inner.start(tree.nodes, node, segment);
    int end = inner.end(tree.nodes, node, segment);
    int room = inner.room(tree.nodes, node, segment);
    long group = inner.group(tree.nodes, node, segment);
    int kept = (end - start) / 2;
    int moved = end - start - kept;
    long newGroup = tree.allocate((moved + 1) * childWidth);
    append(group + (((long) kept * childWidth) << CacheLine.SHIFT), moved, newGroup, 0, childWidth);
    Slots.openGap(tree.nodes, node, segment + 1, inner.segments - 1);
    inner.segment(tree.nodes, node, segment, group, start + kept, room);
    inner.segment(tree.nodes, node, segment + 1, newGroup, end, moved + 1);
  }

  /** Adds to the ends of {@code segment} and all after it. */
  private void moveEnds(long node, int segment, int by) {
    for (int i = segment; i < inner.segments; i++) {
      inner.segment(
          tree.nodes,
          node,
          i,
          inner.group(tree.nodes, node, i),
          inner.end(tree.nodes, node, i) + by,
          inner.room(tree.nodes, node, i));
    }
  }

  /**
   * Allocates segments for {@code children} nodes, the same number in each, that will get a new
   * parent.
   *
   * @throws MemoryLimitException if they find no memory; nothing has changed then
   */
  void allocateNewSegments(int children, int childWidth) {
    newSegments = 0;
    try {
      for (; newSegments < Math.min(inner.segments, children); newSegments++) {
        allocateNewSegment(evenSize(children, newSegments), childWidth);
      }
    } catch (MemoryLimitException limit) {
      freeNewSegments(childWidth);
      throw limit;
    }
  }

  private void allocateNewSegment(int size, int childWidth) {
    int room = roomFor(size);
    try {
      newGroups[newSegments] = tree.allocate(room * childWidth);
    } catch (MemoryLimitException limit) {
      if (room == size) {
        throw limit;
      }
      // A full tree in a memory that is nearly full: the nodes there are, and the one to come.
      room = size + 1;
      newGroups[newSegments] = tree.allocate(room * childWidth);
    }
    newRooms[newSegments] = room;
  }

  /** Frees the segments that were allocated for a new parent. */
  void freeNewSegments(int childWidth) {
    while (newSegments > 0) {
      newSegments--;
      tree.memory.free(newGroups[newSegments], newRooms[newSegments] * childWidth);
    }
  }

  /** Returns how many of {@code children} nodes a segment gets when all get the same number. */
  int evenSize(int children, int segment) {
    return children / inner.segments + (segment < children % inner.segments ? 1 : 0);
  }

  /** Returns the room of a new segment for that many nodes. */
  int roomFor(int size) {
    return full ? inner.maxChildren : size;
  }

  /**
   * Moves the children of a full node from child {@code kept} on, and the separators between them,
   * to a new sibling, into the segments allocated for them.
   */
  void moveToNewSibling(long left, int kept, long right, int childWidth) {
    checkSegments(left);
    int children = inner.children(tree.nodes, left);
    int childBytes = childWidth << CacheLine.SHIFT;
    int moved = children - kept;
    inner.initialize(tree.nodes, right);
    int end = 0;
    for (int segment = 0; segment < inner.segments; segment++) {
      boolean isUsed = segment < newSegments;
      long group = isUsed ? newGroups[segment] : 0;
      int size = isUsed ? evenSize(moved, segment) : 0;
      for (int i = 0; i < size; i++) {
        long from = inner.child(tree.nodes, left, kept + end + i, childBytes);
        Words.copy(tree.nodes, from, group + (long) i * childBytes, childBytes);
      }
      end += size;
      inner.segment(tree.nodes, right, segment, group, end, isUsed ? newRooms[segment] : 0);
    }
    for (int i = kept; i < children - 1; i++) {
      inner.key(tree.nodes, right, i - kept, inner.key(tree.nodes, left, i));
    }
    truncate(left, kept, childWidth);
  }

  /** Gives up the children from {@code kept} on; those before keep their places. */
  private void truncate(long node, int kept, int childWidth) {
    int start = 0;
    for (int segment = 0; segment < inner.segments; segment++) {
      int end = inner.end(tree.nodes, node, segment);
      if (start >= kept && end > start) {
        freeSegment(node, segment, childWidth);
      }
      boolean isUsed = start < kept;
      inner.segment(
          tree.nodes,
          node,
          segment,
          isUsed ? inner.group(tree.nodes, node, segment) : 0,
          Math.min(end, kept),
          isUsed ? inner.room(tree.nodes, node, segment) : 0);
      start = end;
    }
    inner.clearKeys(tree.nodes, node, kept - 1);
  }

  private void freeSegment(long node, int segment, int childWidth) {
    tree.memory.free(
        inner.group(tree.nodes, node, segment), inner.room(tree.nodes, node, segment) * childWidth);
  }

  // ---------------------------------------------------------------- delete

  /**
   * Removes a child and one of the separators beside it. A segment without children is freed; two
   * that find room in one become one.
   */
  void removeChild(long node, int slot, int separatorSlot, int childWidth) {
    checkSegments(node);
    int segment = inner.segmentOf(tree.nodes, node, slot);
    int start = inner.start(tree.nodes, node, segment);
    int end = inner.end(tree.nodes, node, segment);
    long bytes = (long) childWidth << CacheLine.SHIFT;
    long child = inner.group(tree.nodes, node, segment) + (slot - start) * bytes;
    Words.copy(tree.nodes, child + bytes, child, (end - 1 - slot) * bytes);
    int separators = inner.children(tree.nodes, node) - 1;
    moveEnds(node, segment, -1);
    if (separators > 0) {
      Slots.closeGap(tree.nodes, node + inner.keysOffset, separatorSlot, separators);
      inner.clearKeys(tree.nodes, node, separators - 1);
    }
    if (end - 1 == start) {
      freeSegment(node, segment, childWidth);
      closeGap(node, segment);
    } else if (!combineWithNext(node, segment, childWidth) && segment > 0) {
      combineWithNext(node, segment - 1, childWidth);
    }
  }

  /** Moves the nodes of the next segment into this one, if it has room for them. */
  private boolean combineWithNext(long node, int segment, int childWidth) {
    if (segment + 1 == inner.segments || inner.group(tree.nodes, node, segment + 1) == 0) {
      return false;
    }
    int size = inner.size(tree.nodes, node, segment);
    int added = inner.size(tree.nodes, node, segment + 1);
    int room = inner.room(tree.nodes, node, segment);
    if (size + added > room) {
      return false;
    }
    long group = inner.group(tree.nodes, node, segment);
    append(inner.group(tree.nodes, node, segment + 1), added, group, size, childWidth);
    freeSegment(node, segment + 1, childWidth);
    inner.segment(tree.nodes, node, segment, group, inner.end(tree.nodes, node, segment + 1), room);
    closeGap(node, segment + 1);
    return true;
  }

  private void append(long from, int count, long to, int toCount, int childWidth) {
    long bytes = (long) childWidth << CacheLine.SHIFT;
    Words.copy(tree.nodes, from, to + toCount * bytes, count * bytes);
  }

  /** Takes a segment that was freed out of the row. */
  private void closeGap(long node, int segment) {
    Slots.closeGap(tree.nodes, node, segment, inner.segments);
    int last = inner.segments - 1;
    int children = last == 0 ? 0 : inner.end(tree.nodes, node, last - 1);
    inner.segment(tree.nodes, node, last, 0, children, 0);
  }

  /**
   * Moves the children of {@code right} to its sibling {@code left}, if they fit without new
   * memory: into one node, and into as many segments as it has.
   */
  boolean merge(long left, long separator, long right, int childWidth) {
    checkSegments(left);
    checkSegments(right);
    int children = inner.children(tree.nodes, left);
    int added = inner.children(tree.nodes, right);
    int used = inner.segmentsInUse(tree.nodes, left);
    int addedSegments = inner.segmentsInUse(tree.nodes, right);
    int last = used - 1;
    int sizeOfLast = inner.size(tree.nodes, left, last);
    int sizeOfFirst = inner.size(tree.nodes, right, 0);
    boolean seamFits = sizeOfLast + sizeOfFirst <= inner.room(tree.nodes, left, last);
    int combined = seamFits ? 1 : 0;
    if (children + added > inner.maxChildren || used + addedSegments - combined > inner.segments) {
      return false;
    }
    if (seamFits) {
      long group = inner.group(tree.nodes, left, last);
      append(inner.group(tree.nodes, right, 0), sizeOfFirst, group, sizeOfLast, childWidth);
      freeSegment(right, 0, childWidth);
      int room = inner.room(tree.nodes, left, last);
      inner.segment(tree.nodes, left, last, group, children + sizeOfFirst, room);
    }
    for (int segment = used; segment < inner.segments; segment++) {
      int from = segment - used + combined;
      boolean isUsed = from < addedSegments;
      inner.segment(
          tree.nodes,
          left,
          segment,
          isUsed ? inner.group(tree.nodes, right, from) : 0,
          children + (isUsed ? inner.end(tree.nodes, right, from) : added),
          isUsed ? inner.room(tree.nodes, right, from) : 0);
    }
    inner.key(tree.nodes, left, children - 1, separator);
    for (int i = 0; i < added - 1; i++) {
      inner.key(tree.nodes, left, children + i, inner.key(tree.nodes, right, i));
    }
    return true;
  }

  /** Frees the segments of a node that is given up. */
  void freeAll(long node, int childWidth) {
    for (int segment = 0; segment < inner.segmentsInUse(tree.nodes, node); segment++) {
      freeSegment(node, segment, childWidth);
    }
  }

  // ---------------------------------------------------------------- safety

  /**
   * Checks what a node says about its segments before they are changed. Where threads have torn the
   * tree it may be anything, and nodes would be moved through all of the address space.
   */
  private void checkSegments(long node) {
    int start = 0;
    for (int segment = 0; segment < inner.segments; segment++) {
      int end = inner.end(tree.nodes, node, segment);
      int room = inner.room(tree.nodes, node, segment);
      boolean isUsed = inner.group(tree.nodes, node, segment) != 0;
      boolean isSound =
          end >= start
              && end <= inner.maxChildren
              && room <= inner.maxChildren
              && end - start <= room
              && isUsed == end > start
              && isUsed == room > 0;
      if (!isSound) {
        throw Torn.torn(
            "segment "
                + segment
                + " of the node @"
                + node
                + " ends at child "
                + end
                + " and has room for "
                + room);
      }
      start = end;
    }
    if (start == 0) {
      throw Torn.torn("the node @" + node + " has no children");
    }
  }
}
