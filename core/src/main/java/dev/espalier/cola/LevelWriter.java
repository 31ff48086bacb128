// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Writes the elements of a level one after the other, into pages of an extent of its own. Of every
 * stride of elements it writes the first into the level above as well: a lookahead pointer.
 */
final class LevelWriter {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

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
    ElementPage.number(scratch, page, pointers);
    layout.clearBits(scratch, page);
  }

  /**
   * Appends messages, and between them the pointers of a level that this one takes the place of.
   *
   * @param dropsTombstones whether a message that is a tombstone is left out
   */
  void append(MessageStream stream, LevelPointers kept, boolean dropsTombstones) {
    while (stream.hasNext()) {
      int from = stream.at;
      int to = dropsTombstones && !stream.allPuts ? keepPuts(stream) : stream.end;
      while (from < to) {
        int end = kept.hasNext() ? lowerBound(stream.keys, from, to, kept.key()) : to;
        appendMessages(stream, from, end);
        from = end;
        if (end < to) {
          if (stream.keys[end] == kept.key()) {
            appendPointer(stream, end);
            from++;
          } else {
            appendPointer(kept.key());
          }
          kept.advance();
        }
      }
      stream.at = stream.end;
    }
    while (kept.hasNext()) {
      appendPointer(kept.key());
      kept.advance();
    }
  }

  /** Moves the puts of a block together, and returns where they end. */
  private static int keepPuts(MessageStream stream) {
    int kept = stream.at;
    for (int i = stream.at; i < stream.end; i++) {
      if (stream.puts[i]) {
        stream.keys[kept] = stream.keys[i];
        stream.values[kept] = stream.values[i];
        stream.puts[kept] = true;
        kept++;
      }
    }
    return kept;
  }

  private static int lowerBound(long[] keys, int from, int to, long key) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (keys[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Appends the messages {@code from} to {@code to - 1} of a block. */
  private void appendMessages(MessageStream stream, int from, int to) {
    for (int at = from; at < to; ) {
      beginElement(stream.keys[at]);
      int some = Math.min(to - at, Math.min(layout.capacity - slot, untilPointer));
      long offset = page + ((long) slot << 3);
      MemorySegment.copy(stream.keys, at, scratch, LONG, offset + layout.keysOffset, some);
      MemorySegment.copy(stream.values, at, scratch, LONG, offset + layout.valuesOffset, some);
      if (!stream.allPuts) {
        for (int i = 0; i < some; i++) {
          markTombstone(slot + i, stream.puts[at + i]);
        }
      }
      messages += some;
      endElements(some);
      at += some;
    }
  }

  private void markTombstone(int place, boolean isPut) {
    if (!isPut) {
      ElementPage.isPut(scratch, page, place, false);
      tombstones++;
    }
  }

  /** Appends a pointer that is nothing else. */
  private void appendPointer(long key) {
    beginElement(key);
    layout.set(scratch, page, slot, key, ElementPage.NOTHING);
    ElementPage.isPut(scratch, page, slot, false);
    endPointer();
  }

  /** Appends message {@code i} of a block, which is a pointer too. */
  private void appendPointer(MessageStream stream, int i) {
    beginElement(stream.keys[i]);
    layout.set(scratch, page, slot, stream.keys[i], stream.values[i]);
    markTombstone(slot, stream.allPuts || stream.puts[i]);
    messages++;
    endPointer();
  }

  private void endPointer() {
    layout.setPointer(scratch, page, slot);
    pointers++;
    endElements(1);
  }

  /** Makes room for an element, and points to it if it is its turn. */
  private void beginElement(long key) {
    if (slot == layout.capacity) {
      writePage();
    }
    if (untilPointer == 0) {
      untilPointer = stride;
      if (above != null) {
        above.appendPointer(key);
      }
    }
  }

  private void endElements(int count) {
    slot += count;
    elements += count;
    untilPointer -= count;
  }

  /** Appends pointers to every {@code stride}-th message of a level without pointers. */
  void appendPointersTo(LevelMessages level) {
    long next = 0;
    long start = 0;
    while (level.hasNext()) {
      for (; next < start + level.end; next += stride) {
        appendPointer(level.keys[(int) (next - start)]);
      }
      start += level.end;
      level.at = level.end;
    }
  }

  private void writePage() {
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

  /** Leaves what was written to others: from now on {@link #discard} does nothing. */
  void keep() {
    allocated = 0;
  }
}
