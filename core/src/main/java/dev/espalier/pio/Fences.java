// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.tree.StoreChange;
import java.lang.foreign.MemorySegment;

/** Inserts fences into inner nodes, and removes them: how a tree gets wider, higher, and lower. */
final class Fences {
  private final PioStructure tree;
  private final PageStore store;
  private final InnerPage inner;
  private final StoreChange change;
  private final LeafPath path;

  /** Where the child lies that was inserted last. */
  int page;

  int slot;

  Fences(PioStructure tree, LeafPath path) {
    this.tree = tree;
    this.store = tree.store;
    this.inner = tree.inner;
    this.change = tree.change;
    this.path = path;
  }

  /** Returns how many pages the insertion of a fence beside the path's leaf needs. */
  int pagesToInsert() {
    int height = tree.height();
    int full = 0;
    while (full + 1 < height && isFull(path.pages[full + 1])) {
      full++;
    }
    return full + 1 == height ? full + 1 : full;
  }

  private boolean isFull(int node) {
    long at = store.pin(node);
    try {
      return inner.checkedChildren(tree.pages, at) == inner.capacity;
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- insert

  /**
   * Inserts a fence behind the path's leaf, and a leaf without segments behind the fence; its place
   * is in {@link #page} and {@link #slot}. The path is void then. The change has reserved {@link
   * #pagesToInsert} pages.
   */
  void insertLeaf(long fence) {
    insert(1, fence);
  }

  private void insert(int level, long fence) {
    int node = path.pages[level];
    int after = path.slots[level];
    if (isFull(node)) {
      int half = inner.capacity / 2;
      int right = split(level, node, half);
      if (after >= half) {
        node = right;
        after -= half;
      }
    }
    long at = store.pin(node);
    try {
      inner.insertChildAfter(tree.pages, at, after, fence);
    } finally {
      store.unpin(at, true);
    }
    page = node;
    slot = after + 1;
  }

  /** Moves the children of a node from {@code half} on into a new node; returns that. */
  private int split(int level, int node, int half) {
    if (level == tree.height() - 1) {
      growRoot(node);
    }
    int right = change.spare();
    long fence;
    long at = store.pin(node);
    try {
      long to = store.pin(right);
      try {
        MemorySegment pages = tree.pages;
        int children = inner.checkedChildren(pages, at);
        inner.initialize(pages, to, level);
        inner.copy(pages, at, half, to, 0, children - half);
        EntryPage.count(pages, to, children - half);
        EntryPage.count(pages, at, half);
        fence = InnerPage.separator(pages, at, half - 1);
      } finally {
        store.unpin(to, true);
      }
    } finally {
      store.unpin(at, true);
    }
    insert(level + 1, fence);
    at = store.pin(page);
    try {
      inner.segment(tree.pages, at, slot, 0, right);
    } finally {
      store.unpin(at, true);
    }
    return right;
  }

  /** Puts a new root with one child above the old one. */
  private void growRoot(int root) {
    int level = tree.height();
    int grown = change.spare();
    long at = store.pin(grown);
    try {
      inner.initialize(tree.pages, at, level);
      inner.segment(tree.pages, at, 0, 0, root);
    } finally {
      store.unpin(at, true);
    }
    path.pages[level] = grown;
    path.slots[level] = 0;
    tree.meta[PioStructure.ROOT] = grown;
    tree.meta[PioStructure.HEIGHT]++;
  }

  // ---------------------------------------------------------------- remove

  /**
   * Removes the fence behind a child of the path's parent of leaves, and the leaf behind the fence,
   * whose pages are the caller's. The path is void then.
   */
  void removeLeafAfter(int child) {
    removeAfter(path.pages[1], child);
    int level = 1;
    while (level < tree.height() - 1 && merge(level)) {
      level++;
    }
    shrinkRoot();
  }

  private void removeAfter(int node, int child) {
    long at = store.pin(node);
    try {
      inner.removeChildAfter(tree.pages, at, child);
    } finally {
      store.unpin(at, true);
    }
  }

  /** Merges nodes on the way to a key that have become small, from the root down. */
  void mergeOnWayTo(long key) {
    for (int level = tree.height() - 2; level > 0; level--) {
      do {
        path.find(key);
      } while (merge(level));
    }
    shrinkRoot();
  }

  /** Merges the path's node of a level with a sibling, if it is a quarter full at most. */
  private boolean merge(int level) {
    if (children(path.pages[level]) > inner.capacity / 4) {
      return false;
    }
    int parent = path.pages[level + 1];
    int child = path.slots[level + 1];
    int last = children(parent) - 1;
    return (child < last && mergeChildren(parent, child))
        || (child > 0 && mergeChildren(parent, child - 1));
  }

  /**
   * Merges a child with the one after it, if one node holds both well; or at all, if one of them
   * has but one child, for ranges would leave many such nodes.
   */
  private boolean mergeChildren(int parent, int child) {
    int left;
    int right;
    long fence;
    long at = store.pin(parent);
    try {
      left = inner.child(tree.pages, at, child);
      right = inner.child(tree.pages, at, child + 1);
      fence = InnerPage.separator(tree.pages, at, child);
    } finally {
      store.unpin(at, false);
    }
    int some = children(left);
    int more = children(right);
    int most = Math.min(some, more) == 1 ? inner.capacity : 3 * inner.capacity / 4;
    if (some + more > most) {
      return false;
    }
    at = store.pin(left);
    try {
      long from = store.pin(right);
      try {
        inner.append(tree.pages, at, fence, from, 0, more);
      } finally {
        store.unpin(from, false);
      }
    } finally {
      store.unpin(at, true);
    }
    removeAfter(parent, child);
    store.free(right);
    return true;
  }

  private int children(int node) {
    long at = store.pin(node);
    try {
      return inner.checkedChildren(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  /** Makes the only child of the root the root, as often as it has but one that is inner. */
  void shrinkRoot() {
    while (tree.height() > 2 && children(tree.root()) == 1) {
      int root = tree.root();
      long at = store.pin(root);
      int child;
      try {
        child = inner.child(tree.pages, at, 0);
      } finally {
        store.unpin(at, false);
      }
      store.free(root);
      tree.meta[PioStructure.ROOT] = child;
      tree.meta[PioStructure.HEIGHT]--;
    }
  }
}
