// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
import dev.espalier.bplus.choices.PbPlusChoices;
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
import dev.espalier.experiment.Sums;
import dev.espalier.experiment.Target;
import dev.espalier.memory.CacheLine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figure 6.2: how much of the memory's bandwidth scans use. */
final class ScanBandwidth implements Experiment {
  /** What the thesis found. */
  static final String FOUND =
      "Bandwidth used by scans of pB+-trees filled to 100% and 50%, over key sizes, without"
          + " prefetching (lines scanned) and with it (lines scanned, and lines prefetched). It"
          + " grows with the size of keys. For the largest keys prefetching doubles it: full leaves"
          + " come to 52% of what a loop that only reads reaches, and half-full ones, counting"
          + " lines prefetched, to almost 75%.";

  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig6.2",
          "Memory bandwidth used by scans",
          "thesis, figure 6.2",
          FOUND,
          "Keys have 8 bytes, so what varies is the width of nodes. A scan adds up all keys and"
              + " values by SIMD. Scanned lines are those with entries, prefetched ones are all of"
              + " a leaf. Bandwidth is given as a share of a sequential read of about as many"
              + " bytes, by the same loop, in the same rounds. The processor prefetches consecutive"
              + " lines by itself, and a bulkload puts leaves one after the other; without prefetch"
              + " is not without help, therefore. The target, 70% at the best width, is what this"
              + " library aims at; as in the thesis, half-full leaves count by lines prefetched.",
          new Chart(Chart.Kind.LINES, "series", "width", "share"));

  private static final List<Integer> WIDTHS = List.of(2, 4, 8, 16, 32);
  private static final List<Construction> FILLS = List.of(Construction.FULL, Construction.HALF);

  /** Without prefetching and with it. */
  static final List<NodePrefetch> POLICIES = List.of(NodePrefetch.NONE, NodePrefetch.LINEAR);

  private static final int DEFAULT_WIDTH = Geometry.DEFAULT.leafWidth();

  /** Lines that scans fetch ahead in the default geometry, in leaves of any width. */
  private static final int LINES_AHEAD = Geometry.DEFAULT.prefetchDistance() * DEFAULT_WIDTH;

  private static final int MOST_LEAVES_AHEAD = 64;

  /** What the read is called that scans are held against. */
  static final String SEQUENTIAL = "sequential read";

  /** What lines with entries are called. */
  static final String SCANNED = "scanned";

  /** What all lines of leaves are called. */
  static final String PREFETCHED = "prefetched";

  private static final long[] NO_PROBES = {};

  /** Lines of one scan. */
  private record Lines(long scanned, long prefetched) {}

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Effort effort = TreeTimes.forManyTrees(run.effort());
    Outcome outcome =
        new Outcome(
            Column.text("series", "leaves, prefetch, lines counted"),
            Column.integer("width", "node width", "lines"),
            Column.real("bandwidth", "bandwidth", "GB/s"),
            Column.real("share", "share of a sequential read", "%"));
    outcome
        .parameter("entries", effort.entries())
        .parameter("rounds", effort.rounds())
        .parameter("lines ahead", LINES_AHEAD);
    List<TreeSetting> settings = settings();
    Map<TreeSetting, ConfigurablePbPlusTree> trees = new LinkedHashMap<>();
    // As many longs as a full tree has keys and values.
    try (KeyTree array = new KeyTree(DEFAULT_WIDTH, 2 * effort.entries())) {
      for (TreeSetting setting : settings) {
        run.progress().part(0, 2).show("building", (double) trees.size() / settings.size());
        trees.put(setting, setting.build(effort.entries()));
      }
      List<Work<String>> works = new ArrayList<>();
      trees.forEach((setting, tree) -> works.add(scan(setting, tree)));
      works.add(sequentialRead(array, 2 * effort.entries()));
      List<Time<String>> times = Stopwatch.time(works, effort.rounds(), run.progress().part(1, 2));
      addRows(effort.entries(), trees, times, outcome);
    } finally {
      trees.values().forEach(ConfigurablePbPlusTree::close);
    }
    for (Construction construction : FILLS) {
      String series = series(construction.label(), NodePrefetch.LINEAR) + ", " + PREFETCHED;
      double[] shares = outcome.table().where("series", series).numbers("share");
      outcome.check(
          Check.timing(
              "share of a sequential read, %s, best width, %%".formatted(series),
              Arrays.stream(shares).max().orElseThrow(),
              Target.atLeast(70)));
    }
    return outcome;
  }

  private static List<TreeSetting> settings() {
    List<TreeSetting> settings = new ArrayList<>();
    for (Construction construction : FILLS) {
      for (NodePrefetch policy : POLICIES) {
        for (int width : WIDTHS) {
          settings.add(
              new TreeSetting(
                  series(construction.label(), policy),
                  width,
                  Math.min(LINES_AHEAD / width, MOST_LEAVES_AHEAD),
                  construction,
                  PbPlusChoices.DEFAULT.withScanPrefetch(policy)));
        }
      }
    }
    return settings;
  }

  private static Work<String> scan(TreeSetting setting, ConfigurablePbPlusTree tree) {
    return new Work<>(setting.toString(), 1, () -> TreeOperation.SCAN.run(tree, NO_PROBES));
  }

  /** Returns the read of so many longs in the leaves of a tree of nothing but keys. */
  static Work<String> sequentialRead(KeyTree array, int longs) {
    long leaves = array.levels[array.levels.length - 1];
    return new Work<>(SEQUENTIAL, 1, () -> Sums.of(array.nodes, leaves, longs));
  }

  /** Adds the rows and the check of the answers; the last time is that of the sequential read. */
  private static void addRows(
      int entries,
      Map<TreeSetting, ConfigurablePbPlusTree> trees,
      List<Time<String>> times,
      Outcome outcome) {
    double sequential = 2.0 * entries * Long.BYTES / times.getLast().nanos();
    for (int width : WIDTHS) {
      outcome.row(SEQUENTIAL, width, sequential, 100.0);
    }
    int wrong = times.getLast().wrong(Entries.sumOfKeys(2 * entries));
    Iterator<Time<String>> next = times.iterator();
    for (Map.Entry<TreeSetting, ConfigurablePbPlusTree> entry : trees.entrySet()) {
      TreeSetting setting = entry.getKey();
      Time<String> time = next.next();
      wrong += time.wrong(TreeOperation.SCAN.answer(entries, NO_PROBES));
      Lines lines = lines(entry.getValue(), setting.width());
      addRow(setting, SCANNED, bandwidth(lines.scanned, time), sequential, outcome);
      if (setting.choices().scanPrefetch() == NodePrefetch.LINEAR) {
        addRow(setting, PREFETCHED, bandwidth(lines.prefetched, time), sequential, outcome);
      }
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
  }

  private static void addRow(
      TreeSetting setting, String counted, double bandwidth, double sequential, Outcome outcome) {
    outcome.row(
        setting.series() + ", " + counted,
        setting.width(),
        bandwidth,
        100 * bandwidth / sequential);
  }

  /** Returns how many GB a second are so many lines in a time. */
  static double bandwidth(long lines, Time<String> time) {
    return lines * CacheLine.BYTES / time.nanos();
  }

  private static Lines lines(ConfigurablePbPlusTree tree, int width) {
    LongCursor cursor = tree.cursor();
    LongRun run = new LongRun();
    long scanned = 0;
    long leaves = 0;
    while (cursor.nextRun(run)) {
      leaves++;
      long lastKeyLine = lastLine(run.keysOffset(), run.count());
      long firstValueLine = run.valuesOffset() >> CacheLine.SHIFT;
      scanned += lastKeyLine - (run.keysOffset() >> CacheLine.SHIFT) + 1;
      scanned += lastLine(run.valuesOffset(), run.count()) - firstValueLine + 1;
      // Keys and values of a narrow leaf may share a line.
      scanned -= lastKeyLine == firstValueLine ? 1 : 0;
    }
    return new Lines(scanned, leaves * width);
  }

  private static long lastLine(long offset, int count) {
    return (offset + (long) count * Long.BYTES - 1) >> CacheLine.SHIFT;
  }

  /** Returns what scans are called, by how full leaves are, in words. */
  static String series(String fill, NodePrefetch policy) {
    return fill + (policy == NodePrefetch.NONE ? ", no prefetch" : ", with prefetch");
  }
}
