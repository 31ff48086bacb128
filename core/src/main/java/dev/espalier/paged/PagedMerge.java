// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inpage.PageScratch;
import dev.espalier.memory.PageStore;

/** What gives pages back after a removal: merges of pages, and the end of empty ones. */
final class PagedMerge {
  private final PagedStructure tree;
  private final PageStore store;
  private final PageFormat format;
  private final PageScratch scratch;
  private final int[] path;

  PagedMerge(PagedStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.scratch = tree.change.scratch;
    this.path = tree.change.path;
  }

  /** Merges or drops the path's pages from the leaf page up, as long as they have few entries. */
  void giveBack(long key, int count) {
    int left = count;
    int capacity = format.leafCapacity;
    for (int level = 0; level + 1 < tree.height() && left < capacity / 4 + 1; level++) {
      boolean gone = left == 0 ? dropPage(level, key) : mergePage(level, key, left);
      if (!gone) {
        break;
      }
      left = tree.count(path[level + 1]);
      capacity = format.innerCapacity;
    }
    shrinkRoot();
  }

  /** Takes the path's empty page of a level out of its parent. */
  private boolean dropPage(int level, long key) {
    tree.levelChanges.changed(level + 1);
    long at = store.pin(path[level + 1]);
    try {
      int place = format.lowerBound(tree.pages, at, key);
      int before = format.previousPlace(tree.pages, at, place);
      if (before != PageFormat.NONE && place == format.lastPlace(tree.pages, at)) {
        // The parent's bound stays: the child before takes the place of the one that goes.
        int child = format.child(tree.pages, at, before);
        raiseBound(child, level, format.key(tree.pages, at, place));
        format.payload(tree.pages, at, place, child);
        place = before;
      }
      format.remove(scratch, tree.pages, at, place);
    } finally {
      store.unpin(at, true);
    }
    release(path[level], level);
    return true;
  }

  /** Makes {@code bound} the bound of a page, and of the last page below it on every level. */
  private void raiseBound(int page, int level, long bound) {
    int last = page;
    for (int at = level; at > 0; at--) {
      last = raiseLastKey(last, bound);
    }
  }

  /** Makes {@code bound} the last key of an inner page and returns the last child. */
  private int raiseLastKey(int page, long bound) {
    long at = store.pin(page);
    int child;
    try {
      int place = format.lastPlace(tree.pages, at);
      child = format.child(tree.pages, at, place);
      format.remove(scratch, tree.pages, at, place);
    } finally {
      store.unpin(at, true);
    }
    tree.insertInto(page, bound, child);
    return child;
  }

  /**
   * Merges the path's page of a level, which has {@code count} entries, with the sibling after or
   * before it, if three quarters of a page hold both and the siblings have the same parent.
   */
  private boolean mergePage(int level, long key, int count) {
    int page = path[level];
    int most = 3 * (level == 0 ? format.leafCapacity : format.innerCapacity) / 4;
    long at = store.pin(path[level + 1]);
    boolean merges = false;
    try {
      int place = format.lowerBound(tree.pages, at, key);
      int after = format.nextPlace(tree.pages, at, place);
      int before = format.previousPlace(tree.pages, at, place);
      if (after != PageFormat.NONE && fits(format.child(tree.pages, at, after), count, most)) {
        int right = format.child(tree.pages, at, after);
        merges = true; // even if what pages say ends it halfway
        append(page, right, level);
        format.payload(tree.pages, at, after, page);
        format.remove(scratch, tree.pages, at, place);
      } else if (before != PageFormat.NONE
          && fits(format.child(tree.pages, at, before), count, most)) {
        int left = format.child(tree.pages, at, before);
        merges = true;
        append(left, page, level);
        format.payload(tree.pages, at, place, left);
        format.remove(scratch, tree.pages, at, before);
      }
    } finally {
      store.unpin(at, merges);
    }
    return merges;
  }

  private boolean fits(int sibling, int count, int most) {
    return tree.count(sibling) + count <= most;
  }

  /** Moves the entries of {@code right} to the page before it and gives {@code right} back. */
  private void append(int left, int right, int level) {
    tree.levelChanges.changed(level + 1);
    long from = store.pin(right);
    long to = store.pin(left);
    try {
      int count = format.load(tree.pages, to, scratch.keys(), scratch.payloads(), 0);
      int moved = format.load(tree.pages, from, scratch.keys(), scratch.payloads(), count);
      format.store(scratch, tree.pages, to, scratch.keys(), scratch.payloads(), 0, count + moved);
    } finally {
      store.unpin(from, false);
      store.unpin(to, true);
    }
    release(right, level);
  }

  /** Takes a page out of the chain of its level and gives it back. */
  private void release(int page, int level) {
    if (level > 0) {
      long at = store.pin(page);
      int next = PageHeader.next(tree.pages, at);
      int previous = PageHeader.previous(tree.pages, at);
      store.unpin(at, false);
      tree.linkBack(next, previous);
      tree.linkForth(previous, next);
    }
    store.free(page);
  }

  /** Makes the only child of the root the root, as often as there is but one. */
  private void shrinkRoot() {
    while (tree.height() > 1 && tree.count(tree.root()) <= 1) {
      tree.levelChanges.changed(tree.height());
      int root = tree.root();
      int child = onlyChild(root);
      if (child == 0) { // only where threads have torn the tree
        tree.initializeLeaf(root);
        tree.meta[PagedStructure.HEIGHT] = 1;
        return;
      }
      store.free(root);
      tree.meta[PagedStructure.ROOT] = child;
      tree.meta[PagedStructure.HEIGHT]--;
    }
  }

  /** Returns the only child of an inner page, or 0 if it has none. */
  private int onlyChild(int page) {
    long at = store.pin(page);
    try {
      int place = format.firstPlace(tree.pages, at);
      return place == PageFormat.NONE ? 0 : format.child(tree.pages, at, place);
    } finally {
      store.unpin(at, false);
    }
  }
}
