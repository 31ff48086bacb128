// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import dev.espalier.batch.ProbeCosts.Corrections;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Measures on a sample which virtual nodes are best for an index on this machine (buffering paper,
 * 5.3), and what a probe costs by each method. The cache analysis says what to begin with; whether
 * TLB misses or hardware prefetching make it worth to split a virtual node of several levels, only
 * measuring can tell.
 */
final class Calibration {
  /** Probes of a sample: so many that each child of the root's virtual node is given some. */
  private static final int SAMPLE = 1 << 16;

  private static final int SINGLE_SAMPLE = 1 << 13;

  private static final int RUNS = 3;

  /** No new candidate is begun after this. */
  private static final long BUDGET_NANOS = 400_000_000;

  private final BatchLookup lookup;
  private final ProbeCosts computed;
  private final long[] keys;
  private final long[] values = new long[SAMPLE];
  private final long began = System.nanoTime();

  Calibration(LongIndex index, BatchLookup lookup, ProbeCosts computed) {
    this.lookup = lookup;
    this.computed = computed;
    this.keys = SampleKeys.of(index, SAMPLE);
  }

  ProbeCosts measure() {
    double single = nanos(ProbeMethod.SINGLE, SINGLE_SAMPLE);
    double group = nanos(ProbeMethod.GROUP, SAMPLE);
    VirtualNodes best = computed.nodes();
    double buffered = Double.POSITIVE_INFINITY;
    for (VirtualNodes nodes : candidates(computed.nodes())) {
      if (System.nanoTime() - began < BUDGET_NANOS || buffered == Double.POSITIVE_INFINITY) {
        double nanos = bufferedNanos(nodes);
        if (nanos < buffered) {
          buffered = nanos;
          best = nodes;
        }
      }
    }
    double sorted = nanos(ProbeMethod.SORTED, SAMPLE);
    ProbeCosts plain =
        new ProbeCosts(
            computed.shape(), computed.times(), computed.prefetches(), best, Corrections.NONE);
    Corrections corrections =
        new Corrections(
            single / plain.nanos(ProbeMethod.SINGLE, SINGLE_SAMPLE),
            group / plain.nanos(ProbeMethod.GROUP, SAMPLE),
            sorted / plain.nanos(ProbeMethod.SORTED, SAMPLE),
            buffered / plain.nanos(ProbeMethod.BUFFERED, SAMPLE),
            true);
    return new ProbeCosts(
        computed.shape(), computed.times(), computed.prefetches(), best, corrections);
  }

  /** The nodes of the analysis, and those with one virtual node split in two, in each way. */
  static Set<VirtualNodes> candidates(VirtualNodes analysed) {
    Set<VirtualNodes> candidates = new LinkedHashSet<>();
    candidates.add(analysed);
    List<Integer> heights = analysed.heights();
    for (int i = 0; i < heights.size(); i++) {
      for (int upper = 1; upper < heights.get(i); upper++) {
        List<Integer> split = new ArrayList<>(heights);
        split.set(i, upper);
        split.add(i + 1, heights.get(i) - upper);
        candidates.add(new VirtualNodes(split));
      }
    }
    return candidates;
  }

  private double nanos(ProbeMethod method, int count) {
    return best(count, () -> lookup.getAll(method, keys, 0, values, 0, count));
  }

  private double bufferedNanos(VirtualNodes nodes) {
    return best(SAMPLE, () -> lookup.buffered(nodes, keys, 0, values, 0, SAMPLE));
  }

  /** Returns the time of a probe in the best of some runs: the first ones may not be compiled. */
  private static double best(int count, Runnable run) {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < RUNS; i++) {
      long start = System.nanoTime();
      run.run();
      best = Math.min(best, System.nanoTime() - start);
    }
    return (double) best / count;
  }
}
