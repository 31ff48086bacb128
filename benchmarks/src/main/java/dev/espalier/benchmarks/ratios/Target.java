// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.PrintedTable;
import java.util.List;
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

  /** Returns a table of targets. */
  static PrintedTable table(List<Target> targets) {
    PrintedTable table =
        PrintedTable.inMarkdown("| %s | %s | %s | %s |", "work", "target", "measured", "reached");
    targets.forEach(target -> target.addTo(table));
    return table;
  }

  private void addTo(PrintedTable table) {
    String number = limit == Math.rint(limit) ? Long.toString((long) limit) : "" + limit;
    String target = bound.words + number + unit;
    if (value.isPresent()) {
      String format = "| %s | %s | %.2f" + unit.replace("%", "%%") + " | %s |";
      table.addAs(format, work, target, value.getAsDouble(), passes() ? "yes" : "**no**");
    } else {
      table.add(work, target, "", "not measured");
    }
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
