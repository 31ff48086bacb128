// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Simulated;
import dev.espalier.experiment.SimulatedCounts;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.experiment.Simulator;
import dev.espalier.experiment.Target;
import dev.espalier.experiment.thesis.LongKeyTimes.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** Tables 6.1 and 6.2 by the size of keys: what prefetching gains in queries. */
final class LongKeySpeedup implements Simulated {
  private static final List<Integer> WIDTHS = List.of(6, 8, 12);
  private static final SimulatedMachine MACHINE = SimulatedMachine.ITANIUM_2;

  /** How full nodes are, in percent. */
  private static final List<Integer> FILLS = List.of(100, 67, 50);

  private final Description description;
  private final List<Series> series;

  /**
   * Time saved in the thesis with keys of 8, 16 and 32 bytes, in percent, by how full nodes are.
   */
  private final Map<Integer, List<Double>> saved;

  private LongKeySpeedup(
      Description description, KeyComparison comparison, Map<Integer, List<Double>> saved) {
    this.description = description;
    this.series = PrefetchGain.series(comparison);
    this.saved = saved;
  }

  /** Table 6.1. */
  static LongKeySpeedup byBytes() {
    return new LongKeySpeedup(
        description("thesis-table6.1-keys", "memcmp", KeyComparison.BY_BYTES, "from 7.3% to 13.0%"),
        KeyComparison.BY_BYTES,
        Map.of(
            100, List.of(10.0, 10.7, 11.7),
            67, List.of(9.0, 10.3, 11.7),
            50, List.of(7.3, 9.3, 13.0)));
  }

  /** Table 6.2. */
  static LongKeySpeedup byWords() {
    return new LongKeySpeedup(
        description(
            "thesis-table6.2-keys",
            "a comparison of eight bytes at a time",
            KeyComparison.BY_WORDS,
            "from 9.3% to 25.0%"),
        KeyComparison.BY_WORDS,
        Map.of(
            100, List.of(14.7, 19.7, 25.0),
            67, List.of(13.3, 19.3, 24.0),
            50, List.of(9.3, 16.3, 24.7)));
  }

  private static Description description(
      String name, String comparison, KeyComparison here, String found) {
    return new Description(
        name,
        "Speed-up by prefetching, by the size of keys, compared " + here.label(),
        "thesis, table " + name.substring("thesis-table".length(), name.indexOf("-keys")),
        "Time that prefetching saves in queries of a pB+-tree of a million keys of 8, 16 and 32"
            + " bytes, bulkloaded to 100%, 67% and 50%, compared by "
            + comparison
            + "; averages over nodes of 6, 8 and 12 lines: "
            + found
            + ", the more the larger keys are.",
        "The same, and keys of 64 bytes, in a tree of its own that is only bulkloaded and searched."
            + " Keys are compared "
            + here.label()
            + ", and differ in their last word only. Nodes are prefetched whole and searched by"
            + " binary search. Times are this machine's; cycles, lines from memory and stalls are"
            + " those of a simulated Itanium 2, which waits for each line that was not prefetched.",
        new Chart(Chart.Kind.BARS, "keys", "tree", "simulated"));
  }

  @Override
  public Description description() {
    return description;
  }

  private static List<LongKeys> kinds() {
    List<LongKeys> kinds = new ArrayList<>();
    for (int fill : FILLS) {
      for (int bytes : LongKeys.SIZES) {
        kinds.add(new LongKeys(bytes, fill));
      }
    }
    return kinds;
  }

  // ---------------------------------------------------------------- simulation

  @Override
  public List<SimulatedWork> works(Effort effort) {
    int entries = effort.entries();
    long[] probes = Entries.probes(entries, effort.probes(), entries);
    List<SimulatedWork> works = new ArrayList<>();
    for (LongKeys kind : kinds()) {
      for (int width : WIDTHS) {
        for (Series one : series) {
          works.add(
              new SimulatedWork(
                  name(kind, width, one.label()),
                  () -> counted(kind, MACHINE.treeLines(width), one, entries, probes)));
        }
      }
    }
    return works;
  }

