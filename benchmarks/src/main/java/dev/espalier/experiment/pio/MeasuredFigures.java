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
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import dev.espalier.pio.PioBTree.Geometry;
import java.util.ArrayList;
import java.util.List;

/** Figures 9 and 10 on the device: searches by size of the pool, and ranges by span. */
final class MeasuredFigures implements Experiment {
  private static final Geometry GEOMETRY =
      new Geometry(2, 1, PaperSizes.PIO_MAX, PaperSizes.PERIOD, PaperSizes.BATCH);

  private static final List<Integer> RANGES = List.of(1 << 10, 1 << 13, 1 << 16, 1 << 19);

  /** From here on the target of ranges holds. */
  private static final int LARGE = 1 << 16;

  private static final int BATCH = 1024;

  /** Searches are in so many times the entries of other experiments: a tenth of the paper's. */
  private static final int SEARCHED = 10;

  /** What is done, and what a point of the chart is called. */
  private enum Kind {
    GET("") {
      @Override
      long run(LongIndex index, long[] probes, int range) {
        return SearchesByPool.search(index, probes);
      }
    },
    GET_ALL(", batches") {
      @Override
      long run(LongIndex index, long[] probes, int range) {
        return SearchesByPool.searchAll(index, probes, BATCH);
      }
    },
    SCAN("") {
      @Override
      long run(LongIndex index, long[] probes, int range) {
        return RangesBySpan.sum(index, probes[0] / Entries.key(1), range);
      }
    };

    final String suffix;

    Kind(String suffix) {
      this.suffix = suffix;
    }

    abstract long run(LongIndex index, long[] probes, int range);
  }

  /**
   * A point.
   *
   * @param x size of the pool in MB, or entries in the range
   */
  private record Setting(String series, int x) {
    @Override
    public String toString() {
      return series + ", " + x;
    }
  }

  private final Description description;
  private final boolean areRanges;

  private MeasuredFigures(Description description, boolean areRanges) {
    this.description = description;
    this.areRanges = areRanges;
  }

  static Experiment searches() {
    return new MeasuredFigures(
        new Description(
            "pio-fig9",
            "Searches by size of the pool",
            "PIO, figure 9",
            "Random searches in trees of a billion entries (8 GB), with pools of 1 to 16 MB: the"
                + " PIO B-tree is up to 1.5, 1.36 and 1.36 times as fast as the B+-tree on three"
                + " SSDs.",
            "Trees of 100 million entries in files on this machine's device, with as much less"
                + " memory, cold at the start; pages of 4 KB, leaves of two. Searches one by one,"
                + " and in batches of 1024 (MPSearch), which the B+-tree answers 64 at a time. The"
                + " target is ours: batches take at most a third of single searches in the"
                + " B+-tree.",
            new Chart(Chart.Kind.LINES, "series", "x", "time")),
        false);
  }

  static Experiment ranges() {
    return new MeasuredFigures(
        new Description(
            "pio-fig10",
            "Range searches by span",
            "PIO, figure 10",
            "Range searches over 1 K to 32 M keys in trees of a billion entries, with 16 MB of"
                + " memory: from 64 K keys on, the PIO B-tree is 5 times as fast as the B+-tree.",
            "Trees in files on this machine's device, with as much less memory, cold at the start;"
                + " ranges of up to 512 K entries. The B+-tree reads leaf by leaf, as in the paper,"
                + " and also ahead by its jump-pointer array. The target is the paper's best: 5"
                + " times from 64 K entries on.",
            new Chart(Chart.Kind.LINES, "series", "x", "time")),
        true);
  }

  @Override
  public Description description() {
    return description;
  }

