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
import java.util.List;
import java.util.function.Consumer;

/** The figures of the thesis that show one operation's time over node widths, by choice. */
final class TreesOverWidths implements Experiment {
  /** How such a figure is drawn. */
  static final Chart CHART = new Chart(Chart.Kind.LINES, "series", "width", "nanos");

  private final Description description;
  private final TreeOperation operation;
  private final List<TreeSetting> settings;
  private final Consumer<Outcome> checks;

  /**
   * Makes one.
   *
   * @param settings the trees, which must fit into memory together
   * @param checks looks at the rows and adds checks
   */
  TreesOverWidths(
      Description description,
      TreeOperation operation,
      List<TreeSetting> settings,
      Consumer<Outcome> checks) {
    this.description = description;
    this.operation = operation;
    this.settings = settings;
    this.checks = checks;
  }

  /** Returns the times of a series, in the order of widths. */
  static double[] nanos(Outcome outcome, String series) {
    return outcome.table().where("series", series).numbers("nanos");
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
            Column.text("series", "choice"),
            Column.integer("width", "node width", "lines"),
            Column.real("nanos", "time", "ns per " + operation.unit()));
    outcome.effort(effort).parameter("construction", settings.getFirst().construction().label());
    TreeTimes times = TreeTimes.measure(settings, operation, effort, run.progress());
    for (Time<TreeSetting> time : times.all()) {
      outcome.row(time.setting().series(), time.setting().width(), time.nanos());
    }
    outcome.check(Check.deterministic("wrong answers", times.wrong(), Target.exactly(0)));
    checks.accept(outcome);
    return outcome;
  }
}
