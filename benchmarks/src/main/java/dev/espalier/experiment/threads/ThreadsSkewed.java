// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import java.util.List;
import java.util.Map;

/** Threads that read and write few keys of one index far more often than others. */
final class ThreadsSkewed implements Experiment {
  private static final String UNIFORM = ", uniform";
  private static final String ZIPF = ", Zipf 0.99";

  @Override
  public Description description() {
    return new Description(
        "threads-skewed",
        "Frequent keys under many threads",
        "this library's aims",
        "Where many threads change few leaves, writers meet and readers look twice; but these"
            + " leaves are in the caches.",
        "Half lookups, a quarter insertions and a quarter removals, by 1 to 64 threads, of keys"
            + " drawn uniformly and by Zipf's law with exponent 0.99, in ConcurrentPbPlusTree and"
            + " in ConcurrentSkipListMap.",
        new Chart(Chart.Kind.LINES, "map", "threads", "rate"));
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    int entries = run.effort().entries();
    Operations uniform = new Operations(run.effort().probes(), entries, true);
    Operations skewed = Operations.skewed(run.effort().probes(), entries);
    Outcome outcome = ThreadRates.outcome(entries, uniform.count());
    try (Contender tree = new ConcurrentTreeContender(entries);
        Contender list = new SkipListContender(entries)) {
      List<ThreadRates.Line> lines =
          List.of(
              new ThreadRates.Line(tree.label() + UNIFORM, tree, uniform),
              new ThreadRates.Line(tree.label() + ZIPF, tree, skewed),
              new ThreadRates.Line(list.label() + UNIFORM, list, uniform),
              new ThreadRates.Line(list.label() + ZIPF, list, skewed));
      addChecks(outcome, ThreadRates.measure(run, lines, outcome));
    }
    return outcome;
  }

  /** Checks the rates, in operations per second. */
  static void addChecks(Outcome outcome, Map<ThreadRates.Setting, Double> rates) {
    for (int threads : new int[] {2, ThreadRates.MOST_THREADS}) {
      outcome.check(
          Check.timing(
              threads + " threads, Zipf over uniform",
              ThreadRates.rate(rates, ConcurrentTreeContender.LABEL + ZIPF, threads)
                  / ThreadRates.rate(rates, ConcurrentTreeContender.LABEL + UNIFORM, threads),
              Target.atLeast(0.8)));
    }
  }
}
