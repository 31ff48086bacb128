// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.simulation.HierarchyCounters;

/**
 * What one probe costs on the simulated machine.
 *
 * @param misses lines that were brought from memory, prefetched or not
 * @param missPenalty cycles that these take if each takes the latency of the memory, as the paper
 *     reckons
 * @param tlbPenalty cycles for walks of the page table, reckoned alike
 * @param cycles all that passed, with what the trees' prefetches hide
 */
record SimulatedCost(double misses, double missPenalty, double tlbPenalty, double cycles) {

  static SimulatedCost of(HierarchyCounters counted, int probes) {
    return new SimulatedCost(
        (double) counted.memoryLines() / probes,
        (double) counted.memoryLines() * Pentium4.SHAPE.t1() / probes,
        (double) counted.tlbMisses() * Pentium4.SHAPE.tlb().missCycles() / probes,
        (double) counted.cycles() / probes);
  }
}
