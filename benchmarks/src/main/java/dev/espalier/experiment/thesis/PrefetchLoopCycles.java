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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Figure 5.5, simulated: busy and stall cycles of the prefetching loops of figure 5.4. */
final class PrefetchLoopCycles implements Simulated {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig5.5-simulated",
          "Busy and stall cycles of the prefetching loop",
          "thesis, figure 5.5",
          "The processor cycles of queries and scans over nodes of 16 lines, divided by hardware"
              + " counters into busy ones and stalls of several kinds, for the plain and the"
              + " unrolled prefetching loop. Waiting for data takes about as long with both.",
          "The loops of figure 5.4 under the memory hierarchy of a server of today, simulated, with"
              + " a processor that executes in order. Each access and prefetch counts as busy for a"
              + " cycle; the simulator knows nothing of instructions, so the cost of calls, which"
              + " is what figure 5.5 on the machine shows, is not in here. What is: how the order"
              + " of prefetches hides the misses. A call per line or per node is the same sequence"
              + " of prefetches, so that waiting takes as long with both can't be shown here;"
              + " one call per group overlaps the misses of"
              + " several probes, but makes a scan fetch in bursts.",
          new Chart(Chart.Kind.STACKED_BARS, "part", "loop", "cycles"));

  private static final int WIDTH = 16;

  private static final SimulatedMachine MACHINE = SimulatedMachine.TODAY;

  /** To the simulator, a call for each line is the same as a call for each node. */
  private static final List<PrefetchForm> FORMS =
      List.of(PrefetchForm.NONE, PrefetchForm.CALL_PER_NODE, PrefetchForm.CALL_PER_GROUP);

  private static final String QUERY = "query";
  private static final String SCAN = "scan";

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public List<SimulatedWork> works(Effort effort) {
    int entries = effort.entries();
    long[] probes = Entries.probes(entries, effort.probes(), entries);
    List<SimulatedWork> works = new ArrayList<>();
    for (PrefetchForm form : FORMS) {
      works.add(work(QUERY, form, entries, tree -> form.query(tree, probes)));
      works.add(work(SCAN, form, entries, tree -> form.scan(tree, tree.leaves(Integer.MAX_VALUE))));
    }
    return works;
  }

  private static SimulatedWork work(
      String operation, PrefetchForm form, int entries, Consumer<KeyTree> body) {
    return new SimulatedWork(
        loop(operation, form),
        () -> {
          try (KeyTree tree = new KeyTree(MACHINE.treeLines(WIDTH), entries)) {
            return SimulatedWork.counted(MACHINE.shape(), hierarchy -> body.accept(tree));
          }
        });
  }

  @Override
  public Outcome run(Run run) {
    Effort effort = SimulatedEffort.scaled(run.effort());
    Outcome outcome =
        new Outcome(
            Column.text("loop", "loop"),
            Column.text("part", "part"),
            Column.real("cycles", "time", "cycles per query or line of a leaf"));
    outcome
        .parameter("entries", effort.entries())
        .parameter("probes", effort.probes())
        .parameter("node width", WIDTH);
    SimulatedCounts counts = Simulator.run(this, effort, run.progress());
    int leafLines =
        Math.ceilDiv(effort.entries(), MACHINE.shape().lineBytes() / Long.BYTES * WIDTH) * WIDTH;
    for (String operation : List.of(QUERY, SCAN)) {
      double operations = operation.equals(QUERY) ? effort.probes() : leafLines;
      for (PrefetchForm form : FORMS) {
        HierarchyCounters counted = counts.of(loop(operation, form));
        outcome.row(loop(operation, form), "busy", counted.busyCycles() / operations);
        outcome.row(loop(operation, form), "stalled", counted.stallCycles() / operations);
      }
      addChecks(operation, counts, outcome);
    }
    addCheckOfGroups(counts, outcome);
    return outcome;
  }

  /** A group's misses overlap, so a query waits less. */
  static void addCheckOfGroups(SimulatedCounts counts, Outcome outcome) {
    outcome.check(
        Check.deterministic(
            "query: stalls by calls per group / per node",
            stalls(QUERY, PrefetchForm.CALL_PER_GROUP, counts)
                / stalls(QUERY, PrefetchForm.CALL_PER_NODE, counts),
            Target.atMost(1)));
  }

  static void addChecks(String operation, SimulatedCounts counts, Outcome outcome) {
    double none = stalls(operation, PrefetchForm.NONE, counts);
    double perNode = stalls(operation, PrefetchForm.CALL_PER_NODE, counts);
    outcome.check(
        Check.deterministic(
            operation + ": stalls by calls per node / no prefetch",
            perNode / none,
            Target.atMost(1)));
  }

  private static double stalls(String operation, PrefetchForm form, SimulatedCounts counts) {
    return counts.of(loop(operation, form)).stallCycles();
  }

  private static String loop(String operation, PrefetchForm form) {
    return operation + ", " + form.label();
  }
}
