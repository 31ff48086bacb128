// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.memory.Words.putShort;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import dev.espalier.support.Torn;
import java.lang.foreign.MemorySegment;

/**
 * What the two kinds of nodes of an in-page tree have in common: the keys at the beginning, and the
 * header at the end.
 *
 * <pre>
 *  0                     bytes - 8
 *  | key 0 .. keySlots-1 | ... | level | previous | next | count |
 *    longs                       short   short      short  short
 * </pre>
 *
 * What searches keys is in the two classes: HotSpot would compile it for both kinds at once.
 */
public abstract class InPageNode {
  public static final int HEADER_BYTES = 4 * Short.BYTES;

  public final int width;
  public final int bytes;

  /** Most children of an inner node, or entries of a leaf; a node has the fewest at least. */
  public final int capacity;

  private final int fewest;
  public final int keySlots;
  private final int levelOffset;
  private final int previousOffset;
  private final int nextOffset;
  private final int countOffset;

  public InPageNode(int width, int capacity, int keySlots, int fewest) {
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    this.capacity = capacity;
    this.keySlots = keySlots;
    this.fewest = fewest;
    this.levelOffset = bytes - HEADER_BYTES;
    this.previousOffset = levelOffset + Short.BYTES;
    this.nextOffset = previousOffset + Short.BYTES;
    this.countOffset = nextOffset + Short.BYTES;
  }

  /** Makes a node without entries or children. */
  public final void initialize(MemorySegment pages, long node, int level) {
    level(pages, node, level);
    previous(pages, node, 0);
    next(pages, node, 0);
    count(pages, node, 0);
    Slots.fill(pages, node, 0, keySlots, Keys.PADDING);
  }

  public final long key(MemorySegment pages, long node, int slot) {
    return getLong(pages, node + ((long) slot << 3));
  }

  public final void key(MemorySegment pages, long node, int slot, long key) {
    putLong(pages, node + ((long) slot << 3), key);
  }

  /** Returns the level in the in-page tree, whose leaves are level 0. */
  public final int level(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + levelOffset);
  }

  public final void level(MemorySegment pages, long node, int level) {
    putShort(pages, node + levelOffset, level);
  }

  public final int previous(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + previousOffset);
  }

  public final void previous(MemorySegment pages, long node, int line) {
    putShort(pages, node + previousOffset, line);
  }

  public final int next(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + nextOffset);
  }

  public final void next(MemorySegment pages, long node, int line) {
    putShort(pages, node + nextOffset, line);
  }

  public final int count(MemorySegment pages, long node) {
    return getUnsignedShort(pages, node + countOffset);
  }

  public final void count(MemorySegment pages, long node, int count) {
    putShort(pages, node + countOffset, count);
  }

  /** Reads the count of a node that is about to be changed. */
  public final int checkedCount(MemorySegment pages, long node) {
    return Torn.checkedCount("in-page node", node, count(pages, node), fewest, capacity);
  }
}
