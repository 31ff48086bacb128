// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * How large a buffer pool is, how full, and what it has done.
 *
 * @param isShared whether it is the pool of files that were opened without one
 * @param pageBytes bytes of a page
 * @param mostBytes bytes of pages that it may have at most; those of a shared pool are also what
 *     all shared pools may have together
 * @param usedBytes bytes of the memory that pages have taken so far
 * @param counters what it has done
 */
public record PoolStatistics(
    boolean isShared, int pageBytes, long mostBytes, long usedBytes, PoolCounters counters) {

  /** Returns which part of all pins found their page in the pool, from 0 to 1; 1 if none was. */
  public double hitShare() {
    long pins = counters.hits() + counters.misses();
    return pins == 0 ? 1 : (double) counters.hits() / pins;
  }
}
