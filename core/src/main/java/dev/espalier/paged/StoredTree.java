// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.memory.PageStore;
import dev.espalier.tree.StoreTree;

/**
 * What can be said of a tree from its store's {@linkplain PageStore#meta meta words} alone, without
 * its pages.
 */
public final class StoredTree {
  private StoredTree() {}

  /** Returns the number of levels, 0 if there is no tree yet. */
  public static int height(long[] meta) {
    return StoreTree.height(meta);
  }

  /** Returns the number of entries, below 0 if the tree does not know it without a pass. */
  public static long size(long[] meta) {
    return StoreTree.size(meta);
  }
}
