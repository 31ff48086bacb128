// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Stopwatch.Time;
import dev.espalier.experiment.buffering.GuaranteedThroughput.Stream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Checks of figures 1, 7, 8, 10, 13 and 15 pass on what the paper shows, and fail on something
 * else.
 */
class BufferingChecksTest {
  private static final ProbeSetting CSB =
      new ProbeSetting(PaperIndex.CSB_PLUS_TREE, Method.VARIABLE);

  // ---------------------------------------------------------------- figure 8

  private static final String TLB =
      "TLB penalty of one virtual node over the least of those divided";
  private static final String ANALYSIS =
      "TLB penalty where the analysis has the TLB suffice, over that elsewhere, least each";
  private static final String SAME =
      "cache misses of the placement with most over those of the one with fewest";
  private static final String FEWER =
      "cache misses unbuffered over those of the placement with most";

  /** Returns the names of the checks of figure 8 that fail, with one cost replaced. */
  private static List<String> failing(ProbeSetting changed, double misses, double tlb) {
    Map<ProbeSetting, SimulatedCost> costs = new HashMap<>();
    for (ProbeSetting setting :
        List.of(CSB.placed(1, 1, 1), CSB.placed(1, 2), CSB.placed(2, 1), CSB.placed(3))) {
      costs.put(setting, new SimulatedCost(1, 0, 5, 0));
    }
    costs.put(CSB.by(Method.UNBUFFERED), new SimulatedCost(3, 0, 50, 0));
    costs.put(changed, new SimulatedCost(misses, 0, tlb, 0));
    Outcome outcome = new Outcome(Column.text("a", "a"));
    PlacementFigures.narrowNodes()
        .simulated()
        .add(Table2.KEYS_BEYOND_THE_CACHE, new Found<>(costs), outcome);
    return failing(outcome);
  }

  private static List<String> failing(Outcome outcome) {
    return outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList();
  }

  @Test
  void placementsAreHeldAgainstOneAnotherAndAgainstNoBuffers() {
    assertEquals(List.of(), failing(CSB.placed(3), 1, 6));
    assertEquals(List.of(TLB, ANALYSIS), failing(CSB.placed(3), 1, 4));
    assertEquals(List.of(SAME), failing(CSB.placed(1, 2), 1.2, 5));
    assertEquals(List.of(FEWER), failing(CSB.by(Method.UNBUFFERED), 1.9, 50));
  }

  @Test
  void pagesForTheTlbAreThoseOfThePapersFormula() {
    List<Double> branchings = List.of(4.0, 11.0, 11.0, 11.0);
    assertEquals(1 + 4 + 4 * 11 + 4 * 11 * 11, PlacementFigures.tlbEntries(branchings, List.of(3)));
    assertEquals(1 + 4 + 4 * 11, PlacementFigures.tlbEntries(branchings, List.of(2, 1)));
    assertEquals(12, PlacementFigures.tlbEntries(branchings, List.of(1, 1, 1)));
  }

  private static List<String> tlb(double two) {
    Map<ProbeSetting, SimulatedCost> costs = new HashMap<>();
    costs.put(CSB.placed(1, 1, 1), new SimulatedCost(1, 0, 10, 0));
    costs.put(CSB.placed(2, 1), new SimulatedCost(1, 0, two, 0));
    costs.put(CSB.placed(1, 2), new SimulatedCost(1, 0, 8, 0));
    costs.put(CSB.placed(3), new SimulatedCost(1, 0, 8, 0));
    Outcome outcome = new Outcome(Column.text("a", "a"));
    PlacementFigures.checkTlbAnalysis(List.of(4.0, 11.0, 11.0), new Found<>(costs), outcome);
    return failing(outcome);
  }

  @Test
  void placementsThatTheTlbSufficesForAreToMissItLess() {
    assertEquals(List.of(), tlb(7));
    assertEquals(List.of(ANALYSIS), tlb(9));
  }

  // ---------------------------------------------------------------- figures 1, 10 and 13

  /** Returns the names of a figure's simulated checks that fail, with one cost replaced. */
  private static List<String> failing(
      Figure figure, SimulatedCost usual, ProbeSetting changed, SimulatedCost cost) {
    Map<ProbeSetting, SimulatedCost> costs = new HashMap<>();
    figure.simulatedSettings().forEach(setting -> costs.put(setting, usual));
    costs.put(changed, cost);
    Outcome outcome = new Outcome(Column.text("a", "a"));
    figure.simulated().add(Table2.KEYS_BEYOND_THE_CACHE, new Found<>(costs), outcome);
    return failing(outcome);
  }

