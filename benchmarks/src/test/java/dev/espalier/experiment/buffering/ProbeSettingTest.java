// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ProbeSettingTest {
  private static final ProbeSetting TREE =
      new ProbeSetting(PaperIndex.CSB_PLUS_TREE, Method.VARIABLE);

  @Test
  void virtualNodesOfTheLeavesHaveTheLevelsThatAreLeft() {
    assertEquals(List.of(2, 1, 4), TREE.placed(2, 1).heights(7));
    assertEquals(List.of(3, 2), TREE.placed(3).heights(5));
  }

  @Test
  void placementIsShownInsteadOfTheMethod() {
    assertEquals("variable-size", TREE.label());
    assertEquals("(2,1,rest)", TREE.placed(2, 1).label());
  }

  @Test
  void probesAreAShareOfTheKeysOrOfTheRectangles() {
    assertEquals(500, TREE.withShare(0.0001).count(5_000_000));
    assertEquals(1_000_000, new ProbeSetting(PaperIndex.R_TREE, Method.VARIABLE).count(5_000_000));
    assertEquals(1, TREE.withShare(0.0001).count(100));
  }
}
