// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import dev.espalier.memory.PageStore;

/** What takes nodes out that a removal has left empty, and gives their pages back. */
final class CacheFirstRemoval {
  private final CacheFirstStructure tree;
  private final PageStore store;
  private final CacheFirstSpace space;
  private final CacheFirstPage page;
  private final CacheFirstInner inner;
  private final int[] path;
  private final int[] slots;

  CacheFirstRemoval(CacheFirstStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.space = tree.space;
    this.page = tree.page;
    this.inner = tree.inner;
    this.path = tree.change.path;
    this.slots = tree.change.slots;
  }

  /** Takes the path's empty leaf out, and inner nodes that are empty then. */
  void giveBack() {
    dropLeaf();
    for (int level = 1; level + 1 < tree.height() && tree.innerCount(path[level]) == 0; level++) {
      if (level == 1) {
        tree.chain(tree.previous(path[level]), tree.next(path[level]));
      }
      removeChild(level + 1, slots[level + 1], false);
      space.freeInner(path[level]);
    }
    shrinkRoot();
  }

  private void dropLeaf() {
    int parent = path[1];
    int slot = slots[1];
    int number = page.pageOf(path[0]);
    boolean isFirst = tree.pageBefore(parent, slot) != number;
    removeChild(1, slot, slot > 0 && page.pageOf(tree.child(parent, slot - 1)) == number);
    if (space.freeLeaf(path[0]) == 0) {
      tree.leafPages.remove(number);
      store.free(number);
    } else if (isFirst) {
      tree.firstParent(number, slot < tree.innerCount(parent) ? parent : tree.next(parent));
    }
  }

  private void removeChild(int level, int slot, boolean toPrevious) {
    tree.levelChanges.changed(level);
    int parent = path[level];
    long at = tree.pin(parent);
    try {
      inner.remove(tree.pages, at, slot, toPrevious);
    } finally {
      tree.unpin(at, true);
    }
  }

  /** Makes the only child of the root the root, as often as there is but one. */
  void shrinkRoot() {
    while (tree.height() > 1 && tree.innerCount(tree.root()) == 1) {
      tree.levelChanges.changed(tree.height());
      int old = tree.root();
      int child = tree.child(old, 0);
      tree.meta[CacheFirstStructure.ROOT] = child;
      tree.meta[CacheFirstStructure.HEIGHT]--;
      if (tree.height() == 1) {
        tree.firstParent(page.pageOf(child), 0);
      } else {
        tree.setInPageLevel(child, 0, tree.height() - 1);
      }
      space.freeInner(old);
    }
  }
}
