// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.memory.PageStore;
import dev.espalier.tree.AbstractIndex;
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
          DiskFirstFpbPlusTree.VARIANT.name(),
          // By name only, because their package builds on this one.
          "BLinkTree",
          "FpbLinkTree");

  private static final Set<String> WITH_PAGES_THAT_WAIT = Set.of("BLinkTree", "FpbLinkTree");

  private static final Set<String> WITH_ALL_PAGES_IN_USE = Set.of("BftlTree");

  private StoredTree() {}

  /** Returns the number of levels, or 0 if there is no tree yet. */
  public static int height(long[] meta) {
    return StoreTree.height(meta);
  }

  /** Makes words those of a tree that keeps its geometry, and has no pages yet. */
  public static void forgetPages(long[] meta) {
    meta[StoreTree.HEIGHT] = 0;
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
   * Returns whether a tree reads all pages in use instead of those that other pages refer to. It
   * notices neither that a page is missing nor that one was given back.
   *
   * @param variant name of the tree
   */
  public static boolean readsAllPagesInUse(String variant) {
    return WITH_ALL_PAGES_IN_USE.contains(variant);
  }

  /**
   * Returns the meta words with which a tree can be read, and not be changed, whatever became of
   * pages that are not in the tree: without those that have left it and wait to be used again.
   *
   * @param variant name of the tree
   */
  public static long[] metaToRead(String variant, long[] meta) {
    long[] words = meta.clone();
    if (WITH_PAGES_THAT_WAIT.contains(variant)) {
      words[StoreTree.FIRST_OWN] = 0;
    }
    return words;
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
   * Returns a cursor over the entries of one leaf page, whatever leads to it. The tree must be one
   * that {@linkplain #hasPagesAsNodes has pages as nodes}, and must not be used for anything else
   * from now on.
   */
  public static LongCursor leafCursor(LongIndex tree, int page) {
    return StoreTree.leafCursor((AbstractIndex) tree, page);
  }
}
