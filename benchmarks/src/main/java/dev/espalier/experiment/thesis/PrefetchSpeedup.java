// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
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
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Tables 6.1 and 6.2: what prefetching gains in queries, with a slow and a fast comparison. */
final class PrefetchSpeedup implements Simulated {
  private static final List<Integer> WIDTHS = List.of(1, 2, 4, 6, 8, 12, 16, 32);
  private static final List<Integer> BEST_WIDTHS = List.of(6, 8, 12);
  private static final String THIS_MACHINE = "this machine";

  private static final List<NodePrefetch> PREFETCHES =
      List.of(NodePrefetch.NONE, NodePrefetch.LINEAR);

  /** As few entries as make trees that do not stay in the caches of the simulated machines. */
  static final int LEAST_ENTRIES = 100_000;

  private final Description description;
  private final NodeSearch search;

  /** Time saved in the thesis at 6, 8 and 12 lines with keys of 8 bytes, in percent. */
  private final Map<Construction, Double> saved;

  private PrefetchSpeedup(
      Description description, NodeSearch search, Map<Construction, Double> saved) {
    this.description = description;
    this.search = search;
    this.saved = saved;
  }

  /** Table 6.1. */
  static PrefetchSpeedup withSlowComparison() {
    return new PrefetchSpeedup(
        description(
            "thesis-table6.1",
            "Speed-up by prefetching, slow comparison",
            "memcmp",
            "7.3% to 13.0%, over all widths 5.4% to 7.5%",
            "The slow comparison goes byte by byte, from the most significant on."),
        NodeSearch.BINARY_BYTEWISE,
        Map.of(
            Construction.INSERTED, 13.0,
            Construction.FULL, 10.0,
            Construction.TWO_THIRDS, 9.0,
            Construction.HALF, 7.3));
  }

  /** Table 6.2. */
  static PrefetchSpeedup withFastComparison() {
    return new PrefetchSpeedup(
        description(
            "thesis-table6.2",
            "Speed-up by prefetching, fast comparison",
            "an optimized comparison",
            "9.3% to 14.7%, over all widths 6.3% to 6.6%",
            "The fast comparison is one of longs."),
        NodeSearch.BINARY,
        Map.of(
            Construction.INSERTED, 12.7,
            Construction.FULL, 14.7,
            Construction.TWO_THIRDS, 13.3,
            Construction.HALF, 9.3));
  }

  private static Description description(
      String name, String title, String comparison, String found, String here) {
    return new Description(
        name,
        title,
        "thesis, table " + name.substring("thesis-table".length()),
        "Speed-up of queries by prefetching, for pB+-trees of a million keys, built by repeated"
            + " insertion or bulkloaded to 100%, 67% and 50%, with "
            + comparison
            + " to compare keys; averages over node widths of 6, 8 and 12 lines, and over all"
            + " widths. With keys of 8 bytes: "
            + found
            + ". Larger keys gain more.",
        here
            + " Keys have 8 bytes, and are searched by binary search; all lines of a node are"
            + " prefetched before it is searched. On the machine and simulated: a processor that"
            + " executes out of order, as this machine's, overlaps the loads of a search by itself,"
            + " because they do not wait for one another, and those of the next query besides; the"
            + " simulated ones execute in order, as the Itanium, and wait for each line that was"
            + " not prefetched.",
        new Chart(Chart.Kind.BARS, "source", "tree", "ratio"));
  }

  @Override
  public Description description() {
    return description;
  }

  // ---------------------------------------------------------------- simulation

  @Override
  public List<SimulatedWork> works(Effort effort) {
    long[] probes = Entries.probes(effort.entries(), effort.probes(), effort.entries());
    List<SimulatedWork> works = new ArrayList<>();
    for (SimulatedMachine machine : SimulatedMachine.values()) {
      for (Construction construction : Construction.values()) {
        for (int width : WIDTHS) {
          for (NodePrefetch prefetch : PREFETCHES) {
            TreeSetting tree = setting(construction, machine.treeLines(width), prefetch, search);
            works.add(
                tree.simulated(
                    name(machine, construction, width, prefetch),
                    machine.shape(),
                    effort.entries(),
                    (built, hierarchy) -> TreeOperation.QUERY.run(built, probes)));
          }
        }
      }
    }
    return works;
  }

  private static String name(
      SimulatedMachine machine, Construction construction, int width, NodePrefetch prefetch) {
    return "%s, %s, %d lines, %s".formatted(machine.label(), construction.label(), width, prefetch);
  }

