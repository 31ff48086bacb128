// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import dev.espalier.batch.ProbeCosts.Corrections;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * Measures with a sample of keys which virtual nodes are best for an index on this machine
 * (buffering paper, 5.3), and what a probe costs by each method. The cache analysis provides the
 * start; only measurements can tell whether TLB misses or hardware prefetching make it worthwhile
 * to split a virtual node of several levels.
 */
final class Calibration {
  /** Number of probes in a sample: enough for each child of the root's virtual node to get some. */
  private static final int SAMPLE = 1 << 16;

  /** Enough for methods whose time per probe does not depend on the number of probes. */
  private static final int SMALL_SAMPLE = 1 << 13;

  /** Number of samples that take turns, so that none finds in the cache what it read before. */
  private static final int SAMPLES = 4;

  /**
   * How many rounds in a row must be no faster than before: until then, code is still being
   * compiled.
   */
  private static final int QUIET_ROUNDS = 2;

  /** A time below this share of the best so far is faster, and not by chance. */
  private static final double FASTER = 0.85;

  /** No round starts after this time. */
  private static final long BUDGET_NANOS = 2_500_000_000L;

  private final BatchLookup lookup;
  private final ProbeCosts computed;
  private final long[] keys;
  private final long[] values = new long[SAMPLE];

  Calibration(LongIndex index, BatchLookup lookup, ProbeCosts computed) {
    this.lookup = lookup;
    this.computed = computed;
    this.keys = SampleKeys.of(index, SAMPLES * SAMPLE);
  }

  /** Lookups by one method, and the time per probe in the best round. */
  private static final class Timed {
    private final int count;
    private final IntConsumer lookup;
    double nanos = Double.POSITIVE_INFINITY;

    Timed(int count, IntConsumer lookup) {
      this.count = count;
      this.lookup = lookup;
    }

    /** Returns whether it was faster than ever before. */
    boolean run(int from) {
      long start = System.nanoTime();
      lookup.accept(from);
      double now = (double) (System.nanoTime() - start) / count;
      boolean isFaster = now < FASTER * nanos;
      nanos = Math.min(nanos, now);
      return isFaster;
    }
  }

  /** A choice of virtual nodes, and buffered lookups with it. */
  private record Candidate(VirtualNodes nodes, Timed buffered) {
    double nanos() {
      return buffered.nanos;
    }
  }

  ProbeCosts measure() {
    Timed single = timed(ProbeMethod.SINGLE, SMALL_SAMPLE);
    Timed group = timed(ProbeMethod.GROUP, SMALL_SAMPLE);
    Timed sorted = timed(ProbeMethod.SORTED, SAMPLE);
    List<Timed> all = new ArrayList<>(List.of(single, group, sorted));
    List<Candidate> candidates = new ArrayList<>();
    for (VirtualNodes nodes : candidates(computed.nodes())) {
      Timed buffered =
          new Timed(SAMPLE, from -> lookup.buffered(nodes, keys, from, values, 0, SAMPLE, null));
      candidates.add(new Candidate(nodes, buffered));
      all.add(buffered);
    }
    runRounds(all);

    Candidate fastest = Collections.min(candidates, Comparator.comparingDouble(Candidate::nanos));
    Candidate analysed = candidates.getFirst();
    Candidate best = fastest.nanos() < FASTER * analysed.nanos() ? fastest : analysed;
    ProbeCosts plain = computed.with(best.nodes, Corrections.NONE);
    return computed.with(
        best.nodes,
        new Corrections(
            single.nanos / plain.nanos(ProbeMethod.SINGLE, SMALL_SAMPLE),
            group.nanos / plain.nanos(ProbeMethod.GROUP, SMALL_SAMPLE),
            sorted.nanos / plain.nanos(ProbeMethod.SORTED, SAMPLE),
            best.nanos() / plain.nanos(ProbeMethod.BUFFERED, SAMPLE),
            true));
  }

  private Timed timed(ProbeMethod method, int count) {
    return new Timed(count, from -> lookup.getAll(method, keys, from, values, 0, count));
  }

  private static void runRounds(List<Timed> all) {
    long began = System.nanoTime();
    int quiet = 0;
    for (int round = 0; quiet < QUIET_ROUNDS && System.nanoTime() - began < BUDGET_NANOS; round++) {
      quiet++;
      for (Timed one : all) {
        if (one.run(round % SAMPLES * SAMPLE)) {
          quiet = 0;
        }
      }
    }
  }

  /**
   * Returns the virtual nodes of the analysis, and all variants of them with one virtual node split
   * in two.
   */
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
}
