// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SimulatedCountsTest {
  @Test
  void checkOfAnswersFailsIfOneIsWrong() {
    SimulatedCounts right = new SimulatedCounts(Map.of("a", List.of(7L, 0L), "b", List.of(5L, 0L)));
    SimulatedCounts wrong = new SimulatedCounts(Map.of("a", List.of(7L, 0L), "b", List.of(5L, 1L)));
    assertTrue(right.answers("trees").passes());
    assertFalse(wrong.answers("trees").passes());
    assertEquals("trees that answered wrongly", wrong.answers("trees").name());
  }
}
