// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;

/** The head tree: a root, and leaves where messages are put in between the fences of run 1. */
final class HeadTree {
  private final FdStructure tree;
  private final PageStore store;
  private final RunPage layout;
  private final RootPage rootLayout;

  HeadTree(FdStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
    this.rootLayout = tree.rootLayout;
  }

  /** Returns the pages of all leaves, in the order of keys. */
  int[] leaves() {
    long root = store.pin(tree.root());
    int[] leaves = new int[rootLayout.count(tree.pages, root)];
    for (int i = 0; i < leaves.length; i++) {
      leaves[i] = rootLayout.leaf(tree.pages, root, i);
    }
    store.unpin(root, false);
    return leaves;
  }

  int countLeaves() {
    long root = store.pin(tree.root());
    int count = rootLayout.count(tree.pages, root);
    store.unpin(root, false);
    return count;
  }

  /** Returns which of the leaves has a key. */
  int slotOf(long key) {
    long root = store.pin(tree.root());
    int slot = rootLayout.slotOf(tree.pages, root, key);
    store.unpin(root, false);
    return slot;
  }

  /** Returns the page of the leaf that has a key. */
  int leafOf(long key) {
    long root = store.pin(tree.root());
    int leaf = rootLayout.leaf(tree.pages, root, rootLayout.slotOf(tree.pages, root, key));
    store.unpin(root, false);
    return leaf;
  }

  /**
   * Enters a message in place of one of its key. Returns false if a leaf is full and can't be
   * split; nothing has changed then.
   */
  boolean enter(long key, long value, int type) {
    int leaf = leafOf(key);
    long page = store.pin(leaf);
    boolean changed = false;
    try {
      MemorySegment pages = tree.pages;
      int slot = layout.upperBound(pages, page, key);
      int found = layout.find(pages, page, slot, key);
      if (found >= 0) {
        layout.set(pages, page, found, value, type);
        changed = true;
        return true;
      }
      if (layout.count(pages, page) < layout.capacity) {
        layout.insert(pages, page, slot, key, value, type);
        tree.meta[FdStructure.HEAD]++;
        changed = true;
        return true;
      }
    } finally {
      store.unpin(page, changed);
    }
    return split(leaf) && enter(key, value, type);
  }

  private boolean split(int leaf) {
    long root = store.pin(tree.root());
    boolean hasRoom = rootLayout.count(tree.pages, root) < rootLayout.capacity;
    store.unpin(root, false);
    if (!hasRoom) {
      return false;
    }
    int right;
    try {
      right = tree.allocate(1);
    } catch (MemoryLimitException _) {
      return false;
    }
    divide(leaf, right);
    return true;
  }

  private void divide(int leaf, int right) {
    long[] pinned = {tree.root(), leaf};
    try {
      store.pinAll(pinned, 0, 2); // Before anything has changed: reading may fail.
    } catch (RuntimeException | Error failed) {
      store.free(right);
      throw failed;
    }
    long root = pinned[0];
    long page = pinned[1];
    long newPage = store.pinFresh(right);
    MemorySegment pages = tree.pages;
    layout.split(pages, page, layout.count(pages, page) / 2, newPage);
    long key = RunPage.key(pages, newPage, 0);
    rootLayout.insert(pages, root, rootLayout.slotOf(pages, root, key) + 1, key, right);
    store.unpin(newPage, true);
    store.unpin(page, true);
    store.unpin(root, true);
  }

  /** Removes what there is of a key, where nothing is below the head tree. */
  void remove(long key) {
    long page = store.pin(leafOf(key));
    int slot = layout.find(tree.pages, page, layout.upperBound(tree.pages, page, key), key);
    if (slot >= 0) {
      layout.remove(tree.pages, page, slot);
      tree.meta[FdStructure.HEAD]--;
    }
    store.unpin(page, slot >= 0);
  }
}
