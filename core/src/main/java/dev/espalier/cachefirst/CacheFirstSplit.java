// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cachefirst;

import static dev.espalier.memory.Words.copy;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;

/** Splits of nodes and of pages, and where what is new is placed. */
final class CacheFirstSplit {
  private final CacheFirstStructure tree;
  private final PageStore store;
  private final CacheFirstSpace space;
  private final CacheFirstPage page;
  private final CacheFirstInner inner;
  private final CacheFirstLeaf leaf;
  private final CacheFirstChange change;
  private final int[] path;
  private final int[] slots;

  CacheFirstSplit(CacheFirstStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.space = tree.space;
    this.page = tree.page;
    this.inner = tree.inner;
    this.leaf = tree.leaf;
    this.change = tree.change;
    this.path = change.path;
    this.slots = change.slots;
  }

  /**
   * Inserts an entry that is not there into the full leaf to which the path leads.
   *
   * @throws MemoryLimitException if a split finds no memory; the entries are what they were then,
   *     though inner nodes may have been split
   */
  void insert(long key, long value) {
    boolean atEdge = isAtRightEdge(key);
    int highest = 0;
    while (highest + 1 < tree.height() && tree.innerCount(path[highest + 1]) == inner.capacity) {
      highest++;
    }
    try {
      if (highest + 1 == tree.height()) {
        growRoot();
      }
      for (int level = highest; level > 0; level--) {
        tree.findPath(key);
        splitInner(level, atEdge);
      }
      tree.findPath(key);
      splitLeaf(key, value, atEdge);
      tree.removal.shrinkRoot();
      change.commit(1);
    } catch (MemoryLimitException full) {
      tree.removal.shrinkRoot();
      change.abandon();
      throw full;
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
  }

  /** Tells whether {@code key}, to which the path leads, belongs behind all keys of the tree. */
  private boolean isAtRightEdge(long key) {
    for (int level = tree.height() - 1; level > 0; level--) {
      if (slots[level] != tree.innerCount(path[level]) - 1) {
        return false;
      }
    }
    long at = tree.pin(path[0]);
    boolean isAbove = leaf.lowerBound(tree.pages, at, key) == leaf.capacity;
    tree.unpin(at, false);
    return isAbove;
  }

  /** Puts a root with a single child above the root. */
  private void growRoot() {
    tree.levelChanges.changed(tree.height());
    int old = tree.root();
    int number = page.pageOf(old);
    if (space.kind(number) != CacheFirstPage.NONLEAF || space.room(number) == 0) {
      number = space.newPage(CacheFirstPage.NONLEAF);
    }
    int node = space.takeSlot(number);
    long at = tree.pin(node);
    inner.initialize(tree.pages, at);
    inner.child(tree.pages, at, 0, old);
    inner.count(tree.pages, at, 1);
    tree.unpin(at, true);
    tree.meta[CacheFirstStructure.ROOT] = node;
    tree.meta[CacheFirstStructure.HEIGHT]++;
    if (tree.height() == 2) {
      tree.firstParent(page.pageOf(old), node);
    }
    tree.setInPageLevel(node, 0, tree.height() - 1);
  }

  /** Splits the full inner node of a level on the path, whose parent has room. */
  private void splitInner(int level, boolean atEdge) {
    tree.levelChanges.changed(level + 1);
    int node = path[level];
    int kept = atEdge ? inner.capacity - 1 : inner.capacity / 2;
    int number = page.pageOf(node);
    boolean movesDescendants = false;
    if (space.room(number) == 0) {
      movesDescendants = level > 1 && hasChildInPage(node, kept);
      number = pageForSibling(level, movesDescendants);
    }
    int right = space.takeSlot(number);
    long from = tree.pin(node);
    long to = tree.pin(right);
    long separator;
    try {
      inner.initialize(tree.pages, to);
      separator = inner.split(tree.pages, from, kept, inner.checkedCount(tree.pages, from), to);
    } finally {
      tree.unpin(from, true);
      tree.unpin(to, true);
    }
    if (level == 1) {
      tree.chain(right, tree.next(node));
      tree.chain(node, right);
      tree.claimFirstLeaves(right);
    }
    if (movesDescendants) {
      moveChildren(right, page.pageOf(node), level);
    }
    int parent = path[level + 1];
    tree.setInPageLevel(right, inPageLevelBelow(parent, right), level);
    long at = tree.pin(parent);
    try {
      inner.insert(tree.pages, at, slots[level + 1], separator, right);
    } finally {
      tree.unpin(at, true);
    }
  }

  /** Tells whether a child from slot {@code from} on is in the page of the node. */
  private boolean hasChildInPage(int node, int from) {
    int count = tree.innerCount(node);
    for (int i = from; i < count; i++) {
      if (page.pageOf(tree.child(node, i)) == page.pageOf(node)) {
        return true;
      }
    }
    return false;
  }

  /** Returns another page for the sibling of an inner node whose page is full. */
  private int pageForSibling(int level, boolean takesDescendants) {
    int kind = level == 1 ? CacheFirstPage.OVERFLOW : CacheFirstPage.NONLEAF;
    int withRoom = space.withRoom(kind);
    return withRoom == 0 || takesDescendants ? space.newPage(kind) : withRoom;
  }

  /** Returns the in-page level that a child of {@code parent} has. */
  private int inPageLevelBelow(int parent, int child) {
    if (page.pageOf(parent) != page.pageOf(child)) {
      return 0;
    }
    long at = tree.pin(parent);
    int level = inner.level(tree.pages, at) + 1;
    tree.unpin(at, false);
    return level;
  }

  /** Moves the descendants of a node that are in page {@code from} into the page of the node. */
  private void moveChildren(int node, int from, int level) {
    int count = tree.innerCount(node);
    for (int i = 0; i < count; i++) {
      int child = tree.child(node, i);
      if (page.pageOf(child) == from) {
        int moved = moveInner(child, page.pageOf(node), level - 1);
        tree.child(node, i, moved);
        if (level > 2) {
          moveChildren(moved, from, level - 1);
        }
      }
    }
  }

  /** Moves an inner node and returns where it is then; its parent is yet to be told. */
  private int moveInner(int node, int number, int level) {
    int moved = space.takeSlot(number);
    copyNode(node, moved);
    space.freeInner(node);
    if (level == 1) {
      tree.chain(tree.previous(moved), moved);
      tree.chain(moved, tree.next(moved));
      tree.claimFirstLeaves(moved);
    }
    return moved;
  }

  private void copyNode(int from, int to) {
    long source = tree.pin(from);
    long target = tree.pin(to);
    try {
      copy(tree.pages, source, target, inner.bytes);
    } finally {
      tree.unpin(source, false);
      tree.unpin(target, true);
    }
  }

  /** Splits the full leaf at the end of the path, whose parent has room, and inserts an entry. */
  private void splitLeaf(long key, long value, boolean atEdge) {
    tree.levelChanges.changed(1);
    int number = page.pageOf(path[0]);
    if (space.room(number) == 0) {
      int right = newLeafPage(number);
      if (atEdge) {
        tree.firstParent(right, path[1]);
        number = right;
      } else {
        splitLeafPage(number, right);
        number = page.pageOf(tree.findPath(key));
      }
    }
    int node = path[0];
    int right = space.takeSlot(number);
    long from = tree.pin(node);
    long to = tree.pin(right);
    long separator;
    try {
      leaf.initialize(tree.pages, to);
      int count = leaf.checkedCount(tree.pages, from);
      int kept = atEdge ? count : count / 2;
      if (kept == 0) {
        throw CacheFirstStructure.torn("a leaf to be split is empty");
      }
      leaf.split(tree.pages, from, kept, count, to);
      separator = leaf.key(tree.pages, from, kept - 1);
      long at = key <= separator ? from : to;
      int slot = leaf.lowerBound(tree.pages, at, key);
      leaf.insert(tree.pages, at, slot, leaf.count(tree.pages, at), key, value);
    } finally {
      tree.unpin(from, true);
      tree.unpin(to, true);
    }
    long at = tree.pin(path[1]);
    try {
      inner.insert(tree.pages, at, slots[1], separator, right);
    } finally {
      tree.unpin(at, true);
    }
  }

  /** Allocates a leaf page and lists it behind another. */
  private int newLeafPage(int before) {
    int number = space.newPage(CacheFirstPage.LEAF);
    try {
      tree.leafPages.insertAfter(before, number);
    } catch (MemoryLimitException full) {
      store.free(number);
      throw full;
    }
    return number;
  }

  /** Moves the second half of the leaves of a page to a new one. */
  private void splitLeafPage(int number, int right) {
    long header = store.pin(number);
    int parent = CacheFirstPage.firstParent(tree.pages, header);
    int leaves = CacheFirstPage.count(tree.pages, header);
    store.unpin(header, false);
    if (leaves > page.slots) {
      throw CacheFirstStructure.torn("page " + number + " has more leaves than slots");
    }
    int slot = 0;
    while (page.pageOf(tree.child(parent, slot)) != number) {
      slot++;
      if (slot >= tree.innerCount(parent)) {
        throw CacheFirstStructure.torn(
            "page " + number + " does not point back to the parent of a leaf in it");
      }
    }
    for (int i = 0; i < leaves; i++) {
      int node = tree.child(parent, slot);
      if (page.pageOf(node) != number) {
        throw CacheFirstStructure.torn(
            "the leaves of page " + number + " do not follow one another");
      }
      if (i == leaves / 2) {
        tree.firstParent(right, parent);
      }
      if (i >= leaves / 2) {
        int moved = space.takeSlot(right);
        copyNode(node, moved);
        tree.child(parent, slot, moved);
        space.freeLeaf(node);
      }
      slot++;
      if (slot >= tree.innerCount(parent) && i + 1 < leaves) {
        parent = tree.next(parent);
        slot = 0;
      }
    }
  }
}
