// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.inpage.PageScratch;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.CacheLine;
import dev.espalier.model.MemoryTimes;
import dev.espalier.model.MicroIndexPage;
import dev.espalier.model.PageOptimizer;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The page of the tree with micro-indices (fpB+ 3, figure 4, and 4.1): a sorted array, divided into
 * sub-arrays of whole lines, and in front of it the first key of each sub-array.
 *
 * <pre>
 *  0        64             keysOffset                    valuesOffset, childrenOffset
 *  | header | micro-index | sub-array 0 | sub-array 1 | .. | values or children |
 * </pre>
 *
 * Micro-index and keys are whole lines. Unused slots of the micro-index, and those behind the last
 * key in its sub-array, hold {@link Keys#PADDING}, so that both are searched without the count.
 */
final class MicroIndexFormat extends SortedArrayFormat {
  static final int INDEX_OFFSET = PageHeader.BYTES;

  /**
   * Tells a stamp of this format; below it are the lines of a sub-array and the bytes of a page.
   */
  private static final long STAMP = 0x4d49_0000_0000_0000L;

  private static final long STAMP_TAG = 0xffff_0000_0000_0000L;

  /** Lines of a sub-array. */
  final int subArrayLines;

  /** Keys of a sub-array; the last one of a page may be shorter. */
  final int subArraySlots;

  /** Words of the micro-index: whole lines. */
  final int indexSlots;

  /** Words of it that a search of a leaf page has to look at: whole lines. */
  final int leafIndexSlots;

  MicroIndexFormat(int pageBytes, int subArrayLines) {
    checkSubArrayLines(pageBytes, subArrayLines);
    int indexLines = indexLines(pageBytes, subArrayLines);
    int behindIndex = pageBytes / CacheLine.BYTES - 1 - indexLines;
    super(
        pageBytes,
        INDEX_OFFSET + indexLines * CacheLine.BYTES,
        leafCapacity(behindIndex),
        innerCapacity(behindIndex));
    this.subArrayLines = subArrayLines;
    this.subArraySlots = subArrayLines * CacheLine.LONGS;
    this.indexSlots = indexLines * CacheLine.LONGS;
    this.leafIndexSlots =
        Math.ceilDiv(Math.ceilDiv(leafCapacity, subArraySlots), CacheLine.LONGS) * CacheLine.LONGS;
  }

  private static void checkSubArrayLines(int pageBytes, int subArrayLines) {
    int most = Math.min(pageBytes / CacheLine.BYTES, PageOptimizer.MAX_WIDTH);
    if (subArrayLines < 1 || subArrayLines > most) {
      throw new IllegalArgumentException(
          "subArrayLines is " + subArrayLines + "; it must be from 1 to " + most);
    }
  }

  /** Returns the fewest lines of a micro-index for all sub-arrays that then fit into a page. */
  private static int indexLines(int pageBytes, int subArrayLines) {
    int indexLines = 1;
    while (indexLines * CacheLine.LONGS * subArrayLines * CacheLine.LONGS
        < innerCapacity(pageBytes / CacheLine.BYTES - 1 - indexLines)) {
      indexLines++;
    }
    return indexLines;
  }

  /** Each line of keys needs one of values. */
  private static int leafCapacity(int lines) {
    return lines / 2 * CacheLine.LONGS;
  }

  /** Each line of keys needs half a line of children. */
  private static int innerCapacity(int lines) {
    return 2 * lines / 3 * CacheLine.LONGS;
  }

  /** Returns the lines of a sub-array that the optimizer chooses for leaf pages. */
  static int bestSubArrayLines(MemoryTimes times, int pageBytes) {
    MicroIndexPage page =
        new MicroIndexPage(
            pageBytes / CacheLine.BYTES, CacheLine.BYTES, PageHeader.BYTES, Long.BYTES, Long.BYTES);
    return PageOptimizer.microIndex(times, page).subArrayLines();
  }

  /** Returns the lines of a sub-array that a stamp tells of, 0 if it is of another format. */
  static int subArrayLinesOf(long stamp) {
    return (stamp & STAMP_TAG) == STAMP ? (int) ((stamp & ~STAMP_TAG) >>> 32) : 0;
  }

  @Override
  long stamp() {
    return STAMP | (long) subArrayLines << 32 | pageBytes;
  }

  @Override
  void initialize(PageScratch scratch, MemorySegment pages, long page, int number, int level) {
    super.initialize(scratch, pages, page, number, level);
    Slots.fill(pages, page + INDEX_OFFSET, 0, indexSlots, Keys.PADDING);
    pad(pages, page, 0);
  }

  // ---------------------------------------------------------------- search

  /** As the tree's own search of inner pages, which is right in leaf pages as well. */
  @Override
  int findSlot(MemorySegment pages, long page, int count, long key) {
    int smaller = Keys.lowerBound(pages, page + INDEX_OFFSET, indexSlots, key);
    int first = Math.max(smaller - 1, 0) * subArraySlots;
    int slots = Math.min(subArraySlots, capacity(pages, page) - first);
    return first + Keys.lowerBound(pages, page + keysOffset + ((long) first << 3), slots, key);
  }

  // ---------------------------------------------------------------- change

  @Override
  void insertAt(MemorySegment pages, long page, int slot, int count, long key, long payload) {
    int place = Math.min(slot, count); // a search of keys that are no padding may go beyond
    super.insertAt(pages, page, place, count, key, payload);
    if (count % subArraySlots == 0) {
      pad(pages, page, count + 1);
    }
    rebuildIndex(pages, page, place, count + 1);
  }

  @Override
  void remove(PageScratch scratch, MemorySegment pages, long page, int place) {
    super.remove(scratch, pages, page, place);
    int count = PageHeader.count(pages, page);
    putLong(pages, page + keysOffset + ((long) count << 3), Keys.PADDING);
    rebuildIndex(pages, page, place, count);
  }

  @Override
  void store(
      PageScratch scratch,
      MemorySegment pages,
      long page,
      long[] keys,
      long[] payloads,
      int from,
      int count) {
    super.store(scratch, pages, page, keys, payloads, from, count);
    pad(pages, page, count);
    rebuildIndex(pages, page, 0, count);
    padIndex(pages, page, count);
  }

  @Override
  void moveUpper(
      PageScratch scratch, MemorySegment pages, long page, long to, int kept, boolean isPacked) {
    super.moveUpper(scratch, pages, page, to, kept, isPacked);
    int moved = PageHeader.count(pages, to);
    pad(pages, to, moved);
    rebuildIndex(pages, to, 0, moved);
    pad(pages, page, kept);
    padIndex(pages, page, kept);
  }

  /** Pads the micro-index behind the sub-arrays of {@code count} keys. */
  private void padIndex(MemorySegment pages, long page, int count) {
    Slots.fill(
        pages, page + INDEX_OFFSET, Math.ceilDiv(count, subArraySlots), indexSlots, Keys.PADDING);
  }

  /** Pads the sub-array of the last of {@code count} keys, or the first one, behind it. */
  private void pad(MemorySegment pages, long page, int count) {
    int end = Math.max(Math.ceilDiv(count, subArraySlots), 1) * subArraySlots;
    int slots = Math.min(end, capacity(pages, page));
    Slots.fill(pages, page + keysOffset, count, slots, Keys.PADDING);
  }

  /**
   * Sets the micro-index right after the keys from {@code slot} on have moved by one: the first key
   * of each sub-array that begins there, and padding for one that has become empty.
   */
  private void rebuildIndex(MemorySegment pages, long page, int slot, int count) {
    int subArrays = Math.ceilDiv(count, subArraySlots);
    for (int i = Math.ceilDiv(slot, subArraySlots); i < subArrays; i++) {
      indexKey(pages, page, i, key(pages, page, i * subArraySlots));
    }
    if (subArrays < indexSlots) {
      indexKey(pages, page, subArrays, Keys.PADDING);
    }
  }

  static long indexKey(MemorySegment pages, long page, int i) {
    return getLong(pages, page + INDEX_OFFSET + ((long) i << 3));
  }

  static void indexKey(MemorySegment pages, long page, int i, long key) {
    putLong(pages, page + INDEX_OFFSET + ((long) i << 3), key);
  }

  // ---------------------------------------------------------------- inspect

  @Override
  void verify(MemorySegment pages, long page, int number) {
    int count = PageHeader.count(pages, page);
    int subArrays = Math.ceilDiv(count, subArraySlots);
    for (int i = 0; i < indexSlots; i++) {
      long expected = i < subArrays ? key(pages, page, i * subArraySlots) : Keys.PADDING;
      long actual = indexKey(pages, page, i);
      if (actual != expected) {
        throw new InvariantViolationException(
            "I9",
            "in page %d, entry %d of the micro-index is %d, not %d"
                .formatted(number, i, actual, expected));
      }
    }
    int end = Math.min(Math.max(subArrays, 1) * subArraySlots, capacity(pages, page));
    for (int slot = count; slot < end; slot++) {
      if (key(pages, page, slot) != Keys.PADDING) {
        throw new InvariantViolationException(
            "I10",
            "in page %d, slot %d behind the %d keys is not padded".formatted(number, slot, count));
      }
    }
  }
}
