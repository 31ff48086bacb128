// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.batch.ProbeMethod;
import dev.espalier.io.PoolCounters;
import dev.espalier.join.JoinOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures joins with every kind of inner side, all in the same way: the median of some builds,
 * then, for each method, a pass to warm up and the median of some passes.
 *
 * <p>Before anything is measured, every kind in memory joins a sample many times. The JIT compiler
 * then knows all of them, and none has the advantage of being first.
 *
 * @param <T> the input of its joins
 */
final class JoinExperiment<T extends JoinInput<T>> {
  private static final int SAMPLE_OUTER_ROWS = 300_000;

  private static final int SAMPLE_INNER_ROWS = 100_000;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Collections in a row that free nothing more. The serial collector frees all in every fourth.
   */
  private static final int STABLE_COLLECTIONS = 4;

  /** What cleaners get to run after a collection. */
  private static final long CLEANING_NANOS = 2_000_000;

  private final List<InnerSide.Kind<T>> kinds;
  private final JoinOptions options;
  private final int passes;
  private final int mostWarmUpRows;
  private final ProgressBar progress;
  private int stepsDone;
  private int steps;

  /**
   * Makes an experiment.
   *
   * @param options of every join but for the method
   * @param passes how many builds and passes a median is taken of
   * @param mostWarmUpRows joins fewer rows of the sample than a kind asks for, for a look at the
   *     program
   */
  JoinExperiment(
      List<InnerSide.Kind<T>> kinds,
      JoinOptions options,
      int passes,
      int mostWarmUpRows,
      ProgressBar progress) {
    this.kinds = kinds;
    this.options = options;
    this.passes = passes;
    this.mostWarmUpRows = mostWarmUpRows;
    this.progress = progress;
  }

  List<JoinResult> run(List<T> joins) {
    stepsDone = 0;
    steps = 0;
    for (InnerSide.Kind<T> kind : kinds) {
      steps += joins.size() * (2 + kind.methods().size());
    }
    for (T join : joins) {
      for (InnerSide.Kind<T> kind : kinds) {
        step("warming up " + kind.name());
        warmUp(kind, join.head(SAMPLE_OUTER_ROWS, SAMPLE_INNER_ROWS));
      }
    }
    List<JoinResult> results = new ArrayList<>();
    for (T join : joins) {
      JoinDigest expected = join.hashJoin();
      for (InnerSide.Kind<T> kind : kinds) {
        results.addAll(measure(kind, join, expected));
      }
    }
    return results;
  }

  private void warmUp(InnerSide.Kind<T> kind, T sample) {
    int most = Math.min(kind.warmUpRows(), mostWarmUpRows);
    if (most == 0) {
      return;
    }
    try (InnerSide<T> inner = kind.builder().build(sample)) {
      for (ProbeMethod method : kind.methods()) {
        for (int rows = 0; rows < most; rows += sample.outerCount()) {
          inner.join(sample, options.withMethod(method));
        }
      }
    }
  }

  private List<JoinResult> measure(InnerSide.Kind<T> kind, T join, JoinDigest expected) {
    step(join.name() + ": building " + kind.name());
    double[] seconds = new double[passes];
    for (int pass = 0; pass < passes - 1; pass++) {
      heapBefore(kind); // Collects garbage, as before the last build.
      long start = System.nanoTime();
      InnerSide<T> inner = kind.builder().build(join);
      seconds[pass] = secondsSince(start);
      inner.close();
    }
    long heapBefore = heapBefore(kind);
    long start = System.nanoTime();
    try (InnerSide<T> inner = kind.builder().build(join)) {
      seconds[passes - 1] = secondsSince(start);
      long bytes = inner.bytes(kind.isOnHeap() ? usedHeap() - heapBefore : 0);

      List<JoinResult> results = new ArrayList<>();
      for (ProbeMethod method : kind.methods()) {
        step(join.name() + ": probing " + kind.name());
        results.add(measure(kind, join, expected, inner, method, median(seconds), bytes));
      }
      return results;
    }
  }

  private JoinResult measure(
      InnerSide.Kind<T> kind,
      T join,
      JoinDigest expected,
      InnerSide<T> inner,
      ProbeMethod method,
      double buildSeconds,
      long bytes) {
    JoinDigest digest = inner.join(join, options.withMethod(method));
    boolean agrees = digest.equals(expected);
    double[] seconds = new double[passes];
    Optional<PoolCounters> before = inner.pool();
    for (int pass = 0; pass < passes; pass++) {
      long start = System.nanoTime();
      digest = inner.join(join, options.withMethod(method));
      seconds[pass] = secondsSince(start);
      agrees &= digest.equals(expected);
    }
    Optional<PoolUse> pool =
        before.flatMap(start -> inner.pool().map(end -> PoolUse.between(start, end, passes)));
    return new JoinResult(
        join.name(),
        kind.name(),
        kind.threads(),
        method,
        buildSeconds,
        (double) bytes / join.innerCount(),
        join.outerCount() / median(seconds),
        digest,
        agrees,
        pool);
  }

  private void step(String task) {
    progress.show(task, (double) stepsDone / steps);
    stepsDone++;
  }

  /**
   * Collects garbage before a build. For a map it returns the bytes of live objects, which takes
   * many collections; nobody asks for those before an index is built.
   */
  private static long heapBefore(InnerSide.Kind<?> kind) {
    if (kind.isOnHeap()) {
      return usedHeap();
    }
    System.gc();
    return 0;
  }

  /**
   * Returns the bytes of live objects: what is left after collections. The first ones let cleaners
   * run, whose own garbage the next one takes.
   */
  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int stable = 0; stable < STABLE_COLLECTIONS; stable++) {
      System.gc();
      long used = runtime.totalMemory() - runtime.freeMemory();
      if (used < least) {
        least = used;
        stable = 0;
      }
      LockSupport.parkNanos(CLEANING_NANOS);
    }
    return least;
  }

  private static double secondsSince(long start) {
    return (System.nanoTime() - start) / NANOS_PER_SECOND;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
