// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Simulated;
import dev.espalier.experiment.SimulatedCounts;
import dev.espalier.experiment.SimulatedWork;
import dev.espalier.experiment.Simulator;
import dev.espalier.model.MemoryTimes;
import dev.espalier.simulation.HierarchyShape;
import java.util.ArrayList;
import java.util.List;

/** A figure on the simulated machine of the paper's table 1. */
final class SimulatedFigure implements Simulated {
  private static final String WHERE =
      "The memory hierarchy of the paper's table 1, simulated; caches are empty at first. The"
          + " simulated processor executes in order: it waits for each line that was not"
          + " prefetched, and is busy for one cycle at each access, while instructions between"
          + " accesses cost nothing. So differences are larger than in the paper, whose processor"
          + " overlaps some misses and spends much of its time on instructions. Entries have 16"
          + " bytes where the paper's have 8: pages hold half as many, and trees of as many keys"
          + " are twice as large. Pages, keys and operations are as many as in the paper.";

  private static final HierarchyShape SHAPE = HierarchyShape.fpb();

  /** The memory that widths are chosen for. */
  private static final MemoryTimes TIMES = new MemoryTimes(SHAPE.t1(), SHAPE.tnext());

  private final Figure figure;

  SimulatedFigure(Figure figure) {
    this.figure = figure;
  }

  @Override
  public Description description() {
    return figure.description("-simulated", WHERE);
  }

  private List<PagedSetting> settings(Effort effort) {
    return figure.settings().of(effort.entries(), TIMES);
  }

  @Override
  public List<SimulatedWork> works(Effort effort) {
    int count = figure.operation().count(effort);
    List<SimulatedWork> works = new ArrayList<>();
    for (PagedSetting setting : settings(effort)) {
      works.add(new SimulatedWork(setting.toString(), () -> simulate(setting, count)));
    }
    return works;
  }

  private List<Long> simulate(PagedSetting setting, int count) {
    Operation operation = figure.operation();
    int entries = setting.entries();
    long[] ranks = Operation.ranks(entries, count);
    try (LongIndex tree = setting.build()) {
      long answer = operation.answer(entries, ranks);
      return SimulatedWork.checked(
          SHAPE, _ -> operation.run(tree, entries, ranks) == answer ? 0 : 1);
    }
  }

  @Override
  public Outcome run(Run run) {
    Operation operation = figure.operation();
    Effort effort = run.effort();
    int count = operation.count(effort);
    SimulatedCounts counts = Simulator.run(this, effort, run.progress());
    List<PagedSetting> settings = settings(effort);
    List<Double> cycles = new ArrayList<>();
    for (PagedSetting setting : settings) {
      long[] ranks = Operation.ranks(setting.entries(), count);
      long units = operation.units(setting.entries(), ranks);
      cycles.add((double) counts.of(setting.toString()).cycles() / units);
    }
    Outcome outcome =
        figure.outcome(new FigureTimes(Check.Kind.DETERMINISTIC, settings, cycles), "cycles");
    outcome
        .parameter("entries of the largest tree", effort.entries())
        .parameter("operations", count)
        .parameter("T1", SHAPE.t1())
        .parameter("Tnext", SHAPE.tnext());
    outcome.check(counts.answers("trees"));
    return outcome;
  }
}
