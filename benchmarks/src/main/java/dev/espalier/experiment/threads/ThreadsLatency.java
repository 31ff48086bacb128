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
import dev.espalier.experiment.Target;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;

/** How long lookups of one thread take while another inserts. */
final class ThreadsLatency implements Experiment {
  private static final List<IntFunction<Contender>> CONTENDERS =
      List.of(ConcurrentTreeContender::new, OptimisticLockContender::new, SkipListContender::new);

  private static final long LONGEST_NANOS = 100_000_000_000L;
  private static final int DIGITS = 3;
  private static final double ONE_MILLISECOND = 1e6;

  @Override
  public Description description() {
    return new Description(
        "threads-latency",
        "Readers beside a writer",
        "this library's aims",
        "Readers of a tree with optimistic lock coupling wait for nothing but the change of one"
            + " node that they have to look at.",
        "One thread looks up random keys that are there, one by one with a clock around each, for"
            + " as long as another doubles the index by insertions in random order; after a round"
            + " that warms up. What the system and the collector take from the program is in the"
            + " figures.",
        new Chart(Chart.Kind.BARS, "map", "map", "p99_99"));
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    int entries = run.effort().entries();
    Operations lookups = new Operations(run.effort().probes(), entries, false);
    Operations insertions = Operations.insertions(entries);
    Outcome outcome =
        new Outcome(
            Column.text("map", "map"),
            Column.integer("lookups", "lookups", ""),
            Column.integer("median", "median", "ns"),
            Column.integer("p99", "99% within", "ns"),
            Column.integer("p99_9", "99.9% within", "ns"),
            Column.integer("p99_99", "99.99% within", "ns"),
            Column.integer("maximum", "longest", "ns"));
    outcome.parameter("entries", entries);
    long wrong = 0;
    int steps = 2 * CONTENDERS.size();
    for (int step = 0; step < steps; step++) {
      try (Contender contender = CONTENDERS.get(step % CONTENDERS.size()).apply(entries)) {
        run.progress().show(contender.label(), (double) step / steps);
        Histogram waits = new Histogram(1, LONGEST_NANOS, DIGITS);
        wrong += read(contender, lookups, insertions, waits);
        if (step >= CONTENDERS.size()) { // Those before have warmed up.
          addRow(outcome, contender.label(), waits);
        }
      }
    }
    outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    addCheck(outcome, outcome.table().numbers("p99_99")[0]);
    return outcome;
  }

  /** Checks within how many nanoseconds 99.99% of the lookups were answered. */
  static void addCheck(Outcome outcome, double nanos) {
    outcome.check(
        Check.timing(
            ConcurrentTreeContender.LABEL + ": 99.99% within, ns",
            nanos,
            Target.atMost(ONE_MILLISECOND)));
  }

  /** Looks up until all is inserted, and returns how many answers were wrong. */
  private static long read(
      Contender contender, Operations lookups, Operations insertions, Histogram waits) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((_, thrown) -> failure.set(thrown))
            .start(() -> contender.run(insertions, 0, insertions.count()));
    long wrong = 0;
    for (int i = 0; writer.isAlive(); i = (i + 1) % lookups.count()) {
      long start = System.nanoTime();
      wrong += contender.run(lookups, i, i + 1);
      waits.recordValue(Math.min(System.nanoTime() - start, LONGEST_NANOS));
    }
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExperimentException("interrupted while a thread was at work");
    }
    if (failure.get() != null) {
      throw new IllegalStateException("the writer failed", failure.get());
    }
    return wrong;
  }

  private static void addRow(Outcome outcome, String label, Histogram waits) {
    outcome.row(
        label,
        waits.getTotalCount(),
        waits.getValueAtPercentile(50),
        waits.getValueAtPercentile(99),
        waits.getValueAtPercentile(99.9),
        waits.getValueAtPercentile(99.99),
        waits.getMaxValue());
  }
}
