// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.support.Message;

/** How pages that have little in them become fewer, and how two buffers become one. */
final class BEpsilonMerge {
  /* Overview
   *
   * Two siblings merge as in a B+-tree: the left one takes what is in the right one, and the separator
   * between them goes. The parent's messages for the two are then the run of the one that is left,
   * without being touched; inner pages merge only if one buffer holds the messages of both.
   */

  private final BEpsilonStructure tree;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;
  private final int[] path;

  /** Pages that went by merges. */
  long merges;

  private final MergedEntries merged = new MergedEntries();
  private final long[] olderKeys;
  private final long[] olderValues;
  private final int[] olderKinds;

  BEpsilonMerge(BEpsilonStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.path = tree.change.path;
    this.olderKeys = new long[inner.capacity];
    this.olderValues = new long[inner.capacity];
    this.olderKinds = new int[inner.capacity];
  }

  // ---------------------------------------------------------------- buffers

  /** Moves messages from a page's buffer to that of a child, which has room for them. */
  void moveMessages(int page, int child, int from, int to) {
    long at = store.pin(page);
    try {
      long below = store.pin(child);
      try {
        mergeInto(below, at, from, to);
        inner.removeMessages(tree.pages, at, from, to);
      } finally {
        store.unpin(below, true);
      }
    } finally {
      store.unpin(at, true);
    }
  }

  /** Merges messages of the page at {@code at}, which are newer, into the buffer of another. */
  private void mergeInto(long below, long at, int from, int to) {
    int older = inner.checkedMessages(tree.pages, below);
    NodePage.checked(below, older + to - from, 0, inner.capacity);
    for (int i = 0; i < older; i++) {
      olderKeys[i] = inner.messageKey(tree.pages, below, i);
      olderValues[i] = inner.messageValue(tree.pages, below, i);
      olderKinds[i] = inner.messageKind(tree.pages, below, i);
    }
    int written = 0;
    int next = 0;
    for (int i = from; i < to; i++) {
      long key = inner.messageKey(tree.pages, at, i);
      long value = inner.messageValue(tree.pages, at, i);
      int kind = inner.messageKind(tree.pages, at, i);
      while (next < older && olderKeys[next] < key) {
        writeOlder(below, written++, next++);
      }
      if (next < older && olderKeys[next] == key) {
        value = Message.combinedValue(kind, value, olderValues[next]);
        kind = Message.combinedKind(kind, olderKinds[next]);
        next++;
      }
      inner.message(tree.pages, below, written++, key, value, kind);
    }
    while (next < older) {
      writeOlder(below, written++, next++);
    }
    NodePage.messages(tree.pages, below, written);
  }

  /**
   * Applies those of a page's messages to a leaf for which it has room, though not for all. Returns
   * how many there were; the leaf is full then.
   */
  int applyWhatFits(int page, int child, int from, int to) {
    long at = store.pin(page);
    int kept = from;
    try {
      long below = store.pin(child);
      try {
        int before = NodePage.count(tree.pages, below);
        for (int i = from; i < to; i++) { // room for what comes after
          if (inner.messageKind(tree.pages, at, i) == Message.DELETE) {
            leaf.write(tree.pages, below, Message.DELETE, inner.messageKey(tree.pages, at, i), 0);
          }
        }
        for (int i = from; i < to; i++) {
          int kind = inner.messageKind(tree.pages, at, i);
          long key = inner.messageKey(tree.pages, at, i);
          long value = inner.messageValue(tree.pages, at, i);
          if (kind != Message.DELETE
              && leaf.write(tree.pages, below, kind, key, value) == LeafPage.FULL) {
            inner.message(tree.pages, at, kept++, key, value, kind);
          }
        }
        inner.removeMessages(tree.pages, at, kept, to);
        tree.meta[BEpsilonStructure.LEAF_ENTRIES] += NodePage.count(tree.pages, below) - before;
      } finally {
        store.unpin(below, true);
      }
    } finally {
      store.unpin(at, true);
    }
    return to - kept;
  }

  private void writeOlder(long below, int slot, int i) {
    inner.message(tree.pages, below, slot, olderKeys[i], olderValues[i], olderKinds[i]);
  }

  // ---------------------------------------------------------------- pages

