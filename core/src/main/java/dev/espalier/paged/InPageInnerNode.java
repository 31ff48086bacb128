// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.memory.Words.putShort;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * The bytes of an inner node of an in-page tree, {@code width} cache lines in all (fpB+ 3.1).
 * Children are in the same page, so a reference to one is two bytes: the line of the page where it
 * begins.
 *
 * <pre>
 *  0                           childrenOffset                  levelOffset
 *  | separator 0 .. keySlots-1 | child 0 .. capacity-1 | ... | level | previous | next | count |
 *    longs                       shorts                        short   short      short  short
 * </pre>
 *
 * The count is that of the children. Separator i is the upper bound of the keys below child i; the
 * last child has none, its bound is the node's own. Unused separators hold {@link Keys#PADDING}, so
 * that a search of all of them finds a child that is in use, whatever the count.
 *
 * <p>Previous and next, 0 for none, chain the nodes above the in-page leaves: with the children in
 * them they are the jump-pointer array of the page's lines (fpB+ 3.3).
 *
 * <p>Width 3: 18 separators, 19 children, 2 bytes lost.
 */
final class InPageInnerNode {
  private static final int HEADER_BYTES = 4 * Short.BYTES;

  final int width;
  final int bytes;

  /** Most children. */
  final int capacity;

  final int keySlots;
  final int childrenOffset;
  private final int levelOffset;
  private final int previousOffset;
  private final int nextOffset;
  private final int countOffset;

  InPageInnerNode(int width) {
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    this.keySlots = keySlots(width);
    this.capacity = keySlots + 1;
    this.childrenOffset = keySlots * Long.BYTES;
    this.levelOffset = bytes - HEADER_BYTES;
    this.previousOffset = levelOffset + Short.BYTES;
    this.nextOffset = previousOffset + Short.BYTES;
    this.countOffset = nextOffset + Short.BYTES;
  }

  /** Returns the most children of a node so many lines wide. */
  static int capacity(int width) {
    return keySlots(width) + 1;
  }

  private static int keySlots(int width) {
    int bytes = width << CacheLine.SHIFT;
    return (bytes - HEADER_BYTES - Short.BYTES) / (Long.BYTES + Short.BYTES);
  }

  /** Makes a node without children. */
  void initialize(MemorySegment pages, long node, int level) {
    putShort(pages, node + levelOffset, level);
    previous(pages, node, 0);
    next(pages, node, 0);
    count(pages, node, 0);
    Slots.fill(pages, node, 0, keySlots, Keys.PADDING);
  }

  /** Counts the separators smaller than {@code key}: the number of the child to go to. */
  int lowerBound(MemorySegment pages, long node, long key) {
    return Keys.lowerBoundRagged(pages, node, keySlots, key);
  }

  long key(MemorySegment pages, long node, int slot) {
    return getLong(pages, node + ((long) slot << 3));
  }

  void key(MemorySegment pages, long node, int slot, long key) {
    putLong(pages, node + ((long) slot << 3), key);
  }

  /** Returns the line where a child begins. */
  int child(MemorySegment pages, long node, int slot) {
    return getUnsignedShort(pages, node + childrenOffset + ((long) slot << 1));
  }

  void child(MemorySegment pages, long node, int slot, int line) {
    putShort(pages, node + childrenOffset + ((long) slot << 1), line);
  }

  /** Returns the level in the in-page tree, whose leaves are level 0. */
  int level(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + levelOffset);
  }

  void level(MemorySegment pages, long node, int level) {
    putShort(pages, node + levelOffset, level);
  }

  int previous(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + previousOffset);
  }

  void previous(MemorySegment pages, long node, int line) {
    putShort(pages, node + previousOffset, line);
  }

  int next(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + nextOffset);
  }

  void next(MemorySegment pages, long node, int line) {
    putShort(pages, node + nextOffset, line);
  }

  int count(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + countOffset);
  }

  void count(MemorySegment pages, long node, int count) {
    putShort(pages, node + countOffset, count);
  }

  /** Reads the count of a node that is about to be changed; see {@link PageHeader#checkedCount}. */
  int checkedCount(MemorySegment pages, long node) {
    int count = count(pages, node);
    if (count == 0 || count > capacity) {
      throw new ConcurrentModificationException(
          "the in-page node @"
              + node
              + " has count "
              + count
              + " of "
              + capacity
              + ": the index was changed by another thread at the same time");
    }
    return count;
  }

  /** Makes room behind child {@code slot}, whose upper bound is now {@code separator}. */
  void insertBehind(MemorySegment pages, long node, int slot, int count, long separator, int line) {
    Slots.openGap(pages, node, slot, count - 1);
    key(pages, node, slot, separator);
    long from = node + childrenOffset + ((slot + 1L) << 1);
    Words.copy(pages, from, from + Short.BYTES, (long) (count - slot - 1) << 1);
    child(pages, node, slot + 1, line);
    count(pages, node, count + 1);
  }

  /** Moves the children from {@code kept} on, one at least, to an empty node. */
  void moveTo(MemorySegment pages, long node, int kept, int count, long to) {
    int moved = count - kept;
    Words.copy(pages, node + ((long) kept << 3), to, (long) (moved - 1) << 3);
    long from = node + childrenOffset + ((long) kept << 1);
    Words.copy(pages, from, to + childrenOffset, (long) moved << 1);
    Slots.fill(pages, node, kept - 1, count - 1, Keys.PADDING);
    count(pages, node, kept);
    count(pages, to, moved);
  }
}
