// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.cli.CommandFailure;
import dev.espalier.cli.Json;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Pages in Markdown of results: for each experiment what it is, its checks, its chart and its rows,
 * with the JSON that they were made from beside them; and a page that lists all.
 */
final class MeasurementPages {
  static final String CONTENTS = "README.md";

  /** A chart that is larger is left out; its rows are there. */
  private static final int MOST_CHART_BYTES = 60_000;

  /** More rows than these are folded away. */
  private static final int MOST_OPEN_ROWS = 40;

  private static final MathContext DIGITS = new MathContext(4);

  private static final String QUICK =
      "**A quick run**: small trees and few rounds. Its figures show that it works, and no more.";

  private final Path folder;

  /** Writes to a folder, which is made if it is not there. */
  MeasurementPages(Path folder) {
    this.folder = folder;
  }

  /**
   * Writes the pages of results, and the list of them.
   *
   * @param results all that the folder is to have, in the order of the list
   * @throws CommandFailure if a file can't be written
   */
  void write(List<Result> results) {
    try {
      Files.createDirectories(folder);
      for (Result result : results) {
        writeResult(published(result));
      }
      Files.writeString(folder.resolve(CONTENTS), contents(results));
    } catch (IOException e) {
      throw new CommandFailure("can't write to " + folder + ": " + e, e);
    }
  }

  private void writeResult(Result result) throws IOException {
    String name = result.description().name();
    Json.writeTo(folder.resolve(name + ".json"), result.toJson());
    byte[] chart = new Drawing(result).svg();
    boolean hasChart = chart.length <= MOST_CHART_BYTES;
    if (hasChart) {
      Files.write(folder.resolve(name + ".svg"), chart);
    }
    Files.write(
        folder.resolve(name + ".md"), page(result, hasChart).getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a result without what is nobody's business: folders of the machine it ran on. */
  private static Result published(Result result) {
    Outcome outcome = new Outcome(result.outcome().table().columns().toArray(Column[]::new));
    result
        .outcome()
        .parameters()
        .forEach(
            (name, value) -> {
              if (!name.equals("folder")) {
                outcome.parameter(name, value);
              }
            });
    result.outcome().table().rows().forEach(row -> outcome.row(row.toArray()));
    result.outcome().checks().forEach(outcome::check);
    return new Result(
        result.description(), result.circumstances().published(), outcome, result.duration());
  }

  // ---------------------------------------------------------------- a page

  /** Returns the page of a result. */
  static String page(Result result, boolean hasChart) {
    Description description = result.description();
    StringBuilder page = new StringBuilder();
    page.append(
        "<!-- Written by ./espalier experiment --pages from %s.json; not to be changed by hand. -->\n"
            .formatted(description.name()));
    page.append("# ").append(escaped(description.title())).append("\n\n");
    page.append(
        "`./espalier experiment %s`: %s.".formatted(description.name(), description.source()));
    page.append(result.circumstances().quick() ? " " + QUICK : "").append("\n\n");
    page.append("**The paper.** ").append(escaped(description.paper())).append("\n\n");
    page.append("**Here.** ").append(escaped(description.here())).append("\n\n");
    if (hasChart) {
      page.append("![%s](%s.svg)\n\n".formatted(escaped(description.title()), description.name()));
    }
    checks(result.outcome().checks(), page);
    rows(result.outcome().table(), page);
    page.append("## The run\n\n| | |\n|---|---|\n");
    result.circumstances().machine().forEach((name, value) -> pair(name, value, page));
    pair("took", Durations.text(result.duration()), page);
    result.outcome().parameters().forEach((name, value) -> pair(name, text(value), page));
    return page.toString();
  }

  private static void checks(List<Check> checks, StringBuilder page) {
    page.append("## Checks\n\n| check | kind | value | target | |\n|---|---|---:|---|---|\n");
    for (Check check : checks) {
      page.append(
          "| %s | %s | %s | %s | %s |\n"
              .formatted(
                  escaped(check.name()),
                  check.kind().name().toLowerCase(Locale.ROOT),
                  text(check.value()),
                  check.target(),
                  check.passes() ? "passed" : "**missed**"));
    }
    page.append("\n");
  }

  private static void rows(Table table, StringBuilder page) {
    page.append("## Rows\n\n");
    boolean isFolded = table.rows().size() > MOST_OPEN_ROWS;
    if (isFolded) {
      page.append("<details><summary>%d rows</summary>\n\n".formatted(table.rows().size()));
    }
    StringBuilder rule = new StringBuilder("|");
    page.append("|");
    for (Column column : table.columns()) {
      page.append(" ").append(escaped(column.caption())).append(" |");
      rule.append(column.type() == String.class ? "---|" : "---:|");
    }
    page.append("\n").append(rule).append("\n");
    for (List<Object> row : table.rows()) {
      page.append("|");
      row.forEach(value -> page.append(" ").append(text(value)).append(" |"));
      page.append("\n");
    }
    page.append(isFolded ? "\n</details>\n\n" : "\n");
  }

  private static void pair(String name, String value, StringBuilder page) {
    page.append("| %s | %s |\n".formatted(escaped(name), escaped(value)));
  }

  /** Returns a value with at most four digits that count; the JSON has all of them. */
  private static String text(Object value) {
    if (!(value instanceof Double number)) {
      return value instanceof Long whole
          ? String.format(Locale.ROOT, "%,d", whole)
          : escaped(value.toString());
    }
    BigDecimal rounded = new BigDecimal(number).round(DIGITS);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  private static String escaped(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*");
  }

  // ---------------------------------------------------------------- the list

  /** Returns the page that lists results, by machine and commit. */
  static String contents(List<Result> results) {
    StringBuilder page = new StringBuilder();
    page.append("<!-- Written by ./espalier experiment --pages; not to be changed by hand. -->\n");
    page.append("# Experiments, as they ran\n\n");
    page.append(
        """
        Each page has the checks, the chart and the rows of one experiment, and what it ran on; \
        the `.json` beside it has all digits. What the figures mean is told by the [pages written \
        by hand](../../README.md#measurements). Experiments that are not listed have not been run \
        for publication.

        """);
    page.append(
        """
        | experiment | | passed | missed | effort | took | commit |
        |---|---|---:|---|---|---:|---|
        """);
    Duration all = Duration.ZERO;
    for (Result result : results) {
      all = all.plus(result.duration());
      Description description = result.description();
      Totals totals = Totals.of(List.of(result));
      Circumstances circumstances = result.circumstances();
      page.append(
          "| [%s](%s.md) | %s | %d | %s | %s | %s | %s |\n"
              .formatted(
                  description.name(),
                  description.name(),
                  escaped(description.title()),
                  totals.passed(),
                  totals.missed() == 0 ? "" : "**" + totals.misses() + "**",
                  circumstances.quick() ? "**quick**" : "full",
                  Durations.text(result.duration()),
                  circumstances.shortCommit()));
    }
    page.append("\nTogether they took %s.\n".formatted(Durations.text(all)));
    return page.toString();
  }
}
