// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The messages of a page, without pointers and holes. */
sealed class PageMessages extends MessageStream permits LevelMessages {
  final ElementPage layout;

  PageMessages(ElementPage layout) {
    super(layout.capacity);
    this.layout = layout;
  }

  @Override
  boolean refill() {
    return begin(0, true);
  }

  /**
   * Begins the block with the messages among the first {@code count} elements of a page.
   *
   * @param hasTombstones whether any may be a tombstone
   */
  final boolean load(MemorySegment pages, long page, int count, boolean hasTombstones) {
    long keysAt = page + layout.keysOffset;
    long valuesAt = page + layout.valuesOffset;
    MemorySegment.copy(pages, ValueLayout.JAVA_LONG_UNALIGNED, keysAt, keys, 0, count);
    MemorySegment.copy(pages, ValueLayout.JAVA_LONG_UNALIGNED, valuesAt, values, 0, count);
    return hasTombstones
        ? begin(keepMessages(pages, page, count), false)
        : begin(keepPuts(pages, page, count), true);
  }

  /** Moves the messages together, all of which are puts. */
  private int keepPuts(MemorySegment pages, long page, int count) {
    int kept = 0;
    int from = 0;
    for (int word = 0; word << 6 < count; word++) {
      for (long bits = ElementPage.noPutWord(pages, page, word); bits != 0; bits &= bits - 1) {
        int noPut = (word << 6) + Long.numberOfTrailingZeros(bits);
        move(from, kept, noPut - from);
        kept += noPut - from;
        from = noPut + 1;
      }
    }
    move(from, kept, count - from);
    return kept + count - from;
  }

  private void move(int from, int to, int count) {
    if (from != to) {
      System.arraycopy(keys, from, keys, to, count);
      System.arraycopy(values, from, values, to, count);
    }
  }

  /** As {@link #keepPuts} where there are tombstones. */
  private int keepMessages(MemorySegment pages, long page, int count) {
    int kept = 0;
    for (int slot = 0; slot < count; slot++) {
      boolean isPut = ElementPage.isPut(pages, page, slot);
      if (isPut || values[slot] == ElementPage.TOMBSTONE) {
        keys[kept] = keys[slot];
        values[kept] = values[slot];
        puts[kept] = isPut;
        kept++;
      }
    }
    return kept;
  }
}
