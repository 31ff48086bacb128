// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Outcome;
import java.util.List;

/**
 * A figure of the paper's section 6 that compares probes: run on this machine ({@link
 * MeasuredFigure}), and its cache misses on a simulated one ({@link SimulatedFigure}).
 *
 * @param number of the figure
 * @param title a few words
 * @param paper what it shows in the paper
 * @param here what differs here, beside what differs in all figures
 * @param kind of chart
 * @param series the column that tells the series apart
 * @param x the column along the horizontal axis
 * @param settings what is compared
 * @param measured holds times against the paper, in nanoseconds per probe
 * @param simulated holds misses against the paper
 */
record Figure(
    int number,
    String title,
    String paper,
    String here,
    Chart.Kind kind,
    String series,
    String x,
    List<ProbeSetting> settings,
    Checks<Double> measured,
    Checks<SimulatedCost> simulated) {
  static final String SERIES = "series";
  static final String INDEX = "index";
  static final String LABEL = "method";
  static final String ORDER = "order";
  static final String SHARE = "share";

  /** Holds what came out for each setting against the paper. */
  interface Checks<V> {
    void add(int keys, Found<ProbeSetting, V> found, Outcome outcome);
  }

  /** Describes one of the two experiments. */
  Description description(String suffix, String where, String y) {
    return new Description(
        "buf-fig" + number + suffix,
        title,
        "Buffering, figure " + number,
        paper,
        here.isEmpty() ? where : where + " " + here,
        new Chart(kind, series, x, y));
  }

  /** Returns the settings that are simulated: what the library chooses depends on its machine. */
  List<ProbeSetting> simulatedSettings() {
    return settings.stream().filter(setting -> setting.method() != Method.CHOSEN).toList();
  }
}
