// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

/** What a writer needs of memory beside the pages that it changes. */
final class PageScratch {
  /** Entries that were taken out of pages. */
  final long[] keys;

  final long[] payloads;

  /** For each level of an in-page tree above its leaves, the line of the node on the path. */
  final int[] lines;

  /** For each level of an in-page tree above its leaves, the slot of the child on the path. */
  final int[] slots;

  /** Lines that were taken for the nodes that splits within a page make. */
  final int[] spares;

  /** The line and the upper bound of each node of a level of an in-page tree that is being made. */
  final int[] nodes;

  final long[] bounds;

  /**
   * Makes room.
   *
   * @param entries of two pages
   * @param levels of an in-page tree, 0 where pages have none
   * @param leaves of an in-page tree, 0 where pages have none
   */
  PageScratch(int entries, int levels, int leaves) {
    keys = new long[entries];
    payloads = new long[entries];
    lines = new int[levels];
    slots = new int[levels];
    spares = new int[levels];
    nodes = new int[leaves];
    bounds = new long[leaves];
  }
}