  @Override
  public Outcome run(Run run) {
    int entries = run.effort().entries() * (areRanges ? 1 : SEARCHED);
    long[] probes = Entries.probes(entries, Math.max(run.effort().probes() / 200, 1), entries);
    Outcome outcome =
        new Outcome(
            Column.text("series", areRanges ? "tree" : "searches"),
            areRanges
                ? Column.integer("x", "entries in the range", "")
                : Column.integer("x", "pool, of the paper's", "MB"),
            Column.real("time", areRanges ? "range search" : "search", "ns"));
    outcome.parameter("entries", entries).parameter("rounds", run.effort().rounds());
    try (ScratchFolder folder = ScratchFolder.create(2 * TreeInFile.bytes(entries));
        TreeInFile bPlus = TreeInFile.bPlus(folder, entries);
        TreeInFile pio = TreeInFile.pio(folder, PooledTree.PIO, GEOMETRY, entries)) {
      long pool = PaperSizes.poolBytes(entries, PaperSizes.MOST_MB);
      outcome.parameter("engine", pio.engine(pool));
      List<Work<Setting>> works = new ArrayList<>();
      if (areRanges) {
        for (int range : RANGES) {
          int some = Math.min(range, entries / 2);
          long[] middle = {Entries.key(entries / 3)};
          works.add(work(bPlus, "", Kind.SCAN, false, pool, some, middle, 1));
          works.add(work(bPlus, ", read ahead", Kind.SCAN, true, pool, some, middle, 1));
          works.add(work(pio, "", Kind.SCAN, true, pool, some, middle, 1));
        }
      } else {
        outcome.parameter("searches", probes.length);
        for (int megabytes : List.of(1, PaperSizes.MOST_MB)) {
          long bytes = PaperSizes.poolBytes(entries, megabytes);
          for (TreeInFile tree : List.of(bPlus, pio)) {
            for (Kind kind : List.of(Kind.GET, Kind.GET_ALL)) {
              works.add(
                  work(tree, kind.suffix, kind, true, bytes, megabytes, probes, probes.length));
            }
          }
        }
      }
      report(Stopwatch.time(works, run.effort().rounds(), run.progress()), entries, outcome);
    }
    return outcome;
  }

  private static Work<Setting> work(
      TreeInFile tree,
      String suffix,
      Kind kind,
      boolean readsAhead,
      long poolBytes,
      int x,
      long[] probes,
      int operations) {
    return new Work<>(
        new Setting(tree.label() + suffix, x),
        operations,
        () -> tree.reopen(poolBytes, readsAhead),
        () -> kind.run(tree.index(), probes, x));
  }

  private void report(List<Time<Setting>> times, int entries, Outcome outcome) {
    long wrong = 0;
    for (Time<Setting> time : times) {
      outcome.row(time.setting().series(), time.setting().x(), time.nanos());
      long expected = at(times, TreeInFile.B_PLUS, time.setting().x()).answer();
      wrong += time.wrong(expected);
    }
    outcome.check(Check.deterministic("trees that differ", (double) wrong, Target.exactly(0)));
    if (entries < PaperSizes.LEAST_ENTRIES) {
      return;
    }
    for (Time<Setting> time : times) {
      int x = time.setting().x();
      double bPlus = at(times, TreeInFile.B_PLUS, x).nanos();
      String series = time.setting().series();
      if (areRanges && series.equals(PooledTree.PIO)) {
        outcome.check(
            Check.timing(
                "range of %d entries in the B+-tree, by the same in the PIO B-tree".formatted(x),
                bPlus / time.nanos(),
                Target.atLeast(x >= LARGE ? 5 : 1)));
      } else if (series.equals(PooledTree.PIO + Kind.GET_ALL.suffix)) {
        outcome.check(
            Check.timing(
                "%d MB: search of the B+-tree, by one of the PIO B-tree's batches".formatted(x),
                bPlus / time.nanos(),
                Target.atLeast(3)));
      }
    }
  }

  private static Time<Setting> at(List<Time<Setting>> times, String series, int x) {
    return times.stream()
        .filter(time -> time.setting().equals(new Setting(series, x)))
        .findFirst()
        .orElseThrow();
  }
}
