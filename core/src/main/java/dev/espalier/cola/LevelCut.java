// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;

/**
 * Takes the messages of a range out of one level where they are. Their keys stay, and so do
 * pointers; so no other element moves, and what leads to the level stays right. O(1) for each
 * element of the range.
 */
final class LevelCut {
  private final MessageLevels tree;
  private final PageStore store;
  private final ElementPage layout;

  /** Whether messages become tombstones; otherwise they become nothing. */
  private boolean hides;

  /** What the level has more, or less, so far. */
  private long messages;

  private long tombstones;

  LevelCut(MessageLevels tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.layout;
  }

  /** Makes the messages from one position up to another nothing; returns the level after that. */
  Level drop(Level level, long from, long to) {
    return cut(level, from, to, false);
  }

  /** Makes the messages from one position up to another tombstones; returns the level then. */
  Level hide(Level level, long from, long to) {
    return cut(level, from, to, true);
  }

  private Level cut(Level level, long from, long to, boolean newHides) {
    hides = newHides;
    messages = 0;
    tombstones = 0;
    for (long at = from; at < to; ) {
      long number = layout.pageOf(at);
      long start = number * layout.capacity;
      int end = (int) Math.min(to - start, layout.capacity);
      cutPage(level.firstPage() + (int) number, (int) (at - start), end);
      at = start + end;
    }
    return level.withCounts(level.messages() + messages, level.tombstones() + tombstones);
  }

  private void cutPage(int number, int from, int to) {
    long page = store.pin(number);
    boolean isChanged = false;
    try {
      for (int word = from >>> 6; word <= (to - 1) >>> 6; word++) {
        long slots = -1L >>> -Math.min(to - (word << 6), Long.SIZE);
        slots &= word == from >>> 6 ? -1L << from : -1L;
        isChanged |= cutWord(page, word, slots);
      }
    } finally {
      store.unpin(page, isChanged);
    }
  }

  /** Cuts those of 64 elements whose bits are set; returns whether that changed any. */
  private boolean cutWord(long page, int word, long slots) {
    long noPut = ElementPage.noPutWord(tree.pages, page, word);
    long puts = slots & ~noPut;
    long hidden = 0;
    for (long left = slots & noPut; left != 0; left &= left - 1) {
      int slot = (word << 6) + Long.numberOfTrailingZeros(left);
      if (layout.value(tree.pages, page, slot) == ElementPage.TOMBSTONE) {
        hidden |= left & -left;
      }
    }
    long changed = hides ? puts : puts | hidden;
    if (changed == 0) {
      return false;
    }
    long value = hides ? ElementPage.TOMBSTONE : ElementPage.NOTHING;
    for (long left = changed; left != 0; left &= left - 1) {
      layout.value(tree.pages, page, (word << 6) + Long.numberOfTrailingZeros(left), value);
    }
    ElementPage.noPutWord(tree.pages, page, word, noPut | puts);
    messages -= hides ? 0 : Long.bitCount(changed);
    tombstones += hides ? Long.bitCount(puts) : -Long.bitCount(hidden);
    return true;
  }
}
