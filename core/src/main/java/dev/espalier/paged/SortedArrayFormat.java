// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.inpage.PageScratch;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.node.Slots;
import java.lang.foreign.MemorySegment;

/**
 * The page of the disk-optimized B+-tree (fpB+ section 3, figure 3a): one large sorted array, keys
 * before what they belong to.
 *
 * <pre>
 *  0        64                          valuesOffset
 *  | header | key 0 .. count-1 | ... | value 0 .. count-1 | ... |       leaf page: longs, longs
 *  | header | key 0 .. count-1 | ... | child 0 .. count-1 | ... |       inner page: longs, ints
 *                                       childrenOffset
 * </pre>
 *
 * 16 KiB: 1020 entries, or 1360 children. An entry's place is its slot.
 */
class SortedArrayFormat extends PageFormat {
  /** Where the keys begin in every page. */
  final int keysOffset;

  final int valuesOffset;
  final int childrenOffset;

  SortedArrayFormat(int pageBytes) {
    this(
        pageBytes,
        PageHeader.BYTES,
        (pageBytes - PageHeader.BYTES) / (2 * Long.BYTES),
        (pageBytes - PageHeader.BYTES) / (Long.BYTES + Integer.BYTES));
  }

  /** As many entries as given, whose keys begin where given. */
  SortedArrayFormat(int pageBytes, int keysOffset, int leafCapacity, int innerCapacity) {
    super(pageBytes, leafCapacity, innerCapacity);
    this.keysOffset = keysOffset;
    this.valuesOffset = pageBytes - leafCapacity * Long.BYTES;
    this.childrenOffset = pageBytes - innerCapacity * Integer.BYTES;
  }

  @Override
  long stamp() {
    return 0x5041_0000_0000_0000L | pageBytes;
  }

  @Override
  void initialize(PageScratch scratch, MemorySegment pages, long page, int number, int level) {
    PageHeader.initialize(pages, page, level);
  }

  // ---------------------------------------------------------------- search

  @Override
  int lowerBound(MemorySegment pages, long page, long key) {
    int count = PageHeader.count(pages, page);
    int slot = findSlot(pages, page, count, key);
    return slot < count ? slot : NONE;
  }

  /** Returns how many of the {@code count} keys of a page are smaller than {@code key}. */
  int findSlot(MemorySegment pages, long page, int count, long key) {
    return Keys.lowerBoundBinary(pages, page + keysOffset, count, key);
  }

  @Override
  int firstPlace(MemorySegment pages, long page) {
    return PageHeader.count(pages, page) > 0 ? 0 : NONE;
  }

  @Override
  int lastPlace(MemorySegment pages, long page) {
    return PageHeader.count(pages, page) - 1;
  }

  @Override
  int nextPlace(MemorySegment pages, long page, int place) {
    return place + 1 < PageHeader.count(pages, page) ? place + 1 : NONE;
  }

  @Override
  int previousPlace(MemorySegment pages, long page, int place) {
    return place - 1;
  }

  @Override
  long key(MemorySegment pages, long page, int place) {
    return getLong(pages, page + keysOffset + ((long) place << 3));
  }

  @Override
  long payload(MemorySegment pages, long page, int place) {
    return PageHeader.isLeaf(pages, page)
        ? getLong(pages, page + valuesOffset + ((long) place << 3))
        : getInt(pages, page + childrenOffset + ((long) place << 2));
  }

  @Override
  void payload(MemorySegment pages, long page, int place, long payload) {
    if (PageHeader.isLeaf(pages, page)) {
      putLong(pages, page + valuesOffset + ((long) place << 3), payload);
    } else {
      putInt(pages, page + childrenOffset + ((long) place << 2), (int) payload);
    }
  }

  // ---------------------------------------------------------------- change

  @Override
  boolean mayOverflow(MemorySegment pages, long page) {
    return PageHeader.count(pages, page) >= capacity(pages, page);
  }

