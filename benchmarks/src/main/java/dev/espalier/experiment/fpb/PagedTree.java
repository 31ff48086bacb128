// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.fpb;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree;
import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.model.MemoryTimes;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.paged.MicroIndexBPlusTree;
import java.util.List;
import java.util.function.Function;

/**
 * A tree that the paper compares.
 *
 * @param kind the name of its class
 * @param widths of what is within a page; empty if there is nothing to choose
 * @param opener makes the tree in an empty store
 */
record PagedTree(String kind, String widths, Function<PageStore, LongIndex> opener) {
  static final String DISK_OPTIMIZED = "DiskOptimizedBPlusTree";
  static final String MICRO_INDEX = "MicroIndexBPlusTree";
  static final String DISK_FIRST = "DiskFirstFpbPlusTree";
  static final String CACHE_FIRST = "CacheFirstFpbPlusTree";

  /** The fpB+-trees, which are what checks are about. */
  static final List<String> FRACTAL = List.of(DISK_FIRST, CACHE_FIRST);

  /** Returns all of them, with widths that are best for a memory. */
  static List<PagedTree> all(int pageBytes, MemoryTimes times) {
    return List.of(
        diskOptimized(),
        microIndex(MicroIndexBPlusTree.bestSubArrayLines(pageBytes, times)),
        diskFirst(DiskFirstFpbPlusTree.Geometry.forPages(pageBytes, times)),
        cacheFirst(CacheFirstFpbPlusTree.Geometry.forPages(pageBytes, times)));
  }

  /** The tree that the others are compared with. */
  static PagedTree diskOptimized() {
    return new PagedTree(
        DISK_OPTIMIZED, "", store -> DiskOptimizedBPlusTree.open(IndexOptions.DEFAULT, store));
  }

  static PagedTree microIndex(int subArrayLines) {
    return new PagedTree(
        MICRO_INDEX,
        String.valueOf(bytes(subArrayLines)),
        store -> MicroIndexBPlusTree.open(IndexOptions.DEFAULT, store, subArrayLines));
  }

  static PagedTree diskFirst(DiskFirstFpbPlusTree.Geometry geometry) {
    return new PagedTree(
        DISK_FIRST,
        bytes(geometry.innerWidth()) + " + " + bytes(geometry.leafWidth()),
        store -> DiskFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, geometry));
  }

  static PagedTree cacheFirst(CacheFirstFpbPlusTree.Geometry geometry) {
    return new PagedTree(
        CACHE_FIRST,
        String.valueOf(bytes(geometry.width())),
        store -> CacheFirstFpbPlusTree.open(IndexOptions.DEFAULT, store, geometry));
  }

  /** Widths are shown in bytes, as in table 2. */
  private static int bytes(int lines) {
    return lines << CacheLine.SHIFT;
  }

  boolean isFractal() {
    return FRACTAL.contains(kind);
  }

  @Override
  public String toString() {
    return widths.isEmpty() ? kind : kind + " " + widths;
  }
}
