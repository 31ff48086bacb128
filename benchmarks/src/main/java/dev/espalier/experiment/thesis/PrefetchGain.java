// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import dev.espalier.experiment.thesis.LongKeyTimes.Series;
import java.util.ArrayList;
import java.util.List;

/** Figure 6.1: queries with and without prefetching, over the width of nodes. */
final class PrefetchGain {
  private static final List<Integer> WIDTHS = List.of(1, 2, 4, 6, 8, 12, 16, 24, 32);

  /** What queries without prefetching are called. */
  static final String WITHOUT = "no prefetch";

  /** What queries with prefetching are called. */
  static final String WITH = "prefetch";

  private static final String FOUND =
      "Time for a million queries of a pB+-tree of a million keys of 16 bytes, built by repeated"
          + " insertion, over node widths, with and without prefetching, by binary search."
          + " Prefetching gains nothing for nodes of one line, most for nodes of 4 to 12 lines, and"
          + " less for wider ones.";

  private PrefetchGain() {}

  /** Figure 6.1. */
  static Experiment experiment() {
    Description description =
        new Description(
            "thesis-fig6.1",
            "Queries with and without prefetching",
            "thesis, figure 6.1",
            FOUND,
            "The same with keys of 8 bytes. Nodes are prefetched whole. The steps of a binary"
                + " search wait for one another, so that this is where the processor can overlap"
                + " least by itself.",
            TreesOverWidths.CHART);
    return new TreesOverWidths(description, TreeOperation.QUERY, settings(), PrefetchGain::check);
  }

  private static List<TreeSetting> settings() {
    PbPlusChoices with = TreeSetting.AS_IN_THESIS;
    List<TreeSetting> settings = new ArrayList<>();
    for (int width : WIDTHS) {
      settings.add(setting(WITHOUT, width, with.withSearchPrefetch(NodePrefetch.NONE)));
      settings.add(setting(WITH, width, with));
    }
    return settings;
  }

  private static TreeSetting setting(String series, int width, PbPlusChoices choices) {
    return new TreeSetting(series, width, 0, Construction.INSERTED, choices);
  }

  private static void check(Outcome outcome) {
    addChecks(
        "",
        WIDTHS,
        TreesOverWidths.nanos(outcome, WITHOUT),
        TreesOverWidths.nanos(outcome, WITH),
        outcome);
  }

  private static void addChecks(
      String of, List<Integer> widths, double[] without, double[] with, Outcome outcome) {
    for (int i = 0; i < without.length; i++) {
      int width = widths.get(i);
      if (width >= 4 && width <= 12) {
        outcome.check(
            Check.timing(
                of + "time without / with prefetching, " + width + " lines",
                without[i] / with[i],
                Target.atLeast(1)));
      }
    }
  }

  // ---------------------------------------------------------------- by the size of keys

  /** Figure 6.1, by the size of keys. */
  static Experiment byKeys() {
    Description description =
        new Description(
            "thesis-fig6.1-keys",
            "Queries with and without prefetching, by the size of keys",
            "thesis, figure 6.1",
            FOUND + " All its experiments show this trend, with keys of 8, 16 and 32 bytes.",
            "The same with keys of 8, 16, 32 and 64 bytes, in a tree of its own that is only"
                + " bulkloaded and searched: to 67%, about as full as repeated insertion leaves"
                + " nodes. Keys are compared word by word, and differ in their last word only."
                + " Nodes are prefetched whole, and wide enough for two keys.",
            LongKeysOverWidths.CHART);
    return new LongKeysOverWidths(
        description,
        TreeOperation.QUERY,
        67,
        WIDTHS,
        series(KeyComparison.BY_WORDS),
        PrefetchGain::addChecks);
  }

  /** Returns queries without and with prefetching, by binary search. */
  static List<Series> series(KeyComparison comparison) {
    return List.of(
        Series.query(WITHOUT, LongKeySearch.BINARY, comparison, false),
        Series.query(WITH, LongKeySearch.BINARY, comparison, true));
  }

  /** Holds the gain with keys of one size against the thesis. */
  static void addChecks(LongKeys keys, LongKeyTimes times, Outcome outcome) {
    addChecks(
        keys.prefix(), keys.fitting(WIDTHS), times.nanos(WITHOUT), times.nanos(WITH), outcome);
  }
}
