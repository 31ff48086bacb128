// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FiguresTest {

  @Test
  void medianIsTheMiddleOrBetweenTheTwoMiddles() {
    assertEquals(2, Figures.median(List.of(9.0, 1.0, 2.0)).orElseThrow());
    assertEquals(3, Figures.median(List.of(9.0, 1.0, 2.0, 4.0)).orElseThrow());
    assertFalse(Figures.median(List.of()).isPresent());
  }

  @Test
  void ratioIsTakenRoundByRound() {
    Figures figures = new Figures();
    // The machine was ten times slower in the second round, for both.
    double[] slow = {200, 2000, 210};
    double[] fast = {100, 1000, 100};
    for (int i = 0; i < 3; i++) {
      figures.add("a", Measure.GET, slow[i]);
      figures.add("b", Measure.GET, fast[i]);
    }
    assertEquals(2, figures.ratio("a", Measure.GET, "b", Measure.GET).orElseThrow());
  }

  @Test
  void ratioOfWhatWasNotMeasuredIsNone() {
    Figures figures = new Figures();
    figures.add("a", Measure.GET, 1);
    assertFalse(figures.ratio("a", Measure.GET, "b", Measure.GET).isPresent());
    assertFalse(figures.median("b", Measure.GET).isPresent());
  }
}
