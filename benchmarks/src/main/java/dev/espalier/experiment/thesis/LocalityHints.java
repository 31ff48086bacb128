// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.Localities;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import dev.espalier.prefetch.Locality;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Figures 5.1 and 5.2: into which caches nodes are prefetched. */
final class LocalityHints {
  private static final List<Locality> HINTS =
      List.of(Locality.T0, Locality.T1, Locality.T2, Locality.NTA);
  private static final List<Integer> WIDTHS = List.of(4, 8, 12, 16, 24, 32);

  /** Leaves that a scan fetches ahead: enough to hide a latency, few enough for the first level. */
  private static final int SCAN_DISTANCE = 4;

  private static final String HERE =
      " The hints of x86 are T0 (all levels of cache), T1 (the second and beyond), T2 (the last)"
          + " and NTA (the first, soon evicted): the thesis's t1, nt1, nt2 and nta. ";

  private LocalityHints() {}

  /** Figure 5.1. */
  static Experiment forQueries() {
    Description description =
        new Description(
            "thesis-fig5.1",
            "Locality hints for queries",
            "thesis, figure 5.1",
            "Time for queries of a pB+-tree with a million keys of 16 bytes, over node widths of 4"
                + " to 32 lines, by locality hint. t1 is best: up to 2.6% better than nt1 and nt2,"
                + " and up to 7% better than nta.",
            "Full pB+-trees with keys of 8 bytes, whose nodes are prefetched whole before they are"
                + " searched by binary search."
                + HERE
                + "What a query reads next it should have in the nearest cache.",
            TreesOverWidths.CHART);
    return new TreesOverWidths(
        description, TreeOperation.QUERY, settings(LocalityHints::queries), LocalityHints::check);
  }

  /** Figure 5.2. */
  static Experiment forScans() {
    Description description =
        new Description(
            "thesis-fig5.2",
            "Locality hints for scans",
            "thesis, figure 5.2",
            "Time for ten full scans of a pB+-tree with a million keys of 16 bytes, over node"
                + " widths of 4 to 32 lines, by locality hint. t1 is best on average, by a very"
                + " small margin; nt1 and nt2 are about as good, and nta is slightly worse.",
            "Full pB+-trees with keys of 8 bytes, scanned leaf by leaf, with "
                + SCAN_DISTANCE
                + " leaves prefetched ahead."
                + HERE
                + "A bulkload puts leaves one after the other, so that the processor's own"
                + " prefetching helps every hint.",
            TreesOverWidths.CHART);
    return new TreesOverWidths(
        description, TreeOperation.SCAN, settings(LocalityHints::scans), LocalityHints::check);
  }

  private static PbPlusChoices queries(Locality hint) {
    return TreeSetting.AS_IN_THESIS.withLocalities(
        new Localities(hint, Localities.DEFAULT.insert(), Localities.DEFAULT.scan()));
  }

  private static PbPlusChoices scans(Locality hint) {
    return PbPlusChoices.DEFAULT
        .withScanPrefetch(NodePrefetch.LINEAR)
        .withLocalities(
            new Localities(Localities.DEFAULT.query(), Localities.DEFAULT.insert(), hint));
  }

  private static List<TreeSetting> settings(Function<Locality, PbPlusChoices> choices) {
    List<TreeSetting> settings = new ArrayList<>();
    for (Locality hint : HINTS) {
      for (int width : WIDTHS) {
        settings.add(
            new TreeSetting(
                hint.name(), width, SCAN_DISTANCE, Construction.FULL, choices.apply(hint)));
      }
    }
    return settings;
  }

  private static void check(Outcome outcome) {
    double[] t0 = TreesOverWidths.nanos(outcome, Locality.T0.name());
    for (Locality hint : HINTS) {
      if (hint != Locality.T0) {
        outcome.check(
            Check.timing(
                "time with " + hint + " / T0, mean over widths",
                Numbers.meanRatio(TreesOverWidths.nanos(outcome, hint.name()), t0),
                Target.atLeast(1)));
      }
    }
  }
}
