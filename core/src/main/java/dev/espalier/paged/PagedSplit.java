// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import dev.espalier.inpage.PageCutPoint;
import dev.espalier.inpage.PageScratch;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;

/** Splits of pages, from a leaf page that is full upwards. */
final class PagedSplit {
  private final PagedStructure tree;
  private final PageStore store;
  private final PageFormat format;
  private final PagedChange change;
  private final PageScratch scratch;
  private final int[] path;

  PagedSplit(PagedStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.change = tree.change;
    this.scratch = change.scratch;
    this.path = change.path;
  }

  /**
   * Inserts an entry that is not there into the leaf page to which the path leads, and which is
   * full, by splitting it and pages above it as needed.
   *
   * @throws MemoryLimitException if there is no room for a page; nothing has changed then
   */
  void insert(long key, long value) {
    change.reserve(pagesNeeded());
    try {
      split(key, value);
      change.commit(1);
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  /** Returns how many pages splits from the path's leaf page upwards may need. */
  private int pagesNeeded() {
    int needed = 1;
    int level = 1;
    while (level < tree.height() && mayOverflow(path[level])) {
      level++;
      needed++;
    }
    return level == tree.height() ? needed + 1 : needed;
  }

  private void split(long key, long value) {
    boolean atEdge = isAtRightEdge(key);
    int left = path[0];
    int right = change.spare();
    long separator = atEdge ? split(left, right, 0, true) : splitLeaf(left, right, key);
    tree.insertInto(key <= separator ? left : right, key, value);
    for (int level = 1; ; level++) {
      tree.levelChanges.changed(level);
      if (level == tree.height()) {
        growRoot(separator, left, right, change.spare());
        break;
      }
      int parent = path[level];
      if (replaceChild(parent, separator, left, right)) {
        break;
      }
      int sibling = change.spare();
      long upper = split(parent, sibling, level, atEdge);
      if (!replaceChild(separator <= upper ? parent : sibling, separator, left, right)) {
        throw PagedStructure.torn(parent);
      }
      separator = upper;
      left = parent;
      right = sibling;
    }
    change.freeSpares();
  }

  private boolean mayOverflow(int page) {
    long at = store.pin(page);
    try {
      return format.mayOverflow(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Tells whether {@code key}, to which the path leads, belongs behind all keys of the tree. */
  private boolean isAtRightEdge(long key) {
    return (tree.height() == 1 || isInLastChild(path[1], key)) && isAboveAll(path[0], key);
  }

  /** Tells whether {@code key} belongs into the last child of the last page of a level. */
  private boolean isInLastChild(int page, long key) {
    long at = store.pin(page);
    try {
      return PageHeader.next(tree.pages, at) == 0
          && format.lowerBound(tree.pages, at, key) == format.lastPlace(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  private boolean isAboveAll(int page, long key) {
    long at = store.pin(page);
    try {
      return format.lowerBound(tree.pages, at, key) == PageFormat.NONE;
    } finally {
      store.unpin(at, false);
    }
  }

  /**
   * Moves the upper half of a full leaf page to {@code right}, or what is above a run of inserts to
   * which {@code key} belongs. Returns the upper bound of what is left.
   */
  private long splitLeaf(int left, int right, long key) {
    long from = store.pin(left);
    long to = store.pin(right);
    try {
      PageCutPoint cut = format.cutPoint(scratch, tree.pages, from, key);
      format.initialize(scratch, tree.pages, to, right, 0);
      format.moveUpper(scratch, tree.pages, from, to, cut.kept(), cut.isAtRun());
      return cut.isAtRun()
          ? cut.separator()
          : format.key(tree.pages, from, format.lastPlace(tree.pages, from));
    } finally {
      store.unpin(from, true);
      store.unpin(to, true);
    }
  }

  /**
   * Moves the upper half of a page, or at the right edge what has to make room for what is new, to
   * {@code right}, which becomes its neighbour. Returns the last key that is left.
   */
  private long split(int left, int right, int level, boolean atEdge) {
    long from = store.pin(left);
    long to = store.pin(right);
    try {
      int count = PageHeader.checkedCount(tree.pages, from, format.capacity(tree.pages, from));
      int kept = count / 2;
      if (atEdge) {
        kept = level == 0 ? count : count - 1;
      }
      format.initialize(scratch, tree.pages, to, right, level);
      format.moveUpper(scratch, tree.pages, from, to, kept, false);
      if (level > 0) {
        int next = PageHeader.next(tree.pages, from);
        PageHeader.next(tree.pages, from, right);
        PageHeader.previous(tree.pages, to, left);
        PageHeader.next(tree.pages, to, next);
        tree.linkBack(next, right);
      }
      return format.key(tree.pages, from, format.lastPlace(tree.pages, from));
    } finally {
      store.unpin(from, true);
      store.unpin(to, true);
    }
  }

  /**
   * In an inner page, makes two entries of the one for {@code left}: up to {@code separator} it is
   * {@code left} as before, above it {@code right}. Returns false if the page has to be split.
   */
  private boolean replaceChild(int page, long separator, int left, int right) {
    long at = store.pin(page);
    boolean fits = true; // or ended halfway by what the page says
    try {
      fits = format.insert(scratch, tree.pages, at, separator, left);
      if (fits) {
        int after = format.nextPlace(tree.pages, at, format.lowerBound(tree.pages, at, separator));
        format.payload(tree.pages, at, after, right);
      }
      return fits;
    } finally {
      store.unpin(at, fits);
    }
  }

  private void growRoot(long separator, int left, int right, int newRoot) {
    long at = store.pin(newRoot);
    try {
      format.initialize(scratch, tree.pages, at, newRoot, tree.height());
      scratch.keys()[0] = separator;
      scratch.keys()[1] = Long.MAX_VALUE;
      scratch.payloads()[0] = left;
      scratch.payloads()[1] = right;
      format.store(scratch, tree.pages, at, scratch.keys(), scratch.payloads(), 0, 2);
    } finally {
      store.unpin(at, true);
    }
    tree.meta[PagedStructure.ROOT] = newRoot;
    tree.meta[PagedStructure.HEIGHT]++;
  }
}
