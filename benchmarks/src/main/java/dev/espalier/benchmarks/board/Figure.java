// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * What was measured in one round, or the medians of several.
 *
 * @param rate thousands of operations a second
 * @param p50 microseconds within which half of the operations were done
 * @param p99 microseconds within which 99% were done
 * @param p99_9 microseconds within which 99.9% were done
 */
record Figure(double rate, double p50, double p99, double p99_9) {
  private static final double THOUSAND = 1e3;
  private static final double MILLION = 1e6;
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final double P99_9 = 99.9;

  /** Returns the figure of some latencies in nanoseconds. */
  static Figure of(Histogram latencies, long nanos) {
    return new Figure(
        latencies.getTotalCount() * MILLION / nanos,
        latencies.getValueAtPercentile(P50) / THOUSAND,
        latencies.getValueAtPercentile(P99) / THOUSAND,
        latencies.getValueAtPercentile(P99_9) / THOUSAND);
  }

  /** Returns the medians; of an even number of rounds the lower ones. */
  static Figure median(List<Figure> rounds) {
    return new Figure(
        median(rounds, Figure::rate),
        median(rounds, Figure::p50),
        median(rounds, Figure::p99),
        median(rounds, Figure::p99_9));
  }

  private static double median(List<Figure> rounds, ToDoubleFunction<Figure> of) {
    double[] sorted = rounds.stream().mapToDouble(of).sorted().toArray();
    return sorted[(sorted.length - 1) / 2];
  }

  /** Returns the line that a worker says. */
  String line() {
    return String.format(Locale.ROOT, "%.3f %.3f %.3f %.3f", rate, p50, p99, p99_9);
  }

  /** Returns what a worker said. */
  static Figure parse(String line) {
    double[] numbers = new double[4];
    String[] words = line.split(" ", -1);
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = Double.parseDouble(words[i]);
    }
    return new Figure(numbers[0], numbers[1], numbers[2], numbers[3]);
  }
}
