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
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import dev.espalier.experiment.thesis.LongKeyTree.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Tables 6.1 and 6.2 by the size of keys: what prefetching gains in queries. */
final class LongKeySpeedup implements Simulated {
  private static final List<Integer> WIDTHS = List.of(6, 8, 12);
  private static final SimulatedMachine MACHINE = SimulatedMachine.ITANIUM_2;

  /** How full nodes are, in percent. */
  private static final List<Integer> FILLS = List.of(100, 67, 50);

  private static final List<Integer> KEY_BYTES = List.of(8, 16, 32, 64);

  /**
   * Trees that are alike but for their width.
   *
   * @param fill how full nodes are, in percent
   * @param keyBytes bytes of a key
   */
  private record Kind(int fill, int keyBytes) {
    LongKeyTree tree(int width, int entries) {
      return new LongKeyTree(keyBytes / Long.BYTES, width, fill / 100.0, entries);
    }

    @Override
    public String toString() {
      return fill + "%, keys of " + keyBytes + " bytes";
    }
  }

  private final Description description;
  private final Comparison comparison;

  /**
   * Time saved in the thesis with keys of 8, 16 and 32 bytes, in percent, by how full nodes are.
   */
  private final Map<Integer, List<Double>> saved;

  private LongKeySpeedup(
      Description description, Comparison comparison, Map<Integer, List<Double>> saved) {
    this.description = description;
    this.comparison = comparison;
    this.saved = saved;
  }

