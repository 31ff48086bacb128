// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static dev.espalier.bplus.choices.PbPlusChoices.DEFAULT;

import dev.espalier.ShapeSource;
import dev.espalier.TreeShape;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.choices.PbPlusChoices.Localities;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
import dev.espalier.prefetch.Locality;
import java.util.List;

/**
 * Trees with every implementation choice that is not the default: what the contracts of all trees
 * are run over here.
 */
public final class ChoiceShapes implements ShapeSource {

  @Override
  public List<TreeShape> shapes() {
    return List.of(
        withDefaultChoices(),
        smallestChunked(),
        smallestFlat(),
        pbPlus(2, 2, 8, DEFAULT.withJumpPointers(JumpPointers.chunked(4))),
        pbPlus(
            1,
            2,
            5,
            DEFAULT
                .withSearchPrefetch(NodePrefetch.NONE)
                .withScanPrefetch(NodePrefetch.NONE)
                .withSearch(NodeSearch.LINEAR)),
        pbPlus(
            2, 1, 4, DEFAULT.withSearchPrefetch(NodePrefetch.LINEAR).withSearch(NodeSearch.BINARY)),
        pbPlus(2, 3, 4, DEFAULT.withSearch(NodeSearch.BINARY_BYTEWISE)),
        pbPlus(
            3,
            3,
            5,
            DEFAULT
                .withJumpPointers(JumpPointers.FLAT)
                .withSearchPrefetch(NodePrefetch.HALF_LINEAR)
                .withScanPrefetch(NodePrefetch.HALF_LINEAR)),
        pbPlus(
            1, 4, 2, DEFAULT.withSearchPrefetch(NodePrefetch.BINARY).withSearch(NodeSearch.BINARY)),
        pbPlus(
            4,
            1,
            7,
            DEFAULT
                .withJumpPointers(JumpPointers.chunked(1))
                .withSearchPrefetch(NodePrefetch.HALF_BINARY)
                .withScanPrefetch(NodePrefetch.HALF_LINEAR)
                .withLocalities(new Localities(Locality.T1, Locality.WRITE, Locality.NTA))));
  }

  @Override
  public List<TreeShape> defaults() {
    return List.of(withDefaultChoices());
  }

  @Override
  public List<TreeShape> smallest() {
    return List.of(smallestChunked(), smallestFlat());
  }

  private static TreeShape withDefaultChoices() {
    return pbPlus(8, 8, 16, DEFAULT);
  }

  private static TreeShape smallestFlat() {
    return pbPlus(1, 1, 3, DEFAULT.withJumpPointers(JumpPointers.FLAT));
  }

  /** Returns a tree whose leaves and chunks split and merge all the time. */
  static TreeShape smallestChunked() {
    return pbPlus(1, 1, 3, DEFAULT.withJumpPointers(JumpPointers.chunked(1)));
  }

  private static TreeShape pbPlus(
      int innerWidth, int leafWidth, int prefetchDistance, PbPlusChoices choices) {
    Geometry geometry = new Geometry(innerWidth, leafWidth, prefetchDistance);
    return new TreeShape(
        "ConfigurablePbPlusTree %d %d %d %s %s %s %s"
            .formatted(
                innerWidth,
                leafWidth,
                prefetchDistance,
                choices.jumpPointers(),
                choices.searchPrefetch(),
                choices.scanPrefetch(),
                choices.search()),
        options -> ConfigurablePbPlusTree.create(options, geometry, choices));
  }
}
