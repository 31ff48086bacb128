// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.LongIndex;
import dev.espalier.batch.BufferOptions;
import dev.espalier.batch.BufferedAccess;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Figure 11: insertions among the probes of a B+-tree. */
final class UpdatesAmongProbes implements Experiment {
  private static final List<Method> METHODS =
      List.of(Method.UNBUFFERED, Method.FIXED, Method.VARIABLE);

  /** Of the operations; the paper begins with none. */
  private static final List<Double> PERCENTS = List.of(0.0, 0.1, 1.0, 5.0, 20.0);

  /** What this library aims at: so much of the gain is kept with 1% of updates. */
  private static final double KEPT_GAIN = 0.7;

  private static final double FEW_PERCENT = 1;
  private static final int SEED = 17;

  /** A tree is built anew for each, which takes as long as many of the operations. */
  private static final int MOST_ROUNDS = 3;

  private record Mix(Method method, double percent) {}

  @Override
  public Description description() {
    return new Description(
        "buf-fig11",
        "Updates among the probes",
        "Buffering, figure 11",
        "Time of 5 million operations on a B+-tree, probes and randomly mixed insertions, without"
            + " buffers, with buffers of fixed and of variable size. A few updates cost buffers"
            + " little. With many, flushes eat up the gain, and a fixed size is better, because an"
            + " update flushes less.",
        MeasuredFigure.WHERE
            + " Updates differ from the paper's: they wait among the probes, and whatever concerns"
            + " one key keeps its order, so an update flushes nothing. Only where one has split a"
            + " node that has buffers, the probes that wait are led from the root again. Each round"
            + " has a tree built anew.",
        new Chart(Chart.Kind.LINES, Figure.LABEL, "updates", "nanos"));
  }

  @Override
  public Outcome run(Run run) {
    int keys = Table2.keys(run.effort());
    long[] probes = ProbeOrder.UNIFORM.probes(keys, keys);
    int rounds = Math.min(run.effort().rounds(), MOST_ROUNDS);
    try (RenewedTree tree = new RenewedTree(keys)) {
      List<Work<Mix>> works = new ArrayList<>();
      for (double percent : PERCENTS) {
        for (Method method : METHODS) {
          works.add(
              new Work<>(
                  new Mix(method, percent),
                  keys,
                  tree::renew,
                  () -> operate(tree.index, method, probes, percent)));
        }
      }
      List<Time<Mix>> times = Stopwatch.time(works, rounds, run.progress());
      Outcome outcome = outcome(times, Entries.sumOfRanks(probes), probes);
      outcome.parameter("keys", keys).parameter("operations", keys).parameter("rounds", rounds);
      return outcome;
    }
  }

  /** A key that is not there yet lies behind each that is. */
  private static boolean isUpdate(Random random, double percent) {
    return random.nextDouble() * 100 < percent;
  }

  /** Returns the sum of the values found. */
  private static long operate(LongIndex index, Method method, long[] keys, double percent) {
    Random random = new Random(SEED);
    if (method == Method.UNBUFFERED) {
      long sum = 0;
      for (long key : keys) {
        if (isUpdate(random, percent)) {
          index.set(key + 1, key);
        } else {
          sum += index.get(key);
        }
      }
      return sum;
    }
    BufferOptions options =
        method == Method.FIXED
            ? BuiltTree.fixed(keys.length)
            : BufferOptions.DEFAULT.withMostWaiting(keys.length);
    SumOfValues answers = new SumOfValues();
    try (BufferedAccess access = BufferedAccess.over(index, options, answers)) {
      for (int i = 0; i < keys.length; i++) {
        if (isUpdate(random, percent)) {
          access.put(keys[i] + 1, keys[i]);
        } else {
          access.get(keys[i], i);
        }
      }
      access.flush();
    }
    return answers.sum;
  }

  private static Outcome outcome(List<Time<Mix>> times, long sumOfAll, long[] probes) {
    Outcome outcome =
        new Outcome(
            Column.text(Figure.LABEL, "method"),
            Column.real("updates", "updates", "% of the operations"),
            Column.real("nanos", "time", "ns per operation"),
            Column.real("speed-up", "speed-up over unbuffered", "times"));
    Map<Mix, Double> bySetting = new HashMap<>();
    times.forEach(time -> bySetting.put(time.setting(), time.nanos()));
    Found<Mix, Double> nanos = new Found<>(bySetting);
    int wrong = 0;
    for (Time<Mix> time : times) {
      Mix mix = time.setting();
      outcome.row(mix.method.toString(), mix.percent, time.nanos(), gain(mix, nanos));
      wrong += time.wrong(sumOfAll - updatedRanks(probes, mix.percent));
    }
    outcome.check(Check.deterministic("methods that answered wrongly", wrong, Target.exactly(0)));
    for (Method method : List.of(Method.FIXED, Method.VARIABLE)) {
      outcome.check(
          Check.timing(
              method + ": gain kept with 1% of updates",
              gain(new Mix(method, FEW_PERCENT), nanos) / gain(new Mix(method, 0), nanos),
              Target.atLeast(KEPT_GAIN)));
    }
    return outcome;
  }

  private static double gain(Mix mix, Found<Mix, Double> nanos) {
    return nanos.of(new Mix(Method.UNBUFFERED, mix.percent)) / nanos.of(mix);
  }

  /** Returns the sum of the ranks of the keys that are updates, not probes. */
  private static long updatedRanks(long[] keys, double percent) {
    Random random = new Random(SEED);
    long sum = 0;
    for (long key : keys) {
      if (isUpdate(random, percent)) {
        sum += Entries.sumOfRanks(new long[] {key});
      }
    }
    return sum;
  }

  /** One tree at a time. */
  private static final class RenewedTree implements AutoCloseable {
    private final int keys;
    private LongIndex index;

    RenewedTree(int keys) {
      this.keys = keys;
      this.index = PaperIndex.B_PLUS_TREE.bulkloaded(keys);
    }

    void renew() {
      index.close();
      index = PaperIndex.B_PLUS_TREE.bulkloaded(keys);
    }

    @Override
    public void close() {
      index.close();
    }
  }
}
