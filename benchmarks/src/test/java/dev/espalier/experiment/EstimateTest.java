// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class EstimateTest {

  @Test
  void progressCountsSeconds() {
    Estimate estimate = new Estimate(new double[] {10, 30, 60});
    assertEquals(0.05, estimate.done(0, 0.5), 1e-12);
    assertEquals(0.4, estimate.done(2, 0), 1e-12);
    assertEquals(", about 60 s left", estimate.left(2, 0));
    assertEquals(", about 90 s left", estimate.left(1, 0));
  }

  @Test
  void whatWasNotMeasuredCountsAsTheMeanOfTheOthers() {
    Estimate estimate = new Estimate(new double[] {10, 0, 30});
    assertEquals(0.5, estimate.done(2, 0), 1e-12);
  }

  @Test
  void nothingIsSaidWhereNothingWasMeasured() {
    Estimate estimate = new Estimate(List.of("no-such", "nor-this"), true);
    assertEquals("", estimate.left(1, 0));
    assertEquals(0.5, estimate.done(1, 0), 1e-12);
  }
}
