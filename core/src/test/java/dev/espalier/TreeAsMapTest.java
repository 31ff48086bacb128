// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.css.CssTree.Form;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Guava's suite over the map of every tree of the catalogue, with nodes so small that the five
 * entries of its samples fill more than one leaf, or are all in a delta. As users get them, all
 * trees would keep so few entries in one leaf. The whole is tens of thousands of tests of views
 * that are the same for all trees; so one tree whose leaves are nodes has them, also without native
 * access, and one whose cursor merges.
 */
class TreeAsMapTest {

  @TestFactory
  Stream<DynamicContainer> treeKeepsTheWholeContractOfNavigableMap() {
    return Stream.of(TreeShape.cola(1024, 2, 1, 2)).map(TreeAsMapTest::wholeContract);
  }

  @TestFactory
  Stream<DynamicContainer> treeKeepsTheContractOfNavigableMap() {
    return Stream.of(
            TreeShape.bPlus(1),
            TreeShape.tTree(1),
            TreeShape.css(Form.LEVEL, 1),
            TreeShape.csbPlus(1, 1, 3, 1),
            TreeShape.diskOptimized(256),
            TreeShape.microIndex(256, 1),
            TreeShape.diskFirst(256, 1, 1),
            TreeShape.cacheFirst(256, 1),
            TreeShape.packed(4),
            TreeShape.cacheOblivious(4),
            TreeShape.bEpsilon(256, 4),
            TreeShape.bufferedRepository(256),
            TreeShape.shuttle(2),
            TreeShape.deamortizedCola(1024, 2))
        .map(
            shape ->
                NavigableMapContract.withHalfOpenSubMaps(
                    shape.name(), () -> shape.create(IndexOptions.DEFAULT)));
  }

  @TestFactory
  @Tag("fallback-too")
  DynamicContainer treeKeepsTheContractWithoutNativeAccess() {
    return wholeContract(TreeShape.pbPlus(1, 1, 1));
  }

  private static DynamicContainer wholeContract(TreeShape shape) {
    return NavigableMapContract.of(shape.name(), () -> shape.create(IndexOptions.DEFAULT));
  }
}
