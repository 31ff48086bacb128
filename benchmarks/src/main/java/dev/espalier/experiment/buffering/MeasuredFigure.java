// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A figure on this machine. */
final class MeasuredFigure implements Experiment {
  static final String WHERE =
      "On this machine, with the keys and probes of table 2. Keys, values and coordinates have 8"
          + " bytes where the paper's have 4, so nodes of as many bytes hold half as many. Buffers"
          + " are made before the clock starts. Virtual nodes are those that the cache analysis"
          + " finds for this machine's caches, except where the figure names them; for the R-tree,"
          + " each node is one. Trees are to be larger than the last-level cache, which those of"
          + " --quick are not.";

  private static final String NANOS = "nanos";

  private final Figure figure;

  MeasuredFigure(Figure figure) {
    this.figure = figure;
  }

  @Override
  public Description description() {
    return figure.description("", WHERE, NANOS);
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Effort effort = run.effort();
    int keys = Table2.keys(effort);
    run.progress().show("building", 0);
    try (Inputs inputs = new Inputs(figure.settings(), keys)) {
      List<Work<ProbeSetting>> works = new ArrayList<>();
      for (ProbeSetting setting : figure.settings()) {
        works.add(
            new Work<>(
                setting,
                setting.count(keys),
                () -> inputs.prepare(setting),
                () -> inputs.ready.run()));
      }
      List<Time<ProbeSetting>> times = Stopwatch.time(works, effort.rounds(), run.progress());
      Outcome outcome = outcome(inputs, times, keys);
      outcome
          .parameter("keys", keys)
          .parameter("rectangles", BuiltRTree.rectangles(keys))
          .parameter("rounds", effort.rounds());
      return outcome;
    }
  }

  private Outcome outcome(Inputs inputs, List<Time<ProbeSetting>> times, int keys) {
    Outcome outcome =
        new Outcome(
            Column.text(Figure.SERIES, "index and method"),
            Column.text(Figure.INDEX, "index"),
            Column.text(Figure.LABEL, "method"),
            Column.text(Figure.ORDER, "order of the probes"),
            Column.real(Figure.SHARE, "probes", "% of the keys"),
            Column.integer("probes", "probes", ""),
            Column.text("way", "virtual nodes or chosen method"),
            Column.real(NANOS, "time", "ns per probe"),
            Column.real("speed-up", "speed-up over unbuffered", "times"));
    Map<ProbeSetting, Double> nanos = new LinkedHashMap<>();
    times.forEach(time -> nanos.put(time.setting(), time.nanos()));
    int wrong = 0;
    for (Time<ProbeSetting> time : times) {
      ProbeSetting setting = time.setting();
      double unbuffered = nanos.getOrDefault(setting.by(Method.UNBUFFERED), time.nanos());
      outcome.row(
          setting.index() + ", " + setting.label(),
          setting.index().toString(),
          setting.label(),
          setting.order().toString(),
          setting.share() * 100,
          setting.count(keys),
          inputs.way(setting),
          time.nanos(),
          unbuffered / time.nanos());
      wrong += time.wrong(inputs.answer(setting));
    }
    outcome.check(Check.deterministic("methods that answered wrongly", wrong, Target.exactly(0)));
    figure.measured().add(keys, new Found<>(nanos), outcome);
    return outcome;
  }

  /** The indexes, and the one way of probing that is in use: buffers are as large as indexes. */
  private static final class Inputs implements AutoCloseable {
    private final Map<PaperIndex, BuiltIndex> indexes = new EnumMap<>(PaperIndex.class);
    private Probing ready = () -> 0;

    Inputs(List<ProbeSetting> settings, int keys) {
      ProbeKeys probes = new ProbeKeys(keys);
      try {
        for (ProbeSetting setting : settings) {
          indexes.computeIfAbsent(
              setting.index(), index -> index.build(keys, probes, Placement.OF_THIS_MACHINE));
        }
      } catch (RuntimeException | Error failed) {
        close();
        throw failed;
      }
    }

    private BuiltIndex index(ProbeSetting setting) {
      return new Found<>(indexes).of(setting.index());
    }

    /** Where probes are few, the round before would have left their nodes in the caches. */
    void prepare(ProbeSetting setting) {
      ready.close();
      ready = index(setting).prepare(setting);
      if (setting.share() < 1) {
        Caches.fillWithOtherThings();
      }
    }

    String way(ProbeSetting setting) {
      try (Probing probing = index(setting).prepare(setting)) {
        return probing.way();
      }
    }

    long answer(ProbeSetting setting) {
      return index(setting).answer(setting);
    }

    @Override
    public void close() {
      ready.close();
      indexes.values().forEach(BuiltIndex::close);
    }
  }
}
