// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Latches;
import dev.espalier.support.Torn;
import dev.espalier.tree.StoreTree;

/**
 * Takes empty leaves out of the tree, each with the inner pages that have no other child. The keys
 * of such a chain become those of the pages to its left or right, whichever have the same parent.
 */
final class BLinkRemoval {
  /** Attempts before an empty leaf is left to those who empty it again. */
  private static final int MOST_ATTEMPTS = 16;

  /** Stands for the left neighbour of a page that has none, for it is not in the tree any more. */
  private static final int HAS_LEFT_THE_TREE = -1;

  private final BLinkStructure tree;
  private final PageStore store;
  private final LinkedPageFormat format;
  private final Latches latches;

  BLinkRemoval(BLinkStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.format = tree.format;
    this.latches = tree.latches;
  }

  /** Takes the leaf that covers a key out of the tree, if it is empty; outside operations. */
  void removeEmpty(long key) {
    boolean done = false;
    for (int attempts = 0; !done && attempts < MOST_ATTEMPTS; attempts++) {
      Chain chain = new Chain(key);
      int operation = tree.epochs.enter();
      try {
        done = chain.remove();
      } finally {
        chain.unlatch();
        tree.epochs.exit(operation);
      }
    }
    while (lowerRoot()) {
      // Each root with a single child goes.
    }
    tree.space.freeUnreachable();
  }

  /** A leaf, the inner pages that lead to nothing else, and the neighbours of all of them. */
  private final class Chain {
    private final long key;

    // By level.
    private final int[] lefts = new int[StoreTree.MAX_HEIGHT];
    private final int[] gone = new int[StoreTree.MAX_HEIGHT];
    private final int[] rights = new int[StoreTree.MAX_HEIGHT];
    private final long[] highs = new long[StoreTree.MAX_HEIGHT];
    private int levels;

    /** All pages that are latched, in the order in which they were. */
    private final int[] latched = new int[3 * StoreTree.MAX_HEIGHT + 1];

    private int latchedCount;

    Chain(long key) {
      this.key = key;
    }

    private void latch(int page) {
      checkNotHeld(page);
      latches.latch(page);
      latched[latchedCount++] = page;
    }

    /** Checks that this does not wait for itself, as it would if pages led back to the chain. */
    private void checkNotHeld(int page) {
      for (int i = 0; i < latchedCount; i++) {
        if (latched[i] == page) {
          throw Torn.torn("page " + page + " is beside or above itself");
        }
      }
    }

    void unlatch() {
      while (latchedCount > 0) {
        latches.unlatch(latched[--latchedCount]);
      }
    }

    /** Returns whether all is done, or there is nothing to be done. */
    boolean remove() {
      while (true) {
        int parent = tree.find(levels + 1, key);
        if (parent == 0) {
          return true; // All that is left is one leaf and what leads to it.
        }
        if (!addLevel()) {
          return isFilled();
        }
        if (!hasSingleChild(parent)) {
          return removeBelow();
        }
      }
    }

    /** Tells whether the leaf has entries, so that it stays. */
    private boolean isFilled() {
      int leaf = tree.find(0, key);
      long at = store.pin(leaf);
      int count = format.count(tree.pages, at);
      store.unpin(at, false);
      return count > 0;
    }

    /** Latches the next page of the chain and its neighbours, if it is one. */
    private boolean addLevel() {
      int level = levels;
      int page = tree.find(level, key);
      if (page == 0) {
        return false;
      }
      int left = leftOf(page);
      if (left == HAS_LEFT_THE_TREE) {
        return false;
      }
      if (left != 0) {
        latch(left);
        if (!leadsTo(left, page)) {
          return false;
        }
      }
      latch(page);
      long at = store.pin(page);
      try {
        boolean isChain =
            format.next(tree.pages, at, page, key, level) == LinkedPage.HERE
                && LinkedPage.left(tree.pages, at) == left
                && LinkedPage.flags(tree.pages, at) == 0
                && leadsToNothingElse(page, at, level);
        if (!isChain) {
          return false;
        }
        lefts[level] = left;
        gone[level] = page;
        rights[level] = LinkedPage.right(tree.pages, at);
        highs[level] = LinkedPage.high(tree.pages, at);
      } finally {
        store.unpin(at, false);
      }
      if (rights[level] != 0) {
        latch(rights[level]);
      }
      levels++;
      return true;
    }

    private boolean leadsToNothingElse(int page, long at, int level) {
      int count = format.count(tree.pages, at);
      return level == 0
          ? count == 0
          : count == 1 && format.child(tree.pages, at, page, key) == gone[level - 1];
    }

    /**
     * Returns the left neighbour of a page, 0 for none. The left link of a page that has left the
     * tree leads to another such page, which may have been freed.
     */
    private int leftOf(int page) {
      long at = store.pin(page);
      int left;
      long version;
      do {
        version = latches.version(page);
        boolean hasLeft = LinkedPage.hasLeft(tree.pages, at);
        left = hasLeft ? HAS_LEFT_THE_TREE : LinkedPage.left(tree.pages, at);
      } while (!latches.isStill(page, version));
      store.unpin(at, false);
      return left;
    }

