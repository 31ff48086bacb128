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
import java.util.stream.Stream;

/** Threads that look up, or look up and write, random keys of one index in memory. */
final class ThreadsInMemory implements Experiment {
  private static final String ONE_THREAD = "one thread, time over PbPlusTree";
  private static final String TWO_THREADS = "two threads over one";
  private static final String MANY_THREADS = ThreadRates.MOST_THREADS + " threads over two";
  private static final String AGAINST_SKIP_LIST = "two threads over ConcurrentSkipListMap";

  private final Description description;
  private final boolean writes;

  /** What is aimed at, by the name of the check. */
  private final Map<String, Target> targets;

  private ThreadsInMemory(Description description, boolean writes, Map<String, Target> targets) {
    this.description = description;
    this.writes = writes;
    this.targets = targets;
  }

  static ThreadsInMemory lookups() {
    return new ThreadsInMemory(
        new Description(
            "threads-get",
            "Lookups by many threads",
            "this library's aims",
            "Readers of a tree with optimistic lock coupling write nothing that others read, so"
                + " they scale with the cores, and more threads than cores do no harm.",
            "Lookups of random keys that are there, by 1 to 64 threads, in ConcurrentPbPlusTree and"
                + " in ConcurrentSkipListMap, and by one thread in PbPlusTree.",
            new Chart(Chart.Kind.LINES, "map", "threads", "rate")),
        false,
        Map.of(
            ONE_THREAD, Target.atMost(1.15),
            TWO_THREADS, Target.atLeast(1.9),
            MANY_THREADS, Target.atLeast(0.9)));
  }

  static ThreadsInMemory mixed() {
    return new ThreadsInMemory(
        new Description(
            "threads-mixed",
            "Reads and writes by many threads",
            "this library's aims",
            "A writer latches one leaf for as long as it changes it, so writers seldom meet, and"
                + " several cores do several times as much.",
            "Half lookups, a quarter insertions and a quarter removals of random keys, by 1 to 64"
                + " threads, in ConcurrentPbPlusTree and in ConcurrentSkipListMap, and by one"
                + " thread in PbPlusTree.",
            new Chart(Chart.Kind.LINES, "map", "threads", "rate")),
        true,
        Map.of(
            ONE_THREAD, Target.atMost(1.3),
            TWO_THREADS, Target.atLeast(1.7),
            MANY_THREADS, Target.atLeast(0.9),
            AGAINST_SKIP_LIST, Target.atLeast(6)));
  }

  @Override
  public Description description() {
    return description;
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    int entries = run.effort().entries();
    Operations operations = new Operations(run.effort().probes(), entries, writes);
    Outcome outcome = ThreadRates.outcome(entries, operations.count());
    try (Contender single = new SingleTreeContender(entries);
        Contender tree = new ConcurrentTreeContender(entries);
        Contender list = new SkipListContender(entries)) {
      List<ThreadRates.Line> lines =
          Stream.of(single, tree, list)
              .map(contender -> new ThreadRates.Line(contender.label(), contender, operations))
              .toList();
      addChecks(outcome, ThreadRates.measure(run, lines, outcome));
    }
    return outcome;
  }

  /** Checks the rates, in operations per second. */
  void addChecks(Outcome outcome, Map<ThreadRates.Setting, Double> rates) {
    double one = ThreadRates.rate(rates, ConcurrentTreeContender.LABEL, 1);
    double two = ThreadRates.rate(rates, ConcurrentTreeContender.LABEL, 2);
    double many = ThreadRates.rate(rates, ConcurrentTreeContender.LABEL, ThreadRates.MOST_THREADS);
    check(outcome, ONE_THREAD, ThreadRates.rate(rates, SingleTreeContender.LABEL, 1) / one);
    check(outcome, TWO_THREADS, two / one);
    check(outcome, MANY_THREADS, many / two);
    check(outcome, AGAINST_SKIP_LIST, two / ThreadRates.rate(rates, SkipListContender.LABEL, 2));
  }

  private void check(Outcome outcome, String name, double value) {
    Target target = targets.get(name);
    if (target != null) {
      outcome.check(Check.timing(name, value, target));
    }
  }
}
