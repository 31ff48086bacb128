// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurabilityTest {
  @ParameterizedTest
  @ValueSource(strings = {"PT0.001S", "PT1S", "PT1H"})
  void aTimeIsFromAMillisecondToAnHour(String time) {
    Durability.Within within =
        assertInstanceOf(Durability.Within.class, Durability.within(Duration.parse(time)));
    assertEquals(Duration.parse(time), within.time());
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.000999999S", "PT0S", "PT-1S", "PT1H0.000000001S"})
  void anyOtherTimeIsRefused(String time) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Durability.within(Duration.parse(time)));
    assertEquals(
        "time is %s; it must be from a millisecond to an hour".formatted(Duration.parse(time)),
        refused.getMessage());
  }
}
