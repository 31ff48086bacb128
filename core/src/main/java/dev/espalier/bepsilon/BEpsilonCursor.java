// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import dev.espalier.memory.PageStore;
import dev.espalier.support.DeadRanges;
import dev.espalier.support.DeadWalk;
import dev.espalier.support.LeafCursor;
import java.lang.foreign.MemorySegment;
import java.util.ConcurrentModificationException;

/**
 * A cursor over the leaves after the messages on the way to them. It goes down from the root for
 * every leaf, and notes the interval of which it has all entries, from whose ends it goes on.
 *
 * <p>It stands on a copy of a part of a leaf, into which the messages are merged: a small one after
 * a seek, then the rest. Where there are no messages for a leaf, and pages that are not pinned stay
 * where they are, it stands on the leaf itself.
 */
final class BEpsilonCursor extends LeafCursor {
  /** Elements of a part, of the leaf and of each buffer, after a seek; then there is no limit. */
  private static final int FIRST_PART = 16;

  private static final int MOST_PART = Integer.MAX_VALUE;

  private final BEpsilonStructure tree;
  private final PageStore store;
  private final LeafPage leaf;
  private final InnerPage inner;
  private final MergedEntries merged = new MergedEntries();

  /** For each level above the leaf, the page, and the part of its messages that is for the leaf. */
  private final int[] path = new int[BEpsilonStructure.MAX_HEIGHT];

  private final int[] from = new int[BEpsilonStructure.MAX_HEIGHT];
  private final int[] to = new int[BEpsilonStructure.MAX_HEIGHT];

  /** Most elements of the next part. */
  private int part = FIRST_PART;

  /** What was removed before the next entry. */
  private final DeadWalk walk;

  /**
   * The interval of the leaf, or of the part of it: above {@code low}, up to {@code high}; without
   * ends at the edges.
   */
  private boolean hasLow;

  private long low;
  private boolean hasHigh;
  private long high;

  /** Whether the part ends before the leaf does. */
  private boolean isCut;

  /** The leaf's place in its parent. */
  private int parentSlot;

  private boolean hasEnd;
  private long endKey;

  /** The parent whose children were asked for ahead, 0 for none, and in what direction. */
  private int askedParent;

  private int askedDirection;
  private final int[] asked;

