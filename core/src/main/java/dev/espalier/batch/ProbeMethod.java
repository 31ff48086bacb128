// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/** How to look up a batch of keys in an index. */
public enum ProbeMethod {
  /** One key after the other, with {@link dev.espalier.LongIndex#get}. */
  SINGLE,
  /**
   * In groups of some dozens, which descend level by level together, so that their cache misses
   * overlap.
   */
  GROUP,
  /** Sorted first, so that successive keys find their nodes in the cache. */
  SORTED,
  /** Buffered at nodes on the path until there are many, as in {@link BufferedAccess}. */
  BUFFERED,
  /** Whichever of the others is expected to be fastest; see {@link BatchLookup#choose}. */
  AUTO
}
