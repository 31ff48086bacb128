// SPDX-License-Identifier: Apache-2.0
package dev.espalier.family;

import dev.espalier.TreeVariant;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.css.CssTree;

/**
 * What an index in memory is mostly used for, and the tree recommended for it. Every tree does
 * everything that {@link dev.espalier.LongIndex} can do; they differ in speed and memory.
 *
 * <p>If in doubt, take {@link #MIXED}. The measurements behind the recommendations are in {@code
 * docs/measurements}.
 */
public enum Workload {
  /**
   * Lookups, updates and range scans in any proportion, by any number of threads: {@link
   * ConcurrentPbPlusTree}.
   */
  MIXED,

  /**
   * The same while only one thread uses the index, or none writes: {@link PbPlusTree}. Beside
   * {@link #MIXED}, scans take from half to three quarters of the time, inserts of ascending keys
   * less than half, and other work from three quarters to nearly all of it.
   */
  ONE_THREAD,

  /**
   * Lookups, with few changes or changes in bulk: {@link CssTree}, the fastest in batches ({@code
   * getAll}) and the smallest. It rebuilds itself from time to time as it is changed.
   */
  LOOKUPS,

  /**
   * Long range scans over data that keeps changing, by one thread or by many that only read: {@link
   * PbPlusTree}, as for {@link #ONE_THREAD}. A {@link dev.espalier.pma.CacheObliviousBTree} scans
   * everything in about the same time, but scans of 100 entries, inserts and lookups take longer
   * there. If the data does not change, a {@link CssTree} scans in a third of the time.
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
      case MIXED -> ConcurrentPbPlusTree.VARIANT;
      case ONE_THREAD, SCANS -> PbPlusTree.VARIANT;
      case LOOKUPS -> CssTree.VARIANT;
      case BLIND_WRITES -> Cola.VARIANT;
    };
  }
}
