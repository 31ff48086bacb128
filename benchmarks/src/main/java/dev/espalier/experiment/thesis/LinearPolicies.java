// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Numbers;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Target;
import dev.espalier.experiment.thesis.LongKeyTimes.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Figures 5.6 to 5.8: scans that prefetch whole leaves, or what of them is in use. */
final class LinearPolicies {
  private static final List<Integer> WIDTHS = List.of(2, 4, 8, 16, 32);
  private static final List<Integer> DISTANCES = List.of(2, 4);
  private static final List<NodePrefetch> POLICIES =
      List.of(NodePrefetch.LINEAR, NodePrefetch.HALF_LINEAR);

  private LinearPolicies() {}

  /** Figure 5.6: full leaves. */
  static Experiment overFullLeaves() {
    return experiment(
        "thesis-fig5.6",
        Construction.FULL,
        "a million keys of 16 bytes, bulkloaded to 100%",
        "Linear is clearly better.",
        Target.atLeast(1));
  }

  /** Figure 5.7: leaves two thirds full. */
  static Experiment overTwoThirds() {
    return experiment(
        "thesis-fig5.7",
        Construction.TWO_THIRDS,
        "a million keys of 32 bytes, bulkloaded to 67%",
        "Linear is better here, too.",
        Target.atLeast(1));
  }

  /** Figure 5.8: half-full leaves. */
  static Experiment overHalfFullLeaves() {
    return experiment(
        "thesis-fig5.8",
        Construction.HALF,
        "a million keys of 64 bytes, bulkloaded to 50%",
        "Here Half-Linear is better: it saves half the bandwidth, and with keys this large that"
            + " outweighs its overhead.",
        Target.atMost(1));
  }

  private static Experiment experiment(
      String name, Construction construction, String tree, String found, Target target) {
    Description description =
        new Description(
            name,
            "Prefetch policies of scans, leaves filled to " + construction.label(),
            "thesis, figure " + name.substring("thesis-fig".length()),
            "Time for ten full scans of a pB+-tree with "
                + tree
                + ", over node widths, with the Linear policy, which prefetches whole leaves from"
                + " left to right, and with Half-Linear, which prefetches the header and half of"
                + " the keys, reads the header, and prefetches what else is in use; both 2 and 4"
                + " leaves ahead. "
                + found,
            "The same policies over leaves filled to "
                + construction.label()
                + ", with keys and values of 8 bytes. Half-Linear reads a leaf's header half-way"
                + " between request and use, when it is there. Of leaves filled less it saves lines"
                + " of keys and of values.",
            TreesOverWidths.CHART);
    return new TreesOverWidths(
        description, TreeOperation.SCAN, settings(construction), outcome -> check(outcome, target));
  }

  private static List<TreeSetting> settings(Construction construction) {
    List<TreeSetting> settings = new ArrayList<>();
    for (NodePrefetch policy : POLICIES) {
      for (int distance : DISTANCES) {
        for (int width : WIDTHS) {
          settings.add(
              new TreeSetting(
                  series(policy, distance),
                  width,
                  distance,
                  construction,
                  PbPlusChoices.DEFAULT.withScanPrefetch(policy)));
        }
      }
    }
    return settings;
  }

  private static void check(Outcome outcome, Target target) {
    addChecks("", series -> TreesOverWidths.nanos(outcome, series), target, outcome);
  }

  private static void addChecks(
      String of, Function<String, double[]> nanosOf, Target target, Outcome outcome) {
    for (int distance : DISTANCES) {
      double[] linear = nanosOf.apply(series(NodePrefetch.LINEAR, distance));
      double[] half = nanosOf.apply(series(NodePrefetch.HALF_LINEAR, distance));
      outcome.check(
          Check.timing(
              "%stime of Half-Linear / Linear, distance %d, mean over widths"
                  .formatted(of, distance),
              Numbers.meanRatio(half, linear),
              target));
    }
  }

  private static String series(NodePrefetch policy, int distance) {
    return (policy == NodePrefetch.LINEAR ? "Linear " : "Half-Linear ") + distance;
  }

  // ---------------------------------------------------------------- by the size of keys

  /** Figure 5.6, by the size of keys. */
  static Experiment overFullLeavesByKeys() {
    return byKeys("thesis-fig5.6-keys", 100, "16 bytes", "Linear is clearly better");
  }

  /** Figure 5.7, by the size of keys. */
  static Experiment overTwoThirdsByKeys() {
    return byKeys("thesis-fig5.7-keys", 67, "32 bytes", "Linear is better, too");
  }

  /** Figure 5.8, by the size of keys. */
  static Experiment overHalfFullLeavesByKeys() {
    return byKeys("thesis-fig5.8-keys", 50, "64 bytes", "Half-Linear is better");
  }

  private static Experiment byKeys(String name, int fill, String shown, String found) {
    Description description =
        new Description(
            name,
            "Prefetch policies of scans by the size of keys, leaves filled to " + fill + "%",
            "thesis, figure " + name.substring("thesis-fig".length(), name.indexOf("-keys")),
            "Time for ten full scans of a pB+-tree of a million keys, over node widths, with the"
                + " policies Linear and Half-Linear, 2 and 4 leaves ahead. The figure shows keys of"
                + " "
                + shown
                + " in leaves filled to "
                + fill
                + "%: "
                + found
                + ". Of keys of 8, 16, 32 and 64 bytes and leaves filled to 100%, 67% and 50%, the"
                + " thesis found Half-Linear better only for keys of 64 bytes in leaves filled to"
                + " 67% or 50%.",
            "The same policies over leaves filled to "
                + fill
                + "% with keys of 8, 16, 32 and 64 bytes and values of 8, in a tree of its own that"
                + " is only bulkloaded. Its leaves lie one after the other, so that the next ones"
                + " are found without a jump-pointer array; scans add up all words. Half-Linear"
                + " reads a leaf's header half-way between request and use. Nodes have room for two"
                + " keys at least, so those with keys of 64 bytes begin at 4 lines.",
            LongKeysOverWidths.CHART);
    List<Series> series = new ArrayList<>();
    for (NodePrefetch policy : POLICIES) {
      for (int distance : DISTANCES) {
        series.add(Series.scan(series(policy, distance), policy, distance));
      }
    }
    return new LongKeysOverWidths(
        description, TreeOperation.SCAN, fill, WIDTHS, series, LinearPolicies::addChecks);
  }

  /** Holds the policies with keys of one size against the thesis. */
  static void addChecks(LongKeys keys, LongKeyTimes times, Outcome outcome) {
    boolean isHalfBetter = keys.bytes() == 64 && keys.fill() < 100;
    addChecks(
        keys.prefix(), times::nanos, isHalfBetter ? Target.atMost(1) : Target.atLeast(1), outcome);
  }
}
