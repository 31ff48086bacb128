// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.memory.CountingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** How long single writes take, in memory: most are short, some wait for a merge. */
final class WriteLatencies implements Experiment {
  private static final List<Structure> STRUCTURES =
      List.of(
          Structure.COLA_2, Structure.COLA_4, Structure.DEAMORTIZED_COLA, Structure.B_EPSILON_TREE);

  /** Each is a growth of all structures: so much fewer than rounds elsewhere. */
  private static final int FEWER_ROUNDS = 3;

  private static final int PROBES = 1 << 12;

  /** What is longer is counted as this long. */
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final int DIGITS = 3;

  /** Bytes of the pages that are counted, in every structure: a COLA's in memory. */
  private static final int COUNTED_PAGE_BYTES = 4 << 10;

  /**
   * Pages that one write of a deamortized COLA is to pin at most. It moves two elements per level
   * and two more, but most of them lie beside one another: with ten million entries it pins 16.
   */
  private static final int MOST_PINNED = 32;

  @Override
  public Description description() {
    return new Description(
        "cosb-latencies",
        "Latencies of single writes",
        "Streaming B-trees, section 3, deamortization",
        "No figure: the paper proves that a COLA writes O((log N)/B) blocks per insert on average,"
            + " but that one insert may wait for a merge of everything, O(N/B); the deamortized"
            + " COLA moves O(log N) elements per insert and no more.",
        "Each blind write into an index in memory is timed, random keys, from empty; after one"
            + " throw-away index of full size of each structure, for the compiler. What the system"
            + " and the collector take from the program now and then is in the figures, and alone"
            + " may make up the rarest. The deamortized COLA has growth 2; the target is against"
            + " growth 4, the default. Then, in indexes of their own, by a counting page store:"
            + " the pages of 4 KiB that one write pins, the same page twice counting twice.",
        new Chart(Chart.Kind.BARS, "structure", "structure", "p99_99"));
  }

  @Override
  public Outcome run(Run run) {
    NumberedEntries entries = new NumberedEntries(KeyOrder.RANDOM, run.effort().entries());
    int rounds = Math.ceilDiv(run.effort().rounds(), FEWER_ROUNDS);
    Outcome outcome =
        new Outcome(
            Column.text("structure", "structure"),
            Column.integer("median", "median", "ns"),
            Column.integer("p99", "99% within", "ns"),
            Column.integer("p99_9", "99.9% within", "ns"),
            Column.integer("p99_99", "99.99% within", "ns"),
            Column.integer("maximum", "longest", "ns"),
            Column.real("mean", "mean", "ns"),
            Column.integer("pinned99_99", "pages pinned by 99.99% of writes, at most", ""),
            Column.integer("pinned", "most pages pinned by one write", ""));
    outcome.parameter("entries", entries.count()).parameter("rounds", rounds);
    Map<Structure, Histogram> latencies = new EnumMap<>(Structure.class);
    int missing = 0;
    int steps = (rounds + 2) * STRUCTURES.size();
    int step = 0;
    for (int round = -1; round < rounds; round++) {
      for (Structure structure : STRUCTURES) {
        run.progress().show(structure.label(), (double) step++ / steps);
        if (round <= 0) {
          latencies.put(structure, new Histogram(1, LONGEST_NANOS, DIGITS));
        }
        try (LongIndex index = structure.tree().create(IndexOptions.DEFAULT)) {
          time(entries, index, Objects.requireNonNull(latencies.get(structure)));
          missing += entries.missing(index, 0, PROBES);
        }
      }
    }
    for (Structure structure : STRUCTURES) {
      run.progress().show(structure.label() + ", pages", (double) step++ / steps);
      Histogram pinned = pinned(entries, structure);
      addRow(outcome, structure, Objects.requireNonNull(latencies.get(structure)), pinned);
    }
    outcome.check(Check.deterministic("entries not found", missing, Target.exactly(0)));
    outcome.check(
        Check.deterministic(
            "most pages pinned by a write of DeamortizedCola",
            outcome.table().numbers("pinned")[STRUCTURES.indexOf(Structure.DEAMORTIZED_COLA)],
            Target.atMost(MOST_PINNED)));
    double[] rarest = outcome.table().numbers("p99_99");
    outcome.check(
        Check.timing(
            "99.99% within, 4-COLA over DeamortizedCola",
            rarest[STRUCTURES.indexOf(Structure.COLA_4)]
                / rarest[STRUCTURES.indexOf(Structure.DEAMORTIZED_COLA)],
            Target.atLeast(20)));
    return outcome;
  }

  private static void time(NumberedEntries entries, LongIndex index, Histogram latencies) {
    for (int number = 0; number < entries.count(); number++) {
      long key = entries.order().key(number);
      long start = System.nanoTime();
      index.set(key, number);
      latencies.recordValue(Math.min(System.nanoTime() - start, LONGEST_NANOS));
    }
  }

  private static Histogram pinned(NumberedEntries entries, Structure structure) {
    CountingPageStore pages =
        new CountingPageStore(
            new MemoryPageStore(COUNTED_PAGE_BYTES, Long.MAX_VALUE, HugePages.WHEN_GROWN),
            CountingPageStore.UNLIMITED);
    Histogram pinned = new Histogram(DIGITS);
    try (LongIndex index = structure.tree().open(IndexOptions.DEFAULT, pages)) {
      for (int number = 0; number < entries.count(); number++) {
        pages.resetCounters();
        index.set(entries.order().key(number), number);
        pinned.recordValue(pages.counters().pins());
      }
    }
    return pinned;
  }

  private static void addRow(
      Outcome outcome, Structure structure, Histogram latencies, Histogram pinned) {
    outcome.row(
        structure.label(),
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99),
        latencies.getValueAtPercentile(99.9),
        latencies.getValueAtPercentile(99.99),
        latencies.getMaxValue(),
        latencies.getMean(),
        pinned.getValueAtPercentile(99.99),
        pinned.getMaxValue());
  }
}
