// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.getUnsignedShort;
import static dev.espalier.memory.Words.putLong;
import static dev.espalier.memory.Words.putShort;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/**
 * The segments of a packed memory array, in one piece of memory: keys and values in columns of
 * their own, then how many entries each segment has, then room for an index.
 *
 * <pre>
 *  0                                  valuesOffset            cardsOffset     indexOffset
 *  | keys 0 | keys 1 | ... | keys S-1 | values 0 | values 1 .. | card 0 1 .. | separators |
 *    keys i: | k0 k1 .. k(card-1) | gaps |       slots longs, the entries to the left
 * </pre>
 *
 * Gaps hold anything; only the cards tell them from entries. A card is two bytes, so that those of
 * a gigabyte of entries fit into a second-level cache. The layout is for the segments that there is
 * room for; an array that shrinks may use fewer.
 */
final class SegmentColumns {
  final int slots;

  /** Binary logarithm of the bytes of a segment's keys. */
  final int shift;

  /** Segments that there is room for. */
  final int room;

  final MemorySegment memory;
  final long valuesOffset;
  final long cardsOffset;
  final long indexOffset;

  private final Region region;

  /**
   * Takes memory, and makes all segments empty.
   *
   * @param indexBytes room for an index
   * @throws dev.espalier.memory.MemoryLimitException if the system refuses
   */
  SegmentColumns(int slots, int room, long indexBytes, HugePages hugePages) {
    this.slots = slots;
    this.shift = shift(slots);
    this.room = room;
    this.valuesOffset = (long) room << shift;
    this.cardsOffset = 2 * valuesOffset;
    this.indexOffset = cardsOffset + cardBytes(room);
    long bytes = indexOffset + indexBytes;
    this.region = Region.take(bytes, bytes, bytes, hugePages);
    this.memory = region.segment();
  }

  private static int shift(int slots) {
    return Integer.numberOfTrailingZeros(slots) + 3;
  }

  private static long cardBytes(long segments) {
    return (segments * Short.BYTES + CacheLine.BYTES - 1) & -CacheLine.BYTES;
  }

  /** Returns the bytes of so many segments, the index not included. */
  static long bytes(int slots, long segments) {
    return (segments << (shift(slots) + 1)) + cardBytes(segments);
  }

  long bytes() {
    return memory.byteSize();
  }

  boolean hasHugePages() {
    return region.hasHugePages();
  }

  boolean isClosed() {
    return region.isClosed();
  }

  /** Lets growth take no memory from readers, from now on. */
  void expectReaders() {
    region.expectReaders();
  }

  /**
   * Gives way to other memory, and returns that.
   *
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  SegmentColumns replacedBy(SegmentColumns other) {
    if (other.bytes() > bytes()) {
      region.outgrownBy(other.region);
    } else {
      region.replacedBy(other.region);
    }
    return other;
  }

  void close() {
    region.close();
  }

  int card(int segment) {
    return getUnsignedShort(memory, cardsOffset + 2L * segment);
  }

  void card(int segment, int count) {
    putShort(memory, cardsOffset + 2L * segment, count);
  }

  /** Returns the slot where a segment begins, counted over all segments. */
  long slot(int segment) {
    return (long) segment << (shift - 3);
  }

  /** Returns the key in a slot, counted over all segments. */
  long key(long slot) {
    return getLong(memory, slot << 3);
  }

  long value(long slot) {
    return getLong(memory, valuesOffset + (slot << 3));
  }

  void value(long slot, long value) {
    putLong(memory, valuesOffset + (slot << 3), value);
  }

  void set(long slot, long key, long value) {
    putLong(memory, slot << 3, key);
    value(slot, value);
  }

  /** Moves entries within this memory, in both columns; the ranges may overlap. */
  void move(long from, long to, long entries) {
    Words.copy(memory, from << 3, to << 3, entries << 3);
    Words.copy(memory, valuesOffset + (from << 3), valuesOffset + (to << 3), entries << 3);
  }

  /** Copies entries into other memory. */
  void copyTo(SegmentColumns target, long from, long to, long entries) {
    Words.copy(memory, from << 3, target.memory, to << 3, entries << 3);
    Words.copy(
        memory,
        valuesOffset + (from << 3),
        target.memory,
        target.valuesOffset + (to << 3),
        entries << 3);
  }

  // ---------------------------------------------------------------- rebalance

  /** Moves all entries of a window to its left end, without gaps; returns how many moved. */
  long pushLeft(int from, int to) {
    long moved = 0;
    long end = slot(from) + card(from);
    for (int segment = from + 1; segment < to; segment++) {
      long entries = card(segment);
      long source = slot(segment);
      if (source != end) {
        move(source, end, entries);
        moved += entries;
      }
      end += entries;
    }
    return moved;
  }

  /**
   * Spreads entries that are at the left end of a window evenly over its segments. From the right,
   * since no entry goes to the left: what it is written over has been moved already.
   *
   * @param entries how many there are, the new one included
   * @param rank place of the new entry among them; beyond them if there is none
   * @return how many entries moved
   */
  long spread(int from, int to, long entries, long rank, long key, long value) {
    long moved = 0;
    int width = to - from;
    long source = slot(from);
    long end = entries;
    for (int i = width - 1; i >= 0; i--) {
      long begin = share(entries, width, i);
      long target = slot(from + i);
      if (rank < begin) {
        moved += moveRight(source + begin - 1, target, end - begin);
      } else if (rank >= end) {
        moved += moveRight(source + begin, target, end - begin);
      } else {
        moved += moveRight(source + rank, target + (rank - begin) + 1, end - 1 - rank);
        set(target + (rank - begin), key, value);
        moved += moveRight(source + begin, target, rank - begin);
      }
      card(from + i, (int) (end - begin));
      end = begin;
    }
    return moved;
  }

  /** Returns how many of {@code entries} are before share {@code i} of {@code width} even ones. */
  static long share(long entries, int width, int i) {
    return i * (entries / width) + i * (entries % width) / width;
  }

  private long moveRight(long source, long target, long entries) {
    if (source == target || entries <= 0) {
      return 0;
    }
    move(source, target, entries);
    return entries;
  }
}
