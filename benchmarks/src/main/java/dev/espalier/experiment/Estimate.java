// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.time.Duration;
import java.util.List;

/**
 * How far a run of several experiments has come, by the durations that are known of them; one whose
 * duration is not known counts as the mean of the others.
 */
final class Estimate {
  private static final double UNKNOWN = 1;

  private final double[] seconds;
  private final double all;
  private final boolean isKnown;

  Estimate(List<String> names, boolean quick) {
    this(secondsOf(names, quick));
  }

  /** Makes an estimate from the seconds of each experiment, 0 where they are not known. */
  Estimate(double[] measured) {
    double sum = 0;
    int known = 0;
    for (double one : measured) {
      sum += one;
      known += one > 0 ? 1 : 0;
    }
    isKnown = known > 0;
    double mean = isKnown ? sum / known : UNKNOWN;
    seconds = measured.clone();
    double total = 0;
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] = seconds[i] > 0 ? seconds[i] : mean;
      total += seconds[i];
    }
    all = total;
  }

  private static double[] secondsOf(List<String> names, boolean quick) {
    Durations durations = new Durations();
    return names.stream().mapToDouble(name -> durations.seconds(name, quick)).toArray();
  }

  /** Returns which part of everything is done, from 0 to 1. */
  double done(int experiment, double fraction) {
    return before(experiment, fraction) / all;
  }

  /** Returns how long the rest takes, in words to be put behind others, or nothing. */
  String left(int experiment, double fraction) {
    if (!isKnown) {
      return "";
    }
    long left = Math.round(1000 * (all - before(experiment, fraction)));
    return ", about " + Durations.text(Duration.ofMillis(left)) + " left";
  }

  private double before(int experiment, double fraction) {
    double before = seconds[experiment] * fraction;
    for (int i = 0; i < experiment; i++) {
      before += seconds[i];
    }
    return before;
  }
}
