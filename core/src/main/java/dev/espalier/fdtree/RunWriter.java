// SPDX-License-Identifier: Apache-2.0
package dev.espalier.fdtree;

import dev.espalier.memory.PageStore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Writes elements one after the other into pages, and keeps the first key of each page: those are
 * the fences of the run above.
 */
final class RunWriter {
  private final PageStore store;
  private final RunPage layout;
  private final MemorySegment page;
  private int firstPage;
  private int allocated;
  private boolean growing;
  private int written;
  private int slot;
  private int lastFence;
  private long elements;
  private long messages;
  private long tombstones;
  private long[] firstKeys = new long[16];

  RunWriter(PageStore store, RunPage layout) {
    this.store = store;
    this.layout = layout;
    this.page = Arena.ofAuto().allocate(layout.bytes, Long.BYTES);
  }

  /** Begins a run in an extent that is wide enough. */
  void open(int extent, int pages) {
    begin();
    firstPage = extent;
    allocated = pages;
    growing = false;
  }

  /** Begins a run in a store that has nothing behind its pages, which come one by one. */
  void openGrowing() {
    begin();
    firstPage = 0;
    allocated = 0;
    growing = true;
  }

  private void begin() {
    written = 0;
    slot = 0;
    lastFence = 0;
    elements = 0;
    messages = 0;
    tombstones = 0;
    RunPage.before(page, 0, 0);
  }

  boolean isEmpty() {
    return elements == 0;
  }

  void append(long key, long value, int type) {
    if (slot == layout.capacity) {
      writePage();
    }
    if (slot == 0) {
      if (written == firstKeys.length) {
        firstKeys = Arrays.copyOf(firstKeys, 2 * written);
      }
      firstKeys[written] = key;
      RunPage.before(page, 0, lastFence);
    }
    layout.set(page, 0, slot++, key, value, type);
    elements++;
    messages += RunPage.isMessage(type) ? 1 : 0;
    tombstones += type == RunPage.TOMBSTONE ? 1 : 0;
    lastFence = type == RunPage.FENCE ? (int) value : lastFence;
  }

  private void writePage() {
    if (written == allocated) {
      grow();
    }
    RunPage.count(page, 0, slot);
    long to = store.pinFresh(firstPage + written);
    try {
      long reserved = PageStore.RESERVED_BYTES;
      MemorySegment.copy(page, reserved, store.segment(), to + reserved, layout.bytes - reserved);
    } finally {
      store.unpin(to, true);
    }
    written++;
    slot = 0;
  }

  private void grow() {
    if (!growing) {
      throw new IllegalStateException(
          "a run has more elements than were counted: the index was changed by another thread");
    }
    int next = store.allocate(1);
    if (allocated == 0) {
      firstPage = next;
    } else if (next != firstPage + allocated) {
      throw new IllegalStateException(
          "page " + next + " does not follow " + (firstPage + allocated - 1) + " in a new store");
    }
    allocated++;
  }

  /** Ends the run, and gives back what is left of its extent. */
  Run finish(boolean neverEmpty) {
    if (slot > 0 || (neverEmpty && written == 0)) {
      writePage();
    }
    for (int i = written; i < allocated; i++) {
      store.free(firstPage + i);
    }
    allocated = written;
    return new Run(firstPage, written, elements, messages, tombstones);
  }

  /** Returns the first key of a page that was written. */
  long firstKey(int number) {
    return firstKeys[number];
  }

  /** Gives back what was written, and does nothing if there is nothing. */
  void discard() {
    int pages = allocated;
    allocated = 0;
    for (int i = 0; i < pages; i++) {
      store.free(firstPage + i);
    }
  }

  /** Leaves what was written to others. */
  void keep() {
    allocated = 0;
  }
}
