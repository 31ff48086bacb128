// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CrashContentsTest {
  private static final List<CrashPlan.Write> SINGLES =
      List.of(
          new CrashPlan.Write(0, 5, false, 50),
          new CrashPlan.Write(0, 6, false, 60),
          new CrashPlan.Write(1, 7, true, 0));

  private final CrashContents expected = new CrashContents();
  private final CrashContents found = new CrashContents();

  CrashContentsTest() {
    CrashPlan.Write before = new CrashPlan.Write(1, 7, false, 70);
    expected.apply(before);
    found.apply(before);
  }

  @Test
  void anyOfTheFirstWritesMayHaveBeenMade() {
    assertTrue(expected.nearestTo(found, SINGLES).isSameAs(found));
    for (CrashPlan.Write single : SINGLES) {
      found.apply(single);
      assertTrue(expected.nearestTo(found, SINGLES).isSameAs(found), single::toString);
    }
  }

  /** What is wrong is said of the state that is nearest, not of one that is a write behind. */
  @Test
  void whatMayHaveBeenMadeIsNoDifference() {
    found.apply(SINGLES.getFirst());
    found.apply(new CrashPlan.Write(1, 0, false, 5));
    assertEquals(
        "key 0 of index 1 has the value 5, but the plan says no value",
        expected.nearestTo(found, SINGLES).difference(found));
  }

  @Test
  void laterWritesWithoutTheFirstAreADifference() {
    found.apply(SINGLES.getLast());
    assertEquals(
        "key 7000021 of index 1 has no value, but the plan says the value 70",
        expected.nearestTo(found, SINGLES).difference(found));
  }
}
