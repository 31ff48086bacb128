// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;

/**
 * Reads the elements of a level one after the other. Each page is copied when it is entered, so
 * that none stays pinned; pages of files are asked for well ahead.
 */
final class LevelReader {
  /** Pages that are asked for at once, twice as many before the first is read. */
  private static final int AHEAD = 32;

  private final PageStore store;
  private final ElementPage layout;

  /** Where the copy of the current page is. */
  private final MemorySegment scratch;

  private final long copy;
  private final int[] ahead = new int[AHEAD];

  private Level level = Level.EMPTY;
  private boolean keepsPointers;

  /** Pages entered so far, and what is left of the level's elements behind the current page. */
  private int entered;

  private long left;
  private int slot;
  private int count;
  private long noPutWord;
  private long pointerWord;

  /** The current element. */
  long key;

  long value;
  boolean isPut;
  boolean isPointer;

  LevelReader(PageStore store, ElementPage layout, MemorySegment scratch, long copy) {
    this.store = store;
    this.layout = layout;
    this.scratch = scratch;
    this.copy = copy;
  }

  /**
   * Begins with a level; {@link #next} goes to its first element.
   *
   * @param withPointers whether pointers are elements; if not, what is nothing else is passed over
   */
  void open(Level newLevel, boolean withPointers) {
    level = newLevel;
    keepsPointers = withPointers;
    entered = 0;
    left = level.elements();
    slot = -1;
    count = 0;
    if (level.pages() > 1) {
      askFor(0);
      askFor(AHEAD);
    }
  }

  private void askFor(int from) {
    int pages = Math.min(AHEAD, level.pages() - from);
    if (pages <= 0) {
      return;
    }
    for (int i = 0; i < pages; i++) {
      ahead[i] = level.firstPage() + from + i;
    }
    store.readAhead(ahead, 0, pages);
  }

  /** Goes to the next element; returns false at the end. */
  boolean next() {
    do {
      if (++slot == count && !enterPage()) {
        return false;
      }
      if ((slot & 63) == 0) {
        noPutWord = ElementPage.noPutWord(scratch, copy, slot >>> 6);
        pointerWord = layout.pointerWord(scratch, copy, slot >>> 6);
      }
      isPut = (noPutWord >>> slot & 1) == 0;
      value = layout.value(scratch, copy, slot);
    } while (!isPut && value == ElementPage.NOTHING && !keepsPointers);
    isPointer = keepsPointers && (pointerWord >>> slot & 1) != 0;
    key = layout.key(scratch, copy, slot);
    return true;
  }

  private boolean enterPage() {
    if (left == 0) {
      return false;
    }
    if (entered > 0 && entered % AHEAD == 0) {
      askFor(entered + AHEAD);
    }
    long page = store.pin(level.firstPage() + entered);
    MemorySegment.copy(store.segment(), page, scratch, copy, layout.bytes);
    store.unpin(page, false);
    entered++;
    count = (int) Math.min(left, layout.capacity);
    left -= count;
    slot = 0;
    return true;
  }

  /** Tells whether the current element is a put or a tombstone. */
  boolean isMessage() {
    return isPut || value == ElementPage.TOMBSTONE;
  }
}
