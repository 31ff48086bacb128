// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Outcome;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Table 6.3's figures are held against the thesis. */
final class JumpPointerUpkeepTest {
  private static final double[] INTERNAL = {1, 1, 1, 1, 1, 1, 1, 1, 1};

  /** Returns which checks pass: two of the chunked array, and that of the flat one. */
  private static List<Boolean> passes(double chunked, double flat) {
    double[] chunks = new double[INTERNAL.length];
    Arrays.fill(chunks, chunked);
    Outcome outcome = new Outcome(Column.text("a", "a"));
    JumpPointerUpkeep.addChecks(INTERNAL, chunks, new double[] {1, 2, 5, 10, 40, flat}, outcome);
    return outcome.checks().stream().map(Check::passes).toList();
  }

  @Test
  void flatArraysAreToBeAsSlowAsInTheThesis() {
    assertEquals(List.of(true, true, true), passes(1.05, 94));
    assertEquals(List.of(true, true, false), passes(1.05, 93));
    assertEquals(List.of(false, false, true), passes(1.1, 95));
  }
}
