// SPDX-License-Identifier: Apache-2.0
package dev.espalier.family;

import dev.espalier.TreeVariant;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.css.CssTree;
import dev.espalier.pma.CacheObliviousBTree;

/**
 * What an index in memory is mostly used for, and the tree recommended for it. Every tree does
 * everything that {@link dev.espalier.LongIndex} can do; they differ in speed and memory.
 *
 * <p>If in doubt, take {@link #MIXED}. The measurements behind the recommendations are in {@code
 * docs/measurements}.
 */
public enum Workload {
  /** Lookups, updates and range scans in any proportion: {@link PbPlusTree}. */
  MIXED,

  /**
   * Lookups, with few changes or changes in bulk: {@link CssTree}, the fastest in batches ({@code
   * getAll}) and the smallest. It rebuilds itself from time to time as it is changed.
   */
  LOOKUPS,

  /**
   * Long range scans over data that keeps changing: {@link CacheObliviousBTree}. Scans are several
   * times as fast as in a {@link PbPlusTree} that grew by random inserts; inserts and lookups take
   * longer.
   */
  SCANS,

  /**
   * Blind writes: {@code set} and {@code delete}, which do not return the previous value. {@link
   * Cola} takes them more than twice as fast as a {@link PbPlusTree}; lookups take longer, and now
   * and then a write waits for a merge. Where no write may wait long, use {@link
   * dev.espalier.cola.DeamortizedCola}.
   */
  BLIND_WRITES;

  /** Returns the recommended tree. */
  public TreeVariant variant() {
    return switch (this) {
      case MIXED -> PbPlusTree.VARIANT;
      case LOOKUPS -> CssTree.VARIANT;
      case SCANS -> CacheObliviousBTree.VARIANT;
      case BLIND_WRITES -> Cola.VARIANT;
    };
  }
}
