// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.support.Epochs;
import dev.espalier.support.Latches;
import dev.espalier.support.Message;
import dev.espalier.support.Wanted;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Looks up single keys, while other threads append to the queue and flush it. As long as a search
 * is counted in its epoch, no operation leaves the queue and no node changes; only the newest page
 * of the queue and last segments of leaves get operations, which versions tell.
 */
final class PioSearch {
  private static final long[] NONE = {};

  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage entries;
  private final InnerPage inner;
  private final Epochs epochs;
  private final Latches versions;
  private final long pageMask;

  PioSearch(PioStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.entries = tree.entries;
    this.inner = tree.inner;
    this.epochs = tree.epochs;
    this.versions = tree.versions;
    this.pageMask = -store.pageBytes();
  }

  /**
   * Finds the newest operation of a key: in the queue, or else in its leaf.
   *
   * @param absent what stands for no entry
   * @param wanted what is {@linkplain Wanted asked for}
   * @param writer takes whether there is an entry; null if nobody asks
   */
  long look(long key, long absent, long @Nullable [] wanted, @Nullable KeyLatch writer) {
    int operation = epochs.enter();
    try {
      long place = tree.queue.find(key);
      if (place != OperationQueue.NOWHERE) {
        long page = place & pageMask;
        int slot = (int) (place - page);
        return take(OperationQueue.VERSION, page, slot, key, absent, wanted, writer);
      }
      return lookInLeaf(key, absent, wanted, writer);
    } finally {
      epochs.exit(operation);
    }
  }

  private long lookInLeaf(
      long key, long absent, long @Nullable [] wanted, @Nullable KeyLatch writer) {
    MemorySegment pages = tree.pages;
    int number = tree.root();
    for (int level = tree.height() - 1; level > 1; level--) {
      long page = store.pin(number);
      try {
        number = inner.child(pages, page, inner.childSlot(pages, page, key));
      } finally {
        store.unpin(page, false);
      }
    }
    long parent = store.pin(number);
    long[] together = NONE;
    int pinned = 0;
    long value = absent;
    boolean isFound = false;
    try {
      int child = inner.childSlot(pages, parent, key);
      int segments = inner.segments(pages, parent, child);
      if (segments > 1 && !store.pagesStay() && segments < store.mostPins()) {
        together = pinSegments(parent, child, segments);
        pinned = segments;
      }
      for (int i = segments - 1; i >= 0 && !isFound; i--) {
        int segment = inner.segment(pages, parent, child, i);
        long page = pinned > 0 ? together[--pinned] : store.pin(segment);
        int slot = findOrUnpin(segment, page, key);
        if (slot >= 0) {
          isFound = true;
          value = take(segment, page, slot, key, absent, wanted, writer);
        }
      }
    } finally {
      while (pinned > 0) {
        store.unpin(together[--pinned], false);
      }
      store.unpin(parent, false);
    }
    if (!isFound && writer != null) {
      writer.wasThere = false;
    }
    return value;
  }

  /** Reads all segments at once, which takes a solid-state disk hardly longer than one. */
  private long[] pinSegments(long parent, int child, int segments) {
    long[] pinned = new long[segments];
    for (int i = 0; i < segments; i++) {
      pinned[i] = inner.segment(tree.pages, parent, child, i);
    }
    store.pinAll(pinned, 0, segments);
    return pinned;
  }

  /** Returns the slot of a key's operation in a segment that is pinned, or unpins it: -1. */
  private int findOrUnpin(int segment, long page, long key) {
    int slot = -1;
    try {
      long version;
      do {
        version = versions.version(segment);
        slot = entries.find(tree.pages, page, key);
      } while (!versions.isStill(segment, version));
    } finally {
      if (slot < 0) {
        store.unpin(page, false);
      }
    }
    return slot;
  }

  /**
   * Returns what the operation of a key says, and unpins its page.
   *
   * @param versioned whose version tells that the page has changed
   * @param at the slot where the operation was just now
   */
  private long take(
      int versioned,
      long page,
      int at,
      long key,
      long absent,
      long @Nullable [] wanted,
      @Nullable KeyLatch writer) {
    MemorySegment pages = tree.pages;
    int slot = at;
    boolean isThere;
    long value;
    long version;
    try {
      do {
        version = versions.version(versioned);
        boolean isHere =
            slot >= 0
                && slot < EntryPage.count(pages, page)
                && EntryPage.key(pages, page, slot) == key;
        slot = isHere ? slot : entries.find(pages, page, key);
        isThere = slot >= 0 && entries.kind(pages, page, slot) == Message.PUT;
        value = isThere ? entries.value(pages, page, slot) : absent;
      } while (!versions.isStill(versioned, version));
    } finally {
      store.unpin(page, false);
    }
    if (writer != null) {
      writer.wasThere = isThere;
    }
    return isThere ? Wanted.answer(value, wanted) : value;
  }
}
