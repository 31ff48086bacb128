// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GapsTest {
  private final Gaps gaps = new Gaps(100);

  private int take(int bytes) {
    return gaps.take(bytes, left -> left <= 5);
  }

  @Test
  void theShortestGapThatIsLongEnoughIsTakenOnce() {
    gaps.note(1, 3000, 5);
    gaps.note(2, 1000, 5);
    gaps.note(3, 2000, 5);
    assertEquals(3, take(1001));
    assertEquals(1, take(1001));
    assertEquals(0, take(1001));
    assertEquals(2, take(1000));
    assertEquals(0, gaps.bytes());
  }

  @Test
  void ofGapsOfTheSameLengthTheOldestIsTaken() {
    gaps.note(9, 1000, 1);
    gaps.note(2, 1000, 2);
    gaps.note(9, 1000, 3);
    assertEquals(2, take(500));
    assertEquals(9, take(500));
  }

  @Test
  void whatMayStillBeReadIsPassed() {
    gaps.note(1, 1000, 6);
    gaps.note(2, 2000, 5);
    assertEquals(2, take(500));
    assertEquals(0, take(500));
    assertEquals(1, gaps.take(500, left -> left <= 6));
  }

  @Test
  void shortGapsAreForgottenAndSoIsWhatThePageHadBefore() {
    gaps.note(1, 1000, 1);
    assertTrue(gaps.has(1));
    assertEquals(1000, gaps.bytes());
    gaps.note(1, 99, 2);
    assertFalse(gaps.has(1));
    assertEquals(0, gaps.bytes());
  }

  @Test
  void theShortestIsForgottenWhenThereAreTooMany() {
    int most = 4096;
    for (int page = 1; page <= most; page++) {
      assertFalse(gaps.areMost());
      gaps.note(page, 100 + page, 1);
    }
    assertTrue(gaps.areMost());
    gaps.note(most + 1, 5000, 1);
    assertFalse(gaps.has(1));
    assertTrue(gaps.has(2));
    assertTrue(gaps.has(most + 1));
    gaps.forgetAll();
    assertEquals(0, gaps.bytes());
    assertEquals(0, take(100));
  }
}
