// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.memory.PageStore;
import dev.espalier.tree.StoreTree;

/**
 * Reads facts about a stored tree from the {@linkplain PageStore#meta meta words} of its store,
 * without its pages.
 */
public final class StoredTree {
  private StoredTree() {}

  /** Returns the number of levels, or 0 if there is no tree yet. */
  public static int height(long[] meta) {
    return StoreTree.height(meta);
  }

  /** Returns the number of entries, or a negative number if the tree would have to count them. */
  public static long size(long[] meta) {
    return StoreTree.size(meta);
  }
}
