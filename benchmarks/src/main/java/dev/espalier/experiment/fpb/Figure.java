// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Outcome;
import dev.espalier.model.MemoryTimes;
import java.util.List;
import java.util.function.Function;

/**
 * A figure of fpB+ 4.2: the time of one operation on trees that differ in one thing or two. It is
 * run on a simulated machine ({@link SimulatedFigure}) and on this one ({@link MeasuredFigure}).
 *
 * @param number of the figure, with the letter of its part
 * @param title a few words
 * @param paper what it shows in the paper
 * @param here what differs here, beside what differs in all figures
 * @param operation what is measured
 * @param chart how times are drawn
 * @param series what a tree is called in the chart
 * @param settings the trees
 * @param checks what is held against the paper
 */
record Figure(
    String number,
    String title,
    String paper,
    String here,
    Operation operation,
    Chart chart,
    Function<PagedSetting, String> series,
    Settings settings,
    Checks checks) {
  /** Page sizes that the paper measures. */
  static final List<Integer> PAGES = List.of(4 << 10, 8 << 10, 16 << 10, 32 << 10);

  /** The page size of most figures. */
  static final int PAGE = 16 << 10;

  static final String ENTRIES = "entries";
  static final String PAGE_KIB = "page";
  static final String FULL = "full";
  private static final String SERIES = "series";
  private static final String TIME = "time";

  /** Makes the list of trees. */
  interface Settings {
    /**
     * Returns them, trees that are compared with one another side by side.
     *
     * @param entries entries of the largest tree
     * @param times of the memory that widths are chosen for
     */
    List<PagedSetting> of(int entries, MemoryTimes times);
  }

  /** Holds times against the paper. */
  interface Checks {
    void add(FigureTimes times, Outcome outcome);
  }

  /**
   * Returns the entries of the trees that are as large as most of the paper's, 3 million in full.
   */
  static int most(int entries) {
    return Math.max((int) (entries * 3L / 10), 1);
  }

  /** Draws times as lines over a column. */
  static Chart lines(String x) {
    return new Chart(Chart.Kind.LINES, SERIES, x, TIME);
  }

  /** Draws times as bars, a group for each text of a column. */
  static Chart bars(String x) {
    return new Chart(Chart.Kind.BARS, SERIES, x, TIME);
  }

  /** Describes one of the two experiments. */
  Description description(String suffix, String where) {
    return new Description(
        "fpb-fig" + number + suffix,
        title,
        "fpB+, figure " + number,
        paper,
        where + (here.isEmpty() ? "" : " " + here),
        chart);
  }

  /** Makes an outcome with a row for each tree, and the checks. */
  Outcome outcome(FigureTimes times, String unit) {
    Outcome outcome =
        new Outcome(
            Column.text(SERIES, "tree"),
            Column.text("widths", "widths within pages"),
            Column.integer(PAGE_KIB, "page size", "KB"),
            Column.integer(ENTRIES, "entries", ""),
            Column.integer(FULL, "bulkloaded", "% full"),
            Column.real(TIME, "time", unit + " per " + operation.unit()),
            Column.real("speed-up", "speed-up over " + PagedTree.DISK_OPTIMIZED, "times"));
    for (PagedSetting setting : times.settings()) {
      outcome.row(
          series.apply(setting),
          setting.tree().widths(),
          setting.pageKib(),
          setting.entries(),
          setting.percentFull(),
          times.of(setting),
          times.speedUp(setting));
    }
    checks.add(times, outcome);
    return outcome;
  }
}
