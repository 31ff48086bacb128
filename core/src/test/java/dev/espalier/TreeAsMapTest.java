// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.css.CssTree.Form;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Guava's suite over the maps of the catalogue's trees, and of trees with the smallest nodes. */
class TreeAsMapTest {

  @TestFactory
  Stream<DynamicContainer> treeKeepsTheContractOfNavigableMap() {
    return contracts(TreeShape.defaults());
  }

  /** The five entries of Guava's samples fill more than one leaf, or are all in a delta. */
  @TestFactory
  @Tag("fallback-too")
  Stream<DynamicContainer> treeOfSmallestNodesKeepsTheContractOfNavigableMap() {
    return contracts(
        List.of(
            TreeShape.bPlus(1),
            TreeShape.pbPlus(1, 1, 1),
            TreeShape.smallestChunked(),
            TreeShape.tTree(1),
            TreeShape.css(Form.LEVEL, 1),
            TreeShape.csbPlus(1, 1, 1, 1),
            TreeShape.csbPlus(1, 1, 3, 1)));
  }

  private static Stream<DynamicContainer> contracts(List<TreeShape> shapes) {
    return shapes.stream()
        .map(
            shape ->
                NavigableMapContract.of(shape.name(), () -> shape.create(IndexOptions.DEFAULT)));
  }
}
