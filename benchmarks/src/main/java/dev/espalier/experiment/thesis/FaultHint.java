// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

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
import dev.espalier.simulation.TlbShape;
import dev.espalier.simulation.TlbShape.PrefetchMiss;
import java.util.ArrayList;
import java.util.List;

/** Table 5.2: whether a prefetch whose page the TLB does not know is carried out. Simulated. */
final class FaultHint implements Simulated {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-table5.2",
          "Fault hint of prefetches",
          "thesis, table 5.2",
          "Time for a million queries and for ten scans of a small pB+-tree (keys of 8 bytes, nodes"
              + " of 4 lines) and a large one (64 bytes, 32 lines), with prefetches that are"
              + " dropped when the TLB does not know their page, and with the fault hint, by which"
              + " the page table is walked. Dropped prefetches were expected to be slower, above"
              + " all in the scan of the large tree, but times differ by 1.2% at most.",
          "x86 has no such hint, so the Itanium 2 is simulated, with pages of 16 KB. Keys have 8"
              + " bytes in both trees. The simulated processor waits for every page walk and for"
              + " every line that was not prefetched, and overlaps nothing by itself: what the"
              + " thesis expected of the hint, and did not find on its machine, is what comes out"
              + " here.",
          new Chart(Chart.Kind.BARS, "miss", "work", "relative"));

  private static final List<Integer> WIDTHS = List.of(4, 32);

  /** Leaves that a scan fetches ahead; the thesis's usual number. */
  private static final int SCAN_DISTANCE = 2;

  private static final SimulatedMachine MACHINE = SimulatedMachine.ITANIUM_2;

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  // ---------------------------------------------------------------- simulation

  @Override
  public List<SimulatedWork> works(Effort effort) {
    long[] probes = Entries.probes(effort.entries(), effort.probes(), effort.entries());
    List<SimulatedWork> works = new ArrayList<>();
    for (TreeOperation operation : TreeOperation.values()) {
      for (int width : WIDTHS) {
        for (PrefetchMiss miss : PrefetchMiss.values()) {
          TreeSetting tree =
              new TreeSetting(
                  MACHINE.label(),
                  MACHINE.treeLines(width),
                  SCAN_DISTANCE,
                  Construction.FULL,
                  TreeSetting.AS_IN_THESIS);
          works.add(
              tree.simulated(
                  setting(operation, width, miss),
                  shape(miss),
                  effort.entries(),
                  (built, hierarchy) -> operation.run(built, probes)));
        }
      }
    }
    return works;
  }

  private static HierarchyShape shape(PrefetchMiss miss) {
    TlbShape tlb = MACHINE.shape().tlb();
    return MACHINE.shape().withTlb(tlb.withPrefetchMiss(miss));
  }

  private static String setting(TreeOperation operation, int width, PrefetchMiss miss) {
    return work(operation, width) + ", " + label(miss);
  }

  private static String work(TreeOperation operation, int width) {
    return operation.label() + ", " + width + " lines";
  }

  private static String label(PrefetchMiss miss) {
    return switch (miss) {
      case WALK -> "page table walked";
      case DROP -> "prefetch dropped";
    };
  }

  // ---------------------------------------------------------------- experiment

  @Override
  public Outcome run(Run run) {
    Effort effort = SimulatedEffort.scaled(run.effort());
    Outcome outcome =
        new Outcome(
            Column.text("work", "operation and node width"),
            Column.text("miss", "on a TLB miss"),
            Column.real("cycles", "time", "cycles per query or entry"),
            Column.real("dropped", "dropped prefetches", "lines per query or entry"),
            Column.real("relative", "time, with page walks = 1", ""));
    outcome
        .parameter("entries", effort.entries())
        .parameter("probes", effort.probes())
        .parameter("scan distance", SCAN_DISTANCE);
    SimulatedCounts counts = Simulator.run(this, effort, run.progress());
    for (TreeOperation operation : TreeOperation.values()) {
      for (int width : WIDTHS) {
        double operations = operation == TreeOperation.QUERY ? effort.probes() : effort.entries();
        HierarchyCounters walked = counts.of(setting(operation, width, PrefetchMiss.WALK));
        for (PrefetchMiss miss : PrefetchMiss.values()) {
          HierarchyCounters counted = counts.of(setting(operation, width, miss));
          outcome.row(
              work(operation, width),
              label(miss),
              counted.cycles() / operations,
              counted.droppedPrefetches() / operations,
              (double) counted.cycles() / walked.cycles());
        }
        addChecks(
            work(operation, width),
            walked,
            counts.of(setting(operation, width, PrefetchMiss.DROP)),
            outcome);
      }
    }
    return outcome;
  }

  static void addChecks(
      String work, HierarchyCounters walked, HierarchyCounters dropped, Outcome outcome) {
    outcome.check(
        Check.deterministic(
            work + ": time without / with the hint",
            (double) dropped.cycles() / walked.cycles(),
            Target.atLeast(1)));
  }
}
