// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Measures with a sample of keys which virtual nodes are best for an index on this machine
 * (buffering paper, 5.3), and what a probe costs by each method. The cache analysis provides the
 * start; only measurements can tell whether TLB misses or hardware prefetching make it worthwhile
 * to split a virtual node of several levels. Each virtual node is split while the others stay
 * whole; where several are better split, splitting them together is measured, too.
 */
final class Calibration {
  /**
   * Number of probes in a sample, for the choice of virtual nodes: enough for each child of the
   * root's virtual node to get some.
   */
  private static final int SAMPLE = 1 << 16;

  /** Enough for methods whose time per probe does not depend on the number of probes. */
  private static final int SMALL_SAMPLE = 1 << 13;

  /**
   * Samples of at least so many probes are timed only twice, as that takes long: all code is
   * compiled by then, and the first time, the heap may have to grow for them.
   */
  private static final int LARGE_SAMPLE = 1 << 20;

  private static final int LARGE_ROUNDS = 2;

  /**
   * How many rounds in a row must be no faster than before: until then, code is still being
   * compiled.
   */
  private static final int QUIET_ROUNDS = 2;

  /** A time below this share of the best so far is faster, and not by chance. */
  private static final double FASTER = 0.85;

  private static final double INFINITE = Double.POSITIVE_INFINITY;

  /** No round starts after this time. */
  private static final long BUDGET_NANOS = 2_500_000_000L;

  /** The same, where only the best two choices are left to be compared. */
  private static final long LAST_BUDGET_NANOS = 500_000_000L;

  /** Virtual nodes that are higher are only split in two: there are too many other ways. */
  private static final int HIGHEST_IN_ALL_WAYS = 4;

  private final ProbeCosts computed;
  private final Stopwatch stopwatch;

  /** Prepares a calibration that starts from the costs and virtual nodes of the analysis. */
  Calibration(ProbeCosts computed, Stopwatch stopwatch) {
    this.computed = computed;
    this.stopwatch = stopwatch;
  }

  /**
   * Looks up random keys of an index, different ones with each call, so that no call finds in the
   * cache what the call before it read.
   */
  static final class Lookups implements Stopwatch {
    private final BatchLookup lookup;
    private final long[] keys;
    private final long[] values = new long[BatchLookup.ROUND];
    private int used;

    Lookups(LongIndex index, BatchLookup lookup) {
      this.lookup = lookup;
      this.keys = SampleKeys.of(index, BatchLookup.ROUND);
    }

    @Override
    public double nanos(ProbeMethod method, VirtualNodes nodes, int count, int round) {
      int all = Math.max(count, SMALL_SAMPLE);
      if (used + all > keys.length) {
        used = 0;
      }
      int end = used + all;
      long start = System.nanoTime();
      for (; used < end; used += count) {
        if (method == ProbeMethod.BUFFERED) {
          lookup.buffered(nodes, keys, used, values, 0, count, null);
        } else {
          lookup.getAll(method, keys, used, values, 0, count);
        }
      }
      return (double) (System.nanoTime() - start) / all;
    }
  }

  /** Lookups by one method, and the time per probe in the best round. */
  private final class Timed {
    private final ProbeMethod method;
    private final VirtualNodes nodes;
    private final int count;
    private int rounds;
    double nanos = INFINITE;

    Timed(ProbeMethod method, VirtualNodes nodes, int count) {
      this.method = method;
      this.nodes = nodes;
      this.count = count;
    }

    /** Times one round; returns its time for all probes together. */
    double run() {
      double now = stopwatch.nanos(method, nodes, count, rounds++);
      nanos = Math.min(nanos, now);
      return now * Math.max(count, SMALL_SAMPLE);
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
    Timed two = timed(ProbeMethod.SINGLE, 2);
    Timed pair = timed(ProbeMethod.GROUP, 2);
    List<Timed> all = new ArrayList<>(List.of(single, group, two, pair));
    List<Candidate> candidates = new ArrayList<>();
    for (VirtualNodes nodes : candidates(computed.nodes())) {
      candidates.add(candidate(nodes));
    }
    candidates.forEach(candidate -> all.add(candidate.buffered));
    runRounds(all, BUDGET_NANOS);

    Candidate fastest = fastest(candidates);
    Optional<VirtualNodes> combined = combined(computed.nodes(), candidates);
    if (combined.isPresent()) {
      Candidate last = candidate(combined.get());
      runRounds(List.of(fastest.buffered, last.buffered), LAST_BUDGET_NANOS);
      candidates.add(last);
      fastest = fastest(candidates);
    }
    Candidate analysed = candidates.getFirst();
    Candidate best = fastest.nanos() < FASTER * analysed.nanos() ? fastest : analysed;
    int leastGroup = pair.nanos < two.nanos ? 2 : 3;
    return computed.with(best.nodes, measured(leastGroup, single, group, best.nodes));
  }

