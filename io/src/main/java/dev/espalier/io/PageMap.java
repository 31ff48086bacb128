// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;

import dev.espalier.memory.PageAllocation;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The slot of each page of an index, and the checksum it was written with: 8 bytes per page, all in
 * memory.
 *
 * <p>In the file, the map is a tree of pages. A leaf, called a <em>chunk</em>, has the entries of
 * consecutive pages, and a page above it has those of its children. A checkpoint that changes few
 * entries of many chunks writes those entries alone, as {@linkplain MapDeltas deltas}; otherwise it
 * writes the changed chunks and what is above them, each into a new slot, and there are no deltas
 * any more.
 *
 * <p>All calls are made under the lock of the pool's frames, but those for the entry of a page that
 * is being read: nobody changes that meanwhile.
 */
final class PageMap {
  /** The slot of a page that is given out and was never written. */
  static final int UNWRITTEN = 1;

  /** Pages of maps are told from pages of trees by this bit of their numbers. */
  private static final int MAP_PAGE = 1 << 31;

  private static final int LEVEL_SHIFT = 27;
  private static final int ENTRY_BYTES = 8;

  /** More levels than there are, that of the pages of the index included. */
  static final int MOST_LEVELS = 8;

  /**
   * Where the top page of a map and the newest of its deltas are.
   *
   * @param levels of the tree of pages, 0 if there is no page
   * @param deltas pages of deltas
   */
  record Root(int slot, int checksum, int levels, MapDeltas.Place newest, int deltas) {
    static final Root NONE = new Root(0, 0, 0, MapDeltas.Place.NONE, 0);
  }

  private final int pageBytes;
  private final int perPage;

  /** By level, by number: slot and checksum. Level 0 has the pages of the index, from 1 on. */
  private final Column[] columns = new Column[MOST_LEVELS];

  /** Levels of the map's own pages, as they were last captured. */
  private int levels;

  final MapDeltas deltas;

  /** Pages whose entries were changed since the last capture. */
  final BitSet changed = new BitSet();

  /** Chunks with an entry that differs from the one in the chunk's page. */
  final BitSet changedChunks = new BitSet();

  /** Whether the next capture writes chunks in any case. */
  private boolean renews;

  private static final int[] NONE = {};

  /** Slots and checksums of one level; without memory until there are some. */
  private static final class Column {
    int[] slots = NONE;
    int[] checksums = NONE;

    /** Makes room for entries up to a number. */
    void makeRoom(int number) {
      if (number >= slots.length) {
        int length = (int) Math.min(Math.max(number + 1L, 2L * number), Integer.MAX_VALUE - 8);
        int[] moreSlots = Arrays.copyOf(slots, length);
        int[] moreChecksums = Arrays.copyOf(checksums, length);
        // Whoever has read a page looks at its entry without the lock, and must not see a new array
        // before what is in it.
        VarHandle.storeStoreFence();
        checksums = moreChecksums;
        slots = moreSlots;
      }
    }

    void set(int number, int slot, int checksum) {
      makeRoom(number);
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
    this.deltas = new MapDeltas(pageBytes);
    Arrays.setAll(columns, _ -> new Column());
  }

  /** Returns the slot of a page: 0 if it has none, {@link #UNWRITTEN} if it was never written. */
  int slot(int page) {
    return columns[0].slot(page);
  }

  /** Returns the checksum that a page was written with. */
  int checksum(int page) {
    return columns[0].checksums[page];
  }

  /** Notes where a page is. If there is no memory for the note, it is where it was. */
  void set(int page, int slot, int checksum) {
    // First that it is changed: an entry that is not noted so is not in the next checkpoint.
    changed.set(page);
    changedChunks.set(page / perPage);
    columns[0].set(page, slot, checksum);
  }

  /** Prepares for the notes of some pages, so that {@link #set} needs no memory for them. */
  void expect(int first, int last) {
    changed.set(first, last + 1);
    changedChunks.set(first / perPage, last / perPage + 1);
    columns[0].makeRoom(last);
  }

  /** Forgets all pages, and gives up their slots and those of the map. */
  void clear(SlotSpace space) {
    for (Column column : columns) {
      for (int slot : column.slots) {
        if (slot > UNWRITTEN) {
          space.release(slot);
        }
      }
      column.slots = NONE;
      column.checksums = NONE;
    }
    deltas.clear(space);
    levels = 0;
    changed.clear();
    changedChunks.clear();
  }

