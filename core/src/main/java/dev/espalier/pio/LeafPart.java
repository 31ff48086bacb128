// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;
import dev.espalier.support.CursorMemory;
import java.lang.foreign.MemorySegment;

/**
 * A part of a leaf as it is at one moment, after the operations that the queue has for it. How much
 * that is depends on what the pages have: no more than so many operations of any of them. So a
 * short scan does not merge a long queue.
 */
final class LeafPart {
  private final PioStructure tree;
  private final PageStore store;
  private final EntryPage layout;
  private final OperationQueue queue;

  /** Segments that are pinned, all together. */
  private final long[] pinned;

  /** Copies of what two pages have that may be changed meanwhile: last segment, newest page. */
  private final MemorySegment segment;

  private final MemorySegment newest;

  /** The part's keys, both included. */
  long low;

  long high;

  /** Its entries, all of them puts. */
  final Operations entries;

  /** How many keys were looked at, removed ones among them. */
  int looked;

  private int most;
  private boolean forward;

  LeafPart(PioStructure tree) {
    this.tree = tree;
    this.store = tree.store;
    this.layout = tree.entries;
    this.queue = tree.queue;
    this.pinned = new long[Math.min(tree.inner.leafSegments, store.mostPins())];
    this.segment = CursorMemory.allocate(store.pageBytes());
    this.newest = CursorMemory.allocate(store.pageBytes());
    this.entries = new Operations(layout.capacity);
  }

  /**
   * Reads what a leaf has of an interval, or the first part of that, going back the last; within an
   * epoch, in which no operation leaves the queue.
   *
   * @param most operations of one page, and of the sorted part of the queue
   */
  void read(LeafPath path, long from, long to, int most, boolean forward) {
    low = from;
    high = to;
    this.most = most;
    this.forward = forward;
    int sorted = queue.sortedPages();
    int pages = sorted + queue.appendedPages();
    int last = path.segments[path.segmentCount - 1];
    copy(last, last, segment);
    if (pages > sorted) {
      copy(queue.number(pages - 1), OperationQueue.VERSION, newest);
    }
    if (isCut()) {
      cutSegments(path);
      for (int i = sorted; i < pages - 1; i++) {
        cutPage(queue.number(i));
      }
    }
    cutSorted();
    merge(path, sorted, pages);
    entries.keep(low, high);
    looked = entries.count;
    entries.dropDeletes();
  }

  /** Tells whether a page may have more operations than there are to be. */
  private boolean isCut() {
    return most < layout.capacity;
  }

  // ---------------------------------------------------------------- cut

  /** Copies what a page has of the interval, which is cut if that is too much; or all of it. */
  private void copy(int page, int versioned, MemorySegment to) {
    long at = store.pin(page);
    try {
      if (!isCut()) {
        layout.copyPage(tree.pages, at, to, tree.versions, versioned);
        return;
      }
      long version;
      do {
        version = tree.versions.version(versioned);
        layout.copyPart(tree.pages, at, to, low, high, most, forward);
      } while (!tree.versions.isStill(versioned, version));
    } finally {
      store.unpin(at, false);
    }
    int count = EntryPage.count(to, 0);
    if (count == most) {
      cutAt(EntryPage.key(to, 0, forward ? count - 1 : 0));
    }
  }

  private void cutAt(long key) {
    if (forward) {
      high = Math.min(high, key);
    } else {
      low = Math.max(low, key);
    }
  }

  private void cutSegments(LeafPath path) {
    int stable = path.segmentCount - 1;
    for (int done = 0; done < stable; done += pinned.length) {
      int count = pin(path, done, stable);
      int cut = 0;
      try {
        for (; cut < count; cut++) {
          cut(pinned[cut]);
          store.unpin(pinned[cut], false);
        }
      } finally {
        unpin(cut, count);
      }
    }
  }

  private void cutPage(int page) {
    long at = store.pin(page);
    try {
      cut(at);
    } finally {
      store.unpin(at, false);
    }
  }

  private void cut(long at) {
    int slot =
        forward
            ? layout.lowerBound(tree.pages, at, low) + most - 1
            : layout.upperBound(tree.pages, at, high) - most;
    if (slot >= 0 && slot < layout.checkedCount(tree.pages, at)) {
      cutAt(EntryPage.key(tree.pages, at, slot));
    }
  }

  private void cutSorted() {
    int slot = forward ? queue.sortedBelow(low) + most - 1 : queue.sortedUpTo(high) - most;
    if (slot >= 0 && slot < queue.sorted()) {
      cutAt(queue.sortedKey(slot));
    }
  }

  // ---------------------------------------------------------------- merge

  /** Merges what the pages have of the interval, the oldest first. */
  private void merge(LeafPath path, int sorted, int pages) {
    entries.clear();
    int stable = path.segmentCount - 1;
    for (int done = 0; done < stable; done += pinned.length) {
      int count = pin(path, done, stable);
      int applied = 0;
      try {
        for (; applied < count; applied++) {
          apply(tree.pages, pinned[applied]);
          store.unpin(pinned[applied], false);
        }
      } finally {
        unpin(applied, count);
      }
    }
    apply(segment, 0);
    for (int i = queue.sortedPageOf(low); i < sorted && queue.firstKey(i) <= high; i++) {
      applyPage(queue.number(i));
    }
    for (int i = sorted; i < pages - 1; i++) {
      applyPage(queue.number(i));
    }
    if (pages > sorted) {
      apply(newest, 0);
    }
  }

  private void applyPage(int page) {
    long at = store.pin(page);
    try {
      apply(tree.pages, at);
    } finally {
      store.unpin(at, false);
    }
  }

  private void apply(MemorySegment memory, long at) {
    int from = layout.lowerBound(memory, at, low);
    int to = layout.upperBound(memory, at, high);
    if (from < to) {
      entries.apply(layout, memory, at, from, to);
    }
  }

  /** Pins segments from one on, which are read together; returns how many. */
  private int pin(LeafPath path, int from, int end) {
    int count = Math.min(pinned.length, end - from);
    for (int i = 0; i < count; i++) {
      pinned[i] = path.segments[from + i];
    }
    store.pinAll(pinned, 0, count);
    return count;
  }

  private void unpin(int from, int to) {
    for (int i = from; i < to; i++) {
      store.unpin(pinned[i], false);
    }
  }
}
