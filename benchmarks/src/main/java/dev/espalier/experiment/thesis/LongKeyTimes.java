// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The times of trees of one kind in several widths, done several things with, taken in turn.
 *
 * @param all width by width
 * @param wrong how many answers were wrong
 */
record LongKeyTimes(List<Time<Setting>> all, int wrong) {

  /** What was timed: something done on a tree of some width. */
  record Setting(String series, int width) {
    @Override
    public String toString() {
      return series + ", " + width + " lines";
    }
  }

  /**
   * Something that is done on every tree.
   *
   * @param label what it is called in the rows
   * @param on prepares it on a tree; is then given probes, and returns the sum of what it read
   */
  record Series(String label, Function<LongKeyTree, ToLongFunction<long[]>> on) {
    static Series query(
        String label, LongKeySearch search, KeyComparison comparison, boolean prefetches) {
      return new Series(
          label, tree -> probes -> tree.query(probes, search, comparison, prefetches));
    }

    static Series scan(String label, NodePrefetch policy, int distance) {
      return new Series(
          label,
          tree -> {
            LongKeyScan scan = new LongKeyScan(tree, policy, distance);
            return _ -> scan.sum();
          });
    }
  }

  /**
   * Builds trees of all widths in which their keys fit, which are in memory together, and measures
   * them.
   *
   * @param operation what all series do
   */
  static LongKeyTimes measure(
      LongKeys keys,
      List<Integer> widths,
      TreeOperation operation,
      List<Series> series,
      Effort effort,
      Progress progress) {
    int entries = effort.entries();
    long[] probes = Entries.probes(entries, effort.probes(), entries);
    List<LongKeyTree> trees = new ArrayList<>();
    List<Work<Setting>> works = new ArrayList<>();
    List<Time<Setting>> times;
    try {
      List<Integer> fitting = keys.fitting(widths);
      for (int width : fitting) {
        progress.part(0, 2).show("building", (double) trees.size() / fitting.size());
        LongKeyTree tree = keys.tree(width, entries);
        trees.add(tree);
        for (Series one : series) {
          ToLongFunction<long[]> work = one.on.apply(tree);
          works.add(
              new Work<>(
                  new Setting(one.label, width),
                  operation.operations(entries, probes),
                  () -> work.applyAsLong(probes)));
        }
      }
      times = Stopwatch.time(works, effort.rounds(), progress.part(1, 2));
    } finally {
      trees.forEach(LongKeyTree::close);
    }
    long answer =
        operation == TreeOperation.SCAN
            ? LongKeyTree.sumOfEntries(keys.words(), entries)
            : operation.answer(entries, probes);
    return new LongKeyTimes(times, times.stream().mapToInt(time -> time.wrong(answer)).sum());
  }

  /** Returns the times of a series, in the order of widths. */
  double[] nanos(String series) {
    return all.stream()
        .filter(time -> time.setting().series.equals(series))
        .mapToDouble(Time::nanos)
        .toArray();
  }
}