  /** Table 6.1. */
  static LongKeySpeedup byBytes() {
    return new LongKeySpeedup(
        description("thesis-table6.1-keys", "memcmp", "byte by byte", "from 7.3% to 13.0%"),
        Comparison.BY_BYTES,
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
            "word by word",
            "from 9.3% to 25.0%"),
        Comparison.BY_WORDS,
        Map.of(
            100, List.of(14.7, 19.7, 25.0),
            67, List.of(13.3, 19.3, 24.0),
            50, List.of(9.3, 16.3, 24.7)));
  }

  private static Description description(
      String name, String comparison, String here, String found) {
    return new Description(
        name,
        "Speed-up by prefetching, by the size of keys, compared " + here,
        "thesis, table " + name.substring("thesis-table".length(), name.indexOf("-keys")),
        "Time that prefetching saves in queries of a pB+-tree of a million keys of 8, 16 and 32"
            + " bytes, bulkloaded to 100%, 67% and 50%, compared by "
            + comparison
            + "; averages over nodes of 6, 8 and 12 lines: "
            + found
            + ", the more the larger keys are.",
        "The same, and keys of 64 bytes, in a tree of its own that is only bulkloaded and searched."
            + " Keys are compared "
            + here
            + ", and differ in their last word only. Nodes are prefetched whole and searched by"
            + " binary search. Times are this machine's; cycles, lines from memory and stalls are"
            + " those of a simulated Itanium 2, which waits for each line that was not prefetched.",
        new Chart(Chart.Kind.BARS, "keys", "tree", "simulated"));
  }

  @Override
  public Description description() {
    return description;
  }

  private static List<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>();
    for (int fill : FILLS) {
      for (int bytes : KEY_BYTES) {
        kinds.add(new Kind(fill, bytes));
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
    for (Kind kind : kinds()) {
      for (int width : WIDTHS) {
        for (boolean prefetches : new boolean[] {false, true}) {
          works.add(
              new SimulatedWork(
                  name(kind, width, prefetches),
                  () -> counted(kind, MACHINE.treeLines(width), prefetches, entries, probes)));
        }
      }
    }
    return works;
  }

  private List<Long> counted(Kind kind, int width, boolean prefetches, int entries, long[] probes) {
    try (LongKeyTree tree = kind.tree(width, entries)) {
      return SimulatedWork.checked(
          MACHINE.shape(),
          hierarchy ->
              tree.query(probes, comparison, prefetches) == Entries.sumOfRanks(probes) ? 0 : 1);
    }
  }

  private static String name(Kind kind, int width, boolean prefetches) {
    return "%s, %d lines, %s".formatted(kind, width, prefetches ? "prefetch" : "no prefetch");
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
    for (Kind kind : kinds()) {
      List<Time<String>> times = measure(kind, effort, run, part++, parts);
      long[] probes = Entries.probes(effort.entries(), effort.probes(), effort.entries());
      wrong += times.stream().mapToInt(time -> time.wrong(Entries.sumOfRanks(probes))).sum();
      addRow(kind, ratio(times), counts, simulated, outcome);
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
    outcome.check(counts.answers("simulated trees"));
    return outcome;
  }

  /** Times the trees of a kind: without prefetching and with, width by width. */
  private List<Time<String>> measure(Kind kind, Effort effort, Run run, int part, int parts) {
    long[] probes = Entries.probes(effort.entries(), effort.probes(), effort.entries());
    List<LongKeyTree> trees = new ArrayList<>();
    List<Work<String>> works = new ArrayList<>();
    try {
      for (int width : WIDTHS) {
        LongKeyTree tree = kind.tree(width, effort.entries());
        trees.add(tree);
        for (boolean prefetches : new boolean[] {false, true}) {
          works.add(
              new Work<>(
                  name(kind, width, prefetches),
                  probes.length,
                  () -> tree.query(probes, comparison, prefetches)));
        }
      }
      return Stopwatch.time(works, effort.rounds(), run.progress().part(part, parts));
    } finally {
      trees.forEach(LongKeyTree::close);
    }
  }

  private static double ratio(List<Time<String>> times) {
    double[] nanos = times.stream().mapToDouble(Time::nanos).toArray();
    double[] without = new double[WIDTHS.size()];
    double[] with = new double[WIDTHS.size()];
    for (int i = 0; i < without.length; i++) {
      without[i] = nanos[2 * i];
      with[i] = nanos[2 * i + 1];
    }
    return Numbers.meanRatio(without, with);
  }

  private void addRow(
      Kind kind, double ratio, SimulatedCounts counts, Effort simulated, Outcome outcome) {
    double cycles = Numbers.meanRatio(cycles(counts, kind, false), cycles(counts, kind, true));
    double lines = 0;
    double stalls = 0;
    for (int width : WIDTHS) {
      lines += counts.of(name(kind, width, true)).memoryLines();
      stalls += counts.of(name(kind, width, true)).stallCycles();
    }
    double queries = (double) simulated.probes() * WIDTHS.size();
    outcome.row(
        kind.fill + "%",
        kind.keyBytes + " bytes",
        ratio,
        cycles,
        lines / queries,
        stalls / queries);
    addCheck(kind.fill, kind.keyBytes, Check.Kind.TIMING, ratio, outcome);
    if (simulated.entries() >= PrefetchSpeedup.LEAST_ENTRIES) {
      addCheck(kind.fill, kind.keyBytes, Check.Kind.DETERMINISTIC, cycles, outcome);
    }
  }

  private static double[] cycles(SimulatedCounts counts, Kind kind, boolean prefetches) {
    return WIDTHS.stream()
        .mapToDouble(width -> counts.of(name(kind, width, prefetches)).cycles())
        .toArray();
  }

  /** Holds what prefetching saves against the thesis, where it has keys of this size. */
  void addCheck(int fill, int keyBytes, Check.Kind kind, double ratio, Outcome outcome) {
    List<Double> thesis = Objects.requireNonNull(saved.get(fill));
    int size = KEY_BYTES.indexOf(keyBytes);
    if (size < thesis.size()) {
      outcome.check(
          new Check(
              "%s, %s: time saved, %%"
                  .formatted(
                      kind == Check.Kind.TIMING ? "this machine" : "simulated " + MACHINE.label(),
                      new Kind(fill, keyBytes)),
              kind,
              100 * (1 - 1 / ratio),
              Target.atLeast(thesis.get(size))));
    }
  }
}