  /** Times sorted and buffered lookups of several sizes. */
  private MeasuredCosts measured(int leastGroup, Timed single, Timed group, VirtualNodes nodes) {
    List<Timed> sorted = new ArrayList<>();
    List<Timed> buffered = new ArrayList<>();
    List<Timed> small = new ArrayList<>(List.of(group));
    List<Timed> large = new ArrayList<>();
    for (int log : MeasuredCosts.LOGS) {
      int count = 1 << log;
      sorted.add(new Timed(ProbeMethod.SORTED, nodes, count));
      buffered.add(new Timed(ProbeMethod.BUFFERED, nodes, count));
      List<Timed> ofThatSize = count < LARGE_SAMPLE ? small : large;
      ofThatSize.add(sorted.getLast());
      ofThatSize.add(buffered.getLast());
    }
    runRounds(small, BUDGET_NANOS);
    for (Timed one : large) {
      for (int round = 0; round < LARGE_ROUNDS; round++) {
        one.run();
      }
    }
    return new MeasuredCosts(leastGroup, single.nanos, group.nanos, nanos(sorted), nanos(buffered));
  }

  private static List<Double> nanos(List<Timed> all) {
    return all.stream().map(timed -> timed.nanos).toList();
  }

  private Timed timed(ProbeMethod method, int count) {
    return new Timed(method, computed.nodes(), count);
  }

  private Candidate candidate(VirtualNodes nodes) {
    return new Candidate(nodes, new Timed(ProbeMethod.BUFFERED, nodes, SAMPLE));
  }

  private static Candidate fastest(List<Candidate> candidates) {
    return Collections.min(candidates, Comparator.comparingDouble(Candidate::nanos));
  }

  private static void runRounds(List<Timed> all, double budgetNanos) {
    double spent = 0;
    int quiet = 0;
    while (quiet < QUIET_ROUNDS && spent < budgetNanos) {
      quiet++;
      for (Timed one : all) {
        double before = one.nanos;
        spent += one.run();
        if (one.nanos < FASTER * before) {
          quiet = 0;
        }
      }
    }
  }

  /**
   * Returns the virtual nodes of the analysis, and all variants of them with one virtual node
   * divided, in all ways (figure 5 of the paper) unless it is very high.
   */
  static Set<VirtualNodes> candidates(VirtualNodes analysed) {
    Set<VirtualNodes> candidates = new LinkedHashSet<>();
    candidates.add(analysed);
    for (int i = 0; i < analysed.heights().size(); i++) {
      for (List<Integer> parts : divisions(analysed.heights().get(i))) {
        candidates.add(divided(analysed, i, parts));
      }
    }
    return candidates;
  }

  /** Returns the ways in which virtual nodes of a height can be divided, whole ones first. */
  private static List<List<Integer>> divisions(int height) {
    List<List<Integer>> divisions = new ArrayList<>();
    divisions.add(List.of(height));
    for (int upper = 1; upper < height; upper++) {
      List<List<Integer>> lower =
          height <= HIGHEST_IN_ALL_WAYS
              ? divisions(height - upper)
              : List.of(List.of(height - upper));
      for (List<Integer> below : lower) {
        List<Integer> parts = new ArrayList<>(List.of(upper));
        parts.addAll(below);
        divisions.add(parts);
      }
    }
    return divisions;
  }

  private static VirtualNodes divided(VirtualNodes analysed, int i, List<Integer> parts) {
    List<Integer> whole = analysed.heights();
    List<Integer> heights = new ArrayList<>(whole.subList(0, i));
    heights.addAll(parts);
    heights.addAll(whole.subList(i + 1, whole.size()));
    return new VirtualNodes(heights);
  }

  /** Returns the fastest divisions of all virtual nodes together, if that is a new choice. */
  private static Optional<VirtualNodes> combined(
      VirtualNodes analysed, List<Candidate> candidates) {
    Map<VirtualNodes, Double> nanos = new HashMap<>();
    candidates.forEach(candidate -> nanos.put(candidate.nodes, candidate.nanos()));
    VirtualNodes combined = combined(analysed, nodes -> nanos.getOrDefault(nodes, INFINITE));
    return nanos.containsKey(combined) ? Optional.empty() : Optional.of(combined);
  }

  /**
   * Returns, for all virtual nodes together, the division of each that is fastest with the others
   * undivided. A division is taken only if it is not faster by chance alone.
   */
  static VirtualNodes combined(VirtualNodes analysed, ToDoubleFunction<VirtualNodes> nanos) {
    double undivided = nanos.applyAsDouble(analysed);
    List<Integer> heights = new ArrayList<>();
    for (int i = 0; i < analysed.heights().size(); i++) {
      int virtualNode = i;
      List<List<Integer>> divisions = divisions(analysed.heights().get(i));
      List<Integer> best =
          Collections.min(
              divisions,
              Comparator.comparingDouble(
                  parts -> nanos.applyAsDouble(divided(analysed, virtualNode, parts))));
      boolean isFaster = nanos.applyAsDouble(divided(analysed, i, best)) < FASTER * undivided;
      heights.addAll(isFaster ? best : divisions.getFirst());
    }
    return new VirtualNodes(heights);
  }
}
