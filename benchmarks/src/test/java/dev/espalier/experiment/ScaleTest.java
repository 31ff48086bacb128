// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ScaleTest {

  @Test
  void ratiosUpToTenAreLinearFromZeroOn() {
    Scale scale = Scale.of(new double[] {10, 100});
    assertFalse(scale.logarithmic());
    assertEquals(List.of(0.0, 20.0, 40.0, 60.0, 80.0, 100.0), scale.ticks());
    assertEquals(0.5, scale.position(50), 1e-9);
  }

  @Test
  void ratiosAboveTenAreLogarithmicWithTicksAtOneTwoAndFive() {
    Scale scale = Scale.of(new double[] {30, 700});
    assertTrue(scale.logarithmic());
    assertEquals(List.of(20.0, 50.0, 100.0, 200.0, 500.0, 1000.0), scale.ticks());
    assertEquals(0, scale.position(20), 1e-9);
    assertEquals(1, scale.position(1000), 1e-9);
  }

  @Test
  void manyPowersOfTenAreLabelledAlone() {
    assertEquals(
        List.of(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
        Scale.of(new double[] {0.01, 1000}).ticks().stream()
            .map(tick -> Math.round(tick * 1e6) / 1e6)
            .toList());
  }

  @Test
  void zeroAmongTheValuesKeepsTheScaleLinear() {
    assertFalse(Scale.of(new double[] {0, 1e6}).logarithmic());
  }

  @Test
  void scaleOfNothingAndOfZerosHasTicks() {
    assertEquals(0, Scale.of(new double[] {}).ticks().getFirst());
    assertEquals(0, Scale.of(new double[] {0, 0}).ticks().getFirst());
  }
}
