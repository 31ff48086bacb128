// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import java.util.ArrayList;
import java.util.List;

/** Figure 6.1: queries with and without prefetching, over the width of nodes. */
final class PrefetchGain {
  private static final List<Integer> WIDTHS = List.of(1, 2, 4, 6, 8, 12, 16, 24, 32);

  private static final String WITHOUT = "no prefetch";
  private static final String WITH = "prefetch";

  private PrefetchGain() {}

  /** Figure 6.1. */
  static Experiment experiment() {
    Description description =
        new Description(
            "thesis-fig6.1",
            "Queries with and without prefetching",
            "thesis, figure 6.1",
            "Time for a million queries of a pB+-tree of a million keys of 16 bytes, built by"
                + " repeated insertion, over node widths, with and without prefetching, by binary"
                + " search. Prefetching gains nothing for nodes of one line, most for nodes of 4 to"
                + " 12 lines, and less for wider ones.",
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
    double[] without = TreesOverWidths.nanos(outcome, WITHOUT);
    double[] with = TreesOverWidths.nanos(outcome, WITH);
    for (int i = 0; i < WIDTHS.size(); i++) {
      if (WIDTHS.get(i) >= 4 && WIDTHS.get(i) <= 12) {
        outcome.check(
            Check.timing(
                "time without / with prefetching, " + WIDTHS.get(i) + " lines",
                without[i] / with[i],
                Target.atLeast(1)));
      }
    }
  }
}
