// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.thesis.LongKeyTimes.Setting;
import dev.espalier.experiment.thesis.LongKeysOverWidths.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks of figures by the size of keys fail on what the thesis does not show. */
final class LongKeyChecksTest {

  /** Returns the checks that fail where each series has such times at such widths. */
  private static List<String> failing(
      Checks checks, LongKeys keys, List<Integer> widths, Map<String, double[]> nanos) {
    List<Time<Setting>> times = new ArrayList<>();
    nanos.forEach(
        (series, all) -> {
          for (int i = 0; i < all.length; i++) {
            times.add(new Time<>(new Setting(series, widths.get(i)), all[i], 0));
          }
        });
    Outcome outcome = new Outcome(Column.text("a", "a"));
    checks.add(keys, new LongKeyTimes(times, 0), outcome);
    return failing(outcome);
  }

  private static List<String> failing(Outcome outcome) {
    return outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList();
  }

  private static double[] times(double... nanos) {
    return nanos;
  }

  private static List<String> policies(LongKeys keys, double half) {
    return failing(
        LinearPolicies::addChecks,
        keys,
        List.of(4, 8),
        Map.of(
            "Linear 2", times(10, 10),
            "Half-Linear 2", times(half, half),
            "Linear 4", times(10, 10),
            "Half-Linear 4", times(10, 10)));
  }

  @ParameterizedTest
  @CsvSource({
    "8, 100, 11, 9",
    "64, 100, 11, 9",
    "32, 67, 11, 9",
    "32, 50, 11, 9",
    "64, 67, 9, 11",
    "64, 50, 9, 11"
  })
  void halfLinearMustBeBetterForLongKeysInLeavesThatAreNotFullOnly(
      int bytes, int fill, double passing, double missing) {
    LongKeys keys = new LongKeys(bytes, fill);
    assertEquals(List.of(), policies(keys, passing));
    assertEquals(
        List.of(
            "keys of "
                + bytes
                + " bytes: time of Half-Linear / Linear, distance 2, mean over"
                + " widths"),
        policies(keys, missing));
  }

  private static List<String> gains(double... with) {
    return failing(
        PrefetchGain::addChecks,
        new LongKeys(32, 67),
        List.of(2, 4, 6, 8, 12, 16, 24, 32),
        Map.of("no prefetch", times(10, 10, 10, 10, 10, 10, 10, 10), "prefetch", with));
  }

  @Test
  void prefetchingMustGainFrom4To12Lines() {
    assertEquals(List.of(), gains(11, 9, 9, 9, 9, 11, 11, 11));
    assertEquals(
        List.of(
            "keys of 32 bytes: time without / with prefetching, 4 lines",
            "keys of 32 bytes: time without / with prefetching, 12 lines"),
        gains(9, 11, 9, 9, 11, 9, 9, 9));
  }

  private static List<String> searches(double[] linear, double[] binary, double[] byBytes) {
    return failing(
        SearchAlgorithms::addChecks,
        new LongKeys(16, 100),
        List.of(1, 2),
        Map.of(
            "linear, word by word", linear,
            "binary, word by word", binary,
            "linear, byte by byte", times(30, 60),
            "binary, byte by byte", byBytes));
  }

  @Test
  void binarySearchMustBeFasterAndSoMustWords() {
    String words = "keys of 16 bytes: word by word, time of ";
    assertEquals(List.of(), searches(times(10, 20), times(9, 10), times(20, 30)));
    assertEquals(
        List.of(words + "binary / linear search, the largest of all widths"),
        searches(times(10, 20), times(11, 10), times(20, 30)));
    assertEquals(
        List.of(
            words + "linear / binary search, widest nodes",
            words + "binary / linear search, the largest of all widths"),
        searches(times(10, 20), times(9, 21), times(20, 30)));
    assertEquals(
        List.of(
            "keys of 16 bytes: byte by byte, time of linear / binary search, widest nodes",
            "keys of 16 bytes: byte by byte, time of binary / linear search, the largest of all"
                + " widths"),
        searches(times(10, 20), times(9, 10), times(20, 61)));
    assertEquals(
        List.of(
            "keys of 16 bytes: time byte by byte / word by word, binary search, mean over widths"),
        searches(times(10, 20), times(9, 10), times(8, 10)));
  }

  /** Shares of the smallest and of the largest keys. */
  private static List<String> shares(
      double[] none, double[] full, double[] half, double[] halfPrefetched) {
    Outcome outcome = LongKeyBandwidth.outcome();
    Map.of(
            "100%, no prefetch, scanned", none,
            "50%, no prefetch, scanned", times(5, 10),
            "100%, with prefetch, scanned", full,
            "50%, with prefetch, scanned", half,
            "50%, with prefetch, prefetched", halfPrefetched)
        .forEach(
            (series, shares) -> {
              outcome.row(series, 8, 1, 1.0, shares[0]);
              outcome.row(series, 2048, 65, 1.0, shares[1]);
            });
    LongKeyBandwidth.addChecks(outcome);
    return failing(outcome);
  }

  @Test
  void largeKeysMustUseAsMuchOfTheBandwidthAsInTheThesis() {
    double[] growing = times(20, 26);
    double[] full = times(30, 52);
    double[] half = times(60, 75);
    assertEquals(List.of(), shares(growing, full, growing, half));
    String grows = "bandwidth with the largest / the smallest keys, ";
    assertEquals(
        List.of(grows + "100%, no prefetch, scanned"), shares(times(27, 26), full, growing, half));
    assertEquals(
        List.of(grows + "50%, with prefetch, scanned"), shares(growing, full, times(27, 26), half));
    assertEquals(
        List.of("bandwidth with / without prefetching, 100%, largest keys"),
        shares(times(20, 27), full, growing, half));
    assertEquals(
        List.of("share of a sequential read, 100%, with prefetch, scanned, largest keys, %"),
        shares(times(20, 25), times(30, 51), growing, half));
    assertEquals(
        List.of("share of a sequential read, 50%, with prefetch, prefetched, largest keys, %"),
        shares(growing, full, growing, times(60, 74)));
  }
}
