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
    for (int from = 0; from < count; from += Long.SIZE) {
      int some = Math.min(Long.SIZE, count - from);
      long puts = ~ElementPage.noPutBits(pages, page, slot + from, some);
      int end = Ordered.compress(keys, from, some, puts, kept);
      Ordered.compress(values, from, some, puts, kept);
      kept = end;
    }
    return kept;
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