  @Test
  void sharesOfMissesAreThoseOfThePaper() {
    Figure figure = SearchFigures.thrashing();
    SimulatedCost usual = new SimulatedCost(2, 40, 0, 100);
    ProbeSetting csb = CSB.by(Method.UNBUFFERED);
    ProbeSetting wide = new ProbeSetting(PaperIndex.B_PLUS_TREE, Method.UNBUFFERED);
    assertEquals(List.of(), failing(figure, usual, csb, usual));
    assertEquals(
        List.of("share of a CSB+-tree's cycles that are misses"),
        failing(figure, usual, csb, new SimulatedCost(2, 29, 0, 100)));
    assertEquals(
        List.of(PaperIndex.B_PLUS_TREE + ": share of misses over CSB+-tree's"),
        failing(figure, usual, wide, new SimulatedCost(2, 39, 0, 100)));
  }

  @Test
  void orderIsNotToCostMuch() {
    Figure figure = SearchFigures.methods();
    SimulatedCost usual = new SimulatedCost(1, 0, 0, 100);
    ProbeSetting inOrder = CSB.by(Method.IN_ORDER);
    assertEquals(List.of(), failing(figure, usual, inOrder, new SimulatedCost(9, 0, 0, 114)));
    assertEquals(
        List.of(PaperIndex.CSB_PLUS_TREE + ": order-preserving over variable-size, cycles"),
        failing(figure, usual, inOrder, new SimulatedCost(1, 0, 0, 116)));
  }

  @Test
  void buffersAreToBeFasterFromThePapersSharesOn() {
    Figure figure = ProbeFigures.fewProbes();
    SimulatedCost usual = new SimulatedCost(1, 0, 0, 100);
    SimulatedCost slower = new SimulatedCost(1, 0, 0, 101);
    ProbeSetting wide = new ProbeSetting(PaperIndex.B_PLUS_TREE, Method.FIXED);
    assertEquals(List.of(), failing(figure, usual, wide.withShare(0.0004), slower));
    assertEquals(
        List.of(wide.index() + ", " + wide.method() + ": least gain by buffers from 0.08% on"),
        failing(figure, usual, wide.withShare(0.0008), slower));
    assertEquals(List.of(), failing(figure, usual, CSB.withShare(0.002), slower));
    assertEquals(
        List.of(CSB.index() + ", " + CSB.method() + ": least gain by buffers from 0.4% on"),
        failing(figure, usual, CSB.withShare(0.004), slower));
    assertEquals(
        List.of(CSB.index() + ", " + CSB.method() + ": gain by buffers at 0.01%"),
        failing(figure, usual, CSB.withShare(0.0001), new SimulatedCost(1, 0, 0, 99)));
  }

  // ---------------------------------------------------------------- figure 15

  private static List<String> failing(double guaranteed, double second, long answer) {
    List<Time<Stream>> times = new ArrayList<>();
    times.add(new Time<>(new Stream(GuaranteedThroughput.B_PLUS, 0), 200, 1));
    times.add(new Time<>(new Stream(GuaranteedThroughput.CSB_PLUS, 0), 150, 1));
    times.add(new Time<>(new Stream(GuaranteedThroughput.AT_END, 0), 80, 1));
    times.add(new Time<>(new Stream(GuaranteedThroughput.GUARANTEED, 100), guaranteed, answer));
    times.add(new Time<>(new Stream(GuaranteedThroughput.GUARANTEED, 1000), second, 1));
    return failing(GuaranteedThroughput.outcome(times, 1));
  }

  @Test
  void guaranteedThroughputIsHeldAgainstBothUnbufferedTrees() {
    String over = "throughput with a guarantee of 100 ms, over that of ";
    assertEquals(List.of(), failing(100, 82, 1));
    assertEquals(List.of("methods that answered wrongly"), failing(100, 82, 2));
    assertEquals(
        List.of("gain kept with a guarantee of 100 ms", over + GuaranteedThroughput.CSB_PLUS),
        failing(140, 82, 1));
    assertEquals(
        List.of(
            "gain kept with a guarantee of 100 ms",
            over + GuaranteedThroughput.B_PLUS,
            over + GuaranteedThroughput.CSB_PLUS),
        failing(190, 82, 1));
    assertEquals(
        List.of("throughput with a guarantee of 1 s, of that of one flush"), failing(100, 95, 1));
  }
}
