// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.ttree.TTree;
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
    return List.of(bPlus(1), pbPlus(1, 1, 0), pbPlus(1, 2, 3), pbPlus(2, 1, 1), tTree(1));
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
    for (int width : new int[] {2, 8, 64}) {
      shapes.add(tTree(width));
    }
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

  static TreeShape tTree(int width) {
    return new TreeShape("TTree " + width, options -> TTree.create(options, width));
  }

  @Override
  public String toString() {
    return name;
  }
}
