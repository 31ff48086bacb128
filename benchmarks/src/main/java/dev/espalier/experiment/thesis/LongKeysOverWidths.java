// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Target;
import dev.espalier.experiment.thesis.LongKeyTimes.Series;
import dev.espalier.experiment.thesis.LongKeyTimes.Setting;
import java.util.List;

/** Figures as those of {@link TreesOverWidths}, by the size of keys. */
final class LongKeysOverWidths implements Experiment {
  /** How such a figure is drawn. */
  static final Chart CHART = TreesOverWidths.CHART.inPanels("keys");

  /** Looks at the times with keys of one size and adds checks. */
  @FunctionalInterface
  interface Checks {
    void add(LongKeys keys, LongKeyTimes times, Outcome outcome);
  }

  private final Description description;
  private final TreeOperation operation;
  private final int fill;
  private final List<Integer> widths;
  private final List<Series> series;
  private final Checks checks;

  /**
   * Makes one.
   *
   * @param operation what all series do
   * @param fill how full nodes are, in percent
   * @param widths of nodes; those that have no room for two keys are left out
   */
  LongKeysOverWidths(
      Description description,
      TreeOperation operation,
      int fill,
      List<Integer> widths,
      List<Series> series,
      Checks checks) {
    this.description = description;
    this.operation = operation;
    this.fill = fill;
    this.widths = widths;
    this.series = series;
    this.checks = checks;
  }

  @Override
  public Description description() {
    return description;
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Effort effort = TreeTimes.forManyTrees(run.effort());
    Outcome outcome =
        new Outcome(
            Column.text("keys", "keys"),
            Column.text("series", "choice"),
            Column.integer("width", "node width", "lines"),
            Column.real("nanos", "time", "ns per " + operation.unit()));
    outcome.effort(effort).parameter("construction", fill + "%");
    int part = 0;
    int wrong = 0;
    for (int bytes : LongKeys.SIZES) {
      LongKeys keys = new LongKeys(bytes, fill);
      LongKeyTimes times =
          LongKeyTimes.measure(
              keys,
              widths,
              operation,
              series,
              effort,
              run.progress().part(part++, LongKeys.SIZES.size()));
      for (Time<Setting> time : times.all()) {
        outcome.row(keys.size(), time.setting().series(), time.setting().width(), time.nanos());
      }
      wrong += times.wrong();
      checks.add(keys, times, outcome);
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
    return outcome;
  }
}
