// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/**
 * Searches of in-page nodes over all their key slots. The numbers of slots that typical memory
 * gives for the default pages, with nodes of 3 lines and leaves of 14, have code of their own: a
 * search of any number of lines is too much code to be inlined.
 */
final class InPageSearch {
  private static final int COMMON_INNER_SLOTS = 18;
  private static final int COMMON_VALUE_SLOTS = 56;
  private static final int COMMON_CHILD_SLOTS = 74;

  private InPageSearch() {}

  /** Searches an inner node with so many key slots. */
  static int inner(MemorySegment pages, long node, int slots, long key) {
    return slots == COMMON_INNER_SLOTS
        ? Keys.lowerBoundOf2Lines(pages, node, key)
            + Keys.lowerBoundLinear(pages, node + 2 * CacheLine.BYTES, 2, key)
        : Keys.lowerBoundRagged(pages, node, slots, key);
  }

  /** Searches a leaf of a leaf page with so many key slots. */
  static int values(MemorySegment pages, long leaf, int slots, long key) {
    return slots == COMMON_VALUE_SLOTS
        ? Keys.lowerBoundOf4Lines(pages, leaf, key)
            + Keys.lowerBoundOf2Lines(pages, leaf + 4 * CacheLine.BYTES, key)
            + Keys.lowerBoundInLine(pages, leaf + 6 * CacheLine.BYTES, key)
        : Keys.lowerBoundRagged(pages, leaf, slots, key);
  }

  /** Searches a leaf of an inner page with so many key slots. */
  static int children(MemorySegment pages, long leaf, int slots, long key) {
    return slots == COMMON_CHILD_SLOTS
        ? Keys.lowerBoundOf4Lines(pages, leaf, key)
            + Keys.lowerBoundOf4Lines(pages, leaf + 4 * CacheLine.BYTES, key)
            + Keys.lowerBoundInLine(pages, leaf + 8 * CacheLine.BYTES, key)
            + Keys.lowerBoundLinear(pages, leaf + 9 * CacheLine.BYTES, 2, key)
        : Keys.lowerBoundRagged(pages, leaf, slots, key);
  }
}
