// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.csbplus.CsbPlusTree;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A tree of the catalogue with certain proportions: what the contracts of all trees iterate over.
 */
public record TreeShape(String name, Function<IndexOptions, LongIndex> factory) {

  /** Makes an empty index. */
  public LongIndex create(IndexOptions options) {
    return factory.apply(options);
  }

  /** Returns every tree of the catalogue as users get it. */
  public static List<TreeShape> defaults() {
    return TreeVariant.all().stream()
        .map(variant -> new TreeShape(variant.name(), variant::create))
        .toList();
  }

  /** Returns nodes so small that a few dozen entries make a tree of several levels. */
  public static List<TreeShape> smallest() {
    return List.of(
        bPlus(1),
        pbPlus(1, 1, 0),
        pbPlus(1, 2, 3),
        pbPlus(2, 1, 1),
        csbPlus(1, 1, 1, 0),
        csbPlus(1, 1, 2, 1),
        csbPlus(1, 1, 3, 3));
  }

  /** Returns every tree, with nodes from the smallest to the widest. */
  public static List<TreeShape> all() {
    List<TreeShape> shapes = new ArrayList<>(defaults());
    shapes.addAll(smallest());
    for (int width : new int[] {2, 3, 8}) {
      shapes.add(bPlus(width));
      shapes.add(pbPlus(width, width, width));
    }
    shapes.add(pbPlus(1, 8, 64));
    shapes.add(pbPlus(8, 1, 2));
    shapes.add(pbPlus(64, 64, 1));
    shapes.add(csbPlus(1, 2, 1, 4));
    shapes.add(csbPlus(2, 4, 5, 16));
    shapes.add(csbPlus(4, 3, 2, 1));
    shapes.add(csbPlus(4, 4, 1, 16));
    shapes.add(csbPlus(8, 8, 1, 64));
    shapes.add(csbPlus(8, 1, 7, 2));
    shapes.add(csbPlus(64, 64, 3, 1));
    return shapes;
  }

  static TreeShape bPlus(int width) {
    return new TreeShape("BPlusTree " + width, options -> BPlusTree.create(options, width));
  }

  static TreeShape pbPlus(int innerWidth, int leafWidth, int prefetchDistance) {
    Geometry geometry = new Geometry(innerWidth, leafWidth, prefetchDistance);
    return new TreeShape(
        "PbPlusTree " + innerWidth + " " + leafWidth + " " + prefetchDistance,
        options -> PbPlusTree.create(options, geometry));
  }

  static TreeShape csbPlus(int innerWidth, int leafWidth, int segments, int prefetchDistance) {
    CsbPlusTree.Geometry geometry =
        new CsbPlusTree.Geometry(innerWidth, leafWidth, segments, prefetchDistance);
    return new TreeShape(
        "CsbPlusTree " + innerWidth + " " + leafWidth + " " + segments + " " + prefetchDistance,
        options -> CsbPlusTree.create(options, geometry));
  }

  @Override
  public String toString() {
    return name;
  }
}