  private static TreeSetting setting(
      Construction construction, int width, NodePrefetch prefetch, NodeSearch search) {
    PbPlusChoices choices = PbPlusChoices.DEFAULT.withSearch(search).withSearchPrefetch(prefetch);
    return new TreeSetting(construction.label() + ", " + prefetch, width, 0, construction, choices);
  }

  // ---------------------------------------------------------------- experiment

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Outcome outcome =
        new Outcome(
            Column.text("source", "source"),
            Column.text("tree", "construction and node widths"),
            Column.real("ratio", "time without / with prefetching", ""),
            Column.real("saved", "time saved by prefetching", "%"));
    Effort effort = TreeTimes.forManyTrees(run.effort());
    Effort simulated = SimulatedEffort.scaled(run.effort());
    SimulatedEffort.describe(outcome, effort, simulated);
    outcome.parameter("all widths", WIDTHS.toString());
    measure(effort, run, outcome);
    simulate(simulated, run, outcome);
    return outcome;
  }

  /** Construction by construction: all trees of one are in memory together. */
  private void measure(Effort effort, Run run, Outcome outcome) {
    int wrong = 0;
    int parts = Construction.values().length + 1;
    int part = 0;
    for (Construction construction : Construction.values()) {
      List<TreeSetting> settings = new ArrayList<>();
      for (NodePrefetch prefetch : PREFETCHES) {
        for (int width : WIDTHS) {
          settings.add(setting(construction, width, prefetch, search));
        }
      }
      TreeTimes times =
          TreeTimes.measure(
              settings, TreeOperation.QUERY, effort, run.progress().part(part++, parts));
      wrong += times.wrong();
      double[] without = nanos(times, NodePrefetch.NONE);
      double[] with = nanos(times, NodePrefetch.LINEAR);
      addRows(THIS_MACHINE, construction, without, with, outcome);
      outcome.check(check(THIS_MACHINE, Check.Kind.TIMING, construction, without, with));
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
  }

  private void simulate(Effort effort, Run run, Outcome outcome) {
    int parts = Construction.values().length + 1;
    SimulatedCounts counts = Simulator.run(this, effort, run.progress().part(parts - 1, parts));
    for (SimulatedMachine machine : SimulatedMachine.values()) {
      for (Construction construction : Construction.values()) {
        double[] without = cycles(counts, machine, construction, NodePrefetch.NONE);
        double[] with = cycles(counts, machine, construction, NodePrefetch.LINEAR);
        String source = "simulated " + machine.label();
        addRows(source, construction, without, with, outcome);
        if (effort.entries() >= LEAST_ENTRIES) {
          outcome.check(check(source, Check.Kind.DETERMINISTIC, construction, without, with));
        }
      }
    }
  }

  /** Holds what prefetching saves against the thesis. */
  Check check(
      String source, Check.Kind kind, Construction construction, double[] without, double[] with) {
    return new Check(
        source + ", " + construction.label() + ": time saved at 6, 8, 12 lines, %",
        kind,
        percent(ratio(BEST_WIDTHS, without, with)),
        Target.atLeast(Objects.requireNonNull(saved.get(construction))));
  }

  /** Returns the times with one form of prefetching, in the order of widths. */
  private static double[] nanos(TreeTimes times, NodePrefetch prefetch) {
    return times.all().stream()
        .filter(time -> time.setting().choices().searchPrefetch() == prefetch)
        .mapToDouble(Time::nanos)
        .toArray();
  }

  private static double[] cycles(
      SimulatedCounts counts,
      SimulatedMachine machine,
      Construction construction,
      NodePrefetch prefetch) {
    return WIDTHS.stream()
        .mapToDouble(width -> counts.of(name(machine, construction, width, prefetch)).cycles())
        .toArray();
  }

  private static void addRows(
      String source, Construction construction, double[] without, double[] with, Outcome outcome) {
    double best = ratio(BEST_WIDTHS, without, with);
    double all = ratio(WIDTHS, without, with);
    outcome.row(source, construction.label() + ", 6-8-12", best, percent(best));
    outcome.row(source, construction.label() + ", all", all, percent(all));
  }

  /** Returns how many times as long queries take without prefetching, the mean over widths. */
  private static double ratio(List<Integer> widths, double[] without, double[] with) {
    return Numbers.meanRatio(at(widths, without), at(widths, with));
  }

  private static double[] at(List<Integer> widths, double[] times) {
    return widths.stream().mapToDouble(width -> times[WIDTHS.indexOf(width)]).toArray();
  }

  /** Returns the time that prefetching saves, in percent. */
  private static double percent(double ratio) {
    return 100 * (1 - 1 / ratio);
  }
}
