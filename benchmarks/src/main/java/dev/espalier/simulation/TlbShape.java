// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import java.util.Objects;

/**
 * The translation lookaside buffer.
 *
 * @param entries pages it knows
 * @param ways associativity: entries per set; as many as {@code entries} if it is fully associative
 * @param pageBytes size of a page, a power of two
 * @param missCycles cycles to walk the page table
 * @param prefetchMiss what becomes of a prefetch whose page it does not know
 */
public record TlbShape(
    int entries, int ways, int pageBytes, int missCycles, PrefetchMiss prefetchMiss) {

  /** What becomes of a prefetch whose page is not in the TLB: the fault hint (thesis 4.1.2). */
  public enum PrefetchMiss {
    /**
     * The page table is walked, which the processor does not wait for; then the line is fetched.
     */
    WALK,
    /** Nothing is fetched. */
    DROP
  }

  /** Checks the parts. */
  public TlbShape {
    Shapes.checkPositive("entries", entries);
    Shapes.checkPositive("ways", ways);
    Shapes.checkPowerOfTwo("pageBytes", pageBytes);
    Shapes.checkNotNegative("missCycles", missCycles);
    Objects.requireNonNull(prefetchMiss, "prefetchMiss");
  }

  /** Returns this shape with another fate of prefetches that miss. */
  public TlbShape withPrefetchMiss(PrefetchMiss fate) {
    return new TlbShape(entries, ways, pageBytes, missCycles, fate);
  }

  /** Makes it, empty. */
  LruSets empty() {
    return LruSets.of(entries, ways, "a TLB of " + entries + " entries");
  }
}
