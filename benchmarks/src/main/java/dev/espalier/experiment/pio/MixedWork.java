// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;

/**
 * The work of figure 12, and what is found: random inserts and searches in a given ratio.
 *
 * @param entries entries that were loaded
 * @param memoryBytes memory for pool and queue together
 * @param operations that are timed
 */
record MixedWork(int entries, long memoryBytes, int operations) {
  /** Percent of inserts. The paper has five mixes, whose numbers are not at hand. */
  static final List<Integer> MIXES = List.of(10, 30, 50, 70, 90);

  private static final int OPERATION_BYTES = 18;
  private static final int SEED = 12;

  static Outcome newOutcome() {
    return new Outcome(
        Column.text("device", "device"),
        Column.text("tree", "tree"),
        Column.integer("inserts", "inserts", "%"),
        Column.real("time", "operation", "us"),
        Column.text("tuned", "tuned"));
  }

  /** Inserts as many entries as half of the memory has room for twice, so that all is in use. */
  void warmUp(LongIndex index) {
    SplittableRandom random = new SplittableRandom(SEED);
    for (long i = memoryBytes / OPERATION_BYTES; i > 0; i--) {
      index.set(Entries.key(random.nextInt(entries)) + 1, i);
    }
  }

  /**
   * Does the operations.
   *
   * @return how many searches were answered wrongly
   */
  long run(LongIndex index, int percent) {
    SplittableRandom random = new SplittableRandom(SEED + 1L);
    long wrong = 0;
    for (int i = 0; i < operations; i++) {
      int rank = random.nextInt(entries);
      if (random.nextInt(100) < percent) {
        index.set(Entries.key(rank) + 1, i);
      } else {
        wrong += index.get(Entries.key(rank)) == rank ? 0 : 1;
      }
    }
    return wrong;
  }

  /** What was found on all devices in all mixes: of trees with one label the fastest. */
  static final class Found {
    private final Map<String, Map<String, Map<Integer, Timed>>> byDevice = new LinkedHashMap<>();
    private final String reference;

    private record Timed(double micros, String tuned) {
      static Timed faster(Timed one, Timed other) {
        return other.micros < one.micros ? other : one;
      }
    }

    /**
     * Makes an empty one.
     *
     * @param reference the device that targets hold for
     */
    Found(String reference) {
      this.reference = reference;
    }

    void note(String device, TunedTree tree, int percent, double micros) {
      byDevice
          .computeIfAbsent(device, _ -> new LinkedHashMap<>())
          .computeIfAbsent(tree.label(), _ -> new LinkedHashMap<>())
          .merge(percent, new Timed(micros, tree.tuned()), Timed::faster);
    }

    void addRows(Outcome outcome) {
      byDevice.forEach(
          (device, byTree) ->
              byTree.forEach(
                  (tree, byMix) ->
                      byMix.forEach(
                          (percent, timed) ->
                              outcome.row(device, tree, percent, timed.micros, timed.tuned))));
    }

    /** Returns how many times as long a tree takes as the PIO B-tree. */
    private double factor(String tree, int percent) {
      return micros(tree, percent) / micros(TunedTree.PIO, percent);
    }

    private double micros(String tree, int percent) {
      Map<String, Map<Integer, Timed>> byTree = Objects.requireNonNull(byDevice.get(reference));
      return Objects.requireNonNull(Objects.requireNonNull(byTree.get(tree)).get(percent)).micros;
    }

    /** Checks for each rival that the paper's factors are reached: the least, and the most. */
    void checkPaper(Outcome outcome) {
      for (TunedTree.Rival rival : TunedTree.RIVALS) {
        outcome.check(
            Check.deterministic(
                reference + ": " + rival.label() + " by PIO B-tree, in the mix where that is least",
                factors(rival).min().orElseThrow(),
                Target.atLeast(rival.least())));
        outcome.check(
            Check.deterministic(
                reference + ": " + rival.label() + " by PIO B-tree, in the mix where that is most",
                factors(rival).max().orElseThrow(),
                Target.atLeast(rival.most())));
      }
    }

    /** Checks for each rival that the PIO B-tree is ahead in every mix. */
    void checkAhead(Outcome outcome) {
      for (TunedTree.Rival rival : TunedTree.RIVALS) {
        outcome.check(
            Check.timing(
                rival.label() + " by PIO B-tree, in the mix where that is least",
                factors(rival).min().orElseThrow(),
                Target.atLeast(1)));
      }
    }

    private DoubleStream factors(TunedTree.Rival rival) {
      return MIXES.stream().mapToDouble(percent -> factor(rival.label(), percent));
    }
  }
}
