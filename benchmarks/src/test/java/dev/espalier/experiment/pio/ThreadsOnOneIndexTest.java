// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks of figure 13 (b) pass on what is aimed at, and fail on something else. */
final class ThreadsOnOneIndexTest {
  private static double[][] rates(double pioOfTwo) {
    return new double[][] {{10, 17, 17, 17, 17}, {10, pioOfTwo, 18, 18, 18}};
  }

  private static List<String> failing(double[][] rates) {
    Outcome outcome = new Outcome(Column.text("tree", "tree"));
    ThreadsOnOneIndex.addChecks(outcome, rates);
    assertEquals(7, outcome.checks().size());
    return outcome.checks().stream().filter(check -> !check.passes()).map(Check::name).toList();
  }

  @Test
  void treesThatScalePass() {
    assertEquals(List.of(), failing(rates(17)));
  }

  @Test
  void treeThatDoesNotScaleFails() {
    assertEquals(
        List.of("PIO B-tree, two threads over one", "PIO B-tree over B-link tree, threads: 2"),
        failing(rates(15)));
  }

  @Tag("thorough")
  @Test
  void everyAnswerIsCounted() {
    Outcome outcome =
        new ThreadsOnOneIndex().run(new Run(new Effort(20_000, 100_000, 1), (_, _) -> {}));
    Check wrong = outcome.checks().getFirst();
    assertEquals("wrong answers", wrong.name());
    assertEquals(0, wrong.value());
  }
}
