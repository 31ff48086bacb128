// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;

/** The keys of a level's lookahead pointers, one after the other. */
final class LevelPointers {
  private final PageStore store;
  private final ElementPage layout;
  private final long[] keys;

  private Level level = Level.EMPTY;
  private int entered;
  private int at;
  private int end;

  LevelPointers(PageStore store, ElementPage layout) {
    this.store = store;
    this.layout = layout;
    this.keys = new long[layout.capacity];
  }

  void open(Level newLevel) {
    level = newLevel;
    entered = 0;
    at = 0;
    end = 0;
  }

  /** Tells whether there is one more. */
  boolean hasNext() {
    while (at == end && entered < level.pages()) {
      long page = store.pin(level.firstPage() + entered);
      try {
        read(store.segment(), page);
      } finally {
        store.unpin(page, false);
      }
      entered++;
    }
    return at < end;
  }

  private void read(MemorySegment pages, long page) {
    at = 0;
    end = 0;
    long count = Math.min(level.elements() - (long) entered * layout.capacity, layout.capacity);
    for (int word = 0; word << 6 < count; word++) {
      for (long bits = layout.pointerWord(pages, page, word); bits != 0; bits &= bits - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        keys[end++] = layout.key(pages, page, slot);
      }
    }
  }

  /** Returns the key of the next. */
  long key() {
    return keys[at];
  }

  /** Goes to the one after. */
  void advance() {
    at++;
  }
}
