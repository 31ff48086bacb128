// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.LongCursor;
import dev.espalier.memory.PageStore;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.NewestMessages;
import dev.espalier.support.Torn;
import dev.espalier.tree.StoreChange;

/** One removal of a range of keys by whole leaves. */
final class BEpsilonCut {
  /* Overview
   *
   * One leaf goes after the other, from left to right:
   *
   *   1. The messages for the leaf's part of the range are looked up in all buffers above it, and the
   *      entries that these leave are counted: the newest message of a key says whether it has one.
   *   2. If the leaf has entries beside those of the range, they stay. Otherwise it is given back, and
   *      with it the pages above of which it is the only child, if their buffers have nothing else. The
   *      child before it, or else the one behind, gets its interval.
   *   3. The messages leave the buffers of the pages that stay.
   *
   * All is read before anything is changed, and after each leaf the tree is one. So a removal that fails
   * has removed a part of the range. No page is allocated, and no message is written.
   *
   * Pages that are left with little are on the ways to the two ends of the range. They merge in the end,
   * by the rules of BEpsilonMerge.
   */

  private final BEpsilonStructure tree;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;
  private final StoreChange change;

  /** For each level, the page on the way to the leaf, and above the leaf which child leads on. */
  private final int[] path;

  private final int[] slots = new int[BEpsilonStructure.MAX_HEIGHT];

  /** For each level, which of the page's messages are to go; of the leaf, which entries. */
  private final int[] from = new int[BEpsilonStructure.MAX_HEIGHT];

  private final int[] to = new int[BEpsilonStructure.MAX_HEIGHT];

  /** The highest key that belongs to the leaf. */
  private long bound;

  /** The page whose children were asked for ahead. */
  private int askedParent;

  BEpsilonCut(BEpsilonStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.change = tree.change;
    this.path = tree.change.path;
  }

  /**
   * Removes the entries with keys from {@code first} to {@code last}, both included. O(log n) pages
   * for each leaf that has some.
   *
   * @return how many there were
   */
  long remove(long first, long last) {
    LongCursor cursor = tree.cursor();
    if (!cursor.lower(first) && !cursor.higher(last)) {
      long all = tree.size();
      tree.clear();
      return all;
    }
    long changes = tree.modifications.changes;
    long removed = 0;
    long key = first;
    while (true) {
      findPath(key);
      readAhead(last);
      long end = bound;
      removed += removeFromLeaf(key, Math.min(end, last));
      if (end >= last) {
        break;
      }
      key = end + 1;
    }
    if (tree.modifications.changes != changes) {
      settle(first);
      settle(last);
    }
    if (removed >= DeadWalk.WORTH) {
      tree.dead.add(first, last); // in place of all those that it holds
    }
    return removed;
  }

