// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What the checks of some experiments came to.
 *
 * @param experiments how many were run
 * @param passed checks that passed
 * @param missedTimings timing checks that missed, which a busy machine may explain
 * @param failures deterministic checks that missed
 * @param duration of all experiments together
 */
record Totals(int experiments, int passed, int missedTimings, int failures, Duration duration) {

  static Totals of(List<Result> results) {
    int passed = 0;
    int failures = 0;
    int missed = 0;
    Duration duration = Duration.ZERO;
    for (Result result : results) {
      duration = duration.plus(result.duration());
      for (Check check : result.outcome().checks()) {
        passed += check.passes() ? 1 : 0;
        missed += check.passes() ? 0 : 1;
        failures += check.isFailure() ? 1 : 0;
      }
    }
    return new Totals(results.size(), passed, missed - failures, failures, duration);
  }

  /** Returns how many checks missed their targets. */
  int missed() {
    return missedTimings + failures;
  }

  /** Returns the checks that missed, by kind; nothing if there is none. */
  String misses() {
    if (missed() == 0) {
      return "";
    }
    String timings = missedTimings == 0 ? "" : missedTimings + " timing";
    String failed = failures == 0 ? "" : failures + " deterministic";
    return timings.isEmpty() || failed.isEmpty() ? timings + failed : timings + ", " + failed;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d experiment%s in %s: %d checks passed, %d timing checks missed, %d deterministic checks"
            + " missed.",
        experiments,
        experiments == 1 ? "" : "s",
        Durations.text(duration),
        passed,
        missedTimings,
        failures);
  }
}
