// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PacingTest {
  private static final long MILLI = Duration.ofMillis(1).toNanos();

  private final Pacing pacing = new Pacing(Duration.ofMillis(160), 1 << 20);

  @Test
  void flushBeginsATickAndItsExpectedTimeBeforeTheResponseTime() {
    assertEquals(150 * MILLI, pacing.flushAt(0, 1000));
    pacing.flushed(1000, 20 * MILLI, 20 * MILLI, false);
    assertEquals(130 * MILLI, pacing.flushAt(0, 1000));
    assertEquals(110 * MILLI, pacing.flushAt(0, 2000));
    assertEquals(130 * MILLI, pacing.flushAt(0, 10));
  }

  @Test
  void flushIsNotExpectedToTakeLongerThanHalfOfTheResponseTime() {
    pacing.flushed(1, 20 * MILLI, 20 * MILLI, false);
    assertEquals(70 * MILLI, pacing.flushAt(0, 1_000_000));
  }

  @Test
  void expectedTimeFallsSlowly() {
    pacing.flushed(1000, 40 * MILLI, 40 * MILLI, false);
    pacing.flushed(1000, 8 * MILLI, 8 * MILLI, false);
    assertEquals(115 * MILLI, pacing.flushAt(0, 1000));
  }

  @Test
  void slowWorkCutsTheLimitInProportion() {
    long limit = pacing.limit();
    pacing.flushed(limit, MILLI, 160 * MILLI, true); // What came before the flush counts too.
    assertEquals(limit / 2, pacing.limit());
  }

  @Test
  void limitRecoversFromAnyStandstill() {
    for (int i = 0; i < 100; i++) {
      pacing.flushed(1000, 100_000 * MILLI, 100_000 * MILLI, true);
    }
    assertTrue(pacing.limit() >= 1000, () -> "limit " + pacing.limit());
    for (int i = 0; i < 10; i++) {
      pacing.flushed(1000, MILLI, MILLI, true);
    }
    assertEquals(1 << 20, pacing.limit());
  }

  @Test
  void limitStaysWhereNobodyWaitsForRoom() {
    long limit = pacing.limit();
    pacing.flushed(10, MILLI, MILLI, false);
    assertEquals(limit, pacing.limit());
  }

  @Test
  void sharesAreLimitedAlike() {
    long limit = pacing.limit();
    assertEquals(limit / 2, pacing.allowed(1 << 19));
    assertEquals(1, pacing.allowed(1));
    assertEquals(10, new Pacing(Duration.ofMillis(1), 10).allowed(10));
  }
}
