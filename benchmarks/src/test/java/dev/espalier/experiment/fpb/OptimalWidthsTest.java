// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Check;
import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Table;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OptimalWidthsTest {
  private final Outcome outcome =
      new OptimalWidths().run(new Run(new Effort(1, 1, 1), Progress.NONE));

  @ParameterizedTest
  @ValueSource(strings = {"CacheFirstFpbPlusTree", "MicroIndexBPlusTree"})
  void rowsOfOursAndOfThePapersAreTheSame(String tree) {
    Table ours = outcome.table().where("tree", tree);
    Table papers = outcome.table().where("tree", tree + ", paper");
    assertEquals(List.of("4 KB", "8 KB", "16 KB", "32 KB"), ours.texts("page"));
    assertEquals(papers.texts("page"), ours.texts("page"));
    assertEquals(papers.texts("widths"), ours.texts("widths"));
    assertEquals(papers.texts("fan-out"), ours.texts("fan-out"));
  }

  @Test
  void diskFirstPagesDifferFor16KibAlone() {
    Table ours = outcome.table().where("tree", "DiskFirstFpbPlusTree");
    assertEquals(List.of("64 + 384", "192 + 256", "192 + 576", "256 + 832"), ours.texts("widths"));
    assertEquals(List.of("470", "961", "1988", "4017"), ours.texts("fan-out"));
  }

  @Test
  void allChecksPassAndDependOnNoClock() {
    for (Check check : outcome.checks()) {
      assertEquals(Check.Kind.DETERMINISTIC, check.kind());
      assertTrue(check.passes(), check.name());
    }
  }
}
