// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.model.MemoryTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Several measurements of the same memory. On a busy machine they differ, and none is right. */
record AgreedTimes(List<MemoryTimes> times) {
  /** Enough for one that was disturbed to show. */
  static final int MEASUREMENTS = 5;

  /**
   * The largest may be so many times the smallest. On an idle machine they differ by a tenth
   * (docs/measurements/node-widths.md), and twice that hardly changes a width.
   */
  private static final double AGREEMENT = 1.25;

  /** Measures. */
  static AgreedTimes measure(Supplier<MemoryTimes> measurement) {
    List<MemoryTimes> times = new ArrayList<>();
    for (int i = 0; i < MEASUREMENTS; i++) {
      times.add(measurement.get());
    }
    return new AgreedTimes(times);
  }

  /** Returns the median of each figure. */
  MemoryTimes median() {
    return new MemoryTimes(
        sorted(MemoryTimes::t1)[times.size() / 2], sorted(MemoryTimes::tnext)[times.size() / 2]);
  }

  /** Tells whether all measurements are near each other. */
  boolean agree() {
    return agree(sorted(MemoryTimes::t1)) && agree(sorted(MemoryTimes::tnext));
  }

  private static boolean agree(double[] sorted) {
    return sorted[sorted.length - 1] <= AGREEMENT * sorted[0];
  }

  /** Returns between which figures the measurements lie. */
  String disagreement() {
    return "%d measurements differ: T1 from %s ns, Tnext from %s ns"
        .formatted(times.size(), range(sorted(MemoryTimes::t1)), range(sorted(MemoryTimes::tnext)));
  }

  private static String range(double[] sorted) {
    return String.format(Locale.ROOT, "%.1f to %.1f", sorted[0], sorted[sorted.length - 1]);
  }

  private double[] sorted(ToDoubleFunction<MemoryTimes> figure) {
    double[] figures = times.stream().mapToDouble(figure).toArray();
    Arrays.sort(figures);
    return figures;
  }
}
