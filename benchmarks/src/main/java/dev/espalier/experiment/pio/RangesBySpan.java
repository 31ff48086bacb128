// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.pio.PioBTree.Geometry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** Figure 10, simulated: range searches by span. */
final class RangesBySpan implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "pio-fig10-simulated",
          "Range searches by span, simulated",
          "PIO, figure 10",
          "A hundred range searches over 1 K to 32 M keys in trees of a billion entries, with 16 MB"
              + " of memory. From 64 K keys on, the PIO B-tree is 5 times as fast as the B+-tree on"
              + " Iodrive; from 512 K on 4.5 and 3.5 times on P300 and F120; it is never slower.",
          "Trees of 30 million entries, and as much less memory, ranges of up to 4 M entries, the"
              + " times of three simulated devices, as in pio-fig9-simulated. The B+-trees read"
              + " leaf by leaf, as in the paper, and also ahead by their jump-pointer arrays, which"
              + " the paper's does not have. The target is the paper's best: 5 times from 64 K"
              + " entries on.",
          new Chart(Chart.Kind.LINES, "series", "range", "time").inPanels("device"));

  private static final List<Integer> RANGES = List.of(1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22);

  /** From here on the target holds. */
  private static final int LARGE = 1 << 16;

  private static final int MOST_SCANS = 100;

  /** Entries that all scans of one kind have together, but at least one scan. */
  private static final long MOST_SCANNED = 1 << 23;

  /** A tree, and whether it reads ahead. */
  private record Series(PooledTree tree, boolean readsAhead) {
    String label() {
      boolean isPio = tree.label().equals(PooledTree.PIO);
      return tree.label() + (readsAhead && !isPio ? ", read ahead" : "");
    }
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    int entries = PaperSizes.simulatedEntries(run.effort());
    long memory = PaperSizes.poolBytes(entries, PaperSizes.MOST_MB);
    int leafPages = SearchesByPool.costs(entries, memory).choose(0).leafPages();
    Geometry geometry =
        new Geometry(leafPages, 1, PaperSizes.PIO_MAX, PaperSizes.PERIOD, PaperSizes.BATCH);
    Outcome outcome =
        new Outcome(
            Column.text("device", "device"),
            Column.text("series", "tree"),
            Column.integer("range", "entries in the range", ""),
            Column.real("time", "range search", "ns"),
            Column.real("read", "pages read", ""),
            Column.real("waves", "waves", ""));
    outcome
        .parameter("entries", entries)
        .parameter("pool bytes", memory)
        .parameter("leaf pages", leafPages);
    Map<String, Double> times = new HashMap<>();
    List<PooledTree> trees = new ArrayList<>();
    int wrong = 0;
    try {
      List<Series> all = new ArrayList<>();
      for (int pageBytes : PooledTree.B_PLUS_PAGES) {
        trees.add(PooledTree.bPlus(pageBytes, entries));
        all.add(new Series(trees.getLast(), false));
        all.add(new Series(trees.getLast(), true));
      }
      trees.add(PooledTree.pio(geometry, entries));
      all.add(new Series(trees.getLast(), true));
      int step = 0;
      for (Series series : all) {
        for (int range : RANGES) {
          run.progress()
              .show(series.label() + ", " + range, (double) step++ / all.size() / RANGES.size());
          wrong += scan(series, Math.min(range, entries / 2), entries, memory, outcome, times);
        }
      }
    } finally {
      trees.forEach(PooledTree::close);
    }
    outcome.check(Check.deterministic("scans that differ", wrong, Target.exactly(0)));
    if (entries >= PaperSizes.LEAST_ENTRIES) {
      check(outcome, times, entries);
    }
    return outcome;
  }

  /** Adds rows for scans of one span, and returns how many scans found something else. */
  private static int scan(
      Series series,
      int range,
      int entries,
      long memory,
      Outcome outcome,
      Map<String, Double> times) {
    PooledTree.Opened opened = series.tree.open(memory, series.readsAhead);
    int scans = Math.clamp(MOST_SCANNED / range, 1, MOST_SCANS);
    SplittableRandom random = new SplittableRandom(range);
    int wrong = 0;
    for (int i = 0; i < scans; i++) {
      int first = random.nextInt(entries - range + 1);
      long expected = Entries.sumOfValues(first + range) - Entries.sumOfValues(first);
      wrong += sum(opened.index(), first, range) == expected ? 0 : 1;
    }
    for (SimulatedDevice device : SimulatedDevice.ALL) {
      double time = opened.store().nanos(device) / scans;
      outcome.row(
          device.label(),
          series.label(),
          range,
          time,
          (double) opened.store().transfers().read() / scans,
          (double) opened.store().transfers().readWaves() / scans);
      if (device == SimulatedDevice.REFERENCE) {
        times.put(series.label() + range, time);
      }
    }
    return wrong;
  }

  /** Scans so many entries from a rank on, and returns the sum of their values. */
  static long sum(LongIndex index, long first, int count) {
    long end = Entries.key(first + count - 1);
    LongCursor cursor = index.cursor();
    cursor.scanTo(end);
    LongRun run = new LongRun();
    long sum = 0;
    cursor.lower(Entries.key(first)); // The first run begins behind it.
    while (cursor.nextRun(run)) {
      for (int i = 0; i < run.count(); i++) {
        if (run.key(i) > end) {
          return sum;
        }
        sum += run.value(i);
      }
    }
    return sum;
  }

  private static void check(Outcome outcome, Map<String, Double> times, int entries) {
    for (int pageBytes : PooledTree.B_PLUS_PAGES) {
      String bPlus = PooledTree.bPlusLabel(pageBytes);
      for (int range : RANGES) {
        if (range <= entries / 2) {
          outcome.check(
              Check.deterministic(
                  "P300: range of %d entries in %s, by the same in the PIO B-tree"
                      .formatted(range, bPlus),
                  Objects.requireNonNull(times.get(bPlus + range))
                      / Objects.requireNonNull(times.get(PooledTree.PIO + range)),
                  Target.atLeast(range >= LARGE ? 5 : 1)));
        }
      }
    }
  }
}
