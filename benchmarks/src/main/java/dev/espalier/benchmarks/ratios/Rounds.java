// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/** Pieces of work that are timed in turn, round by round, so that noise falls on all alike. */
final class Rounds {
  /** The first compiles, the second runs what was compiled. */
  private static final int WARM_UP = 2;

  /**
   * A piece of work.
   *
   * @param operations in one call of the body
   * @param setUp done before, without a clock
   */
  private record Work(int operations, Runnable setUp, Runnable body) {}

  private final Map<String, Work> works = new LinkedHashMap<>();
  private final Map<String, double[]> nanos = new LinkedHashMap<>();

  /** Adds a piece of work that needs nothing before it is done. */
  void add(String name, int operations, Runnable body) {
    add(name, operations, () -> {}, body);
  }

  /** Adds a piece of work. */
  void add(String name, int operations, Runnable setUp, Runnable body) {
    works.put(name, new Work(operations, setUp, body));
  }

  /** Times all pieces of work. */
  void run(int rounds) {
    works.keySet().forEach(name -> nanos.put(name, new double[rounds]));
    for (int round = -WARM_UP; round < rounds; round++) {
      for (Map.Entry<String, Work> entry : works.entrySet()) {
        Work work = entry.getValue();
        work.setUp.run();
        long start = System.nanoTime();
        work.body.run();
        double time = (double) (System.nanoTime() - start) / work.operations;
        if (round >= 0) {
          Objects.requireNonNull(nanos.get(entry.getKey()))[round] = time;
        }
      }
    }
  }

  /** Returns the median of the ratios of rounds, nothing if there was none. */
  OptionalDouble ratio(String dividend, String divisor) {
    if (!nanos.containsKey(dividend) || !nanos.containsKey(divisor)) {
      return OptionalDouble.empty();
    }
    double[] upper = Objects.requireNonNull(nanos.get(dividend));
    double[] lower = Objects.requireNonNull(nanos.get(divisor));
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < upper.length; round++) {
      ratios.add(upper[round] / lower[round]);
    }
    return ratios.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(median(ratios.stream().mapToDouble(ratio -> ratio).toArray()));
  }

  /** Returns nanoseconds per operation, medians of the rounds. */
  Map<String, Double> medians() {
    Map<String, Double> medians = new LinkedHashMap<>();
    nanos.forEach((name, rounds) -> medians.put(name, median(rounds)));
    return medians;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