    /** Tells whether a page, which is latched, is the left neighbour of another. */
    private boolean leadsTo(int left, int page) {
      long at = store.pin(left);
      boolean leads =
          !LinkedPage.hasLeft(tree.pages, at) && LinkedPage.right(tree.pages, at) == page;
      store.unpin(at, false);
      return leads;
    }

    /** Looks at an inner page without a latch; whether it was right is seen when it has one. */
    private boolean hasSingleChild(int parent) {
      long at = store.pin(parent);
      int count = format.count(tree.pages, at);
      store.unpin(at, false);
      return count == 1;
    }

    /** Removes the chain, whose pages are latched, if its parent leads to more than to it. */
    private boolean removeBelow() {
      int top = levels - 1;
      checkNotHeld(tree.find(levels, key));
      int parent = tree.latch(levels, key);
      if (parent == 0) {
        return false;
      }
      latched[latchedCount++] = parent;
      boolean isFirst;
      long at = store.pin(parent);
      try {
        isFirst = format.isFirstChild(tree.pages, at, parent, key);
        if (format.count(tree.pages, at) < 2
            || format.child(tree.pages, at, parent, key) != gone[top]) {
          return false;
        }
      } finally {
        store.unpin(at, false);
      }
      try {
        linkBack();
        if (isFirst) {
          removeFrom(parent);
          passBy();
        } else {
          giveToTheLeft();
          removeFrom(parent);
        }
        leave();
      } catch (RuntimeException | Error failed) {
        tree.abandon(failed);
        throw failed;
      }
      return true;
    }

    private void removeFrom(int parent) {
      tree.pinAndChange(parent, (memory, above) -> format.removeChild(memory, above, parent, key));
    }

    /**
     * Links the right neighbours back past the chain. This comes first, so that a scan to the left
     * which is at one of them finds its left neighbour in the links to the right at any moment.
     */
    private void linkBack() {
      for (int level = 0; level < levels; level++) {
        int left = lefts[level];
        tree.pinAndChange(rights[level], (memory, right) -> LinkedPage.left(memory, right, left));
      }
    }

    /** Lets the left neighbours cover the keys of the chain, and links them past it. */
    private void giveToTheLeft() {
      for (int level = 0; level < levels; level++) {
        int right = rights[level];
        long high = highs[level];
        tree.pinAndChange(
            lefts[level],
            (memory, left) -> {
              LinkedPage.high(memory, left, high);
              LinkedPage.right(memory, left, right);
            });
      }
    }

    /** Links the left neighbours past the chain, whose keys the right neighbours cover. */
    private void passBy() {
      for (int level = 0; level < levels; level++) {
        int right = rights[level];
        tree.pinAndChange(lefts[level], (memory, left) -> LinkedPage.right(memory, left, right));
      }
    }

    /** Hands over the pages of the chain, now that no page leads to them. */
    private void leave() {
      for (int level = 0; level < levels; level++) {
        tree.space.leave(gone[level]);
      }
    }
  }

  // ---------------------------------------------------------------- root

  /** Makes the only child of the root the root. Returns false if it has several, or is a leaf. */
  private boolean lowerRoot() {
    int operation = tree.epochs.enter();
    try {
      int root = tree.rootPage();
      int child = onlyChild(root);
      if (child == 0) {
        return false;
      }
      if (child == root) {
        throw Torn.torn("the root, page " + root + ", is its own child");
      }
      latches.latch(child);
      try {
        latches.latch(root);
        try {
          return lowerRoot(root, child);
        } finally {
          latches.unlatch(root);
        }
      } finally {
        latches.unlatch(child);
      }
    } finally {
      tree.epochs.exit(operation);
    }
  }

  /** Returns the only child of a page that is alone on its level, or 0. */
  private int onlyChild(int page) {
    long at = store.pin(page);
    int child = 0;
    long version;
    do {
      version = latches.version(page);
      boolean isOnly =
          LinkedPage.level(tree.pages, at) > 0
              && LinkedPage.flags(tree.pages, at) == 0
              && LinkedPage.right(tree.pages, at) == 0
              && format.count(tree.pages, at) == 1;
      child = isOnly ? format.child(tree.pages, at, page, Long.MAX_VALUE) : 0;
    } while (!latches.isStill(page, version));
    store.unpin(at, false);
    return child;
  }

  /** Makes the child the root if nothing has changed, both being latched. */
  private boolean lowerRoot(int root, int child) {
    if (tree.rootPage() != root || onlyChild(root) != child || !isAlone(child)) {
      return false;
    }
    long at = store.pin(root);
    int level = LinkedPage.level(tree.pages, at);
    store.unpin(at, false);
    tree.rootPage(child, level);
    tree.space.leave(root);
    return true;
  }

  /** Tells whether a page, which is latched, is the only one of its level. */
  private boolean isAlone(int page) {
    long at = store.pin(page);
    boolean alone =
        LinkedPage.flags(tree.pages, at) == 0
            && LinkedPage.left(tree.pages, at) == 0
            && LinkedPage.right(tree.pages, at) == 0;
    store.unpin(at, false);
    return alone;
  }
}
