// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;

import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * What has changed in a map since its chunks were written: a chain of pages in the file. The newest
 * one is known, and each names the one before.
 *
 * <pre>
 *  0      16           20               24      28                    40
 *  | seal | older slot | older checksum | count | page, slot, checksum | page, slot, checksum | ...
 * </pre>
 *
 * An entry takes precedence over entries for the same page in older pages of the chain, and over
 * the one in the chunk. The newest page is written again, elsewhere, until it is full.
 */
final class MapDeltas {
  /** In numbers of map pages a level that no map has. */
  static final int LEVEL = 15;

  /**
   * Reading all of them at an opening takes a quarter more time at most than reading the chunks.
   */
  private static final int CHUNKS_PER_PAGE = 4;

  private static final long OLDER_SLOT_AT = PageStore.RESERVED_BYTES;
  private static final long OLDER_CHECKSUM_AT = OLDER_SLOT_AT + Integer.BYTES;
  private static final long COUNT_AT = OLDER_CHECKSUM_AT + Integer.BYTES;
  private static final long ENTRIES_AT = COUNT_AT + Integer.BYTES;
  private static final int ENTRY_BYTES = 12;

  /** Where a page of the chain is. */
  record Place(int slot, int checksum) {
    static final Place NONE = new Place(0, 0);
  }

  /** Tells what a map says of a page. */
  @FunctionalInterface
  interface Entry {
    /** Puts slot and checksum of a page of the index at an offset of a page of the map. */
    void putTo(MemorySegment image, long at, int page);
  }

  /** Takes an entry that was read. */
  @FunctionalInterface
  interface Reading {
    void add(int page, int slot, int checksum);
  }

  private final int perPage;

  /** The pages of the chain, the oldest first. */
  private final List<Place> chain = new ArrayList<>();

  /** Pages of the index that have an entry in the newest page, if that has room for more. */
  private BitSet tail = new BitSet();

  MapDeltas(int pageBytes) {
    this.perPage = (int) (pageBytes - ENTRIES_AT) / ENTRY_BYTES;
  }

  /** Returns the slots of the pages. */
  int[] slots() {
    return chain.stream().mapToInt(Place::slot).toArray();
  }

  /** Returns how many pages there are. */
  int count() {
    return chain.size();
  }

  /** Returns the newest page. */
  Place newest() {
    return chain.isEmpty() ? Place.NONE : chain.getLast();
  }

  /**
   * Tells whether it is better to write chunks, and to begin with a new chain.
   *
   * @param changed pages of the index that were changed
   * @param chunks the number of chunks that were changed since the chain was begun
   * @param all the number of all chunks
   */
  boolean areToBeFolded(BitSet changed, int chunks, int all) {
    int written = Math.ceilDiv(with(changed).cardinality(), perPage);
    return chunks <= written || full() + written > Math.max(1, all / CHUNKS_PER_PAGE);
  }

  private BitSet with(BitSet changed) {
    BitSet entries = (BitSet) changed.clone();
    entries.or(tail);
    return entries;
  }

  /** Returns how many pages have no room. */
  private int full() {
    return chain.size() - (tail.isEmpty() ? 0 : 1);
  }

  /** Gives up all pages. */
  void clear(SlotSpace space) {
    chain.forEach(place -> space.release(place.slot));
    chain.clear();
    tail = new BitSet();
  }

  // ---------------------------------------------------------------- write

  /** Puts the entries of changed pages, and those of the newest page, into new slots. */
  void capture(BitSet changed, Entry entry, SlotSpace space, long tag, PageImages images) {
    if (changed.isEmpty()) {
      return;
    }
    int[] pages = with(changed).stream().toArray();
    int old = tail.isEmpty() ? 0 : chain.removeLast().slot;
    tail = new BitSet();
    for (int from = 0; from < pages.length; from += perPage) {
      int[] some = Arrays.copyOfRange(pages, from, Math.min(from + perPage, pages.length));
      MemorySegment image = images.next();
      fill(image, some, entry);
      int slot = space.replace(old);
      old = 0;
      chain.add(new Place(slot, images.seal(image, slot, number(chain.size()), tag)));
      if (some.length < perPage) {
        Arrays.stream(some).forEach(tail::set);
      }
    }
  }

  private void fill(MemorySegment image, int[] pages, Entry entry) {
    Place older = newest();
    image.set(INT, OLDER_SLOT_AT, older.slot);
    image.set(INT, OLDER_CHECKSUM_AT, older.checksum);
    image.set(INT, COUNT_AT, pages.length);
    long at = ENTRIES_AT;
    for (int page : pages) {
      image.set(INT, at, page);
      entry.putTo(image, at + Integer.BYTES, page);
      at += ENTRY_BYTES;
    }
  }

  /** Returns the number that a page of a chain has in its seal. */
  static int number(int inChain) {
    return PageMap.mapPage(LEVEL, inChain);
  }

  // ---------------------------------------------------------------- read

  /**
   * Reads a chain, and notes its slots. For each page, only the entry that counts is told.
   *
   * @param count pages of the chain
   * @param top highest number of a page of the index
   * @throws CorruptPageException if a page is damaged, or says something impossible
   */
  void read(
      Place last,
      int count,
      int top,
      SlotSpace space,
      PageReader reader,
      int index,
      Reading reading) {
    BitSet known = new BitSet();
    Place place = last;
    for (int number = count - 1; number >= 0; number--) {
      reader.claim(space, place.slot, number(number), index);
      MemorySegment image = reader.read(place.slot, place.checksum, number(number), index);
      chain.addFirst(place);
      place = new Place(image.get(INT, OLDER_SLOT_AT), image.get(INT, OLDER_CHECKSUM_AT));
      int entries = image.get(INT, COUNT_AT);
      check(entries >= 1 && entries <= perPage, reader, index, number, "has %d entries", entries);
      long at = ENTRIES_AT;
      for (int i = 0; i < entries; i++, at += ENTRY_BYTES) {
        int page = image.get(INT, at);
        check(page >= 1 && page <= top, reader, index, number, "tells of page %d", page);
        if (!known.get(page)) {
          known.set(page);
          reading.add(page, image.get(INT, at + 4), image.get(INT, at + 8));
        }
        if (number == count - 1 && entries < perPage) {
          tail.set(page);
        }
      }
    }
  }

  private static void check(
      boolean holds, PageReader reader, int index, int number, String what, int value) {
    if (!holds) {
      throw reader.corrupt(index, number(number), what.formatted(value));
    }
  }
}
