// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.css.CssTree.Form;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Guava's suite over the map of every tree of the catalogue, with nodes so small that the five
 * entries of its samples fill more than one leaf, or are all in a delta. As users get them, all
 * trees would keep so few entries in one leaf. Each suite is tens of thousands of tests, so there
 * is but one for each way to keep entries, and one without native access.
 */
class TreeAsMapTest {

  @TestFactory
  Stream<DynamicContainer> treeKeepsTheContractOfNavigableMap() {
    return contracts(
        List.of(
            TreeShape.bPlus(1),
            TreeShape.smallestChunked(),
            TreeShape.tTree(1),
            TreeShape.css(Form.LEVEL, 1),
            TreeShape.csbPlus(1, 1, 3, 1),
            TreeShape.diskOptimized(256),
            TreeShape.microIndex(256, 1),
            TreeShape.diskFirst(256, 1, 1),
            TreeShape.cacheFirst(256, 1),
            TreeShape.packed(4),
            TreeShape.cacheOblivious(4),
            TreeShape.cola(1024, 2, 1, 2),
            TreeShape.bEpsilon(256, 4),
            TreeShape.bufferedRepository(256),
            TreeShape.shuttle(2),
            TreeShape.deamortizedCola(1024, 2)));
  }

  @TestFactory
  @Tag("fallback-too")
  Stream<DynamicContainer> treeKeepsTheContractWithoutNativeAccess() {
    return contracts(List.of(TreeShape.pbPlus(1, 1, 1)));
  }

  private static Stream<DynamicContainer> contracts(List<TreeShape> shapes) {
    return shapes.stream()
        .map(
            shape ->
                NavigableMapContract.of(shape.name(), () -> shape.create(IndexOptions.DEFAULT)));
  }
}
