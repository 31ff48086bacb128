// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putShort;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

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
public final class InPageInnerNode extends InPageNode {
  public final int childrenOffset;

  public InPageInnerNode(int width) {
    super(width, keySlots(width) + 1, keySlots(width), 1);
    this.childrenOffset = keySlots * Long.BYTES;
  }

  /** Returns the most children of a node so many lines wide. */
  public static int capacity(int width) {
    return keySlots(width) + 1;
  }

  private static int keySlots(int width) {
    int bytes = width << CacheLine.SHIFT;
    return (bytes - HEADER_BYTES - Short.BYTES) / (Long.BYTES + Short.BYTES);
  }

  /** Counts the separators smaller than {@code key}: the number of the child to go to. */
  public int lowerBound(MemorySegment pages, long node, long key) {
    return Keys.lowerBoundRagged(pages, node, keySlots, key);
  }

  /** Returns the line where a child begins. */
  public int child(MemorySegment pages, long node, int slot) {
    return getUnsignedShort(pages, node + childrenOffset + ((long) slot << 1));
  }

  public void child(MemorySegment pages, long node, int slot, int line) {
    putShort(pages, node + childrenOffset + ((long) slot << 1), line);
  }

  /** Makes room behind child {@code slot}, whose upper bound is now {@code separator}. */
  public void insertBehind(
      MemorySegment pages, long node, int slot, int count, long separator, int line) {
    Slots.openGap(pages, node, slot, count - 1);
    key(pages, node, slot, separator);
    long from = node + childrenOffset + ((slot + 1L) << 1);
    Words.copy(pages, from, from + Short.BYTES, (long) (count - slot - 1) << 1);
    child(pages, node, slot + 1, line);
    count(pages, node, count + 1);
  }

  /** Moves the children from {@code kept} on, one at least, to an empty node. */
  public void moveTo(MemorySegment pages, long node, int kept, int count, long to) {
    int moved = count - kept;
    Words.copy(pages, node + ((long) kept << 3), to, (long) (moved - 1) << 3);
    long from = node + childrenOffset + ((long) kept << 1);
    Words.copy(pages, from, to + childrenOffset, (long) moved << 1);
    Slots.fill(pages, node, kept - 1, count - 1, Keys.PADDING);
    count(pages, node, kept);
    count(pages, to, moved);
  }
}
