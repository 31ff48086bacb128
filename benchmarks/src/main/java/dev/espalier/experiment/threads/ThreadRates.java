// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.ExperimentException;
import dev.espalier.experiment.Outcome;
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

/** How many operations a second maps do with 1 to 64 threads. */
final class ThreadRates {
  private static final List<Integer> THREADS = List.of(1, 2, 4, 16, 64);
  static final int MOST_THREADS = THREADS.getLast();

  private ThreadRates() {}

  /**
   * A line of the chart.
   *
   * @param label what it is called
   * @param operations what the threads share
   */
  record Line(String label, Contender contender, Operations operations) {}

  /** A line with a number of threads. */
  record Setting(String label, int threads) {}

  /** Returns an outcome without rows. */
  static Outcome outcome(int entries, int operations) {
    return new Outcome(
            Column.text("map", "map"),
            Column.integer("threads", "threads", ""),
            Column.real("rate", "operations", "1/s"))
        .parameter("entries", entries)
        .parameter("operations", operations)
        .parameter("cores", Runtime.getRuntime().availableProcessors());
  }

  /** Measures all lines, adds their rows and a check of their answers, and returns their rates. */
  static Map<Setting, Double> measure(Run run, List<Line> lines, Outcome outcome) {
    Map<Setting, Double> rates = new HashMap<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(MOST_THREADS)) {
      List<Stopwatch.Work<Setting>> works = new ArrayList<>();
      for (Line line : lines) {
        for (int count : line.contender.isShared() ? THREADS : List.of(1)) {
          works.add(
              new Stopwatch.Work<>(
                  new Setting(line.label, count),
                  line.operations.count(),
                  () -> inThreads(threads, line.contender, line.operations, count)));
        }
      }
      long wrong = 0;
      for (Stopwatch.Time<Setting> time :
          Stopwatch.time(works, run.effort().rounds(), run.progress())) {
        double rate = 1e9 / time.nanos();
        rates.put(time.setting(), rate);
        outcome.row(time.setting().label(), time.setting().threads(), rate);
        wrong += Math.max(time.answer(), time.wrong(0));
      }
      outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    }
    return rates;
  }

  static double rate(Map<Setting, Double> rates, String label, int threads) {
    return Objects.requireNonNull(rates.get(new Setting(label, threads)));
  }

  /** Lets threads share the operations, and returns how many answers were wrong. */
  static long inThreads(
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
