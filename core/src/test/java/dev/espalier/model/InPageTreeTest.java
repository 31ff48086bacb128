// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class InPageTreeTest {

  @ParameterizedTest
  @CsvSource({
    "63, 1, 10, 6, 10, 2", // 10 * 6 + 1 = 61; 11 leaves need 66
    "127, 3, 31, 4, 31, 2", // 31 * 4 + 3 = 127, all lines
    "63, 1, 10, 1, 56, 3", // 56 + 6 + 1 = 63
    "63, 1, 10, 4, 15, 3", // 15 * 4 + 2 + 1 = 63: a level more, for five leaves
    "63, 26, 200, 19, 1, 1", // two leaves and a root are 64
    "64, 26, 200, 19, 2, 2",
    "3, 1, 2, 1, 2, 2",
    "2, 1, 2, 1, 1, 1",
    "5, 9, 2, 5, 1, 1", // no inner node is needed, so it may be wider than the page
    "7, 1, 2, 1, 4, 3" // 4 + 2 + 1
  })
  void largestTreeHasAsManyLeavesAsFitWithTheirInnerNodes(
      int lines, int innerWidth, int innerCapacity, int leafWidth, int leaves, int levels) {
    assertEquals(
        new InPageTree(leaves, levels),
        InPageTree.largest(lines, innerWidth, innerCapacity, leafWidth));
  }

  @ParameterizedTest
  @CsvSource({"1, 2, 0", "2, 2, 1", "3, 2, 3", "10, 10, 1", "11, 10, 3", "100, 10, 11"})
  void innerNodesAreCountedOverAllLevels(int leaves, int innerCapacity, int innerNodes) {
    assertEquals(innerNodes, InPageTree.innerNodes(leaves, innerCapacity));
  }

  @Test
  void impossibleArgumentsAreRefused() {
    assertRefused(
        "innerWidth is 0 lines; it must be from 1 to 2147483647",
        () -> InPageTree.largest(63, 0, 10, 6));
    assertRefused(
        "leafWidth is 64 lines; it must be from 1 to 63", () -> InPageTree.largest(63, 1, 10, 64));
    assertRefused(
        "innerCapacity is 1; it must be at least 2", () -> InPageTree.largest(63, 1, 1, 6));
    assertRefused("leaves is 0; it must be positive", () -> InPageTree.innerNodes(0, 2));
  }

  private static void assertRefused(String message, Runnable call) {
    var e = assertThrows(IllegalArgumentException.class, call::run);
    assertEquals(message, e.getMessage());
  }
}
