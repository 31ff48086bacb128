// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;

/** The messages of a level, a page at a time; pages of files are asked for well ahead. */
final class LevelMessages extends PageMessages {
  /** Pages that are asked for at once, twice as many before the first is read. */
  private static final int AHEAD = 32;

  private final PageStore store;
  private final int[] ahead = new int[AHEAD];

  private Level level = Level.EMPTY;
  private int entered;
  private boolean mergedAway;

  LevelMessages(PageStore store, ElementPage layout) {
    super(layout, layout.capacity);
    this.store = store;
  }

  /**
   * Begins with a level.
   *
   * @param isMergedAway whether its pages are given back when all are read
   */
  void open(Level newLevel, boolean isMergedAway) {
    level = newLevel;
    mergedAway = isMergedAway;
    entered = 0;
    begin(0, true);
    if (level.pages() > 1) {
      askFor(0);
      askFor(AHEAD);
    }
  }

  private void askFor(int from) {
    int pages = Math.min(AHEAD, level.pages() - from);
    for (int i = 0; i < pages; i++) {
      ahead[i] = level.firstPage() + from + i;
    }
    if (pages > 0) {
      store.readAhead(ahead, 0, pages);
    }
  }

  @Override
  boolean refill() {
    while (entered < level.pages()) {
      if (entered > 0 && entered % AHEAD == 0) {
        askFor(entered + AHEAD);
      }
      int count =
          (int) Math.min(level.elements() - (long) entered * layout.capacity, layout.capacity);
      long page = store.pin(level.firstPage() + entered);
      boolean found;
      try {
        boolean onlyPuts = level.elements() == level.messages() && level.tombstones() == 0;
        found =
            load(store.segment(), page, 0, Math.max(count, 0), onlyPuts, level.tombstones() > 0);
      } finally {
        store.unpin(page, false);
      }
      if (mergedAway) {
        store.willFree(level.firstPage() + entered);
      }
      entered++;
      if (found) {
        return true;
      }
    }
    return begin(0, true);
  }
}
