// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.Extension;

class TimeoutMarginTest {
  @Timeout(60)
  private static final class Limited {
    @Timeout(20)
    void ownLimit() {}

    void limitOfTheClass() {}
  }

  private static Optional<String> excess(Class<?> type, String test, int seconds) throws Exception {
    Method method = type.getDeclaredMethod(test);
    return TimeoutMargin.excess(method, Duration.ofSeconds(seconds), 4);
  }

  @Test
  void testsMayTakeAQuarterOfTheirTimeout() throws Exception {
    assertEquals(Optional.empty(), excess(Limited.class, "ownLimit", 5));
    assertEquals(
        Optional.of("took PT6S, more than 1/4 of its timeout of PT20S"),
        excess(Limited.class, "ownLimit", 6));
    assertEquals(Optional.empty(), excess(Limited.class, "limitOfTheClass", 15));
    assertTrue(excess(Limited.class, "limitOfTheClass", 16).isPresent());
  }

  @Test
  void testsWithoutATimeoutMayTakeAnyTime() throws Exception {
    assertEquals(
        Optional.empty(),
        excess(TimeoutMarginTest.class, "testsWithoutATimeoutMayTakeAnyTime", 1_000_000));
  }

  @Test
  void extensionIsFoundByJUnit() {
    assertTrue(
        ServiceLoader.load(Extension.class).stream()
            .anyMatch(service -> service.type() == TimeoutMargin.class));
  }
}
