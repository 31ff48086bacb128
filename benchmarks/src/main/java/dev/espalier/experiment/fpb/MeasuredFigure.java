// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import dev.espalier.model.MemoryTimes;
import java.util.ArrayList;
import java.util.List;

/** A figure on this machine. */
final class MeasuredFigure implements Experiment {
  private static final String WHERE =
      "On this machine, in memory: there is no buffer pool, a page is pinned by arithmetic, and"
          + " what the caches hold is what the round before and the building of the trees left"
          + " there. Entries have 16 bytes where the paper's have 8: pages hold half as many, and"
          + " trees of as many keys are twice as large. Widths within pages are chosen for this"
          + " machine's memory.";

  /** Updates, each on a tree of its own, are few; so they are compiled before. */
  private static final int WARM_UP_OPERATIONS = 100_000;

  private final Figure figure;

  MeasuredFigure(Figure figure) {
    this.figure = figure;
  }

  @Override
  public Description description() {
    return figure.description("", WHERE);
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Effort effort = run.effort();
    int count = count(effort);
    List<PagedSetting> settings =
        figure.settings().of(effort.entries(), MemoryTimes.ofThisMachine());
    List<Time<PagedSetting>> times = measure(settings, count, effort, run.progress());
    Outcome outcome =
        figure.outcome(
            new FigureTimes(Check.Kind.TIMING, settings, times.stream().map(Time::nanos).toList()),
            "ns");
    outcome
        .parameter("entries of the largest tree", effort.entries())
        .parameter("operations", count)
        .parameter("rounds", effort.rounds());
    int wrong = times.stream().mapToInt(time -> wrong(time, count)).sum();
    outcome.check(Check.deterministic("trees that answered wrongly", wrong, Target.exactly(0)));
    return outcome;
  }

  /** Lookups are so fast that the paper's 2000 are too few for a clock. */
  private int count(Effort effort) {
    return figure.operation() == Operation.SEARCH
        ? Math.max(effort.probes() / 4, 1)
        : figure.operation().count(effort);
  }

  private int wrong(Time<PagedSetting> time, int count) {
    int entries = time.setting().entries();
    return time.wrong(figure.operation().answer(entries, Operation.ranks(entries, count)));
  }

  /** Trees that are compared with one another are there together, and measured in turn. */
  private List<Time<PagedSetting>> measure(
      List<PagedSetting> settings, int count, Effort effort, Progress progress) {
    List<Time<PagedSetting>> times = new ArrayList<>();
    while (times.size() < settings.size()) {
      PagedSetting first = settings.get(times.size());
      List<PagedSetting> group =
          settings.stream().skip(times.size()).takeWhile(first::isComparableTo).toList();
      double before = (double) times.size() / settings.size();
      double share = (double) group.size() / settings.size();
      times.addAll(
          measureGroup(
              group,
              count,
              effort,
              (task, fraction) -> progress.show(task, before + share * fraction)));
    }
    return times;
  }

  private List<Time<PagedSetting>> measureGroup(
      List<PagedSetting> settings, int count, Effort effort, Progress progress) {
    Operation operation = figure.operation();
    int entries = settings.getFirst().entries();
    long[] ranks = Operation.ranks(entries, count);
    List<BuiltTree> trees = new ArrayList<>();
    List<Work<PagedSetting>> works = new ArrayList<>();
    try {
      for (PagedSetting setting : settings) {
        progress.show("building " + setting, 0);
        if (operation.changesTree()) {
          warmUp(setting, effort);
        }
        BuiltTree tree = new BuiltTree(setting);
        trees.add(tree);
        works.add(
            new Work<>(
                setting,
                operation.units(entries, ranks),
                operation.changesTree() ? tree::build : () -> {},
                () -> operation.run(tree.index, entries, ranks)));
      }
      return Stopwatch.time(works, effort.rounds(), progress);
    } finally {
      trees.forEach(BuiltTree::close);
    }
  }

  private void warmUp(PagedSetting setting, Effort effort) {
    int entries = Math.min(setting.entries(), WARM_UP_OPERATIONS);
    long[] ranks = Operation.ranks(entries, Math.min(effort.probes(), WARM_UP_OPERATIONS));
    try (LongIndex tree = setting.withEntries(entries).build()) {
      figure.operation().run(tree, entries, ranks);
    }
  }

  /** A tree that can be built anew. */
  private static final class BuiltTree {
    private final PagedSetting setting;
    private LongIndex index;

    BuiltTree(PagedSetting setting) {
      this.setting = setting;
      this.index = setting.build();
    }

    void build() {
      index.close();
      index = setting.build();
    }

    void close() {
      index.close();
    }
  }
}
