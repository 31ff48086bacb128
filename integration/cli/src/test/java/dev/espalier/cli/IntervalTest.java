// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Intervals, by a clock that is set. */
final class IntervalTest {
  private long now = Long.MAX_VALUE - 5;

  @Test
  void isOverOnceInEachInterval() {
    Interval interval = new Interval(10, () -> now);
    now += 9;
    assertFalse(interval.isOver());
    now += 1;
    assertTrue(interval.isOver());
    assertFalse(interval.isOver());
    now += 9;
    assertFalse(interval.isOver());
    now += 1;
    assertTrue(interval.isOver());
    assertEquals(20, interval.passed());
  }

  @Test
  void isOverOnceWhenNobodyHasAskedForLong() {
    Interval interval = new Interval(10, () -> now);
    now += 35;
    assertTrue(interval.isOver());
    assertFalse(interval.isOver());
    now += 10;
    assertTrue(interval.isOver());
  }

  @Test
  void ofNoLengthIsNeverOver() {
    Interval interval = new Interval(0, () -> now);
    now += 1_000;
    assertFalse(interval.isOver());
  }
}
