// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import dev.espalier.memory.PageStore;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes the elements of a level one after the other, into pages of an extent of its own. Of every
 * stride of elements it writes the first into the level above as well: a lookahead pointer.
 */
final class LevelWriter {
  private final PageStore store;
  private final ElementPage layout;
  private final int stride;

  /** The page that is being filled, all of whose elements are written at once. */
  private final long[] keys;

  private final long[] values;
  private final long[] noPutBits;
  private final long[] pointerBits;
  private long pointersBefore;

  private @Nullable LevelWriter above;
  private int firstPage;
  private int allocated;
  private boolean growing;
  private boolean lasts;
  private int written;

  /** The first keys of the pages written, if there are to be fences. */
  private long @Nullable [] firstKeys;

  private int slot;

  /** Elements until the next that is pointed to. */
  private int untilPointer;

  private long elements;
  private long messages;
  private long tombstones;
  private long pointers;

  LevelWriter(PageStore store, ElementPage layout, int stride) {
    this.store = store;
    this.layout = layout;
    this.stride = stride;
    this.keys = new long[layout.capacity];
    this.values = new long[layout.capacity];
    this.noPutBits = new long[layout.words];
    this.pointerBits = new long[layout.words];
  }

  /**
   * Begins a level in an extent that is wide enough.
   *
   * @param levelAbove takes the pointers to this level, null if there are to be none
   * @param newLasts whether the level will last longer than others
   */
  void open(int extent, int pages, @Nullable LevelWriter levelAbove, boolean newLasts) {
    begin(levelAbove);
    lasts = newLasts;
    firstPage = extent;
    allocated = pages;
    growing = false;
  }

  /** Begins a level in an empty store, whose pages come one by one. No pointers lead to it yet. */
  void openGrowing() {
    begin(null);
    lasts = true;
    firstPage = 0;
    allocated = 0;
    growing = true;
  }

  /** Keeps the first key of each page from now on, for {@link #writeFences}. */
  void keepFences() {
    firstKeys = new long[Fences.LEAST_PAGES];
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
    pointersBefore = pointers;
    Arrays.fill(noPutBits, 0);
    Arrays.fill(pointerBits, 0);
  }

  /**
   * Appends messages, and between them the pointers of a level that this one takes the place of.
   *
   * @param dropsTombstones whether a message that is a tombstone is left out
   */
  void append(MessageStream stream, LevelPointers kept, boolean dropsTombstones) {
    while (stream.hasNext()) {
      int from = stream.at;
      int to = dropsTombstones ? stream.keepPuts() : stream.end;
      while (from < to) {
        int end = kept.hasNext() ? Ordered.lowerBoundNear(stream.keys, from, to, kept.key()) : to;
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

  /** Appends the messages {@code from} to {@code to - 1} of a block. */
  private void appendMessages(MessageStream stream, int from, int to) {
    for (int at = from; at < to; ) {
      if (slot == layout.capacity) {
        writePage();
      }
      int some = Math.min(to - at, layout.capacity - slot);
      pointTo(stream.keys, at, some);
      System.arraycopy(stream.keys, at, keys, slot, some);
      System.arraycopy(stream.values, at, values, slot, some);
      if (!stream.allPuts) {
        for (int i = 0; i < some; i++) {
          markTombstone(slot + i, stream.puts[at + i]);
        }
      }
      messages += some;
      slot += some;
      elements += some;
      at += some;
    }
  }

  /** Points to those of the next elements whose turn it is. */
  private void pointTo(long[] newKeys, int from, int count) {
    if (above == null) {
      return;
    }
    int next = untilPointer;
    for (; next < count; next += stride) {
      above.appendPointer(newKeys[from + next]);
    }
    untilPointer = next - count;
  }

  private void markTombstone(int place, boolean isPut) {
    if (!isPut) {
      noPutBits[place >>> 6] |= 1L << place;
      tombstones++;
    }
  }

  /** Appends a pointer that is nothing else. */
  private void appendPointer(long key) {
    beginElement(key);
    noPutBits[slot >>> 6] |= 1L << slot;
    setPointer(key, ElementPage.NOTHING);
  }

  /** Appends message {@code i} of a block, which is a pointer too. */
  private void appendPointer(MessageStream stream, int i) {
    beginElement(stream.keys[i]);
    markTombstone(slot, stream.allPuts || stream.puts[i]);
    messages++;
    setPointer(stream.keys[i], stream.values[i]);
  }

  private void setPointer(long key, long value) {
    keys[slot] = key;
    values[slot] = value;
    pointerBits[slot >>> 6] |= 1L << slot;
    pointers++;
    slot++;
    elements++;
  }

  /** Makes room for an element, and points to it if it is its turn. */
  private void beginElement(long key) {
    if (slot == layout.capacity) {
      writePage();
    }
    if (above == null) {
      return;
    }
    if (untilPointer == 0) {
      untilPointer = stride;
      above.appendPointer(key);
    }
    untilPointer--;
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
    try {
      ElementPage.number(store.segment(), to, pointersBefore);
      layout.writeBits(store.segment(), to, noPutBits, pointerBits);
      layout.write(store.segment(), to, keys, values);
    } finally {
      store.unpin(to, true);
    }
    if (lasts) {
      store.wontNeed(firstPage + written);
    }
    if (firstKeys != null) {
      if (written == firstKeys.length) {
        firstKeys = Arrays.copyOf(firstKeys, 2 * written);
      }
      firstKeys[written] = keys[0];
    }
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

  /** Writes the fences of the finished level. */
  void writeFences(Fences fences, int firstFence) {
    for (int i = 0; i < written; i++) {
      fences.write(firstFence, i, Objects.requireNonNull(firstKeys)[i]);
    }
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