  /**
   * Merges the path's pages from the leaf up, as long as they have little in them.
   *
   * @param key that the path leads to
   * @return whether any did, so that the path is void
   */
  boolean giveBack(long key) {
    try {
      int level = 0;
      while (level + 1 < tree.height() && mergePage(level, key)) {
        level++;
      }
      return shrinkRootByOne() || level > 0;
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
  }

  /** Merges the path's page of a level with a sibling, if it is a quarter full at most. */
  boolean mergePage(int level, long key) {
    int page = path[level];
    int count = count(page);
    if (count > (level == 0 ? leaf.capacity : inner.fanout) / 4) {
      return false;
    }
    long at = store.pin(path[level + 1]);
    boolean merges = false;
    try {
      int last = inner.checkedChildren(tree.pages, at) - 1;
      int slot = inner.childSlot(tree.pages, at, key);
      merges =
          slot <= last
              && inner.child(tree.pages, at, slot) == page
              && ((slot < last && mergeChildren(at, slot, level))
                  || (slot > 0 && mergeChildren(at, slot - 1, level)));
      return merges;
    } finally {
      store.unpin(at, merges);
    }
  }

  /** Merges a child of a pinned page with the one after it, if one page holds both well. */
  private boolean mergeChildren(long at, int slot, int level) {
    int left = inner.child(tree.pages, at, slot);
    int right = inner.child(tree.pages, at, slot + 1);
    long to = store.pin(left);
    boolean fits = false;
    try {
      long from = store.pin(right);
      try {
        fits = level == 0 ? fitsLeaf(to, from) : fitsInner(to, from);
        if (fits && level == 0) {
          appendLeaf(to, from);
        } else if (fits) {
          appendInner(to, from, InnerPage.separator(tree.pages, at, slot));
        }
      } finally {
        store.unpin(from, false);
      }
    } finally {
      store.unpin(to, fits);
    }
    if (fits) {
      inner.removeChild(tree.pages, at, slot + 1);
      store.free(right);
      merges++;
    }
    return fits;
  }

  private boolean fitsLeaf(long to, long from) {
    int left = leaf.checkedCount(tree.pages, to);
    int right = leaf.checkedCount(tree.pages, from);
    return left + right <= 3 * leaf.capacity / 4 || left == 0 || right == 0;
  }

  private boolean fitsInner(long to, long from) {
    int left = inner.checkedChildren(tree.pages, to);
    int right = inner.checkedChildren(tree.pages, from);
    int messages = inner.checkedMessages(tree.pages, to) + inner.checkedMessages(tree.pages, from);
    return left + right <= 3 * inner.fanout / 4 && messages <= inner.capacity;
  }

  private void appendLeaf(long to, long from) {
    int left = NodePage.count(tree.pages, to);
    int right = NodePage.count(tree.pages, from);
    long keys = to + LeafPage.KEYS_OFFSET + ((long) left << 3);
    long values = to + leaf.valuesOffset + ((long) left << 3);
    Words.copy(tree.pages, from + LeafPage.KEYS_OFFSET, keys, (long) right << 3);
    Words.copy(tree.pages, from + leaf.valuesOffset, values, (long) right << 3);
    NodePage.count(tree.pages, to, left + right);
  }

  private void appendInner(long to, long from, long separator) {
    int left = NodePage.count(tree.pages, to);
    int right = NodePage.count(tree.pages, from);
    InnerPage.separator(tree.pages, to, left - 1, separator);
    for (int i = 0; i < right; i++) {
      inner.child(tree.pages, to, left + i, inner.child(tree.pages, from, i));
    }
    for (int i = 0; i < right - 1; i++) {
      InnerPage.separator(tree.pages, to, left + i, InnerPage.separator(tree.pages, from, i));
    }
    NodePage.count(tree.pages, to, left + right);
    int below = NodePage.messages(tree.pages, to);
    int above = NodePage.messages(tree.pages, from);
    inner.copyMessages(tree.pages, from, 0, to, below, above);
    NodePage.messages(tree.pages, to, below + above);
  }

  private int count(int page) {
    long at = store.pin(page);
    try {
      return NodePage.count(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- root

  /** Makes the only child of the root the root, as often as it has but one that can be. */
  void shrinkRoot() {
    try {
      while (shrinkRootByOne()) {
        // once for each level
      }
    } catch (RuntimeException | Error failed) {
      tree.change.abandon(failed);
      throw failed;
    }
  }

  /**
   * Returns false if the root is a leaf, has two children, or messages the child has no room for.
   */
  private boolean shrinkRootByOne() {
    int level = tree.height() - 2;
    if (level < 0) {
      return false;
    }
    int root = tree.root();
    int child;
    int messages;
    long at = store.pin(root);
    try {
      if (inner.checkedChildren(tree.pages, at) > 1) {
        return false;
      }
      child = inner.child(tree.pages, at, 0);
      messages = inner.checkedMessages(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
    boolean fits = messages == 0 || (level == 0 ? apply(root, child) : take(root, child, messages));
    if (fits) {
      store.free(root);
      tree.meta[BEpsilonStructure.ROOT] = child;
      tree.meta[BEpsilonStructure.HEIGHT]--;
    }
    return fits;
  }

  /** Applies all messages of the root to its only child, a leaf, if that has room. */
  private boolean apply(int root, int child) {
    long at = store.pin(root);
    boolean fits = false;
    try {
      long below = store.pin(child);
      try {
        int messages = inner.checkedMessages(tree.pages, at);
        merged.load(leaf, tree.pages, below, messages);
        int before = merged.count();
        merged.apply(inner, tree.pages, at, 0, messages);
        fits = merged.count() <= leaf.capacity;
        if (fits) {
          leaf.store(tree.pages, below, merged, 0, merged.count());
          tree.meta[BEpsilonStructure.LEAF_ENTRIES] += merged.count() - before;
        }
      } finally {
        store.unpin(below, fits);
      }
    } finally {
      store.unpin(at, false);
    }
    return fits;
  }

  /** Moves all messages of the root to its only child, an inner page, if that has room. */
  private boolean take(int root, int child, int messages) {
    long at = store.pin(child);
    boolean fits;
    try {
      fits = inner.checkedMessages(tree.pages, at) + messages <= inner.capacity;
    } finally {
      store.unpin(at, false);
    }
    if (fits) {
      moveMessages(root, child, 0, messages);
    }
    return fits;
  }
}
