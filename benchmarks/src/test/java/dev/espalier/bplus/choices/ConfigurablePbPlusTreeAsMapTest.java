// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.IndexOptions;
import dev.espalier.NavigableMapContract;
import dev.espalier.TreeShape;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Guava's suite over the map of a tree with a chunked jump-pointer array. */
@Tag("thorough")
class ConfigurablePbPlusTreeAsMapTest {

  @TestFactory
  DynamicContainer treeKeepsTheWholeContractOfNavigableMap() {
    TreeShape shape = ChoiceShapes.smallestChunked();
    return NavigableMapContract.of(shape.name(), () -> shape.create(IndexOptions.DEFAULT));
  }
}