  /** Returns a number above those of all pages that have a slot. */
  int end() {
    return Math.max(1, columns[0].slots.length);
  }

  /** Returns the slots of the map's own pages. */
  int[] ownSlots() {
    IntStream inTree =
        Arrays.stream(columns).skip(1).flatMapToInt(column -> Arrays.stream(column.slots));
    return IntStream.concat(inTree.filter(slot -> slot != 0), Arrays.stream(deltas.slots()))
        .toArray();
  }

  /**
   * Lets the next capture put those of the map's own pages that are in slots from a given one on
   * into new slots.
   */
  void renewFrom(int mark) {
    long chunks = 1;
    for (int level = 1; level < columns.length; level++, chunks *= perPage) {
      int[] slots = columns[level].slots;
      for (int number = 0; number < slots.length; number++) {
        if (slots[number] >= mark) {
          changedChunks.set((int) (number * chunks));
          renews = true;
        }
      }
    }
    renews |= Arrays.stream(deltas.slots()).anyMatch(slot -> slot >= mark);
  }

  /**
   * Returns how many pages a capture writes at most if the map has entries for a given number of
   * pages.
   */
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
   * Puts what has changed of the map into new slots.
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
    int chunks = Math.ceilDiv(count, perPage);
    if (!renews && changed.isEmpty()) {
      return root();
    }
    if (renews || deltas.areToBeFolded(changed, changedChunks.cardinality(), chunks)) {
      captureChunks(chunks, space, numbers, tag, images);
    } else {
      MapDeltas.Entry entry = (image, at, page) -> putEntry(image, at, page, space, numbers);
      deltas.capture(changed, entry, space, tag, images);
    }
    changed.clear();
    return root();
  }

  private Root root() {
    Column top = columns[levels];
    boolean isTree = levels > 0;
    return new Root(
        isTree ? top.slots[0] : 0,
        isTree ? top.checksums[0] : 0,
        levels,
        deltas.newest(),
        deltas.count());
  }

  private void captureChunks(
      int chunks, SlotSpace space, PageAllocation numbers, long tag, PageImages images) {
    deltas.clear(space);
    BitSet dirty = (BitSet) changedChunks.clone();
    changedChunks.clear();
    renews = false;
    int count = chunks;
    for (levels = 0; levels == 0 || count > 1; levels++) {
      count = levels == 0 ? chunks : Math.ceilDiv(count, perPage);
      BitSet above = new BitSet();
      for (int number = dirty.nextSetBit(0);
          number >= 0 && number < count;
          number = dirty.nextSetBit(number + 1)) {
        captureOne(levels, number, space, numbers, tag, images);
        above.set(number / perPage);
      }
      dirty = above;
    }
  }

  private void captureOne(
      int level, int number, SlotSpace space, PageAllocation numbers, long tag, PageImages images) {
    MemorySegment image = images.next();
    Column column = columns[level];
    long at = PageStore.RESERVED_BYTES;
    int from = number * perPage;
    for (int i = from; i < from + perPage; i++, at += ENTRY_BYTES) {
      if (level == 0) {
        putEntry(image, at, i, space, numbers);
      } else if (column.slot(i) != 0) {
        image.set(INT, at, column.slots[i]);
        image.set(INT, at + Integer.BYTES, column.checksums[i]);
      }
    }
    Column above = columns[level + 1];
    above.makeRoom(number); // First: without it, the page would have a slot, and no entry.
    int slot = space.replace(above.slot(number));
    above.set(number, slot, images.seal(image, slot, mapPage(level, number), tag));
  }

  /** Puts the entry of a page of the index, with what its contents have come to be. */
  private void putEntry(
      MemorySegment image, long at, int page, SlotSpace space, PageAllocation numbers) {
    int slot = columns[0].slot(page);
    if (space.isWritten(slot)) {
      image.set(INT, at, slot);
      image.set(INT, at + Integer.BYTES, columns[0].checksums[page]);
    } else if (numbers.isInUse(page)) {
      image.set(INT, at, UNWRITTEN);
    }
  }

  /** Returns the number that a page of a map has in its seal. */
  static int mapPage(int level, int number) {
    return MAP_PAGE | level << LEVEL_SHIFT | number;
  }

  /** Returns the number of the first page of a level, which is the top page of some map. */
  static int top(int level) {
    return mapPage(level, 0);
  }

  /** Returns the level of a page of a map. */
  static int level(int mapPage) {
    return (mapPage & ~MAP_PAGE) >>> LEVEL_SHIFT;
  }

