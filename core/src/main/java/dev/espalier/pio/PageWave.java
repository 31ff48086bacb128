// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.memory.PageStore;

/** Pages that are read together, at most PioMax of them. */
final class PageWave {
  private final PageStore store;

  /** The numbers of the pages; their places while they are pinned. */
  private final long[] pages;

  private int count;

  PageWave(PioStructure tree) {
    this.store = tree.store;
    this.pages = new long[Math.min(tree.geometry.pioMax(), store.mostPins() - 2)];
  }

  /** Returns the most pages. */
  int width() {
    return pages.length;
  }

  boolean isFull() {
    return count == pages.length;
  }

  /** Adds a page. When there are as many as may be, they are brought into memory. */
  void bring(int page) {
    add(page);
    if (isFull()) {
      bring();
    }
  }

  /** Brings the pages into memory, where they are left for what comes next. */
  void bring() {
    pin();
    unpin();
  }

  void add(int page) {
    pages[count++] = page;
  }

  /** Pins the pages that were added; if that fails, there are none. */
  void pin() {
    int some = count;
    count = 0;
    store.pinAll(pages, 0, some);
    count = some;
  }

  /** Returns the place of a page that is pinned. */
  long at(int i) {
    return pages[i];
  }

  /** Gives the pages back, which have not changed; there are none then. */
  void unpin() {
    for (int i = 0; i < count; i++) {
      store.unpin(pages[i], false);
    }
    count = 0;
  }
}
