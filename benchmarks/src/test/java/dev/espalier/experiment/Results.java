// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.time.Duration;
import java.time.LocalDate;
import java.util.Map;

/** Results for tests, of experiments that nobody ran. */
final class Results {
  private Results() {}

  /** Returns a result of two series, lines over linear axes. */
  static Result lines() {
    return of(new Chart(Chart.Kind.LINES, "tree", "width", "nanos"));
  }

  /** Returns a result of two series, drawn in a certain way. */
  static Result of(Chart chart) {
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.integer("width", "node width", "lines"),
            Column.real("nanos", "time", "ns"));
    outcome.parameter("entries", 1000).parameter("order", "\"any\" <order>");
    outcome.row("PbPlusTree", 1, 10.5);
    outcome.row("a \"quoted\", <tree>", 1, 20.25);
    outcome.row("PbPlusTree", 8, 100.0);
    outcome.check(Check.deterministic("height", 3, Target.exactly(3)));
    outcome.check(Check.timing("gain", 0.5, Target.atLeast(1.1)));
    Description description =
        new Description(
            "paper-fig1", "Title & more", "paper, figure 1", "It shows.", "We run.", chart);
    return new Result(description, circumstances(), outcome, Duration.ofSeconds(3));
  }

  /** Returns those of a quick run on a machine that there is not. */
  static Circumstances circumstances() {
    return new Circumstances(
        Map.of("CPU", "a processor"), "a processor", "0123456789abcdef", LocalDate.EPOCH, true);
  }
}
