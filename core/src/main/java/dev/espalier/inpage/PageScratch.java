// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inpage;

/** What a writer needs of memory beside the pages that it changes. */
public final class PageScratch {
  private static final long[] NONE = {};

  private final int entries;
  private long[] keys = NONE;
  private long[] payloads = NONE;

  /** For each level of an in-page tree above its leaves, the line of the node on the path. */
  public final int[] lines;

  /** For each level of an in-page tree above its leaves, the slot of the child on the path. */
  public final int[] slots;

  /** Lines that were taken for the nodes that splits within a page make. */
  public final int[] spares;

  /** The line and the upper bound of each node of a level of an in-page tree that is being made. */
  public final int[] nodes;

  public final long[] bounds;

  /**
   * Makes room.
   *
   * @param entries of two pages
   * @param levels of an in-page tree, 0 where pages have none
   * @param leaves of an in-page tree, 0 where pages have none
   */
  public PageScratch(int entries, int levels, int leaves) {
    this.entries = entries;
    lines = new int[levels];
    slots = new int[levels];
    spares = new int[levels];
    nodes = new int[leaves];
    bounds = new long[leaves];
  }

  /** Returns room for the keys of entries that are taken out of pages. */
  public long[] keys() {
    // Not before it is needed: a tree of one page that never was full does without.
    if (keys.length == 0) {
      keys = new long[entries];
    }
    return keys;
  }

  /** Returns room for their payloads. */
  public long[] payloads() {
    if (payloads.length == 0) {
      payloads = new long[entries];
    }
    return payloads;
  }
}
