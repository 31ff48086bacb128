// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.lang.foreign.MemorySegment;

/** The messages of a page or a part of one, without pointers and holes. */
sealed class PageMessages extends MessageStream permits LevelMessages {
  final ElementPage layout;

  /**
   * Makes it for pages of a layout.
   *
   * @param most elements that are read at once
   */
  PageMessages(ElementPage layout, int most) {
    super(most);
    this.layout = layout;
  }

  @Override
  boolean refill() {
    return begin(0, true);
  }

  /**
   * Begins the block with the messages among {@code count} elements of a page, from a slot on.
   *
   * @param onlyPuts whether all are puts, and maybe pointers as well
   * @param hasTombstones whether any may be a tombstone
   */
  final boolean load(
      MemorySegment pages,
      long page,
      int slot,
      int count,
      boolean onlyPuts,
      boolean hasTombstones) {
    layout.copy(pages, page, slot, count, keys, values);
    if (onlyPuts) {
      return begin(count, true);
    }
    return hasTombstones
        ? begin(keepMessages(pages, page, slot, count), false)
        : begin(keepPuts(pages, page, slot, count), true);
  }

  /** Moves the messages together, all of which are puts. */
  private int keepPuts(MemorySegment pages, long page, int slot, int count) {
    int kept = 0;
    int from = 0;
    int end = slot + count;
    for (int word = slot >>> 6; word << 6 < end; word++) {
      long bits = ElementPage.noPutWord(pages, page, word);
      for (bits &= word << 6 < slot ? -1L << slot : -1L; bits != 0; bits &= bits - 1) {
        int noPut = Math.min((word << 6) + Long.numberOfTrailingZeros(bits), end) - slot;
        move(from, kept, noPut - from);
        kept += noPut - from;
        from = Math.min(noPut + 1, count);
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
  private int keepMessages(MemorySegment pages, long page, int slot, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      boolean isPut = ElementPage.isPut(pages, page, slot + i);
      if (isPut || values[i] == ElementPage.TOMBSTONE) {
        keys[kept] = keys[i];
        values[kept] = values[i];
        puts[kept] = isPut;
        kept++;
      }
    }
    return kept;
  }
}
