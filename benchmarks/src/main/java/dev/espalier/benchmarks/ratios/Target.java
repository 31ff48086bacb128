// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * One line of the table of targets.
 *
 * @param work what was done, and what it is compared with
 * @param bound whether the value must be at least or at most the limit
 * @param unit after the value: {@code x}, {@code %}, or none
 * @param value what was measured; nothing if it was left out
 */
record Target(String work, Bound bound, double limit, String unit, OptionalDouble value) {

  /** Which side of its limit a value must be on. */
  enum Bound {
    AT_LEAST("at least "),
    AT_MOST("at most ");

    private final String words;

    Bound(String words) {
      this.words = words;
    }
  }

  /** Returns the first two lines of a table of targets. */
  static List<String> markdownHead() {
    return List.of("| work | target | measured | reached |", "|---|---|---|---|");
  }

  /** Returns the line of a Markdown table. */
  String toMarkdown() {
    return String.format(
        Locale.ROOT,
        "| %s | %s%s | %s | %s |",
        work,
        bound.words,
        limit == Math.rint(limit) ? Long.toString((long) limit) + unit : limit + unit,
        value.isPresent() ? String.format(Locale.ROOT, "%.2f%s", value.getAsDouble(), unit) : "",
        value.isPresent() ? passes() ? "yes" : "**no**" : "not measured");
  }

  /** Tells whether the value was measured and keeps the limit. */
  boolean passes() {
    return value.isPresent()
        && switch (bound) {
          case AT_LEAST -> value.getAsDouble() >= limit;
          case AT_MOST -> value.getAsDouble() <= limit;
        };
  }
}
