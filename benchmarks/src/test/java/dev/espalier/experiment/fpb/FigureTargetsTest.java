// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Run;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the fpB+-trees are to reach on the paper's machine, with as few entries as show it. */
@Tag("thorough")
final class FigureTargetsTest {
  /** Makes most figures' trees have a million entries. */
  private static final int TEN_THIRDS_OF_A_MILLION = 3_333_334;

  static Stream<Arguments> figures() {
    return Stream.of(
        Arguments.of(new SimulatedFigure(SearchFigures.bySize()), 1_000_000),
        Arguments.of(new SimulatedFigure(SearchFigures.byFill()), TEN_THIRDS_OF_A_MILLION),
        Arguments.of(new SimulatedFigure(UpdateFigures.insertionByFill()), TEN_THIRDS_OF_A_MILLION),
        Arguments.of(new SimulatedFigure(UpdateFigures.deletionByPage()), TEN_THIRDS_OF_A_MILLION),
        Arguments.of(new SimulatedFigure(ScanFigure.figure()), TEN_THIRDS_OF_A_MILLION),
        Arguments.of(new SpaceOverhead(List.of(TreeAge.BULKLOADED)), 1_000_000),
        Arguments.of(new SearchReads(List.of(TreeAge.BULKLOADED)), 1_000_000));
  }

  @ParameterizedTest
  @MethodSource("figures")
  void bothFractalTreesReachTheirTargets(Experiment experiment, int entries) {
    Outcome outcome = experiment.run(new Run(new Effort(entries, 2000, 1), Progress.NONE));
    List<Check> checks = outcome.checks();
    assertEquals(List.of(), checks.stream().filter(check -> !check.passes()).toList());
    for (String tree : PagedTree.FRACTAL) {
      assertTrue(checks.stream().anyMatch(check -> check.name().startsWith(tree)), tree);
    }
  }
}
