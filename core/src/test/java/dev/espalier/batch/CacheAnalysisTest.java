// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.batch.CacheAnalysis.Level;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The examples of the buffering paper, section 5.1. */
final class CacheAnalysisTest {
  /** Example 5.1: 4 KB nodes at 75%, 375 children, 8 bytes for each. */
  private static final CacheAnalysis B_PLUS = uniform(3, 375, 8 * 375);

  /** Example 5.2: 64-byte nodes at 75%, 11 children. */
  private static final CacheAnalysis CSB_PLUS = uniform(7, 11, 48);

  private static CacheAnalysis uniform(int height, int branching, double bytes) {
    return new CacheAnalysis(Collections.nCopies(height, new Level(branching, bytes, branching)));
  }

  @Test
  void twoLevelsOfWideNodesNeedOverTenMegabytes() {
    assertTrue(B_PLUS.innerBytes(0, 2) > 10e6, "paper: over 10MB");
    assertEquals(VirtualNodes.of(1, 1, 1), B_PLUS.virtualNodes(256 << 10));
  }

  @Test
  void levelsOfNarrowNodesNeedWhatThePaperSays() {
    assertTrue(CSB_PLUS.innerBytes(0, 4) > 1e6, "paper: over 1MB for four levels");
    assertEquals(90e3, CSB_PLUS.innerBytes(0, 3), 5e3, "paper: approximately 90KB for three");
    assertEquals(90e3, CSB_PLUS.leavesBytes(3), 25e3, "paper: approximately 90KB for four");
    assertEquals(9e3, CSB_PLUS.leavesBytes(4), 3e3, "paper: approximately 9KB for three");
    assertEquals(VirtualNodes.of(3, 4), CSB_PLUS.virtualNodes(256 << 10));
  }

  @Test
  void treeThatFitsIsOneVirtualNode() {
    assertEquals(VirtualNodes.of(7), CSB_PLUS.virtualNodes(1L << 40));
    assertEquals(VirtualNodes.of(1), uniform(1, 11, 48).virtualNodes(1));
  }

  @Test
  void cacheThatHoldsNothingStillGivesVirtualNodes() {
    assertEquals(VirtualNodes.of(1, 1, 1), B_PLUS.virtualNodes(1));
  }

  @Test
  void wrongPartsAreRefusedByName() {
    assertThrows(IllegalArgumentException.class, () -> new CacheAnalysis(List.of()));
    assertEquals(
        "heights is [2, 0]; there must be at least one, and each must be at least 1",
        assertThrows(IllegalArgumentException.class, () -> VirtualNodes.of(2, 0)).getMessage());
    assertEquals("(2,1,4)", VirtualNodes.of(2, 1, 4).toString());
    assertEquals(7, VirtualNodes.of(2, 1, 4).treeHeight());
  }
}