  /** Returns which of the pages of its level a page of a map is. */
  static int number(int mapPage) {
    return mapPage & ((1 << LEVEL_SHIFT) - 1);
  }

  /** Returns what a page of a map is called in messages. */
  static String name(int mapPage) {
    return level(mapPage) == MapDeltas.LEVEL
        ? "page %d of the changes to the map".formatted(number(mapPage))
        : "page %d in level %d of the map".formatted(number(mapPage), level(mapPage));
  }

  /**
   * Returns how many pages of the index a page of a map tells of, by itself or through those below.
   */
  static long pagesBelow(int mapPage, int pageBytes) {
    int perPage = (pageBytes - PageStore.RESERVED_BYTES) / ENTRY_BYTES;
    long pages = perPage;
    for (int level = 0; level < level(mapPage) && pages <= Integer.MAX_VALUE; level++) {
      pages *= perPage;
    }
    return pages;
  }

  // ---------------------------------------------------------------- inspect

  /**
   * Returns what is wrong with the account of changes, null if nothing is.
   *
   * @param durable what the last checkpoint says
   */
  @Nullable String faultAfter(PageMap durable, SlotSpace space) {
    boolean isCleared = levels == 0 && deltas.count() == 0; // and begins anew
    PageMap before = isCleared ? new PageMap(pageBytes) : durable;
    for (int page = 1; page < Math.max(end(), before.end()); page++) {
      boolean isSame = entry(page, space) == before.entry(page, space);
      if (!isSame && !changed.get(page)) {
        return "the entry of page %d was changed, but that is not noted".formatted(page);
      }
    }
    BitSet lacking = (BitSet) before.changedChunks.clone();
    lacking.andNot(changedChunks);
    return lacking.isEmpty()
        ? null
        : "deltas tell of chunk %d, which is not noted as changed".formatted(lacking.nextSetBit(0));
  }

  /** Returns slot and checksum of a page that was written, else 0. */
  private long entry(int page, SlotSpace space) {
    int slot = columns[0].slot(page);
    return space.isWritten(slot)
        ? ((long) slot << Integer.SIZE) | (checksum(page) & 0xffffffffL)
        : 0;
  }

  // ---------------------------------------------------------------- read

  /**
   * Reads the map whose top page is given, and notes all its slots.
   *
   * @param top pages ever given out
   * @throws CorruptPageException if a page of the map is damaged, or says something impossible
   */
  static PageMap read(Root root, int top, SlotSpace space, PageReader reader, int index) {
    PageMap map = new PageMap(reader.pageBytes());
    if (root.levels() < 0 || root.levels() >= MOST_LEVELS) {
      throw reader.corrupt(index, top(0), "should have %d levels".formatted(root.levels()));
    }
    map.levels = root.levels();
    if (root.levels() > 0) {
      reader.claim(space, root.slot(), mapPage(root.levels(), 0), index);
      map.columns[root.levels()].set(0, root.slot(), root.checksum());
      for (int level = root.levels() - 1; level >= 0; level--) {
        map.readLevel(level, top, space, reader, index);
      }
    }
    map.deltas.read(root.newest(), root.deltas(), top, space, reader, index, map::set);
    map.changed.clear();
    // Not before the deltas were read: what a chunk says may be of long ago.
    map.claimPages(space, reader, index);
    return map;
  }

  private void claimPages(SlotSpace space, PageReader reader, int index) {
    int[] slots = columns[0].slots;
    for (int page = 0; page < slots.length; page++) {
      if (slots[page] != 0 && slots[page] != UNWRITTEN) {
        reader.claim(space, slots[page], page, index);
      }
    }
  }

  /** Returns how many map pages hold the entries of a level. */
  private int countAbove(int level, int top) {
    int count = top + 1;
    for (int i = 0; i <= level; i++) {
      count = Math.ceilDiv(count, perPage);
    }
    return count;
  }

  private void readLevel(int level, int top, SlotSpace space, PageReader reader, int index) {
    int count = countAbove(level, top);
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
          if (level == 0 && (i == 0 || i > top)) {
            throw reader.corrupt(
                index, mapPage(0, number), "tells of page %d of %d".formatted(i, top));
          }
          if (level > 0) {
            reader.claim(space, slot, i, index);
          }
          columns[level].set(i, slot, image.get(INT, at + Integer.BYTES));
        }
      }
    }
  }
}
