// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/**
 * Searches of in-page nodes over all their key slots. The numbers of slots that typical memory
 * gives for the default pages, with nodes of 3 lines and leaves of 14, have code of their own: a
 * search of any number of lines is too much code to be inlined.
 */
public final class InPageSearch {
  private static final int COMMON_INNER_SLOTS = 18;
  private static final int COMMON_VALUE_SLOTS = 56;
  private static final int COMMON_CHILD_SLOTS = 74;

  private InPageSearch() {}

  /** Searches an inner node with so many key slots. */
  public static int inner(MemorySegment pages, long node, int slots, long key) {
    return slots == COMMON_INNER_SLOTS
        ? Keys.lowerBoundOf2Lines(pages, node, key)
            + Keys.lowerBoundLinear(pages, node + 2 * CacheLine.BYTES, 2, key)
        : Keys.lowerBoundRagged(pages, node, slots, key);
  }

  /** Searches a leaf of a leaf page with so many key slots. */
  public static int values(MemorySegment pages, long leaf, int slots, long key) {
    return slots == COMMON_VALUE_SLOTS
        ? Keys.lowerBoundOf4Lines(pages, leaf, key)
            + Keys.lowerBoundOf2Lines(pages, leaf + 4 * CacheLine.BYTES, key)
            + Keys.lowerBoundInLine(pages, leaf + 6 * CacheLine.BYTES, key)
        : Keys.lowerBoundRagged(pages, leaf, slots, key);
  }

  /** Searches a leaf of an inner page with so many key slots. */
  public static int children(MemorySegment pages, long leaf, int slots, long key) {
    return slots == COMMON_CHILD_SLOTS
        ? Keys.lowerBoundOf4Lines(pages, leaf, key)
            + Keys.lowerBoundOf4Lines(pages, leaf + 4 * CacheLine.BYTES, key)
            + Keys.lowerBoundInLine(pages, leaf + 8 * CacheLine.BYTES, key)
            + Keys.lowerBoundLinear(pages, leaf + 9 * CacheLine.BYTES, 2, key)
        : Keys.lowerBoundRagged(pages, leaf, slots, key);
  }

  /**
   * Finds the entry of a leaf page that is nearest to a key on one side. What it reads of a page
   * that others change meanwhile is nonsense, but it stays within the page and ends.
   *
   * @param leaf the in-page leaf where the key is or belongs
   * @param lastLine the last line where an in-page leaf may begin
   * @param upwards whether the first at or after the key is sought, not the last at or before it
   * @return where its key is, or 0 if the page has none on that side
   */
  public static long nearest(
      MemorySegment pages,
      long page,
      long leaf,
      InPageLeaf format,
      int lastLine,
      long key,
      boolean upwards) {
    int slot = values(pages, leaf, format.keySlots, key);
    int count = Math.min(format.count(pages, leaf), format.capacity);
    if (!upwards && (slot >= count || format.key(pages, leaf, slot) != key)) {
      slot = Math.min(slot, count) - 1;
    }
    if (slot >= 0 && slot < count) {
      return leaf + ((long) slot << 3);
    }
    long node = leaf;
    for (int leaves = lastLine / format.width; leaves >= 0; leaves--) {
      int line = upwards ? format.next(pages, node) : format.previous(pages, node);
      if (line == 0) {
        return 0;
      }
      node = page + ((long) Math.min(line, lastLine) << CacheLine.SHIFT);
      int some = Math.min(format.count(pages, node), format.capacity);
      if (some > 0) {
        return node + (upwards ? 0 : (long) (some - 1) << 3);
      }
    }
    return 0;
  }
}