  private static List<Long> counted(
      LongKeys kind, int width, Series series, int entries, long[] probes) {
    try (LongKeyTree tree = kind.tree(width, entries)) {
      ToLongFunction<long[]> work = series.on().apply(tree);
      return SimulatedWork.checked(
          MACHINE.shape(),
          hierarchy -> work.applyAsLong(probes) == Entries.sumOfRanks(probes) ? 0 : 1);
    }
  }

  private static String name(LongKeys kind, int width, String series) {
    return "%s, %d lines, %s".formatted(kind, width, series);
  }

  // ---------------------------------------------------------------- experiment

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Outcome outcome =
        new Outcome(
            Column.text("tree", "how full nodes are"),
            Column.text("keys", "keys"),
            Column.real("ratio", "time without / with prefetching, this machine", ""),
            Column.real("simulated", "cycles without / with prefetching, simulated", ""),
            Column.real("lines", "lines from memory, simulated", "per query"),
            Column.real("stalls", "stall cycles with prefetching, simulated", "per query"));
    Effort effort = TreeTimes.forManyTrees(run.effort());
    Effort simulated = SimulatedEffort.scaled(run.effort());
    SimulatedEffort.describe(outcome, effort, simulated);
    outcome.parameter("widths", WIDTHS.toString());
    int parts = kinds().size() + 1;
    SimulatedCounts counts = Simulator.run(this, simulated, run.progress().part(0, parts));
    int part = 1;
    int wrong = 0;
    for (LongKeys kind : kinds()) {
      LongKeyTimes times =
          LongKeyTimes.measure(
              kind,
              WIDTHS,
              TreeOperation.QUERY,
              series,
              effort,
              run.progress().part(part++, parts));
      wrong += times.wrong();
      double ratio =
          Numbers.meanRatio(times.nanos(PrefetchGain.WITHOUT), times.nanos(PrefetchGain.WITH));
      addRow(kind, ratio, counts, simulated, outcome);
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
    outcome.check(counts.answers("simulated trees"));
    return outcome;
  }

  private void addRow(
      LongKeys kind, double ratio, SimulatedCounts counts, Effort simulated, Outcome outcome) {
    double cycles =
        Numbers.meanRatio(
            cycles(counts, kind, PrefetchGain.WITHOUT), cycles(counts, kind, PrefetchGain.WITH));
    double lines = 0;
    double stalls = 0;
    for (int width : WIDTHS) {
      lines += counts.of(name(kind, width, PrefetchGain.WITH)).memoryLines();
      stalls += counts.of(name(kind, width, PrefetchGain.WITH)).stallCycles();
    }
    double queries = (double) simulated.probes() * WIDTHS.size();
    outcome.row(kind.fill() + "%", kind.size(), ratio, cycles, lines / queries, stalls / queries);
    addCheck(kind, Check.Kind.TIMING, ratio, outcome);
    if (simulated.entries() >= PrefetchSpeedup.LEAST_ENTRIES) {
      addCheck(kind, Check.Kind.DETERMINISTIC, cycles, outcome);
    }
  }

  private static double[] cycles(SimulatedCounts counts, LongKeys kind, String series) {
    return WIDTHS.stream()
        .mapToDouble(width -> counts.of(name(kind, width, series)).cycles())
        .toArray();
  }

  /** Holds what prefetching saves against the thesis, where it has keys of this size. */
  void addCheck(LongKeys keys, Check.Kind kind, double ratio, Outcome outcome) {
    List<Double> thesis = Objects.requireNonNull(saved.get(keys.fill()));
    int size = LongKeys.SIZES.indexOf(keys.bytes());
    if (size < thesis.size()) {
      outcome.check(
          new Check(
              "%s, %s: time saved, %%"
                  .formatted(
                      kind == Check.Kind.TIMING ? "this machine" : "simulated " + MACHINE.label(),
                      keys),
              kind,
              100 * (1 - 1 / ratio),
              Target.atLeast(thesis.get(size))));
    }
  }
}
