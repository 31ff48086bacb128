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

/** Checks of figures 7, 8 and 15 pass on what the paper shows, and fail on something else. */
class BufferingChecksTest {
  private static final ProbeSetting CSB =
      new ProbeSetting(PaperIndex.CSB_PLUS_TREE, Method.VARIABLE);

  // ---------------------------------------------------------------- figure 8

  private static final String TLB =
      "TLB penalty of one virtual node over the least of those divided";
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
    assertEquals(List.of(TLB), failing(CSB.placed(3), 1, 4));
    assertEquals(List.of(SAME), failing(CSB.placed(1, 2), 1.2, 5));
    assertEquals(List.of(FEWER), failing(CSB.by(Method.UNBUFFERED), 1.9, 50));
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
