// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.PrintedTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** What was measured, round by round. */
final class Figures {
  private final Map<Series, List<Double>> rounds = new LinkedHashMap<>();

  /** The rounds of one measure of one role. */
  record Series(String role, Measure measure) {}

  /** Adds a round. Rounds of what is compared must be added in the same order. */
  void add(String role, Measure measure, double figure) {
    rounds.computeIfAbsent(new Series(role, measure), series -> new ArrayList<>()).add(figure);
  }

  /** Returns everything that was measured, in the order of first rounds. */
  Map<Series, List<Double>> all() {
    return rounds;
  }

  /** Returns the median, or nothing if there was no round. */
  OptionalDouble median(String role, Measure measure) {
    return median(of(role, measure));
  }

  /**
   * Returns the median of the ratios of rounds that were measured one right after the other, so
   * that a slow minute of the machine falls on both; nothing if either has no round.
   */
  OptionalDouble ratio(String upper, Measure upperMeasure, String lower, Measure lowerMeasure) {
    List<Double> dividends = of(upper, upperMeasure);
    List<Double> divisors = of(lower, lowerMeasure);
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(dividends.size(), divisors.size()); i++) {
      ratios.add(dividends.get(i) / divisors.get(i));
    }
    return median(ratios);
  }

  private List<Double> of(String role, Measure measure) {
    return rounds.getOrDefault(new Series(role, measure), List.of());
  }

  static OptionalDouble median(List<Double> figures) {
    if (figures.isEmpty()) {
      return OptionalDouble.empty();
    }
    double[] sorted = figures.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return OptionalDouble.of(
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
  }

  /** Returns every figure: the median of its rounds, and the least and greatest. */
  PrintedTable medians() {
    PrintedTable table =
        PrintedTable.inMarkdown(
            "| %s | %s | %.1f | %.1f | %.1f | %s | %d |",
            "structure", "measure", "median", "least", "greatest", "unit", "rounds");
    for (Map.Entry<Series, List<Double>> series : rounds.entrySet()) {
      List<Double> measured = series.getValue();
      table.add(
          series.getKey().role(),
          series.getKey().measure().toString(),
          median(measured).orElseThrow(),
          Collections.min(measured),
          Collections.max(measured),
          series.getKey().measure().unit(),
          measured.size());
    }
    return table;
  }
}
