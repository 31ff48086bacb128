// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;

import dev.espalier.memory.PageAllocation;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * In which slot each page of an index is, and the checksum it was written with: 8 bytes a page, all
 * in memory.
 *
 * <p>In the file the map is a tree of pages. A leaf, a <em>chunk</em>, has the entries of
 * consecutive pages, and a page above it those of its children; a checkpoint writes the chunks that
 * were changed and what is above them, each into a new slot.
 *
 * <p>All calls are made under the lock of the pool's frames, but for copying the map of a snapshot.
 */
final class PageMap {
  /** The slot of a page that is given out and was never written. */
  static final int UNWRITTEN = 1;

  /** Pages of maps are told from pages of trees by this bit of their numbers. */
  private static final int MAP_PAGE = 1 << 31;

  private static final int LEVEL_SHIFT = 27;
  private static final int ENTRY_BYTES = 8;

  /**
   * Where the top page of a map is.
   *
   * @param levels of the tree of pages, 0 if there is no page
   */
  record Root(int slot, int checksum, int levels) {
    static final Root NONE = new Root(0, 0, 0);
  }

  private final int pageBytes;
  private final int perPage;

  /** By level, by number: slot and checksum. Level 0 has the pages of the index, from 1 on. */
  private final Column[] columns = new Column[8];

  /** Chunks with an entry that was changed since the last capture. */
  private final BitSet changed = new BitSet();

  /** Slots and checksums of one level. */
  private static final class Column {
    int[] slots = new int[16];
    int[] checksums = new int[16];

    void set(int number, int slot, int checksum) {
      if (number >= slots.length) {
        int length = (int) Math.min(2L * number, Integer.MAX_VALUE - 8);
        slots = Arrays.copyOf(slots, length);
        checksums = Arrays.copyOf(checksums, length);
      }
      slots[number] = slot;
      checksums[number] = checksum;
    }

    int slot(int number) {
      return number < slots.length ? slots[number] : 0;
    }
  }

  /** Begins without pages. */
  PageMap(int pageBytes) {
    this.pageBytes = pageBytes;
    this.perPage = (pageBytes - PageStore.RESERVED_BYTES) / ENTRY_BYTES;
    Arrays.setAll(columns, _ -> new Column());
  }

  /** Returns a map of its own that says the same. */
  PageMap copy() {
    PageMap copy = new PageMap(pageBytes);
    for (int level = 0; level < columns.length; level++) {
      copy.columns[level].slots = columns[level].slots.clone();
      copy.columns[level].checksums = columns[level].checksums.clone();
    }
    return copy;
  }

  /** Returns the slot of a page: 0 if it has none, {@link #UNWRITTEN} if it was never written. */
  int slot(int page) {
    return columns[0].slot(page);
  }

  /** Returns the checksum that a page was written with. */
  int checksum(int page) {
    return columns[0].checksums[page];
  }

  /** Notes where a page is. */
  void set(int page, int slot, int checksum) {
    columns[0].set(page, slot, checksum);
    changed.set(page / perPage);
  }

  /** Forgets all pages, and gives up their slots and those of the map. */
  void clear(SlotSpace space) {
    for (Column column : columns) {
      for (int slot : column.slots) {
        if (slot > UNWRITTEN) {
          space.release(slot);
        }
      }
      column.slots = new int[16];
      column.checksums = new int[16];
    }
    changed.clear();
  }

  /** Returns a number above those of all pages that have a slot. */
  int end() {
    return columns[0].slots.length;
  }

  /** Returns the slots of the map's own pages. */
  int[] ownSlots() {
    return Arrays.stream(columns)
        .skip(1)
        .flatMapToInt(column -> Arrays.stream(column.slots))
        .filter(slot -> slot != 0)
        .toArray();
  }

  /** Lets the next capture put those of the map's own pages into new slots that are from one on. */
  void renewFrom(int mark) {
    long chunks = 1;
    for (int level = 1; level < columns.length; level++, chunks *= perPage) {
      int[] slots = columns[level].slots;
      for (int number = 0; number < slots.length; number++) {
        if (slots[number] >= mark) {
          changed.set((int) (number * chunks));
        }
      }
    }
  }

