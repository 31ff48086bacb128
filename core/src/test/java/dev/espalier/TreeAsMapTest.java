// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.css.CssTree.Form;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Guava's suite over the map of every tree of the catalogue, with nodes so small that the five
 * entries of its samples fill more than one leaf, or are all in a delta. As users get them, all
 * trees would keep so few entries in one leaf. The whole is tens of thousands of tests of sub-maps
 * that are the same for all trees; so only a thorough run has them, for the trees of its part.
 * {@link IndexMapTest} always has them, over the model.
 */
class TreeAsMapTest {
  private static final List<TreeShape> SHAPES =
      List.of(
          TreeShape.bPlus(1),
          TreeShape.pbPlus(1, 2, 3),
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
          TreeShape.cola(1024, 2, 1, 2),
          TreeShape.deamortizedCola(1024, 2),
          TreeShape.blink(256),
          TreeShape.fpbLink(256, 1, 1),
          TreeShape.concurrent(1, 1),
          TreeShape.partitioned(3, 4));

  @TestFactory
  @Tag("thorough")
  Stream<DynamicContainer> treeKeepsTheWholeContractOfNavigableMap() {
    return TestSize.part(SHAPES).stream()
        .map(shape -> NavigableMapContract.of(shape.name(), factory(shape)));
  }

  /**
   * Of every tenth tree in a usual run and of the run's part in a thorough one, as a map takes
   * nothing of a tree but the interface.
   */
  @TestFactory
  Stream<DynamicContainer> treeKeepsTheContractOfNavigableMap() {
    return TestSize.part(SHAPES).stream()
        .map(shape -> NavigableMapContract.withoutSubMaps(shape.name(), factory(shape)));
  }

  @TestFactory
  @Tag("fallback-exhaustive")
  DynamicContainer treeKeepsTheContractWithoutNativeAccess() {
    TreeShape shape = TreeShape.pbPlus(1, 1, 1);
    return TestSize.isThorough()
        ? NavigableMapContract.of(shape.name(), factory(shape))
        : NavigableMapContract.withoutSubMaps(shape.name(), factory(shape));
  }

  private static Supplier<LongIndex> factory(TreeShape shape) {
    return () -> shape.create(IndexOptions.DEFAULT);
  }
}
