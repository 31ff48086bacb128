// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.memory.PageStore;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * A cursor over the leaves after the messages on the way to them. It goes down from the root for
 * every leaf, and notes the leaf's interval, from whose ends it finds the leaves beside.
 *
 * <p>It stands on a copy into which the messages are merged. Where there are none for a leaf, and
 * pages that are not pinned stay where they are, it stands on the leaf itself.
 */
final class BEpsilonCursor extends LeafCursor {
  private final BEpsilonStructure tree;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;
  private final MergedEntries merged = new MergedEntries();

  /** For each level above the leaf, the page, and the part of its messages that is for the leaf. */
  private final int[] path = new int[BEpsilonStructure.MAX_HEIGHT];

  private final int[] from = new int[BEpsilonStructure.MAX_HEIGHT];
  private final int[] to = new int[BEpsilonStructure.MAX_HEIGHT];

  /** The leaf's interval: above {@code low}, up to {@code high}; without ends at the edges. */
  private boolean hasLow;

  private long low;
  private boolean hasHigh;
  private long high;

  /** The leaf's place in its parent. */
  private int parentSlot;

  private boolean hasEnd;
  private long endKey;

  /** The parent whose children were asked for ahead, 0 for none, and in what direction. */
  private int askedParent;

  private int askedDirection;
  private final int[] asked;

  BEpsilonCursor(BEpsilonStructure tree) {
    super(tree.modifications);
    this.tree = tree;
    this.store = tree.store;
    this.leaf = tree.leaf;
    this.inner = tree.inner;
    this.asked = new int[inner.fanout];
  }

  @Override
  protected void checkOpen() {
    tree.checkOpen();
  }

  // ---------------------------------------------------------------- seek

  /** Passes by leaves of which messages have left nothing: forward, and at the end back. */
  @Override
  protected void descend(long key) {
    askedParent = 0;
    enterLeafOf(key);
    if (entries == 0 && !enterNextWithEntries()) {
      enterPreviousWithEntries();
    }
    slot = lowerBound(key);
  }

  @Override
  protected void descendToLast() {
    askedParent = 0;
    enterLeafOf(Long.MAX_VALUE);
    if (entries == 0) {
      enterPreviousWithEntries();
    }
  }

  // ---------------------------------------------------------------- leaves

  private void enterLeafOf(long key) {
    checkOpen();
    int height = Math.min(tree.height(), path.length);
    int page = goDown(key, height);
    int messages = 0;
    for (int level = height - 1; level > 0; level--) {
      messages += findMessages(level);
    }
    long at = store.pin(page);
    try {
      if (messages == 0 && store.pagesStay()) {
        int count = leaf.checkedCount(tree.pages, at);
        enter(tree.pages, at + LeafPage.KEYS_OFFSET, at + leaf.valuesOffset, count);
        return;
      }
      merged.load(leaf, tree.pages, at, messages);
    } finally {
      store.unpin(at, false);
    }
    for (int level = 1; level < height; level++) {
      if (from[level] < to[level]) {
        apply(level);
      }
    }
    enter(merged.memory(), 0, merged.valuesOffset(), merged.count());
  }

  /** Goes down to the leaf of a key; notes the path and the leaf's interval. */
  private int goDown(long key, int height) {
    hasLow = false;
    hasHigh = false;
    int page = tree.root();
    for (int level = height - 1; level > 0; level--) {
      path[level] = page;
      long at = store.pin(page);
      try {
        int last = inner.checkedChildren(tree.pages, at) - 1;
        int child = inner.childSlot(tree.pages, at, key);
        if (child > 0) {
          hasLow = true;
          low = InnerPage.separator(tree.pages, at, child - 1);
        }
        if (child < last) {
          hasHigh = true;
          high = InnerPage.separator(tree.pages, at, child);
        }
        parentSlot = child;
        page = inner.child(tree.pages, at, child);
      } finally {
        store.unpin(at, false);
      }
    }
    // Scans end because each leaf's interval is behind the one before.
    if ((hasLow && low >= key) || (hasHigh && (high < key || high == Long.MAX_VALUE))) {
      throw new ConcurrentModificationException(
          "separators are out of order: the index was changed by another thread during a scan");
    }
    return page;
  }

  /** Finds the messages of the path's page of a level for the leaf; returns how many. */
  private int findMessages(int level) {
    long at = store.pin(path[level]);
    try {
      MemorySegment pages = tree.pages;
      int messages = inner.checkedMessages(pages, at);
      from[level] = hasLow ? inner.messagesUpTo(pages, at, messages, low) : 0;
      to[level] = hasHigh ? inner.messagesUpTo(pages, at, messages, high) : messages;
      return Math.max(to[level] - from[level], 0);
    } finally {
      store.unpin(at, false);
    }
  }

  private void apply(int level) {
    long at = store.pin(path[level]);
    try {
      merged.apply(inner, tree.pages, at, from[level], to[level]);
    } finally {
      store.unpin(at, false);
    }
  }

  @Override
  protected boolean enterNextLeaf() {
    return enterNextWithEntries();
  }

  @Override
  protected boolean enterPreviousLeaf() {
    return enterPreviousWithEntries();
  }

  private boolean enterNextWithEntries() {
    while (hasHigh) {
      readAhead(1);
      enterLeafOf(high + 1);
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  private boolean enterPreviousWithEntries() {
    while (hasLow) {
      readAhead(-1);
      enterLeafOf(low);
      if (entries > 0) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- change

  @Override
  protected void writeValue(long key, MemorySegment leafMemory, long offset, long value) {
    tree.put(key, value, true);
  }

  @Override
  protected void removeFromTree(long key) {
    tree.remove(key);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  public void scanTo(long key) {
    super.scanTo(key);
    hasEnd = true;
    endKey = key;
    askedParent = 0;
  }

  /** Asks for the leaves beside this one in its parent, once, but for none beyond the end. */
  private void readAhead(int direction) {
    int parent = path[1];
    if (tree.height() < 2 || (askedParent == parent && askedDirection == direction)) {
      return;
    }
    askedParent = parent;
    askedDirection = direction;
    int count = 0;
    long at = store.pin(parent);
    try {
      int end = direction > 0 ? inner.checkedChildren(tree.pages, at) : -1;
      for (int child = parentSlot + direction;
          child != end && !isBeyondEnd(at, child, direction);
          child += direction) {
        asked[count++] = inner.child(tree.pages, at, child);
      }
    } finally {
      store.unpin(at, false);
    }
    if (count > 0) {
      store.readAhead(asked, 0, count);
    }
  }

  private boolean isBeyondEnd(long at, int child, int direction) {
    return direction > 0 && hasEnd && InnerPage.separator(tree.pages, at, child - 1) >= endKey;
  }
}
