// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Requirement;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Stopwatch;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.Stopwatch.Work;
import dev.espalier.experiment.Target;
import dev.espalier.experiment.thesis.LongKeyTimes.Series;
import dev.espalier.node.Keys;
import java.util.ArrayList;
import java.util.List;

/** Figure 5.9: the search inside a node, over the width of nodes. */
final class SearchAlgorithms implements Experiment {
  private static final String FOUND =
      "Time for a million queries of a full pB+-tree with a million keys of 16 bytes, over node"
          + " widths, with linear and with binary search inside nodes, and with two ways to compare"
          + " keys. Binary search is faster at every width, and by far in wide nodes; linear search"
          + " never wins in any experiment of the thesis.";

  private static final Description DESCRIPTION =
      new Description(
          "thesis-fig5.9",
          "Search inside a node",
          "thesis, figure 5.9",
          FOUND,
          "Keys are longs, so there is one way to compare them. To linear and binary search come"
              + " the two that this library uses: all keys by SIMD, and where there is none, one"
              + " key of each line and then the keys of one line. All but the binary search have no"
              + " load that waits for another. Measured on levels of nodes full of keys, without"
              + " pointers, so that nothing but the search differs; all lines of a node are"
              + " prefetched before it is searched, as in the thesis.",
          new Chart(Chart.Kind.LINES, "search", "width", "nanos"));

  private static final List<Integer> WIDTHS = List.of(1, 2, 4, 8, 12, 16, 24, 32);

  private record Setting(SearchForm form, int width) {
    @Override
    public String toString() {
      return form.label() + ", " + width + " lines";
    }
  }

  @Override
  public Description description() {
    return DESCRIPTION;
  }

  @Override
  public Outcome run(Run run) {
    Requirement.prefetch();
    Outcome outcome =
        new Outcome(
            Column.text("search", "search"),
            Column.integer("width", "node width", "lines"),
            Column.real("nanos", "time", "ns per query"));
    outcome.effort(run.effort());
    measure(run, outcome);
    double[] linear = nanos(outcome, SearchForm.LINEAR);
    double[] binary = nanos(outcome, SearchForm.BINARY);
    outcome.check(
        Check.timing(
            "time of linear / binary search, widest nodes",
            linear[linear.length - 1] / binary[binary.length - 1],
            Target.atLeast(1)));
    SearchForm ours = Keys.SIMD ? SearchForm.SIMD : SearchForm.BY_LINE;
    outcome.check(
        Check.timing(
            "time of " + ours.label() + " / binary search, mean over widths",
            Numbers.meanRatio(nanos(outcome, ours), binary),
            Target.atMost(1)));
    return outcome;
  }

  /** Adds the rows and the check of their answers. */
  private static void measure(Run run, Outcome outcome) {
    Effort effort = run.effort();
    long[] probes = Entries.probes(effort.entries(), effort.probes(), effort.entries());
    int wrong = 0;
    try (KeyTrees trees = new KeyTrees(WIDTHS, effort.entries(), run.progress().part(0, 2))) {
      List<Work<Setting>> works = new ArrayList<>();
      for (KeyTree tree : trees.all()) {
        for (SearchForm form : SearchForm.available()) {
          works.add(
              new Work<>(
                  new Setting(form, tree.width), probes.length, () -> form.query(tree, probes)));
        }
      }
      for (Time<Setting> time : Stopwatch.time(works, effort.rounds(), run.progress().part(1, 2))) {
        outcome.row(time.setting().form.label(), time.setting().width, time.nanos());
        wrong += time.wrong(Entries.sumOfRanks(probes));
      }
    }
    outcome.check(Check.deterministic("wrong answers", wrong, Target.exactly(0)));
  }

  private static double[] nanos(Outcome outcome, SearchForm form) {
    return outcome.table().where("search", form.label()).numbers("nanos");
  }

  // ---------------------------------------------------------------- by the size of keys

  /** Figure 5.9, by the size of keys. */
  static Experiment byKeys() {
    Description description =
        new Description(
            "thesis-fig5.9-keys",
            "Search inside a node, by the size of keys",
            "thesis, figure 5.9",
            FOUND + " Comparing eight bytes at a time is significantly faster than memcmp.",
            "Linear and binary search, comparing word by word or byte by byte, with keys of 8, 16,"
                + " 32 and 64 bytes, in a tree of its own that is only bulkloaded and searched."
                + " Keys differ in their last word only. All lines of a node are prefetched before"
                + " it is searched, and nodes are wide enough for two keys.",
            LongKeysOverWidths.CHART);
    List<Series> series = new ArrayList<>();
    for (LongKeySearch search : LongKeySearch.values()) {
      for (KeyComparison comparison : KeyComparison.values()) {
        series.add(Series.query(label(search, comparison), search, comparison, true));
      }
    }
    return new LongKeysOverWidths(
        description, TreeOperation.QUERY, 100, WIDTHS, series, SearchAlgorithms::addChecks);
  }

  private static String label(LongKeySearch search, KeyComparison comparison) {
    return search.label() + ", " + comparison.label();
  }

  /** Holds the searches of keys of one size against the thesis. */
  static void addChecks(LongKeys keys, LongKeyTimes times, Outcome outcome) {
    for (KeyComparison comparison : KeyComparison.values()) {
      double[] linear = times.nanos(label(LongKeySearch.LINEAR, comparison));
      double[] binary = times.nanos(label(LongKeySearch.BINARY, comparison));
      String of = keys.prefix() + comparison.label();
      outcome.check(
          Check.timing(
              of + ", time of linear / binary search, widest nodes",
              linear[linear.length - 1] / binary[binary.length - 1],
              Target.atLeast(1)));
      outcome.check(
          Check.timing(
              of + ", time of binary / linear search, the largest of all widths",
              Numbers.largestRatio(binary, linear),
              Target.atMost(1)));
    }
    outcome.check(
        Check.timing(
            keys.prefix() + "time byte by byte / word by word, binary search, mean over widths",
            Numbers.meanRatio(
                times.nanos(label(LongKeySearch.BINARY, KeyComparison.BY_BYTES)),
                times.nanos(label(LongKeySearch.BINARY, KeyComparison.BY_WORDS))),
            Target.atLeast(1)));
  }
}
