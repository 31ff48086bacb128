// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
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
import dev.espalier.inspect.NodeView;
import dev.espalier.model.CostModel;
import dev.espalier.model.MemoryTimes;
import dev.espalier.simulation.HierarchyShape;
import dev.espalier.simulation.TlbShape;
import java.util.ArrayList;
import java.util.List;

/** Figure 3.6, simulated: what wide, prefetched nodes gain over nodes of one line. */
final class WideNodeGain implements Simulated {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig3.6-simulated",
          "Gain of wide nodes, model and simulation",
          "thesis, equation 3.6",
          "The time that one query of a pB+-tree waits for memory, by equation 3.6: for each level"
              + " a full latency T1 for the first line of the node, and Tnext for each further"
              + " line. Nothing is measured; prefetched wide nodes win over nodes of one line,"
              + " because the tree is lower.",
          "The tree itself, under a simulated memory hierarchy: stall cycles of a query with nodes"
              + " of one line divided by those with wide nodes, over node widths. The model is"
              + " equation 3.6 with the fan-outs of this library's nodes, whose children take 4"
              + " bytes and whose leaves hold values. Simulated as modelled, for"
              + " information: all caches are emptied before each query, page walks and work in"
              + " the processor cost nothing, so that it agrees by construction. Cold: the"
              + " caches are emptied, but walks and work count, and prefetches overlap with both."
              + " Warm, for information: caches keep what the queries before have left there."
              + " Nodes are prefetched whole and searched by binary search, as in the thesis.",
          new Chart(Chart.Kind.LINES, "series", "width", "gain"));

  private static final List<Integer> WIDTHS = List.of(1, 2, 4, 8, 16, 32);

  /** Cold queries cost about the same whatever the key is. */
  private static final int COLD_PROBES = 100;

  private static final String MODEL = "model";
  private static final String AS_MODELLED = "simulated as modelled";
  private static final String COLD = "simulated, cold";
  private static final String WARM = "simulated, warm";

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  // ---------------------------------------------------------------- simulation

  @Override
  public List<SimulatedWork> works(Effort effort) {
    int entries = effort.entries();
    long[] warmProbes = Entries.probes(entries, effort.probes(), entries);
    List<SimulatedWork> works = new ArrayList<>();
    for (SimulatedMachine machine : SimulatedMachine.values()) {
      for (int width : WIDTHS) {
        TreeSetting tree = tree(machine, width);
        works.add(
            cold(setting(machine, AS_MODELLED, width), asModelled(machine.shape()), tree, effort));
        works.add(cold(setting(machine, COLD, width), machine.shape(), tree, effort));
        works.add(
            tree.simulated(
                setting(machine, WARM, width),
                machine.shape(),
                entries,
                (built, hierarchy) -> {
                  TreeOperation.QUERY.run(built, warmProbes);
                  hierarchy.reset();
                  TreeOperation.QUERY.run(built, warmProbes);
                }));
      }
    }
    return works;
  }

  private static SimulatedWork cold(
      String setting, HierarchyShape shape, TreeSetting tree, Effort effort) {
    long[] probes = Entries.probes(effort.entries(), COLD_PROBES, effort.entries());
    return tree.simulated(
        setting,
        shape,
        effort.entries(),
        (built, hierarchy) -> {
          for (long probe : probes) {
            hierarchy.flush();
            built.get(probe);
          }
        });
  }

  /** The model knows neither page walks nor work. */
  private static HierarchyShape asModelled(HierarchyShape shape) {
    TlbShape tlb = shape.tlb();
    return shape
        .withBusyCycles(0)
        .withTlb(new TlbShape(tlb.entries(), tlb.ways(), tlb.pageBytes(), 0, tlb.prefetchMiss()));
  }

  private static TreeSetting tree(SimulatedMachine machine, int width) {
    return new TreeSetting(
        machine.label(), machine.treeLines(width), 0, Construction.FULL, TreeSetting.AS_IN_THESIS);
  }

  private static String setting(SimulatedMachine machine, String state, int width) {
    return series(machine, state) + ", " + width + " lines";
  }

  private static String series(SimulatedMachine machine, String state) {
    return machine.label() + ": " + state;
  }

  // ---------------------------------------------------------------- experiment

  @Override
  public Outcome run(Run run) {
    Effort effort = SimulatedEffort.scaled(run.effort());
    Outcome outcome =
        new Outcome(
            Column.text("series", "series"),
            Column.integer("width", "node width", "lines of the machine"),
            Column.integer("height", "height", "levels"),
            Column.real("stalls", "stalled", "cycles per query"),
            Column.real("gain", "gain over nodes of one line", "times"));
    outcome
        .parameter("entries", effort.entries())
        .parameter("warm probes", effort.probes())
        .parameter("cold probes", COLD_PROBES);
    SimulatedCounts counts = Simulator.run(this, effort, run.progress());
    for (SimulatedMachine machine : SimulatedMachine.values()) {
      addRows(machine, effort, counts, outcome);
    }
    return outcome;
  }

  private static void addRows(
      SimulatedMachine machine, Effort effort, SimulatedCounts counts, Outcome outcome) {
    int[] heights = new int[WIDTHS.size()];
    double[] model = new double[WIDTHS.size()];
    MemoryTimes times = new MemoryTimes(machine.shape().t1(), machine.shape().tnext());
    int levelsApart = 0;
    for (int i = 0; i < WIDTHS.size(); i++) {
      try (ConfigurablePbPlusTree tree = tree(machine, WIDTHS.get(i)).build(effort.entries())) {
        heights[i] = tree.rootView().level() + 1;
        levelsApart += Math.abs(heights[i] - modelledHeight(tree.rootView(), effort.entries()));
      }
      model[i] = heights[i] * times.ofLines(WIDTHS.get(i));
    }
    addRows(series(machine, MODEL), heights, model, outcome);
    outcome.check(
        Check.deterministic(
            machine.label() + ": levels apart from the model's heights",
            levelsApart,
            Target.exactly(0)));
    for (String state : List.of(AS_MODELLED, COLD, WARM)) {
      int probes = state.equals(WARM) ? effort.probes() : COLD_PROBES;
      double[] stalls =
          WIDTHS.stream()
              .mapToDouble(width -> stalls(counts, setting(machine, state, width), probes))
              .toArray();
      addRows(series(machine, state), heights, stalls, outcome);
      if (state.equals(COLD)) {
        addChecks(series(machine, state), stalls, model, outcome);
      }
    }
  }

  static void addChecks(String series, double[] stalls, double[] model, Outcome outcome) {
    for (int i = 1; i < WIDTHS.size(); i++) {
      outcome.check(
          Check.deterministic(
              "%s: gain / the model's, %d lines".formatted(series, WIDTHS.get(i)),
              (stalls[0] / stalls[i]) / (model[0] / model[i]),
              Target.between(0.9, 1.1)));
    }
  }

  private static void addRows(String series, int[] heights, double[] stalls, Outcome outcome) {
    for (int i = 0; i < stalls.length; i++) {
      outcome.row(series, WIDTHS.get(i), heights[i], stalls[i], stalls[0] / stalls[i]);
    }
  }

  /** The height by equation 3.1, with the fan-outs of this library's nodes. */
  private static int modelledHeight(NodeView root, int entries) {
    NodeView leaf = root;
    while (leaf.level() > 0) {
      leaf = leaf.child(0);
    }
    int leaves = Math.ceilDiv(entries, leaf.capacity());
    return CostModel.height(root.capacity() + 1, leaves);
  }

  private static double stalls(SimulatedCounts counts, String setting, int probes) {
    return (double) counts.of(setting).stallCycles() / probes;
  }
}
