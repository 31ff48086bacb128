// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CheckTest {

  @ParameterizedTest
  @CsvSource({
    "1.5, Infinity, at least 1.5, 1.5, 1.49",
    "-Infinity, 7, at most 7, -100, 7.01",
    "0, 0, exactly 0, 0, 1",
    "0.9, 1.1, 0.9 to 1.1, 1.1, 1.11"
  })
  void targetAcceptsWhatItSays(
      double least, double most, String words, double inside, double outside) {
    Target target = new Target(least, most);
    assertEquals(words, target.toString());
    assertTrue(target.accepts(inside));
    assertFalse(target.accepts(outside));
  }

  @Test
  void onlyADeterministicCheckIsAFailure() {
    assertTrue(Check.deterministic("a", 1, Target.exactly(2)).isFailure());
    assertFalse(Check.deterministic("a", 2, Target.exactly(2)).isFailure());
    assertFalse(Check.timing("a", 1, Target.exactly(2)).isFailure());
    assertFalse(Check.timing("a", 1, Target.exactly(2)).passes());
  }

  @Test
  void outcomeFailsByOneFailure() {
    Outcome outcome = new Outcome();
    outcome.check(Check.timing("a", 1, Target.exactly(2)));
    assertFalse(outcome.hasFailed());
    outcome.check(Check.deterministic("b", 1, Target.exactly(2)));
    assertTrue(outcome.hasFailed());
  }

  @Test
  void valueMustBeANumber() {
    assertThrows(
        IllegalArgumentException.class, () -> Check.timing("a", Double.NaN, Target.atLeast(0)));
  }
}
