// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.threads;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntryRanges;
import dev.espalier.ProgressListener;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Target;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.OuterSource;
import dev.espalier.join.ParallelJoin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One join, and one bulkload of a sorted source, that several threads divide among them. */
final class ThreadsJobs implements Experiment {
  static final String JOIN = "join";
  static final String BULKLOAD = "bulkload";

  private static final List<Integer> THREADS = List.of(1, 2, 4);

  /** Rows of a batch: several hundred batches, so that no thread is without. */
  private static final int BATCH_ROWS = 4096;

  /** A job with a number of threads. */
  record Setting(String job, int threads) {}

  @Override
  public Description description() {
    return new Description(
        "threads-jobs",
        "Jobs of many threads",
        "this library's aims",
        "Batches of a join have nothing to do with one another, nor have leaves that are filled"
            + " from different ranges of a sorted source.",
        "An index nested-loop join of random keys with a ConcurrentPbPlusTree by ParallelJoin, and"
            + " the bulkload of such a tree from sorted arrays, by 1 to 4 threads; rows and entries"
            + " per second.",
        new Chart(Chart.Kind.LINES, "job", "threads", "rate"));
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    int entries = run.effort().entries();
    long[] probes = Entries.probes(entries, run.effort().probes(), entries);
    Outcome outcome =
        new Outcome(
                Column.text("job", "job"),
                Column.integer("threads", "threads", ""),
                Column.real("rate", "rows or entries", "1/s"))
            .parameter("entries", entries)
            .parameter("rows", probes.length)
            .parameter("cores", Runtime.getRuntime().availableProcessors());
    long[] keys = new long[entries];
    long[] values = new long[entries];
    Arrays.setAll(keys, Entries::key);
    Arrays.setAll(values, i -> i);
    LongEntryRanges sorted = LongEntryRanges.of(keys, values);
    try (ConcurrentPbPlusTree tree = ConcurrentPbPlusTree.create(IndexOptions.DEFAULT)) {
      tree.bulkload(sorted, 1.0, 1, ProgressListener.NONE);
      List<Stopwatch.Work<Setting>> works = new ArrayList<>();
      for (int threads : THREADS) {
        works.add(
            new Stopwatch.Work<>(
                new Setting(JOIN, threads), probes.length, () -> join(probes, tree, threads)));
      }
      for (int threads : THREADS) {
        works.add(
            new Stopwatch.Work<>(
                new Setting(BULKLOAD, threads), entries, () -> bulkload(sorted, threads)));
      }
      Map<String, Long> answers =
          Map.of(JOIN, Entries.sumOfRanks(probes), BULKLOAD, sumOfLoaded(entries));
      addRows(outcome, Stopwatch.time(works, run.effort().rounds(), run.progress()), answers);
    }
    return outcome;
  }

  private static void addRows(
      Outcome outcome, List<Stopwatch.Time<Setting>> times, Map<String, Long> answers) {
    Map<Setting, Double> rates = new HashMap<>();
    long wrong = 0;
    for (Stopwatch.Time<Setting> time : times) {
      Setting setting = time.setting();
      double rate = 1e9 / time.nanos();
      rates.put(setting, rate);
      outcome.row(setting.job, setting.threads, rate);
      wrong += time.wrong(Objects.requireNonNull(answers.get(setting.job)));
    }
    outcome.check(Check.deterministic("wrong answers", (double) wrong, Target.exactly(0)));
    addChecks(outcome, rates);
  }

  /** Checks the rates, in rows or entries per second. */
  static void addChecks(Outcome outcome, Map<Setting, Double> rates) {
    for (String job : List.of(JOIN, BULKLOAD)) {
      double one = Objects.requireNonNull(rates.get(new Setting(job, 1)));
      double two = Objects.requireNonNull(rates.get(new Setting(job, 2)));
      outcome.check(Check.timing(job + ", two threads over one", two / one, Target.atLeast(1.7)));
    }
  }

  /** Joins all rows, and returns the sum of the values that they met. */
  static long join(long[] probes, ConcurrentPbPlusTree tree, int threads) {
    long[] sums = new long[threads];
    ParallelJoin.run(
        OuterSource.of(probes, probes),
        tree,
        JoinOptions.DEFAULT.withBatchSize(BATCH_ROWS),
        threads,
        (thread, rows) -> {
          long sum = 0;
          for (int row = 0; row < rows.count(); row++) {
            sum += rows.innerValue(row);
          }
          sums[thread] += sum;
        });
    return Arrays.stream(sums).sum();
  }

  /** Loads a tree, and returns its size with some of its values. */
  static long bulkload(LongEntryRanges sorted, int threads) {
    try (ConcurrentPbPlusTree tree = ConcurrentPbPlusTree.create(IndexOptions.DEFAULT)) {
      tree.bulkload(sorted, 1.0, threads, ProgressListener.NONE);
      long last = tree.size() - 1;
      return tree.size() + tree.get(Entries.key(last)) + tree.get(Entries.key(last / 2));
    }
  }

  /** Returns what {@link #bulkload} is to return. */
  static long sumOfLoaded(long entries) {
    return entries + entries - 1 + (entries - 1) / 2;
  }
}