  /** Returns how many pages the map has at most if it has entries for so many pages. */
  int mapPages(int top) {
    int pages = 0;
    int count = top + 1;
    while (count > 1) {
      count = Math.ceilDiv(count, perPage);
      pages += count;
    }
    return pages + 1;
  }

  // ---------------------------------------------------------------- write

  /**
   * Puts the pages of the map that have changed into new slots.
   *
   * @param numbers which pages are given out
   * @param tag of the seals
   * @param images takes the pages, which are to be written
   */
  Root capture(SlotSpace space, PageAllocation numbers, long tag, PageImages images) {
    int count = numbers.top() + 1;
    if (count == 1 && numbers.inUse() == 0) {
      return Root.NONE;
    }
    BitSet dirty = (BitSet) changed.clone();
    changed.clear();
    int level = 0;
    do {
      count = Math.ceilDiv(count, perPage);
      BitSet above = new BitSet();
      for (int number = dirty.nextSetBit(0);
          number >= 0 && number < count;
          number = dirty.nextSetBit(number + 1)) {
        captureOne(level, number, space, numbers, tag, images);
        above.set(number / perPage);
      }
      dirty = above;
      level++;
    } while (count > 1);
    return new Root(columns[level].slots[0], columns[level].checksums[0], level);
  }

  private void captureOne(
      int level, int number, SlotSpace space, PageAllocation numbers, long tag, PageImages images) {
    MemorySegment image = images.next();
    Column column = columns[level];
    long at = PageStore.RESERVED_BYTES;
    int from = number * perPage;
    for (int i = from; i < from + perPage; i++, at += ENTRY_BYTES) {
      int slot = column.slot(i);
      if (level == 0 && !space.isWritten(slot)) {
        slot = numbers.isInUse(i) ? UNWRITTEN : 0;
      }
      if (slot != 0) {
        image.set(INT, at, slot);
        image.set(INT, at + Integer.BYTES, slot == UNWRITTEN ? 0 : column.checksums[i]);
      }
    }
    Column above = columns[level + 1];
    int slot = space.replace(above.slot(number));
    above.set(number, slot, images.seal(image, slot, mapPage(level, number), tag));
  }

  private static int mapPage(int level, int number) {
    return MAP_PAGE | level << LEVEL_SHIFT | number;
  }

  // ---------------------------------------------------------------- read

  /**
   * Reads the map whose top page is given, and notes all its slots.
   *
   * @param top pages ever given out
   * @throws CorruptPageException if a page of the map is damaged, or says what can't be
   */
  static PageMap read(Root root, int top, SlotSpace space, PageReader reader, int index) {
    PageMap map = new PageMap(reader.pageBytes());
    if (root.levels() > 0) {
      map.note(space, reader, root.levels(), 0, root.slot(), root.checksum());
      for (int level = root.levels() - 1; level >= 0; level--) {
        map.readLevel(level, map.countAbove(level, top), space, reader, index);
      }
      map.changed.clear();
    }
    return map;
  }

  /** Returns how many map pages hold the entries of a level. */
  private int countAbove(int level, int top) {
    int count = top + 1;
    for (int i = 0; i <= level; i++) {
      count = Math.ceilDiv(count, perPage);
    }
    return count;
  }

  private void readLevel(int level, int count, SlotSpace space, PageReader reader, int index) {
    Column above = columns[level + 1];
    for (int number = 0; number < count; number++) {
      if (above.slot(number) == 0) {
        continue;
      }
      MemorySegment image =
          reader.read(above.slots[number], above.checksums[number], mapPage(level, number), index);
      long at = PageStore.RESERVED_BYTES;
      int from = number * perPage;
      for (int i = from; i < from + perPage; i++, at += ENTRY_BYTES) {
        int slot = image.get(INT, at);
        if (slot != 0) {
          note(space, reader, level, i, slot, image.get(INT, at + Integer.BYTES));
        }
      }
    }
  }

  private void note(
      SlotSpace space, PageReader reader, int level, int number, int slot, int checksum) {
    if (slot != UNWRITTEN || level > 0) {
      reader.claim(space, slot, number);
    }
    columns[level].set(number, slot, checksum);
  }
}
