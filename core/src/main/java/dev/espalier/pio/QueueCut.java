// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Message;
import dev.espalier.support.NewestMessages;

/** What the removal of a range looks up in the operation queue, and takes out of it. */
final class QueueCut {
  /** The most sorted pages of which a part of a range has operations. */
  private static final int MOST_SORTED = 8;

  /**
   * So many operations of the sorted part move at most for each that is taken out: that takes fewer
   * lines than a deletion on its way to a leaf.
   */
  private static final int MOST_MOVED = 8;

  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage layout;
  private final OperationQueue queue;
  private final Operations none = new Operations(0);

  QueueCut(PioStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.entries;
    this.queue = tree.queue;
  }

  /** Returns the key up to which a part may go that begins at a key. */
  long endOfPart(long first) {
    int page = queue.sortedPageOf(first) + MOST_SORTED;
    return page < queue.sortedPages() ? Math.max(first, queue.firstKey(page) - 1) : Long.MAX_VALUE;
  }

  /** Returns the newest operation of each key of an interval, both ends included. */
  NewestMessages newest(long first, long last) {
    NewestMessages newest = NewestMessages.NONE;
    int sorted = queue.sortedPages();
    for (int i = sorted + queue.appendedPages() - 1; i >= sorted; i--) {
      newest = over(newest, queue.number(i), first, last);
    }
    for (int i = queue.sortedPageOf(first); i < sorted && queue.firstKey(i) <= last; i++) {
      newest = over(newest, queue.number(i), first, last);
    }
    return newest;
  }

  private NewestMessages over(NewestMessages newer, int page, long first, long last) {
    long at = store.pin(page);
    try {
      int from = layout.lowerBound(tree.pages, at, first);
      int to = layout.upperBound(tree.pages, at, last);
      return newer.over(tree.pages, at + EntryPage.HEADER_BYTES, layout.capacity, from, to);
    } finally {
      store.unpin(at, false);
    }
  }

  // ---------------------------------------------------------------- remove

  /**
   * Removes the operations of an interval, both ends included, by the thread that has the tree
   * alone. Where that would move many others, puts become deletions instead.
   */
  void remove(long first, long last) {
    for (int i = queue.sortedPages(); i < queue.sortedPages() + queue.appendedPages(); ) {
      if (isEmptied(queue.number(i), first, last)) {
        queue.dropAppended(i);
      } else {
        i++;
      }
    }
    int from = queue.sortedBelow(first);
    int count = queue.sortedUpTo(last) - from;
    if (count <= 0) {
      return;
    }
    long behind = (long) queue.sorted() - from - count;
    if (behind <= (long) MOST_MOVED * count && tree.writer.hasRoomToChange(0)) {
      queue.flushed(from, count, none);
    } else {
      deleteSorted(first, last);
    }
  }

  /** Removes the operations of an interval from a page; returns whether it has no others. */
  private boolean isEmptied(int page, long first, long last) {
    long at = store.pin(page);
    boolean changes = false;
    try {
      int from = layout.lowerBound(tree.pages, at, first);
      int to = layout.upperBound(tree.pages, at, last);
      changes = from < to;
      if (changes) {
        layout.remove(tree.pages, at, from, to);
      }
      return EntryPage.count(tree.pages, at) == 0;
    } finally {
      store.unpin(at, changes);
    }
  }

  private void deleteSorted(long first, long last) {
    int sorted = queue.sortedPages();
    for (int i = queue.sortedPageOf(first); i < sorted && queue.firstKey(i) <= last; i++) {
      long at = store.pin(queue.number(i));
      boolean changed = false;
      try {
        int to = layout.upperBound(tree.pages, at, last);
        for (int slot = layout.lowerBound(tree.pages, at, first); slot < to; slot++) {
          if (layout.kind(tree.pages, at, slot) == Message.PUT) {
            long key = EntryPage.key(tree.pages, at, slot);
            layout.set(tree.pages, at, slot, key, 0, Message.DELETE);
            changed = true;
          }
        }
      } finally {
        store.unpin(at, changed);
      }
    }
  }
}
