// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Writes the elements of a level one after the other, into pages of an extent of its own. Of every
 * stride of elements it writes the first into the level above as well: a lookahead pointer.
 */
final class LevelWriter {
  private final PageStore store;
  private final ElementPage layout;
  private final int stride;

  /** Where the page is that is being filled. */
  private final MemorySegment scratch;

  private final long page;

  private @Nullable LevelWriter above;
  private int firstPage;
  private int allocated;
  private boolean growing;
  private int written;

  private int slot;
  private long noPutWord;
  private long pointerWord;

  /** Elements until the next that is pointed to. */
  private int untilPointer;

  private long elements;
  private long messages;
  private long tombstones;
  private long pointers;

  LevelWriter(PageStore store, ElementPage layout, int stride, MemorySegment scratch, long page) {
    this.store = store;
    this.layout = layout;
    this.stride = stride;
    this.scratch = scratch;
    this.page = page;
  }

  /**
   * Begins a level in an extent that is wide enough.
   *
   * @param levelAbove takes the pointers to this level, null if there are to be none
   */
  void open(int extent, int pages, @Nullable LevelWriter levelAbove) {
    begin(levelAbove);
    firstPage = extent;
    allocated = pages;
    growing = false;
  }

  /** Begins a level in an empty store, whose pages come one by one. No pointers lead to it yet. */
  void openGrowing() {
    begin(null);
    firstPage = 0;
    allocated = 0;
    growing = true;
  }

  private void begin(@Nullable LevelWriter levelAbove) {
    above = levelAbove;
    written = 0;
    untilPointer = 0;
    elements = 0;
    messages = 0;
    tombstones = 0;
    pointers = 0;
    beginPage();
  }

  private void beginPage() {
    slot = 0;
    noPutWord = 0;
    pointerWord = 0;
    ElementPage.number(scratch, page, pointers);
    layout.clearBits(scratch, page);
  }

  /** Appends a message, which may be a pointer too. */
  void append(long key, long value, boolean isPut, boolean isPointer) {
    messages++;
    tombstones += isPut ? 0 : 1;
    write(key, value, isPut, isPointer);
  }

  /** Appends a pointer that is nothing else. */
  void appendPointer(long key) {
    write(key, ElementPage.NOTHING, false, true);
  }

  private void write(long key, long value, boolean isPut, boolean isPointer) {
    if (slot == layout.capacity) {
      writePage();
    }
    layout.set(scratch, page, slot, key, value);
    noPutWord |= (isPut ? 0L : 1L) << slot;
    pointerWord |= (isPointer ? 1L : 0L) << slot;
    pointers += isPointer ? 1 : 0;
    elements++;
    slot++;
    if ((slot & 63) == 0) {
      writeBits();
    }
    if (untilPointer == 0) {
      untilPointer = stride;
      if (above != null) {
        above.appendPointer(key);
      }
    }
    untilPointer--;
  }

  private void writeBits() {
    int word = (slot - 1) >>> 6;
    ElementPage.noPutWord(scratch, page, word, noPutWord);
    layout.pointerWord(scratch, page, word, pointerWord);
    noPutWord = 0;
    pointerWord = 0;
  }

  private void writePage() {
    if ((slot & 63) != 0) {
      writeBits();
    }
    if (written == allocated) {
      grow();
    }
    long to = store.pinFresh(firstPage + written);
    // What is the store's stays as it is.
    MemorySegment.copy(
        scratch,
        page + PageStore.RESERVED_BYTES,
        store.segment(),
        to + PageStore.RESERVED_BYTES,
        layout.bytes - (long) PageStore.RESERVED_BYTES);
    store.unpin(to, true);
    written++;
    beginPage();
  }

  private void grow() {
    if (!growing) {
      throw new IllegalStateException(
          "a level has more elements than were counted: the index was changed by another thread");
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

  /** Ends the level, gives back what is left of its extent, and returns it after one run. */
  Level finish() {
    if (slot > 0) {
      writePage();
    }
    for (int i = written; i < allocated; i++) {
      store.free(firstPage + i);
    }
    allocated = written;
    return new Level(firstPage, written, elements, messages, tombstones, 0);
  }

  /** Gives back what was written, and does nothing if there is nothing. */
  void discard() {
    int pages = allocated;
    allocated = 0;
    for (int i = 0; i < pages; i++) {
      store.free(firstPage + i);
    }
  }

  /** Says that what was written is in use. */
  void keep() {
    allocated = 0;
  }
}
