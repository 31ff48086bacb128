// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongIndex;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.memory.TimedPageStore;
import dev.espalier.model.PioCosts;
import dev.espalier.pio.PioBTree.Geometry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Figure 9, simulated: searches by the size of the pool. */
final class SearchesByPool implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig9-simulated",
          "Searches by size of the pool, simulated",
          "PIO, figure 9",
          "Five million random searches, one at a time, in trees of a billion entries (8 GB), with"
              + " pools of 1 to 16 MB: the PIO B-tree is up to 1.5, 1.36 and 1.36 times as fast as"
              + " the B+-tree on Iodrive, P300 and F120. The B+-tree's node size is chosen by"
              + " equation 3, the PIO B-tree's leaf by equation 10.",
          "Trees of 30 million entries, and as much less memory; page transfers are counted, and"
              + " take the times of three simulated devices, whose latencies are assumed, as the"
              + " curves of the paper's figure 2 are not at hand. B+-trees have pages of 4 KB, as"
              + " the PIO B-tree, and of 8 KB, as equation 3 then chooses. Also searches in batches"
              + " of 1024 (MPSearch), which the B+-tree answers 64 at a time. The targets are ours;"
              + " that of pages read holds the PIO B-tree's against the model.",
          new Chart(Chart.Kind.LINES, "series", "pool", "time").inPanels("device"));

  /** Searches that are answered together. */
  private static final int BATCH = 1024;

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = PaperSizes.simulatedEntries(run.effort());
    long[] probes = Entries.probes(entries, Math.max(run.effort().probes() / 5, 1), entries);
    PioCosts costs = costs(entries, PaperSizes.poolBytes(entries, PaperSizes.MOST_MB));
    PioCosts.Choice choice = costs.choose(0);
    Outcome outcome =
        new Outcome(
            Column.text("device", "device"),
            Column.text("series", "searches"),
            Column.integer("pool", "pool, of the paper's", "MB"),
            Column.real("time", "search", "ns"),
            Column.real("read", "pages read per search", ""),
            Column.real("waves", "waves per search", ""));
    outcome
        .parameter("entries", entries)
        .parameter("searches", probes.length)
        .parameter("leaf pages", choice.leafPages())
        .parameter("why", choice.reason());
    Geometry geometry =
        new Geometry(
            choice.leafPages(),
            choice.queuePages(),
            PaperSizes.PIO_MAX,
            PaperSizes.PERIOD,
            PaperSizes.BATCH);
    Map<String, Double> times = new HashMap<>();
    List<PooledTree> trees = new ArrayList<>();
    int wrong = 0;
    try {
      for (int pageBytes : PooledTree.B_PLUS_PAGES) {
        trees.add(PooledTree.bPlus(pageBytes, entries));
      }
      trees.add(PooledTree.pio(geometry, entries));
      int step = 0;
      int steps = trees.size() * PaperSizes.POOLS_MB.size() * 2;
      for (PooledTree tree : trees) {
        for (int pool : PaperSizes.POOLS_MB) {
          for (boolean batched : new boolean[] {false, true}) {
            String series = tree.label() + (batched ? ", batches" : "");
            run.progress().show(series + ", " + pool + " MB", (double) step++ / steps);
            PooledTree.Opened opened = tree.open(PaperSizes.poolBytes(entries, pool), true);
            long sum =
                batched ? searchAll(opened.index(), probes, BATCH) : search(opened.index(), probes);
            wrong += sum == Entries.sumOfRanks(probes) ? 0 : 1;
            addRows(opened.store(), series, pool, probes.length, outcome, times);
          }
        }
      }
    } finally {
      trees.forEach(PooledTree::close);
    }
    outcome.check(Check.deterministic("trees that answered wrongly", wrong, Target.exactly(0)));
    if (entries >= PaperSizes.LEAST_ENTRIES) {
      check(outcome, times, costs, geometry);
    }
    return outcome;
  }

  static PioCosts costs(int entries, long memoryBytes) {
    return new PioCosts(
        SimulatedDevice.REFERENCE.times(),
        entries,
        PooledTree.PIO_PAGE,
        PaperSizes.FILL,
        (int) (memoryBytes / PooledTree.PIO_PAGE),
        PaperSizes.BATCH,
        0);
  }

  static long search(LongIndex index, long[] probes) {
    long sum = 0;
    for (long probe : probes) {
      sum += index.get(probe);
    }
    return sum;
  }

  static long searchAll(LongIndex index, long[] probes, int batch) {
    long[] values = new long[batch];
    long sum = 0;
    for (int from = 0; from < probes.length; from += batch) {
      int count = Math.min(batch, probes.length - from);
      index.getAll(probes, from, values, 0, count);
      for (int i = 0; i < count; i++) {
        sum += values[i];
      }
    }
    return sum;
  }

  private static void addRows(
      TimedPageStore store,
      String series,
      int pool,
      int searches,
      Outcome outcome,
      Map<String, Double> times) {
    TimedPageStore.Transfers transfers = store.transfers();
    double read = (double) transfers.read() / searches;
    for (SimulatedDevice device : SimulatedDevice.ALL) {
      double time = store.nanos(device) / searches;
      double waves = (double) transfers.readWaves() / searches;
      outcome.row(device.label(), series, pool, time, read, waves);
      if (device == SimulatedDevice.REFERENCE && pool == PaperSizes.MOST_MB) {
        times.put(series, time);
        times.put(series + ", read", read);
      }
    }
  }

  private static void check(
      Outcome outcome, Map<String, Double> times, PioCosts costs, Geometry geometry) {
    for (int pageBytes : PooledTree.B_PLUS_PAGES) {
      String bPlus = PooledTree.bPlusLabel(pageBytes);
      outcome.check(
          Check.deterministic(
              "P300, 16 MB: search of " + bPlus + ", by one of the PIO B-tree's batches",
              Objects.requireNonNull(times.get(bPlus))
                  / Objects.requireNonNull(times.get(PooledTree.PIO + ", batches")),
              Target.atLeast(3)));
      outcome.check(
          Check.deterministic(
              "P300, 16 MB: search of " + bPlus + ", by one of the PIO B-tree",
              Objects.requireNonNull(times.get(bPlus))
                  / Objects.requireNonNull(times.get(PooledTree.PIO)),
              Target.atLeast(1.2)));
    }
    double modelled = costs.searchTransfers(geometry.leafSegments(), geometry.queuePages()).read();
    outcome.check(
        Check.deterministic(
            "16 MB: pages read per search of the PIO B-tree, by those of the model",
            Objects.requireNonNull(times.get(PooledTree.PIO + ", read")) / modelled,
            Target.between(0.9, 1.1)));
  }
}
