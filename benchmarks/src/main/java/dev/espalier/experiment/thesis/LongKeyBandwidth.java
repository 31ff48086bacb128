// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.NodeParts;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;

/** Figure 6.2 by the size of keys: how much of the memory's bandwidth scans use. */
final class LongKeyBandwidth implements Experiment {
  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig6.2-keys",
          "Memory bandwidth used by scans, by the size of keys",
          "thesis, figure 6.2",
          ScanBandwidth.FOUND
              + " Nodes are as narrow as keys allow, and scans fetch 2 leaves ahead.",
          "The same with keys of 8 to 2048 bytes and values of 8, in a tree of its own that is only"
              + " bulkloaded, in nodes as narrow as have room for two keys; half-full leaves have"
              + " one. Leaves lie one after the other, so that the processor prefetches them by"
              + " itself, too. Trees of all sizes of keys have as many bytes of entries, and scans"
              + " add up all words by SIMD. Bandwidth is given as a share of a sequential read of"
              + " as many bytes, by the same loop, in the same rounds.",
          new Chart(Chart.Kind.LINES, "series", "keys", "share"));

  private static final List<Integer> KEY_BYTES = List.of(8, 16, 32, 64, 128, 256, 512, 1024, 2048);
  private static final List<Integer> FILLS = List.of(100, 50);
  private static final int LEAVES_AHEAD = 2;

  /** A tree that is scanned. */
  private record Scanned(LongKeys keys, int entries, LongKeyTree tree) implements AutoCloseable {
    static Scanned make(LongKeys keys, int longs) {
      int entries = Math.max(longs / (keys.words() + 1), 1);
      int width = LongKeyTree.leastWidth(keys.words());
      return new Scanned(keys, entries, keys.tree(width, entries));
    }

    Work<String> scan(NodePrefetch policy) {
      LongKeyScan scan = new LongKeyScan(tree, policy, LEAVES_AHEAD);
      return new Work<>(keys + ", " + policy, 1, scan::sum);
    }

    /** Returns how many lines have entries. */
    long linesInUse() {
      NodeParts parts = tree.parts();
      long lines = 0;
      for (int leaf = 0; leaf < tree.leafCount; leaf++) {
        lines += parts.inUse(tree.count(tree.leaf(leaf))).size();
      }
      return lines;
    }

    long lines() {
      return (long) tree.leafCount * tree.width();
    }

    @Override
    public void close() {
      tree.close();
    }
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Effort effort = TreeTimes.forManyTrees(run.effort());
    Outcome outcome = outcome();
    outcome
        .parameter("entries with keys of 8 bytes", effort.entries())
        .parameter("rounds", effort.rounds())
        .parameter("leaves ahead", LEAVES_AHEAD);
    int longs = 2 * effort.entries();
    List<Scanned> trees = new ArrayList<>();
    try (KeyTree array = new KeyTree(1, longs)) {
      List<Work<String>> works = new ArrayList<>();
      works.add(ScanBandwidth.sequentialRead(array, longs));
      int count = FILLS.size() * KEY_BYTES.size();
      for (int fill : FILLS) {
        for (int bytes : KEY_BYTES) {
          run.progress().part(0, 2).show("building", (double) trees.size() / count);
          Scanned tree = Scanned.make(new LongKeys(bytes, fill), longs);
          trees.add(tree);
          ScanBandwidth.POLICIES.forEach(policy -> works.add(tree.scan(policy)));
        }
      }
      List<Time<String>> times = Stopwatch.time(works, effort.rounds(), run.progress().part(1, 2));
      addRows(trees, times, longs, outcome);
    } finally {
      trees.forEach(Scanned::close);
    }
    addChecks(outcome);
    return outcome;
  }

  /** Returns an outcome without rows. */
  static Outcome outcome() {
    return new Outcome(
        Column.text("series", "leaves, prefetch, lines counted"),
        Column.integer("keys", "size of keys", "bytes"),
        Column.integer("width", "node width", "lines"),
        Column.real("bandwidth", "bandwidth", "GB/s"),
        Column.real("share", "share of a sequential read", "%"));
  }

  /** Adds the rows and the check of the answers; the first time is that of the sequential read. */
  private static void addRows(
      List<Scanned> trees, List<Time<String>> times, int longs, Outcome outcome) {
    double sequential = (double) longs * Long.BYTES / times.getFirst().nanos();
    for (Scanned tree : trees.subList(0, KEY_BYTES.size())) {
      outcome.row(
          ScanBandwidth.SEQUENTIAL, tree.keys.bytes(), tree.tree.width(), sequential, 100.0);
    }
    int wrong = times.getFirst().wrong(Entries.sumOfKeys(longs));
    int next = 1;
    for (Scanned tree : trees) {
      long answer = LongKeyTree.sumOfEntries(tree.keys.words(), tree.entries);
      for (NodePrefetch policy : ScanBandwidth.POLICIES) {
        Time<String> time = times.get(next++);
        wrong += time.wrong(answer);
        addRow(tree, policy, ScanBandwidth.SCANNED, tree.linesInUse(), time, sequential, outcome);
        if (policy == NodePrefetch.LINEAR) {
          addRow(tree, policy, ScanBandwidth.PREFETCHED, tree.lines(), time, sequential, outcome);
        }
      }
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
  }

  private static void addRow(
      Scanned tree,
      NodePrefetch policy,
      String counted,
      long lines,
      Time<String> time,
      double sequential,
      Outcome outcome) {
    double bandwidth = ScanBandwidth.bandwidth(lines, time);
    outcome.row(
        series(tree.keys.fill(), policy, counted),
        tree.keys.bytes(),
        tree.tree.width(),
        bandwidth,
        100 * bandwidth / sequential);
  }

  private static String series(int fill, NodePrefetch policy, String counted) {
    return ScanBandwidth.series(fill + "%", policy) + ", " + counted;
  }

  /** Holds the rows against the thesis. */
  static void addChecks(Outcome outcome) {
    for (int fill : FILLS) {
      for (NodePrefetch policy : ScanBandwidth.POLICIES) {
        String series = series(fill, policy, ScanBandwidth.SCANNED);
        double[] shares = shares(outcome, series);
        outcome.check(
            Check.timing(
                "bandwidth with the largest / the smallest keys, " + series,
                shares[shares.length - 1] / shares[0],
                Target.atLeast(1)));
      }
    }
    String full = series(100, NodePrefetch.LINEAR, ScanBandwidth.SCANNED);
    String without = series(100, NodePrefetch.NONE, ScanBandwidth.SCANNED);
    outcome.check(
        Check.timing(
            "bandwidth with / without prefetching, 100%, largest keys",
            ofLargestKeys(outcome, full) / ofLargestKeys(outcome, without), Target.atLeast(2)));
    addCheckOfShare(full, 51.7, outcome);
    addCheckOfShare(series(50, NodePrefetch.LINEAR, ScanBandwidth.PREFETCHED), 75, outcome);
  }

  private static void addCheckOfShare(String series, double target, Outcome outcome) {
    outcome.check(
        Check.timing(
            "share of a sequential read, %s, largest keys, %%".formatted(series),
            ofLargestKeys(outcome, series),
            Target.atLeast(target)));
  }

  private static double ofLargestKeys(Outcome outcome, String series) {
    double[] shares = shares(outcome, series);
    return shares[shares.length - 1];
  }

  private static double[] shares(Outcome outcome, String series) {
    return outcome.table().where("series", series).numbers("share");
  }
}
