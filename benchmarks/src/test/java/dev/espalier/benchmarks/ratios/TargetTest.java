// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.benchmarks.ratios.Target.Bound;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class TargetTest {

  @Test
  void limitItselfIsReached() {
    assertTrue(target(Bound.AT_LEAST, 7, 7).passes());
    assertFalse(target(Bound.AT_LEAST, 7, 6.99).passes());
    assertTrue(target(Bound.AT_MOST, 17.5, 17.5).passes());
    assertFalse(target(Bound.AT_MOST, 17.5, 17.51).passes());
  }

  @Test
  void lineSaysTargetValueAndOutcome() {
    assertEquals("| w | at least 7x | 7.25x | yes |", line(target(Bound.AT_LEAST, 7, 7.25)));
    assertEquals("| w | at most 17.5x | 18.00x | **no** |", line(target(Bound.AT_MOST, 17.5, 18)));
  }

  @Test
  void percentagesArePrintedAsSuch() {
    Target target = new Target("w", Bound.AT_LEAST, 60, "%", OptionalDouble.of(61.5));
    assertEquals("| w | at least 60% | 61.50% | yes |", line(target));
  }

  @Test
  void whatWasNotMeasuredIsNeitherReachedNorMissed() {
    Target target = new Target("w", Bound.AT_LEAST, 7, "x", OptionalDouble.empty());
    assertFalse(target.passes());
    assertEquals("| w | at least 7x |  | not measured |", line(target));
  }

  private static String line(Target target) {
    return Target.table(List.of(target)).lines().getLast();
  }

  private static Target target(Bound bound, double limit, double value) {
    return new Target("w", bound, limit, "x", OptionalDouble.of(value));
  }
}
