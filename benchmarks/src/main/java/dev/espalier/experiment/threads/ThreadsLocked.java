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

/** Threads that look up keys of a tree for one thread, behind locks. */
final class ThreadsLocked implements Experiment {
  @Override
  public Description description() {
    return new Description(
        "threads-locked",
        "Lookups behind locks",
        "this library's aims",
        "A lock that readers share is one word that all of them write to; readers that look at a"
            + " count before and after their lookup write nothing.",
        "Lookups of random keys that are there, by 1 to 64 threads, in a PbPlusTree behind"
            + " withReadWriteLock() and behind a ReentrantReadWriteLock; nobody writes.",
        new Chart(Chart.Kind.LINES, "map", "threads", "rate"));
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    int entries = run.effort().entries();
    Operations operations = new Operations(run.effort().probes(), entries, false);
    Outcome outcome = ThreadRates.outcome(entries, operations.count());
    try (Contender optimistic = new OptimisticLockContender(entries);
        Contender shared = new ReadLockContender(entries)) {
      List<ThreadRates.Line> lines =
          List.of(
              new ThreadRates.Line(optimistic.label(), optimistic, operations),
              new ThreadRates.Line(shared.label(), shared, operations));
      addChecks(outcome, ThreadRates.measure(run, lines, outcome));
    }
    return outcome;
  }

  /** Checks the rates, in operations per second. */
  static void addChecks(Outcome outcome, Map<ThreadRates.Setting, Double> rates) {
    outcome.check(
        Check.timing(
            "two readers over one",
            ThreadRates.rate(rates, OptimisticLockContender.LABEL, 2)
                / ThreadRates.rate(rates, OptimisticLockContender.LABEL, 1),
            Target.atLeast(1.9)));
  }
}
