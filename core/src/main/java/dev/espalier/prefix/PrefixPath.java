// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.prefetch.Locality;
import dev.espalier.support.AskedAhead;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The way of a cursor from the root to its leaf, from which it goes on to the leaves beside that.
 * It asks for leaves ahead: in memory for the lines of the next one, in a file for the pages of
 * several, as far as they have the same parent.
 */
final class PrefixPath {
  private final PrefixStructure tree;
  private final PageStore store;

  /** For each level its page, and the entry of it; of the leaf, the page alone. */
  private final int[] pages = new int[PrefixStructure.MAX_HEIGHT];

  private final int[] entries = new int[PrefixStructure.MAX_HEIGHT];

  /** Where scans end. */
  private @Nullable MemorySegment end;

  /** Direction of the leaves asked for so far: 1, -1, or 0 for none. */
  private int aheadSide;

  /** The parent of the furthest leaf asked for, and the entry of it that leads there. */
  private int aheadParent;

  private int aheadEntry;
  private final AskedAhead asked = new AskedAhead();

  PrefixPath(PrefixStructure tree) {
    this.tree = tree;
    this.store = tree.store;
  }

  int leaf() {
    return pages[0];
  }

  /** Goes to the leaf where a key is or belongs; returns its slot there, or {@code ~} of it. */
  int find(MemorySegment sought) {
    int number = tree.root();
    for (int level = tree.height() - 1; level > 0; level--) {
      pages[level] = number;
      long page = store.pin(number);
      try {
        entries[level] = tree.childEntry(page, sought);
        number = PageLayout.child(tree.pages, page, entries[level]);
      } finally {
        store.unpin(page, false);
      }
    }
    pages[0] = number;
    aheadSide = 0;
    return tree.searchAndUnpin(store.pin(number), sought);
  }

  /** Goes to the first leaf, or the last one. */
  void toEnd(boolean toLast) {
    descend(tree.height() - 1, tree.root(), toLast);
    aheadSide = 0;
  }

  /** Goes from a page down to the first leaf below it, or the last one. */
  private void descend(int from, int top, boolean toLast) {
    int number = top;
    for (int level = from; level > 0; level--) {
      long page = store.pin(number);
      try {
        pages[level] = number;
        entries[level] = toLast ? PageLayout.count(tree.pages, page) - 1 : 0;
        number = PageLayout.child(tree.pages, page, entries[level]);
      } finally {
        store.unpin(page, false);
      }
    }
    pages[0] = number;
  }

  /** Goes to the leaf beside this one, on one side. */
  boolean step(int side) {
    for (int level = 1; level < tree.height(); level++) {
      long page = store.pin(pages[level]);
      int entry = entries[level] + side;
      boolean isThere;
      int child;
      try {
        isThere = entry >= 0 && entry < PageLayout.count(tree.pages, page);
        child = isThere ? PageLayout.child(tree.pages, page, entry) : 0;
      } finally {
        store.unpin(page, false);
      }
      if (isThere) {
        entries[level] = entry;
        descend(level - 1, child, side < 0);
        askAhead(side);
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- ahead

  /** Asks for nothing behind a key in scans to come. */
  void scanTo(MemorySegment key) {
    end = MemorySegment.ofArray(key.toArray(ValueLayout.JAVA_BYTE));
    aheadSide = 0;
  }

  private void askAhead(int side) {
    long parent = store.pin(pages[1]);
    try {
      int last = side < 0 ? 0 : PageLayout.count(tree.pages, parent) - 1;
      if (side > 0 && end != null) {
        last = Math.min(last, tree.childEntry(parent, end));
      }
      if (store.pagesStay()) {
        prefetch(parent, (last - entries[1]) * side, side);
      } else {
        readAhead(parent, last, side);
      }
    } finally {
      store.unpin(parent, false);
    }
  }

  /** Asks for what is in use of the next leaf, and for the header of the one behind it. */
  private void prefetch(long parent, int left, int side) {
    MemorySegment memory = tree.pages;
    if (left > 0) {
      long next = place(parent, entries[1] + side);
      int count = PageLayout.count(memory, next);
      prefetch(next, PageLayout.fixedBytes(count, false));
      int top = PageLayout.top(memory, next);
      prefetch(next + top, tree.layout.pageBytes - top);
    }
    if (left > 1) {
      prefetch(place(parent, entries[1] + 2 * side), 1);
    }
  }

  /** Returns where a child is, which is so without a pin as well. */
  private long place(long parent, int entry) {
    long child = store.pin(PageLayout.child(tree.pages, parent, entry));
    store.unpin(child, false);
    return child;
  }

  private void prefetch(long at, int bytes) {
    int lines = (bytes + CacheLine.BYTES - 1) >>> CacheLine.SHIFT;
    Words.prefetch(tree.pages.address() + at, lines, Locality.T0);
  }

  private void readAhead(long parent, int last, int side) {
    if (aheadSide != side || aheadParent != pages[1]) {
      if (aheadSide != side) {
        asked.restart();
      }
      aheadSide = side;
      aheadParent = pages[1];
      aheadEntry = entries[1];
    }
    int count = Math.min((last - aheadEntry) * side, asked.wanted());
    for (int i = 0; i < count; i++) {
      aheadEntry += side;
      asked.pages[i] = PageLayout.child(tree.pages, parent, aheadEntry);
    }
    if (count > 0) {
      asked.asked(count);
      store.readAhead(asked.pages, 0, count);
    }
  }
}