  /** Makes a cursor that skips these ranges, and adds to them. */
  BEpsilonCursor(BEpsilonStructure tree, DeadRanges dead) {
    super(tree.modifications);
    this.tree = tree;
    this.walk = new DeadWalk(dead, tree.modifications);
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

  @Override
  protected void descend(long key) {
    askedParent = 0;
    part = FIRST_PART;
    goForward(walk.begin(key, true), true);
  }

  @Override
  protected void descendToLast() {
    askedParent = 0;
    part = FIRST_PART;
    goBack(walk.begin(Long.MAX_VALUE, false));
  }

  // ---------------------------------------------------------------- leaves

  /**
   * Enters what a leaf has from a key on, or up to it going back, or the next part of that. A leaf
   * without messages is entered from its beginning where one has sought a key in it.
   *
   * @return the number of entries and messages that were looked at, 1 at least
   */
  private int enterPart(long key, boolean forward, boolean isSeek) {
    checkOpen();
    int height = Math.min(tree.height(), path.length);
    int page = goDown(key, height);
    int messages = findMessages(height, true);
    int first = 0;
    int end = Integer.MAX_VALUE;
    isCut = false;
    if (messages > 0 || !isSeek) {
      if (!isEdge(key, forward)) {
        startAt(key, forward);
        messages = findMessages(height, false);
        first = entriesUpToLow(page);
        end = entriesUpToHigh(page);
      }
      if (messages > 0) {
        cut(page, first, end, height, forward);
      }
      if (isCut) {
        messages = findMessages(height, false);
        first = forward ? first : entriesUpToLow(page);
        end = forward ? entriesUpToHigh(page) : end;
      }
    }
    long at = store.pin(page);
    try {
      int count = Math.max(0, Math.min(end, leaf.checkedCount(tree.pages, at)) - first);
      if (messages == 0 && store.pagesStay()) {
        long from = at + ((long) first << 3);
        enter(tree.pages, from + LeafPage.KEYS_OFFSET, from + leaf.valuesOffset, count);
        return Math.max(1, count);
      }
      merged.load(leaf, tree.pages, at, first, count, messages);
    } finally {
      store.unpin(at, false);
    }
    int elements = merged.count() + messages;
    for (int level = 1; level < height; level++) {
      if (from[level] < to[level]) {
        apply(level);
      }
    }
    enter(merged.memory(), 0, merged.valuesOffset(), merged.count());
    return Math.max(1, elements);
  }

  /** Tells whether the interval begins at a key; going back, ends there. */
  private boolean isEdge(long key, boolean forward) {
    if (forward) {
      return hasLow ? key == low + 1 : key == Long.MIN_VALUE;
    }
    return key == (hasHigh ? high : Long.MAX_VALUE);
  }

  /** Has the interval begin at a key; going back, end there. */
  private void startAt(long key, boolean forward) {
    if (forward) {
      hasLow = key > Long.MIN_VALUE;
      low = hasLow ? key - 1 : key;
    } else {
      hasHigh = key < Long.MAX_VALUE;
      high = key;
    }
  }

  /** Has the interval be so short that no more than a part's elements of any source are in it. */
  private void cut(int page, int first, int most, int height, boolean forward) {
    int end = Math.min(most, count(page));
    if (end - first > part) {
      cutAt(entryKey(page, forward ? first + part - 1 : end - part), forward);
    }
    for (int level = height - 1; level > 0; level--) {
      if (to[level] - from[level] > part) {
        long at = store.pin(path[level]);
        int last = forward ? from[level] + part - 1 : to[level] - part;
        long key = inner.messageKey(tree.pages, at, last);
        store.unpin(at, false);
        cutAt(key, forward);
      }
    }
    part = MOST_PART;
  }

  /** Has the interval end at a key if it does not end before. */
  private void cutAt(long key, boolean forward) {
    if (forward && (!hasHigh || key < high)) {
      hasHigh = key < Long.MAX_VALUE;
      high = key;
    } else if (!forward && key > Long.MIN_VALUE && (!hasLow || key - 1 > low)) {
      hasLow = true;
      low = key - 1;
    }
    isCut = true;
  }

  private int entriesUpToLow(int page) {
    return hasLow ? entriesUpTo(page, low) : 0;
  }

  private int entriesUpToHigh(int page) {
    return entriesUpTo(page, hasHigh ? high : Long.MAX_VALUE);
  }

  private int entriesUpTo(int page, long key) {
    long at = store.pin(page);
    try {
      return leaf.upperBound(tree.pages, at, key);
    } finally {
      store.unpin(at, false);
    }
  }

  private int count(int page) {
    long at = store.pin(page);
    try {
      return leaf.checkedCount(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  private long entryKey(int page, int slot) {
    long at = store.pin(page);
    long key = LeafPage.key(tree.pages, at, slot);
    store.unpin(at, false);
    return key;
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

  /** Finds the messages for the interval: at all levels, or where some were found before. */
  private int findMessages(int height, boolean everywhere) {
    int messages = 0;
    for (int level = height - 1; level > 0; level--) {
      messages += everywhere || from[level] < to[level] ? findMessages(level) : 0;
    }
    return messages;
  }

  /** Finds the messages of the path's page of a level for the interval; returns how many. */
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
    if (!hasHigh) {
      return false;
    }
    long next = walk.begin(entries > 0 ? leafKey(entries - 1) + 1 : high + 1, true);
    readAhead(1);
    return goForward(Math.max(next, high + 1), false);
  }

  @Override
  protected boolean enterPreviousLeaf() {
    if (!hasLow) {
      return false;
    }
    long next = walk.begin(entries > 0 ? leafKey(0) - 1 : low, false);
    readAhead(-1);
    return goBack(Math.min(next, low));
  }

  /** Enters the first part from a key on of which messages have left something, if there is one. */
  private boolean goForward(long from, boolean isSeek) {
    long key = from;
    int elements = enterPart(key, true, isSeek);
    while (entries == 0) {
      if (!hasHigh) {
        walk.pass(key, Long.MAX_VALUE, elements);
        walk.end();
        slot = 0;
        return false;
      }
      long next = walk.pass(key, high, elements);
      readAhead(1);
      key = next == high ? high + 1 : next;
      elements = enterPart(key, true, false);
    }
    slot = lowerBound(key);
    if (slot < entries) {
      walk.meet(leafKey(slot));
    }
    return true;
  }

  /** Enters the last part up to a key of which messages have left something, if there is one. */
  private boolean goBack(long from) {
    long key = from;
    int elements = enterPart(key, false, false);
    while (entries == 0) {
      if (!hasLow) {
        walk.pass(key, Long.MIN_VALUE, elements);
        walk.end();
        return false;
      }
      long next = walk.pass(key, low + 1, elements);
      readAhead(-1);
      key = next == low + 1 ? low : next;
      elements = enterPart(key, false, false);
    }
    walk.meet(leafKey(entries - 1));
    return true;
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

  /**
   * Asks for the leaves beside this one in its parent, once, but for none beyond the end, and not
   * while there are more parts of this one.
   */
  private void readAhead(int direction) {
    int parent = path[1];
    if (isCut || tree.height() < 2 || (askedParent == parent && askedDirection == direction)) {
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
