// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Simulated;
import dev.espalier.experiment.SimulatedCounts;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.experiment.Simulator;
import dev.espalier.experiment.Target;
import dev.espalier.simulation.HierarchyCounters;
import dev.espalier.simulation.HierarchyShape;
import java.util.List;

/** Figure 3 (b): what the time of a search is made of, in a tree of pages and in a pB+-tree. */
final class SearchBreakdown implements Simulated {
  private static final Description DESCRIPTION =
      new Description(
          "fpb-fig3b",
          "Busy and stall time of searches",
          "fpB+, figure 3 (b)",
          "Time of 2000 random searches in full trees of 10 million keys, divided into busy time,"
              + " stalls for data and other stalls, as a share of the disk-optimized B+-tree's. It"
              + " spends significantly more time stalled for data than the pB+-tree, and more busy"
              + " time as well, for its buffer pool.",
          "The machine of the paper's table 1, simulated; pages of 8 KB, as in the example beside"
              + " the figure; a pB+-tree whose nodes are as wide as is best for that memory, and"
              + " are prefetched whole before a binary search. The simulator counts a cycle for"
              + " each access and prefetch as busy, and knows neither instructions nor other"
              + " stalls: busy times are shown, and not checked. The text has no figure for"
              + " 'significantly'; a tenth is required.",
          new Chart(Chart.Kind.STACKED_BARS, "part", "tree", "share"));

  private static final HierarchyShape SHAPE = HierarchyShape.fpb();
  private static final int PAGE = 8 << 10;

  /** A node is prefetched as a whole, then searched by binary search. */
  private static final PbPlusChoices AS_IN_PAPER =
      PbPlusChoices.DEFAULT.withSearchPrefetch(NodePrefetch.LINEAR).withSearch(NodeSearch.BINARY);

  private static final double SIGNIFICANT = 1.1;
  private static final String B_PLUS = PagedTree.DISK_OPTIMIZED;
  static final String PB_PLUS = "PbPlusTree";
  private static final List<String> TREES = List.of(B_PLUS, PB_PLUS);

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public List<SimulatedWork> works(Effort effort) {
    return TREES.stream()
        .map(tree -> new SimulatedWork(tree, () -> simulate(tree, effort)))
        .toList();
  }

  private static List<Long> simulate(String name, Effort effort) {
    int entries = effort.entries();
    long[] ranks = Operation.ranks(entries, Operation.SEARCH.count(effort));
    long answer = Operation.SEARCH.answer(entries, ranks);
    try (LongIndex tree = build(name, entries)) {
      return SimulatedWork.checked(
          SHAPE, _ -> Operation.SEARCH.run(tree, entries, ranks) == answer ? 0 : 1);
    }
  }

  private static LongIndex build(String name, int entries) {
    if (name.equals(B_PLUS)) {
      return new PagedSetting(PagedTree.diskOptimized(), PAGE, entries, 100).build();
    }
    LongIndex tree =
        ConfigurablePbPlusTree.create(
            IndexOptions.DEFAULT, PbPlusTree.Geometry.forSingleProbes(TreeAge.TIMES), AS_IN_PAPER);
    tree.bulkload(Entries.ascending(entries), 1, entries, ProgressListener.NONE);
    return tree;
  }

  @Override
  public Outcome run(Run run) {
    Effort effort = run.effort();
    SimulatedCounts counts = Simulator.run(this, effort, run.progress());
    int searches = Operation.SEARCH.count(effort);
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.text("part", "part"),
            Column.real("cycles", "time", "cycles per search"),
            Column.real("share", "time, the B+-tree's = 1", ""));
    double whole = counts.of(B_PLUS).cycles();
    for (String tree : TREES) {
      HierarchyCounters counted = counts.of(tree);
      outcome.row(
          tree, "busy", (double) counted.busyCycles() / searches, counted.busyCycles() / whole);
      outcome.row(
          tree,
          "stalled for data",
          (double) counted.stallCycles() / searches,
          counted.stallCycles() / whole);
    }
    addChecks(counts, outcome);
    return outcome.parameter("entries", effort.entries()).parameter("searches", searches);
  }

  static void addChecks(SimulatedCounts counts, Outcome outcome) {
    outcome.check(
        Check.deterministic(
            "stalls of the disk-optimized B+-tree over the pB+-tree's",
            (double) counts.of(B_PLUS).stallCycles() / counts.of(PB_PLUS).stallCycles(),
            Target.atLeast(SIGNIFICANT)));
    outcome.check(counts.answers("trees"));
  }
}
