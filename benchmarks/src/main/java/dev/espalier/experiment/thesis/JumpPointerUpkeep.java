// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;

/** Table 6.3: what jump-pointer arrays cost when leaves split. */
final class JumpPointerUpkeep implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-table6.3",
          "Upkeep of jump-pointer arrays",
          "thesis, table 6.3",
          "Time of 10,000 to 2.56 million inserts into a pB+-tree with keys of 16 bytes, with a"
              + " flat jump-pointer array, the internal one, and a chunked one with chunks of 4"
              + " lines. Nodes have one line, so that leaves split as often as can be. The flat"
              + " array is prohibitive: 92 seconds for 320,000 inserts, instead of 1. The chunked"
              + " one costs 2.5% to 6.4% more than the internal one, which costs nothing.",
          "The same with keys and values of 8 bytes, in random order; a leaf of one line has room"
              + " for 3 entries. The flat array is left out where it would take minutes, as in the"
              + " thesis. Chunks are to take at most 7% of the time of inserts, which is this"
              + " library's aim; the flat array's target is the thesis's 94 times, for as many"
              + " inserts as there are in a full run.",
          new Chart(Chart.Kind.LINES, "array", "inserts", "nanos"));

  private static final int CHUNK_LINES = 4;

  /** Each count of inserts is twice the one before; for the first ones there is a flat array. */
  private static final int COUNTS = 9;

  private static final int COUNTS_OF_FLAT = 6;

  /** How many times as long the thesis's inserts took with the flat array, the most of them. */
  private static final double FLAT_TIMES = 94;

  private static final String FLAT = "flat";
  private static final String INTERNAL = "internal";
  private static final String CHUNKED = "chunked";

  /** A tree to be built. */
  private record Setting(String array, JumpPointers pointers, int inserts) {
    long build() {
      TreeSetting tree =
          new TreeSetting(
              array, 1, 2, Construction.INSERTED, PbPlusChoices.DEFAULT.withJumpPointers(pointers));
      try (ConfigurablePbPlusTree built = tree.build(inserts)) {
        return built.size();
      }
    }

    @Override
    public String toString() {
      return array + ", " + inserts + " inserts";
    }
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    Outcome outcome =
        new Outcome(
            Column.text("array", "jump-pointer array"),
            Column.integer("inserts", "inserts", ""),
            Column.real("nanos", "time", "ns per insert"),
            Column.real("difference", "more than with the internal array", "%"));
    // 10,000 in full.
    int fewest = Math.max(run.effort().entries() / 1000, 1);
    outcome
        .parameter("fewest inserts", fewest)
        .parameter("rounds", run.effort().rounds())
        .parameter("chunk width", CHUNK_LINES);
    List<Time<Setting>> times = measure(fewest, run.effort().rounds(), run.progress());
    double[] internal = nanos(times, INTERNAL);
    int wrong = 0;
    for (Time<Setting> time : times) {
      Setting setting = time.setting();
      int count = Integer.numberOfTrailingZeros(setting.inserts / fewest);
      outcome.row(
          setting.array, setting.inserts, time.nanos(), 100 * (time.nanos() / internal[count] - 1));
      wrong += time.wrong(setting.inserts);
    }
    outcome.check(Check.deterministic("trees of wrong size", wrong, Target.exactly(0)));
    addChecks(internal, nanos(times, CHUNKED), nanos(times, FLAT), outcome);
    return outcome;
  }

  /** Large trees first: the few inserts of small ones would be run before they are compiled. */
  private static List<Time<Setting>> measure(int fewest, int rounds, Progress progress) {
    List<Time<Setting>> times = new ArrayList<>();
    for (int count = COUNTS - 1; count >= 0; count--) {
      int inserts = fewest << count;
      List<Work<Setting>> works = new ArrayList<>();
      works.add(work(INTERNAL, JumpPointers.INTERNAL, inserts));
      works.add(work(CHUNKED, JumpPointers.chunked(CHUNK_LINES), inserts));
      if (count < COUNTS_OF_FLAT) {
        works.add(work(FLAT, JumpPointers.FLAT, inserts));
      }
      times.addAll(0, Stopwatch.time(works, rounds, progress.part(COUNTS - 1 - count, COUNTS)));
    }
    return times;
  }

  private static Work<Setting> work(String array, JumpPointers pointers, int inserts) {
    Setting setting = new Setting(array, pointers, inserts);
    return new Work<>(setting, inserts, setting::build);
  }

  private static double[] nanos(List<Time<Setting>> times, String array) {
    return times.stream()
        .filter(time -> time.setting().array.equals(array))
        .mapToDouble(Time::nanos)
        .toArray();
  }

  static void addChecks(double[] internal, double[] chunked, double[] flat, Outcome outcome) {
    int last = COUNTS - 1;
    outcome.check(
        Check.timing(
            "chunked: share of insert time, most inserts, %",
            100 * (1 - internal[last] / chunked[last]), Target.atMost(7)));
    outcome.check(
        Check.timing(
            "chunked: share of insert time, mean, %",
            100 * (1 - Numbers.meanRatio(internal, chunked)), Target.atMost(7)));
    int lastFlat = COUNTS_OF_FLAT - 1;
    outcome.check(
        Check.timing(
            "time with the flat array / the internal one, most inserts of both",
            flat[lastFlat] / internal[lastFlat],
            Target.atLeast(FLAT_TIMES)));
  }
}
