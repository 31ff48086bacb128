// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bepsilon.BufferedRepositoryTree;
import dev.espalier.bftl.BftlTree;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.fdtree.FdTree;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.paged.MicroIndexBPlusTree;
import dev.espalier.pio.PioBTree;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A tree on pages with the smallest that it lives in, over whatever store: for tests of what is
 * between trees and stores.
 */
public record PagedShape(
    String tree, int pageBytes, BiFunction<IndexOptions, PageStore, LongIndex> opener) {

  /** Returns one shape for each tree on pages. */
  public static List<PagedShape> smallest() {
    return List.of(
        new PagedShape("DiskOptimizedBPlusTree", 256, DiskOptimizedBPlusTree::open),
        new PagedShape("MicroIndexBPlusTree", 256, MicroIndexBPlusTree::open),
        new PagedShape(
            "DiskFirstFpbPlusTree",
            256,
            (options, store) ->
                DiskFirstFpbPlusTree.open(options, store, new DiskFirstFpbPlusTree.Geometry(1, 1))),
        new PagedShape(
            "CacheFirstFpbPlusTree",
            256,
            (options, store) ->
                CacheFirstFpbPlusTree.open(options, store, new CacheFirstFpbPlusTree.Geometry(1))),
        new PagedShape("BLinkTree", 256, BLinkTree::open),
        new PagedShape(
            "FpbLinkTree",
            256,
            (options, store) ->
                FpbLinkTree.open(options, store, new DiskFirstFpbPlusTree.Geometry(1, 1))),
        new PagedShape("BEpsilonTree", 256, BEpsilonTree::open),
        new PagedShape("BufferedRepositoryTree", 256, BufferedRepositoryTree::open));
  }

  /**
   * Returns a COLA that merges all the time. It gives out pages by the extent and keeps room for
   * the next merge, so what holds of each page of a B+-tree does not hold here.
   */
  public static PagedShape cola() {
    Cola.Geometry geometry = new Cola.Geometry(2, 1, 2);
    return new PagedShape("Cola", 1024, (options, store) -> Cola.open(options, store, geometry));
  }

  /** Returns a PIO B-tree, which has pages that are no nodes, too. */
  public static PagedShape pio() {
    PioBTree.Geometry geometry = new PioBTree.Geometry(2, 3, 64, 5, 20);
    return new PagedShape(
        "PioBTree", 256, (options, store) -> PioBTree.open(options, store, geometry));
  }

  /** Returns an FD-tree that merges all the time, and for which the same holds. */
  public static PagedShape fd() {
    FdTree.Geometry geometry = new FdTree.Geometry(2, 1);
    return new PagedShape(
        "FdTree", 1024, (options, store) -> FdTree.open(options, store, geometry));
  }

  /** Returns a BFTL, whose buffer is as small as it can be. */
  public static PagedShape bftl() {
    BftlTree.Geometry geometry = new BftlTree.Geometry(1, 2);
    return new PagedShape(
        "BftlTree", 256, (options, store) -> BftlTree.open(options, store, geometry));
  }

  /** Returns how many pages the tree needs to hold anything. */
  int leastPages() {
    return switch (tree) {
      case "Cola", "FdTree" -> 8;
      case "PioBTree" -> 4;
      case "BftlTree" -> 3;
      default -> 1;
    };
  }

  /** Opens the tree in a store with pages of this shape's size. */
  public LongIndex open(PageStore store) {
    return opener.apply(IndexOptions.DEFAULT, store);
  }

  /** Makes a store in memory without limit. */
  public PageStore newStore() {
    return newStore(IndexOptions.DEFAULT.withHugePages(HugePages.OFF));
  }

  /** Makes a store in memory. */
  public PageStore newStore(IndexOptions options) {
    return new MemoryPageStore(pageBytes, options.memoryLimit(), options.hugePages());
  }

  @Override
  public String toString() {
    return tree + " " + pageBytes;
  }
}
