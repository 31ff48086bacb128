// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sort;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;

/** Records as they come, few enough for sorting them to stay within the cache. */
final class RecordPiece {
  /** More would take more bytes for their order than for themselves. */
  private static final int MOST_RECORDS = 1 << 14;

  private final MemorySegment memory;
  private final Comparator<Place> order;
  private final Place[] places = new Place[MOST_RECORDS];
  private long bytes;
  private int count;

  /**
   * Makes room for records.
   *
   * @param latestFirst whether, of two records with the same key, the later one comes first
   */
  RecordPiece(MemorySegment memory, boolean latestFirst) {
    this.memory = memory;
    Comparator<Place> byPlace = Comparator.comparingLong(Place::at);
    this.order =
        ((Comparator<Place>) this::compareKeys)
            .thenComparing(latestFirst ? byPlace.reversed() : byPlace);
  }

  /** Where a record is, and the first eight bytes of its key. */
  private record Place(long head, long at) {}

  private int compareKeys(Place left, Place right) {
    int heads = Long.compare(left.head, right.head);
    return heads != 0 ? heads : Records.compareKeys(memory, left.at, memory, right.at);
  }

  /** Tells whether there is room for one more record of so many bytes. */
  boolean hasRoom(long recordBytes) {
    return count < MOST_RECORDS && bytes + recordBytes <= memory.byteSize();
  }

  long bytes() {
    return bytes;
  }

  int count() {
    return count;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Counts a record whose key has been written behind those before it. */
  void added(long recordBytes) {
    places[count++] = new Place(Records.head(memory, bytes), bytes);
    bytes += recordBytes;
  }

  /** Returns the records in order, in new memory, and forgets them. */
  MemorySegment sorted(Arena arena) {
    Arrays.sort(places, 0, count, order);
    MemorySegment sorted = arena.allocate(bytes, Long.BYTES);
    long to = 0;
    for (int i = 0; i < count; i++) {
      long recordBytes = Records.bytes(memory, places[i].at);
      MemorySegment.copy(memory, places[i].at, sorted, to, recordBytes);
      to += recordBytes;
    }
    bytes = 0;
    count = 0;
    return sorted;
  }
}
