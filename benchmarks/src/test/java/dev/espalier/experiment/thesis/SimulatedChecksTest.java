// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.SimulatedCounts;
import dev.espalier.simulation.HierarchyCounters;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks of simulated experiments fail on what the thesis does not show. */
class SimulatedChecksTest {
  private static List<String> failing(Outcome outcome) {
    return outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList();
  }

  private static Outcome outcome() {
    return new Outcome(Column.text("a", "a"));
  }

  private static List<Long> stalls(long cycles) {
    return List.of(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, cycles, 0L);
  }

  private static List<String> loops(long none, long perNode) {
    Outcome outcome = outcome();
    SimulatedCounts counts =
        new SimulatedCounts(
            Map.of(
                "query, " + PrefetchForm.NONE.label(), stalls(none),
                "query, " + PrefetchForm.CALL_PER_NODE.label(), stalls(perNode)));
    PrefetchLoopCycles.addChecks("query", counts, outcome);
    return failing(outcome);
  }

  @Test
  void prefetchesMustNotMakeAQueryStallMore() {
    assertEquals(List.of(), loops(10, 9));
    assertEquals(List.of("query: stalls by calls per node / no prefetch"), loops(10, 11));
  }

  private static List<String> groups(long perNode, long perGroup) {
    Outcome outcome = outcome();
    SimulatedCounts counts =
        new SimulatedCounts(
            Map.of(
                "query, " + PrefetchForm.CALL_PER_NODE.label(), stalls(perNode),
                "query, " + PrefetchForm.CALL_PER_GROUP.label(), stalls(perGroup)));
    PrefetchLoopCycles.addCheckOfGroups(counts, outcome);
    return failing(outcome);
  }

  @Test
  void groupsMustNotMakeAQueryStallMore() {
    assertEquals(List.of(), groups(10, 9));
    assertEquals(List.of("query: stalls by calls per group / per node"), groups(10, 11));
  }

  private static List<String> hints(long walked, long dropped) {
    Outcome outcome = outcome();
    FaultHint.addChecks("scan", taking(walked), taking(dropped), outcome);
    return failing(outcome);
  }

  private static HierarchyCounters taking(long cycles) {
    return new HierarchyCounters(0, 0, 0, 0, 0, 0, 0, 0, cycles, 0);
  }

  @Test
  void droppedPrefetchesMustNotBeFaster() {
    assertEquals(List.of(), hints(10, 10));
    assertEquals(List.of("scan: time without / with the hint"), hints(10, 9));
  }

  @Test
  void prefetchingMustSaveAsMuchAsInTheThesis() {
    double[] without = {100, 100, 100, 100, 100, 100, 100, 100};
    double[] with = {100, 100, 100, 90, 90, 90, 100, 100};
    for (Check.Kind kind : Check.Kind.values()) {
      PrefetchSpeedup slow = PrefetchSpeedup.withSlowComparison();
      assertTrue(slow.check("here", kind, Construction.TWO_THIRDS, without, with).passes());
      assertFalse(slow.check("here", kind, Construction.INSERTED, without, with).passes());
      PrefetchSpeedup fast = PrefetchSpeedup.withFastComparison();
      assertTrue(fast.check("here", kind, Construction.HALF, without, with).passes());
      assertFalse(fast.check("here", kind, Construction.FULL, without, with).passes());
    }
  }

  private static List<String> longKeys(LongKeySpeedup experiment, int keyBytes, double saved) {
    Outcome outcome = outcome();
    double ratio = 1 / (1 - saved / 100);
    experiment.addCheck(new LongKeys(keyBytes, 50), Check.Kind.DETERMINISTIC, ratio, outcome);
    return failing(outcome);
  }

  @Test
  void prefetchingMustSaveMoreWhereKeysAreLonger() {
    LongKeySpeedup byWords = LongKeySpeedup.byWords();
    assertEquals(List.of(), longKeys(byWords, 8, 10));
    assertEquals(
        List.of("simulated Itanium 2, 50%, keys of 16 bytes: time saved, %"),
        longKeys(byWords, 16, 10));
    assertEquals(List.of(), longKeys(byWords, 64, 10), "the thesis has no such keys");
    assertEquals(List.of(), longKeys(LongKeySpeedup.byBytes(), 16, 10));
  }

  @Test
  void coldQueriesMustGainAsTheModelSays() {
    double[] model = {32, 16, 8, 4, 2, 1};
    Outcome same = outcome();
    WideNodeGain.addChecks("cold", model, model, same);
    assertEquals(List.of(), failing(same));
    double[] stalls = {32, 16, 8, 4, 2, 2};
    Outcome other = outcome();
    WideNodeGain.addChecks("cold", stalls, model, other);
    assertEquals(List.of("cold: gain / the model's, 32 lines"), failing(other));
  }
}
