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

/**
 * Threads that read and write trees for one thread, behind one lock and in parts with a lock each.
 */
final class ThreadsPartitioned implements Experiment {
  @Override
  public Description description() {
    return new Description(
        "threads-partitioned",
        "A lock for each part",
        "this library's aims",
        "Writers of an index behind one lock take turns. Those of different parts have different"
            + " locks, and go on at once; an entry is looked for in an array of bounds first.",
        "Half lookups, a quarter insertions and a quarter removals of random keys, by 1 to 64"
            + " threads, in a PartitionedIndex of 16 PbPlusTrees and in one behind"
            + " withReadWriteLock().",
        new Chart(Chart.Kind.LINES, "map", "threads", "rate"));
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    int entries = run.effort().entries();
    Operations operations = new Operations(run.effort().probes(), entries, true);
    Outcome outcome = ThreadRates.outcome(entries, operations.count());
    try (Contender parts = new PartitionedContender(entries);
        Contender locked = new OptimisticLockContender(entries)) {
      List<ThreadRates.Line> lines =
          List.of(
              new ThreadRates.Line(parts.label(), parts, operations),
              new ThreadRates.Line(locked.label(), locked, operations));
      addChecks(outcome, ThreadRates.measure(run, lines, outcome));
    }
    return outcome;
  }

  /** Checks the rates, in operations per second. */
  static void addChecks(Outcome outcome, Map<ThreadRates.Setting, Double> rates) {
    double one = ThreadRates.rate(rates, PartitionedContender.LABEL, 1);
    double two = ThreadRates.rate(rates, PartitionedContender.LABEL, 2);
    double many = ThreadRates.rate(rates, PartitionedContender.LABEL, ThreadRates.MOST_THREADS);
    double locked = ThreadRates.rate(rates, OptimisticLockContender.LABEL, 2);
    outcome.check(Check.timing("two threads over one", two / one, Target.atLeast(1.7)));
    outcome.check(Check.timing("two threads over one lock", two / locked, Target.atLeast(1.5)));
    outcome.check(
        Check.timing(
            ThreadRates.MOST_THREADS + " threads over two", many / two, Target.atLeast(0.9)));
  }
}
