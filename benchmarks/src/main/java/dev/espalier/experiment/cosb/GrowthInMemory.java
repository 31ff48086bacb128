// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Sums;
import dev.espalier.experiment.Target;
import dev.espalier.inspect.NodeView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Random growth in memory, then lookups, batches of them, and scans. */
final class GrowthInMemory implements Experiment {
  /** A turn takes minutes in full: so much fewer of them than of rounds elsewhere. */
  private static final int FEWER_ROUNDS = 3;

  /** Entries of the turn without a clock, for the compiler. */
  private static final int WARM_UP_ENTRIES = 200_000;

  private static final Setting PUT = new Setting(Structure.PB_PLUS_TREE, Filling.PUT);
  private static final Setting SET = new Setting(Structure.PB_PLUS_TREE, Filling.SET);
  private static final Setting COLA = new Setting(Structure.COLA_4, Filling.SET);
  private static final Setting ONE_LEVEL = new Setting(Structure.COLA_4, Filling.BULKLOAD);

  /** A turn: what others are held against stands first and last. */
  private static final List<Setting> TURN =
      Stream.of(
              Stream.of(PUT, SET),
              Stream.of(
                      Structure.COLA_2,
                      Structure.COLA_4,
                      Structure.COLA_8,
                      Structure.DEAMORTIZED_COLA,
                      Structure.B_EPSILON_TREE,
                      Structure.BUFFERED_REPOSITORY_TREE,
                      Structure.SHUTTLE_TREE,
                      Structure.CACHE_OBLIVIOUS_B_TREE,
                      Structure.PACKED_MEMORY_ARRAY)
                  .map(structure -> new Setting(structure, Filling.SET)),
              Stream.of(ONE_LEVEL, PUT, SET))
          .flatMap(settings -> settings)
          .toList();

  /** A structure, and how it comes by its entries. */
  private record Setting(Structure structure, Filling filling) {
    @Override
    public String toString() {
      return structure.label() + ", " + filling.label();
    }
  }

  /** Nanoseconds per operation of one growth, and answers that were wrong. */
  private record Seen(double insert, double get, double batch, double scan, int wrong) {}

  @Override
  public Description description() {
    return new Description(
        "cosb-memory",
        "Random growth, lookups and scans in memory",
        "Streaming B-trees, the experiments",
        "The paper's curves of random inserts begin in memory, which they leave near 2^27 entries;"
            + " there are no figures for what lies before, and none for the shuttle tree and the"
            + " deamortized COLA at all. By the bounds the COLA's inserts gain in any memory"
            + " hierarchy, its searches don't.",
        "Each structure grows from empty by blind writes in random order, alone in memory; then"
            + " random keys are looked up, one by one and by batches of 256, and all entries"
            + " scanned and added up by SIMD. Structures take turns, PbPlusTree at both ends of"
            + " each, after a small turn for the compiler; medians count. A 4-COLA that was"
            + " bulkloaded has one level. Scans are also given as a share of the bandwidth of a"
            + " sequential read of as many bytes, by the same loop. The targets are ours.",
        new Chart(Chart.Kind.BARS, "filling", "structure", "insert"));
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries();
    int probes = run.effort().probes();
    int rounds = Math.ceilDiv(run.effort().rounds(), FEWER_ROUNDS);
    Outcome outcome =
        new Outcome(
            Column.text("structure", "structure"),
            Column.text("filling", "filled by"),
            Column.real("insert", "insert", "ns"),
            Column.real("get", "get", "ns"),
            Column.real("batch", "getAll, per key", "ns"),
            Column.real("scan", "scan, per entry", "ns"),
            Column.real("share", "bandwidth of the scan, of a sequential read's", "%"));
    outcome.parameter("entries", entries).parameter("probes", probes).parameter("rounds", rounds);
    TURN.forEach(setting -> grow(setting, Math.min(WARM_UP_ENTRIES, entries), probes));
    Map<Setting, List<Seen>> seen = new LinkedHashMap<>();
    double[] sequential = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < TURN.size(); i++) {
        Setting setting = TURN.get(i);
        double done = round + (double) i / TURN.size();
        run.progress().show(setting.toString(), done / rounds);
        seen.computeIfAbsent(setting, _ -> new ArrayList<>()).add(grow(setting, entries, probes));
      }
      sequential[round] = SequentialRead.nanosPerEntry(entries);
    }
    addRows(outcome, seen, Stopwatch.median(sequential));
    outcome.check(
        Check.deterministic(
            "entries in the last level of the bulkloaded 4-COLA, share of all, %",
            100.0 * lastLevelOfOneLevel(entries) / entries, Target.exactly(100)));
    return outcome;
  }

  private static Seen grow(Setting setting, int count, int probes) {
    NumberedEntries entries = setting.filling.entries(count);
    try (LongIndex index = setting.structure.tree().create(IndexOptions.DEFAULT)) {
      long empty = System.nanoTime();
      setting.filling.fill(entries, index);
      long grown = System.nanoTime();
      int wrong = entries.missing(index, 0, probes);
      long got = System.nanoTime();
      wrong += entries.missingFromBatches(index, 0, probes);
      long gotAll = System.nanoTime();
      long sum = Sums.ofEntries(index);
      long scanned = System.nanoTime();
      return new Seen(
          (double) (grown - empty) / count,
          (double) (got - grown) / probes,
          (double) (gotAll - got) / probes,
          (double) (scanned - gotAll) / count,
          wrong + (sum == entries.sum() ? 0 : 1));
    }
  }

  /** Returns the elements of a bulkloaded COLA's last level, which has no lookahead pointers. */
  private static int lastLevelOfOneLevel(int count) {
    try (LongIndex index = ONE_LEVEL.structure.tree().create(IndexOptions.DEFAULT)) {
      ONE_LEVEL.filling.fill(ONE_LEVEL.filling.entries(count), index);
      NodeView level = index.rootView();
      while (level.children() > 0) {
        level = level.child(0);
      }
      return level.count();
    }
  }

  private static void addRows(Outcome outcome, Map<Setting, List<Seen>> seen, double sequential) {
    int wrong = 0;
    for (Map.Entry<Setting, List<Seen>> entry : seen.entrySet()) {
      List<Seen> all = entry.getValue();
      wrong += all.stream().mapToInt(Seen::wrong).sum();
      double scan = median(all, Seen::scan);
      outcome.row(
          entry.getKey().structure.label(),
          entry.getKey().filling.label(),
          median(all, Seen::insert),
          median(all, Seen::get),
          median(all, Seen::batch),
          scan,
          100 * sequential / scan);
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
    outcome.check(
        Check.timing(
            "random inserts, PbPlusTree.put over 4-COLA.set",
            median(of(seen, PUT), Seen::insert) / median(of(seen, COLA), Seen::insert),
            Target.atLeast(2)));
    outcome.check(
        Check.timing(
            "scan of the 4-COLA with one level, share of a sequential read, %",
            100 * sequential / median(of(seen, ONE_LEVEL), Seen::scan), Target.atLeast(50)));
  }

  private static List<Seen> of(Map<Setting, List<Seen>> seen, Setting setting) {
    return Objects.requireNonNull(seen.get(setting));
  }

  private static double median(List<Seen> all, ToDoubleFunction<Seen> figure) {
    return Stopwatch.median(all.stream().mapToDouble(figure).toArray());
  }
}
