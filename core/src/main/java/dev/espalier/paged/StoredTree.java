// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.memory.PageStore;
import dev.espalier.tree.StoreTree;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Reads facts about a stored tree from the {@linkplain PageStore#meta meta words} of its store, and
 * finds its leaf pages when the path to them is damaged.
 */
public final class StoredTree {
  private static final Set<String> WITH_PAGES_AS_NODES =
      Set.of(
          DiskOptimizedBPlusTree.VARIANT.name(),
          MicroIndexBPlusTree.VARIANT.name(),
          DiskFirstFpbPlusTree.VARIANT.name());

  private StoredTree() {}

  /** Returns the number of levels, or 0 if there is no tree yet. */
  public static int height(long[] meta) {
    return StoreTree.height(meta);
  }

  /** Returns the number of entries, or a negative number if the tree would have to count them. */
  public static long size(long[] meta) {
    return StoreTree.size(meta);
  }

  /**
   * Returns whether each page of a tree is one of its nodes, and each leaf page holds everything
   * there is to know about its entries.
   *
   * @param variant name of the tree
   */
  public static boolean hasPagesAsNodes(String variant) {
    return WITH_PAGES_AS_NODES.contains(variant);
  }

  /**
   * Returns whether a page is a leaf of a tree that {@linkplain #hasPagesAsNodes has pages as
   * nodes}.
   *
   * @param at offset of the page
   */
  public static boolean isLeaf(MemorySegment pages, long at) {
    return PageHeader.isLeaf(pages, at);
  }

  /**
   * Makes a leaf page the only page of its tree until the tree's meta words are changed again. The
   * tree must be one that {@linkplain #hasPagesAsNodes has pages as nodes}, and must not be written
   * to.
   */
  public static void becomeLeaf(long[] meta, int page) {
    meta[StoreTree.ROOT] = page;
    meta[StoreTree.HEIGHT] = 1;
    meta[StoreTree.SIZE] = StoreTree.UNKNOWN;
  }
}
