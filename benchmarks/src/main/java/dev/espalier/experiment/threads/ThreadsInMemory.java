// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.ExperimentException;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that look up, or look up and write, random keys of one index in memory. */
final class ThreadsInMemory implements Experiment {
  private static final List<Integer> THREADS = List.of(1, 2, 4, 16, 64);
  private static final int MOST_THREADS = THREADS.getLast();

  private static final String ONE_THREAD = "one thread, time over PbPlusTree";
  private static final String TWO_THREADS = "two threads over one";
  private static final String MANY_THREADS = MOST_THREADS + " threads over two";
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

  /** One contender at work with a number of threads. */
  record Setting(String map, int threads) {}

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
    Outcome outcome =
        new Outcome(
            Column.text("map", "map"),
            Column.integer("threads", "threads", ""),
            Column.real("rate", "operations", "1/s"));
    outcome
        .parameter("entries", entries)
        .parameter("operations", operations.count())
        .parameter("cores", Runtime.getRuntime().availableProcessors());
    try (Contender single = new SingleTreeContender(entries);
        Contender tree = new ConcurrentTreeContender(entries);
        Contender list = new SkipListContender(entries);
        ExecutorService threads = Executors.newFixedThreadPool(MOST_THREADS)) {
      List<Stopwatch.Work<Setting>> works = new ArrayList<>();
      for (Contender contender : List.of(single, tree, list)) {
        for (int count : contender.isShared() ? THREADS : List.of(1)) {
          works.add(
              new Stopwatch.Work<>(
                  new Setting(contender.label(), count),
                  operations.count(),
                  () -> inThreads(threads, contender, operations, count)));
        }
      }
      Map<Setting, Double> rates = new HashMap<>();
      long wrong = 0;
      for (Stopwatch.Time<Setting> time :
          Stopwatch.time(works, run.effort().rounds(), run.progress())) {
        Setting setting = time.setting();
        rates.put(setting, 1e9 / time.nanos());
        outcome.row(setting.map(), setting.threads(), 1e9 / time.nanos());
        wrong += time.answer();
      }
      outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
      addChecks(outcome, rates);
    }
    return outcome;
  }

  /** Checks the rates, in operations per second. */
  void addChecks(Outcome outcome, Map<Setting, Double> rates) {
    double one = rate(rates, ConcurrentTreeContender.LABEL, 1);
    double two = rate(rates, ConcurrentTreeContender.LABEL, 2);
    double many = rate(rates, ConcurrentTreeContender.LABEL, MOST_THREADS);
    check(outcome, ONE_THREAD, rate(rates, SingleTreeContender.LABEL, 1) / one);
    check(outcome, TWO_THREADS, two / one);
    check(outcome, MANY_THREADS, many / two);
    check(outcome, AGAINST_SKIP_LIST, two / rate(rates, SkipListContender.LABEL, 2));
  }

  private static double rate(Map<Setting, Double> rates, String map, int threads) {
    return Objects.requireNonNull(rates.get(new Setting(map, threads)));
  }

  private void check(Outcome outcome, String name, double value) {
    Target target = targets.get(name);
    if (target != null) {
      outcome.check(Check.timing(name, value, target));
    }
  }

  /** Lets threads share the operations, and returns how many answers were wrong. */
  private static long inThreads(
      ExecutorService threads, Contender contender, Operations operations, int count) {
    List<Callable<Long>> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int from = (int) ((long) operations.count() * i / count);
      int to = (int) ((long) operations.count() * (i + 1) / count);
      parts.add(() -> contender.run(operations, from, to));
    }
    try {
      long wrong = 0;
      for (Future<Long> part : threads.invokeAll(parts)) {
        wrong += part.get();
      }
      return wrong;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExperimentException("interrupted while threads were at work");
    } catch (ExecutionException e) {
      throw new IllegalStateException("a thread failed", e.getCause());
    }
  }
}
