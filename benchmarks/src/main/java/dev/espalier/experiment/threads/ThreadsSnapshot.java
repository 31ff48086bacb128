// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Target;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What a snapshot of an index in memory costs: to take it, and the writers beside it. */
final class ThreadsSnapshot implements Experiment {
  private static final int[] THREADS = {1, 2};
  private static final double NANOS_PER_MICRO = 1e3;

  @Override
  public Description description() {
    return new Description(
        "threads-snapshot",
        "What a snapshot costs",
        "this library's aims",
        "A snapshot shares the nodes of the tree. Whoever changes a node for the first time since"
            + " copies it, so writers pay once for each node, and readers of the tree nothing.",
        "Half lookups, a quarter insertions and a quarter removals of random keys by 1 and 2"
            + " threads in a ConcurrentPbPlusTree, without a snapshot and from the moment one is"
            + " taken on.",
        new Chart(Chart.Kind.BARS, "snapshot", "writers", "rate"));
  }

  /**
   * Medians of the rounds.
   *
   * @param without operations per second without a snapshot
   * @param beside the same beside one
   * @param taking nanoseconds to take one
   * @param closing nanoseconds to close it
   * @param copied bytes of its copies over those of the tree
   * @param wrong answers, of both
   */
  record Cost(
      double without, double beside, double taking, double closing, double copied, long wrong) {}

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    int entries = run.effort().entries();
    Operations operations = new Operations(run.effort().probes(), entries, true);
    Outcome outcome =
        new Outcome(
                Column.text("snapshot", "snapshot"),
                Column.text("writers", "writers"),
                Column.real("rate", "operations", "1/s"),
                Column.real("taking", "taking one", "µs"),
                Column.real("closing", "closing it", "µs"),
                Column.real("copied", "copies over the tree", ""))
            .parameter("entries", entries)
            .parameter("operations", operations.count())
            .parameter("cores", Runtime.getRuntime().availableProcessors());
    long wrong = 0;
    Cost[] costs = new Cost[THREADS.length];
    try (ConcurrentTreeContender tree = new ConcurrentTreeContender(entries);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS[THREADS.length - 1])) {
      for (int i = 0; i < THREADS.length; i++) {
        int count = THREADS[i];
        run.progress().show(count + " writers", (double) i / THREADS.length);
        costs[i] = measure(tree, operations, threads, count, run.effort().rounds());
        wrong += costs[i].wrong;
        String writers = Integer.toString(count);
        outcome.row("none", writers, costs[i].without, 0.0, 0.0, 0.0);
        outcome.row(
            "open",
            writers,
            costs[i].beside,
            costs[i].taking / NANOS_PER_MICRO,
            costs[i].closing / NANOS_PER_MICRO,
            costs[i].copied);
      }
    }
    outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    for (int i = 0; i < THREADS.length; i++) {
      addChecks(outcome, THREADS[i], costs[i]);
    }
    return outcome;
  }

  /** Checks what a snapshot costs writers. */
  static void addChecks(Outcome outcome, int threads, Cost cost) {
    String writers = threads == 1 ? "one writer" : threads + " writers";
    outcome.check(
        Check.timing(
            writers + ": time beside a snapshot over none",
            cost.without / cost.beside,
            Target.atMost(2)));
    outcome.check(
        Check.timing(
            writers + ": taking a snapshot, µs",
            cost.taking / NANOS_PER_MICRO,
            Target.atMost(1000)));
    outcome.check(
        Check.deterministic(
            writers + ": bytes copied over those of the tree", cost.copied, Target.atMost(1.05)));
  }

  /** Lets threads do the operations without a snapshot and beside one, in turn. */
  static Cost measure(
      ConcurrentTreeContender tree,
      Operations operations,
      ExecutorService threads,
      int count,
      int rounds) {
    double[] without = new double[rounds];
    double[] beside = new double[rounds];
    double[] taking = new double[rounds];
    double[] closing = new double[rounds];
    double[] copied = new double[rounds];
    long wrong = 0;
    for (int round = -1; round < rounds; round++) { // The first one warms up.
      int at = Math.max(round, 0);
      long start = System.nanoTime();
      wrong += ThreadRates.inThreads(threads, tree, operations, count);
      without[at] = rate(operations, start);
      long size = tree.index().size();
      start = System.nanoTime();
      LongIndex snapshot = tree.index().snapshot();
      taking[at] = System.nanoTime() - start;
      start = System.nanoTime();
      wrong += ThreadRates.inThreads(threads, tree, operations, count);
      beside[at] = rate(operations, start);
      copied[at] =
          (double) snapshot.statistics().usedBytes() / tree.index().statistics().usedBytes();
      wrong += Math.abs(entries(snapshot) - size);
      start = System.nanoTime();
      snapshot.close();
      closing[at] = System.nanoTime() - start;
    }
    return new Cost(
        Stopwatch.median(without),
        Stopwatch.median(beside),
        Stopwatch.median(taking),
        Stopwatch.median(closing),
        Stopwatch.median(copied),
        wrong);
  }

  private static double rate(Operations operations, long start) {
    return operations.count() * 1e9 / (System.nanoTime() - start);
  }

  private static long entries(LongIndex index) {
    long entries = 0;
    for (LongCursor cursor = index.cursor(); cursor.next(); ) {
      entries++;
    }
    return entries;
  }
}
