// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

/**
 * What a {@link MemoryHierarchy} has counted since it was made or last reset.
 *
 * @param accesses lines read or written; an access that spans two lines counts for both
 * @param l1Misses of these, lines that the first-level cache neither held nor expected
 * @param l2Misses of these, lines that the second level neither held nor expected: full latencies
 * @param prefetches lines asked for by prefetches
 * @param uselessPrefetches of these, lines that the first-level cache held or expected already
 * @param droppedPrefetches of these, lines not fetched because the TLB did not know their page
 * @param memoryLines lines brought from memory, by accesses and by prefetches
 * @param tlbMisses accesses and prefetches whose page the TLB did not know
 * @param stallCycles cycles that the processor waited: for lines, page walks and miss handlers
 * @param busyCycles cycles that accesses and prefetches kept it busy
 */
public record HierarchyCounters(
    long accesses,
    long l1Misses,
    long l2Misses,
    long prefetches,
    long uselessPrefetches,
    long droppedPrefetches,
    long memoryLines,
    long tlbMisses,
    long stallCycles,
    long busyCycles) {

  /** Returns all cycles. */
  public long cycles() {
    return stallCycles + busyCycles;
  }
}