  /** Finds the way to the leaf of a key, and where its interval ends. */
  private void findPath(long key) {
    bound = Long.MAX_VALUE;
    int page = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      path[level] = page;
      long at = store.pin(page);
      try {
        NodePage.checkLevel(tree.pages, at, level);
        int last = inner.checkedChildren(tree.pages, at) - 1;
        int slot = inner.childSlot(tree.pages, at, key);
        if (slot < last) {
          bound = InnerPage.separator(tree.pages, at, slot);
        }
        slots[level] = slot;
        page = inner.child(tree.pages, at, slot);
      } finally {
        store.unpin(at, false);
      }
    }
    path[0] = page;
    if (bound < key) { // only where threads have torn the tree: it would go on for ever
      throw Torn.torn("page " + path[1] + " leads nowhere");
    }
  }

  /** Asks for the leaves behind this one in its parent, once, but for none beyond the range. */
  private void readAhead(long last) {
    if (tree.height() == 1 || path[1] == askedParent) {
      return;
    }
    askedParent = path[1];
    int[] asked = new int[inner.fanout];
    int count = 0;
    long at = store.pin(askedParent);
    try {
      int end = inner.checkedChildren(tree.pages, at);
      for (int child = slots[1] + 1;
          child < end && InnerPage.separator(tree.pages, at, child - 1) < last;
          child++) {
        asked[count++] = inner.child(tree.pages, at, child);
      }
    } finally {
      store.unpin(at, false);
    }
    if (count > 0) {
      store.readAhead(asked, 0, count);
    }
  }

  // ---------------------------------------------------------------- one leaf

  /**
   * Removes what the path's leaf and the buffers above it have from one key to another, which both
   * belong to the leaf. Returns how many entries that were.
   */
  private int removeFromLeaf(long first, long last) {
    NewestMessages messages = NewestMessages.NONE;
    for (int level = tree.height() - 1; level > 0; level--) {
      messages = findMessages(level, first, last, messages);
    }
    int entries;
    boolean isEmptied;
    long at = store.pin(path[0]);
    try {
      NodePage.checkLevel(tree.pages, at, 0);
      from[0] = first == Long.MIN_VALUE ? 0 : leaf.upperBound(tree.pages, at, first - 1);
      to[0] = Math.max(from[0], leaf.upperBound(tree.pages, at, last));
      isEmptied = to[0] - from[0] == leaf.checkedCount(tree.pages, at);
      long keys = at + LeafPage.KEYS_OFFSET + ((long) from[0] << 3);
      entries = messages.entriesOver(tree.pages, keys, to[0] - from[0]);
    } finally {
      store.unpin(at, false);
    }
    int keeper = isEmptied ? levelThatKeeps() : 0;
    if (keeper == 0 && from[0] == to[0] && messages.isEmpty()) {
      return 0;
    }
    try {
      if (keeper > 0) {
        drop(keeper);
      } else {
        cutLeaf();
      }
      for (int level = Math.max(keeper, 1); level < tree.height(); level++) {
        removeMessages(level);
      }
      tree.meta[BEpsilonStructure.LEAF_ENTRIES] -= to[0] - from[0];
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
    change.commit(-entries);
    tree.merge.shrinkRoot();
    return entries;
  }

  /** Finds the messages of a level that are to go; returns them below the newer ones. */
  private NewestMessages findMessages(int level, long first, long last, NewestMessages newer) {
    long at = store.pin(path[level]);
    try {
      int messages = inner.checkedMessages(tree.pages, at);
      from[level] = inner.messageSlot(tree.pages, at, messages, first);
      to[level] = Math.max(from[level], inner.messagesUpTo(tree.pages, at, messages, last));
      long columns = at + inner.messagesOffset;
      return newer.over(tree.pages, columns, inner.capacity, from[level], to[level]);
    } finally {
      store.unpin(at, false);
    }
  }

  /**
   * Returns the lowest level whose page has other children when the leaf goes. Returns 0 if the
   * leaf has to stay: there is no such page, or one below it has other messages.
   */
  private int levelThatKeeps() {
    for (int level = 1; level < tree.height(); level++) {
      long at = store.pin(path[level]);
      try {
        if (inner.checkedChildren(tree.pages, at) > 1) {
          return level;
        }
        if (inner.checkedMessages(tree.pages, at) > to[level] - from[level]) {
          return 0;
        }
      } finally {
        store.unpin(at, false);
      }
    }
    return 0;
  }

  /** Takes the way below a level out of its page there, and gives the pages back. */
  private void drop(int keeper) {
    long at = store.pin(path[keeper]);
    try {
      inner.removeChild(tree.pages, at, slots[keeper]);
    } finally {
      store.unpin(at, true);
    }
    for (int level = 0; level < keeper; level++) {
      store.free(path[level]);
    }
  }

  private void cutLeaf() {
    if (from[0] < to[0]) {
      long at = store.pin(path[0]);
      try {
        leaf.remove(tree.pages, at, from[0], to[0]);
      } finally {
        store.unpin(at, true);
      }
    }
  }

  private void removeMessages(int level) {
    if (from[level] < to[level]) {
      long at = store.pin(path[level]);
      try {
        inner.removeMessages(tree.pages, at, from[level], to[level]);
      } finally {
        store.unpin(at, true);
      }
    }
  }

  // ---------------------------------------------------------------- what stays

  /** Merges what has become small on the way to a key, from the root down. */
  private void settle(long key) {
    int level = tree.height() - 2;
    while (level >= 0) {
      findPath(key);
      level = merge(level, key) ? Math.min(level, tree.height() - 2) : level - 1;
    }
  }

  private boolean merge(int level, long key) {
    try {
      if (!tree.merge.mergePage(level, key)) {
        return false;
      }
    } catch (RuntimeException | Error failed) {
      change.abandon(failed);
      throw failed;
    }
    tree.merge.shrinkRoot();
    change.commit(0);
    return true;
  }
}