  @Override
  boolean insert(PageScratch scratch, MemorySegment pages, long page, long key, long payload) {
    int count = PageHeader.checkedCount(pages, page, capacity(pages, page));
    if (count == capacity(pages, page)) {
      return false;
    }
    int slot = findSlot(pages, page, count, key);
    insertAt(pages, page, slot, count, key, payload);
    return true;
  }

  /** Inserts an entry before {@code slot} of a page that has room. */
  void insertAt(MemorySegment pages, long page, int slot, int count, long key, long payload) {
    Slots.openGap(pages, page + keysOffset, slot, count);
    putLong(pages, page + keysOffset + ((long) slot << 3), key);
    if (PageHeader.isLeaf(pages, page)) {
      Slots.openGap(pages, page + valuesOffset, slot, count);
    } else {
      long from = page + childrenOffset + ((long) slot << 2);
      Words.copy(pages, from, from + Integer.BYTES, (long) (count - slot) << 2);
    }
    payload(pages, page, slot, payload);
    PageHeader.count(pages, page, count + 1);
  }

  @Override
  void remove(PageScratch scratch, MemorySegment pages, long page, int place) {
    int count = PageHeader.checkedCount(pages, page, capacity(pages, page));
    Slots.closeGap(pages, page + keysOffset, place, count);
    if (PageHeader.isLeaf(pages, page)) {
      Slots.closeGap(pages, page + valuesOffset, place, count);
    } else {
      long to = page + childrenOffset + ((long) place << 2);
      Words.copy(pages, to + Integer.BYTES, to, (long) (count - place - 1) << 2);
    }
    PageHeader.count(pages, page, count - 1);
  }

  @Override
  int load(MemorySegment pages, long page, long[] keys, long[] payloads, int to) {
    int count = PageHeader.checkedCount(pages, page, capacity(pages, page));
    for (int i = 0; i < count; i++) {
      keys[to + i] = key(pages, page, i);
      payloads[to + i] = payload(pages, page, i);
    }
    return count;
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
    for (int i = 0; i < count; i++) {
      putLong(pages, page + keysOffset + ((long) i << 3), keys[from + i]);
      payload(pages, page, i, payloads[from + i]);
    }
    PageHeader.count(pages, page, count);
  }

  /** As the paper's (fpB+ 4.2.2): copies what moves, and leaves the rest where it is. */
  @Override
  void moveUpper(
      PageScratch scratch, MemorySegment pages, long page, long to, int kept, boolean isPacked) {
    int count = PageHeader.checkedCount(pages, page, capacity(pages, page));
    int moved = count - kept;
    Words.copy(pages, page + keysOffset + ((long) kept << 3), to + keysOffset, (long) moved << 3);
    if (PageHeader.isLeaf(pages, page)) {
      Words.copy(
          pages, page + valuesOffset + ((long) kept << 3), to + valuesOffset, (long) moved << 3);
    } else {
      Words.copy(
          pages,
          page + childrenOffset + ((long) kept << 2),
          to + childrenOffset,
          (long) moved << 2);
    }
    PageHeader.count(pages, to, moved);
    PageHeader.count(pages, page, kept);
  }

  // ---------------------------------------------------------------- range scan

  @Override
  int runOf(MemorySegment pages, long page, long key) {
    return 0;
  }

  @Override
  int firstRun(MemorySegment pages, long page) {
    return 0;
  }

  @Override
  int lastRun(MemorySegment pages, long page) {
    return 0;
  }

  @Override
  int nextRun(MemorySegment pages, long page, int run) {
    return NONE;
  }

  @Override
  int previousRun(MemorySegment pages, long page, int run) {
    return NONE;
  }

  @Override
  int runCount(MemorySegment pages, long page, int run) {
    return PageHeader.count(pages, page);
  }

  @Override
  int runKeysOffset(int run) {
    return keysOffset;
  }

  @Override
  int runValuesOffset(int run) {
    return valuesOffset;
  }

  // ---------------------------------------------------------------- inspect

  @Override
  void verify(MemorySegment pages, long page, int number) {
    // Count and order of the keys, which are checked for every format, are all there is.
  }
}
