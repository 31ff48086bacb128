// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Simulated;
import dev.espalier.experiment.SimulatedCounts;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.experiment.Simulator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cache misses of a figure, on the simulated Pentium 4 of the paper's table 1. */
final class SimulatedFigure implements Simulated {
  private static final String WHERE =
      "The caches and the TLB of the paper's Pentium 4, simulated, empty at first; with as many"
          + " keys and probes as in the paper. Counted are the accesses to nodes and to the records"
          + " in buffers, and where the order is preserved those to a result buffer made for this;"
          + " not those to the table of a node's buffers and to some hundred probes at hand, which"
          + " are on the Java heap. The processor waits for each line that was not"
          + " prefetched, is busy for one cycle at each access, and nothing is prefetched by the"
          + " hardware. The cache miss penalty is reckoned as in the paper, misses times latency,"
          + " also for lines that the CSB+-tree prefetches, as the paper's does not. Virtual nodes"
          + " are those that the cache analysis finds for its cache of 256 KB, except where the"
          + " figure names them; for the R-tree, each node is one.";

  private static final Placement PLACEMENT = Placement.forCache(Pentium4.SHAPE.l2().bytes());
  private static final String PENALTY = "penalty";

  private final Figure figure;

  SimulatedFigure(Figure figure) {
    this.figure = figure;
  }

  @Override
  public Description description() {
    return figure.description("-simulated", WHERE, PENALTY);
  }

  @Override
  public List<SimulatedWork> works(Effort effort) {
    int keys = Table2.keys(effort);
    List<SimulatedWork> works = new ArrayList<>();
    for (ProbeSetting setting : figure.simulatedSettings()) {
      works.add(new SimulatedWork(setting.toString(), () -> simulate(setting, keys)));
    }
    return works;
  }

  private static List<Long> simulate(ProbeSetting setting, int keys) {
    try (BuiltIndex index = setting.index().build(keys, new ProbeKeys(keys), PLACEMENT);
        Probing probing = index.prepareSeen(setting)) {
      long answer = index.answer(setting);
      return SimulatedWork.checked(Pentium4.SHAPE, _ -> probing.run() == answer ? 0 : 1);
    }
  }

  @Override
  public Outcome run(Run run) {
    int keys = Table2.keys(run.effort());
    SimulatedCounts counts = Simulator.run(this, run.effort(), run.progress());
    Outcome outcome =
        new Outcome(
            Column.text(Figure.SERIES, "index and method"),
            Column.text(Figure.INDEX, "index"),
            Column.text(Figure.LABEL, "method"),
            Column.text(Figure.ORDER, "order of the probes"),
            Column.real(Figure.SHARE, "probes", "% of the keys"),
            Column.integer("probes", "probes", ""),
            Column.real("misses", "lines from memory", "per probe"),
            Column.real(PENALTY, "cache miss penalty", "cycles per probe"),
            Column.real("tlb", "TLB miss penalty", "cycles per probe"),
            Column.real("cycles", "all simulated", "cycles per probe"));
    Map<ProbeSetting, SimulatedCost> costs = new LinkedHashMap<>();
    for (ProbeSetting setting : figure.simulatedSettings()) {
      int probes = setting.count(keys);
      SimulatedCost cost = SimulatedCost.of(counts.of(setting.toString()), probes);
      costs.put(setting, cost);
      outcome.row(
          setting.index() + ", " + setting.label(),
          setting.index().toString(),
          setting.label(),
          setting.order().toString(),
          setting.share() * 100,
          probes,
          cost.misses(),
          cost.missPenalty(),
          cost.tlbPenalty(),
          cost.cycles());
    }
    outcome.parameter("keys", keys).parameter("rectangles", BuiltRTree.rectangles(keys));
    outcome.check(counts.answers("methods"));
    figure.simulated().add(keys, new Found<>(costs), outcome);
    return outcome;
  }
}
