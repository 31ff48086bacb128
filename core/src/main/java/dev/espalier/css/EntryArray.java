// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import java.lang.foreign.MemorySegment;

/**
 * Entries in key order, in one memory: as two columns, or each key beside its value.
 *
 * <pre>
 *  COLUMNS
 *  0                       8 * count               valuesOffset
 *  | key 0 .. key count-1  | padding | free | ... | value 0 .. value count-1 | free |
 *
 *  PAIRS
 *  0       8         16                            16 * count
 *  | key 0 | value 0 | key 1 | value 1 | ........ | padding | free |
 * </pre>
 *
 * {@code padding} keys of {@link Keys#PADDING} always follow the last key, so that a search may
 * read whole nodes. Columns begin on line boundaries; a pair never crosses one. The entries move
 * when they outgrow their memory; once that is reserved address space, they never do again.
 */
final class EntryArray {
  /** How keys and values lie. */
  enum Arrangement {
    /** All keys, then all values. */
    COLUMNS(3),
    /** Each key beside its value, four entries to a line. */
    PAIRS(4);

    /** The bytes from one key to the next, as a power of two. */
    private final int shift;

    Arrangement(int shift) {
      this.shift = shift;
    }
  }

  private static final int BYTES_PER_ENTRY = 2 * Long.BYTES;

  static final int PAIRS_PER_LINE = CacheLine.BYTES / BYTES_PER_ENTRY;

  private final MemoryBudget budget;
  private final HugePages hugePages;
  private final Arrangement arrangement;
  private final int shift;
  private final int padding;

  private Region region;
  private long committed;

  /** Entries that there is memory for. */
  private long capacity;

  /** The memory of all entries; another one after they have outgrown it. */
  MemorySegment memory;

  /** Where the first value is; the others follow it as the keys follow the first key. */
  long valuesOffset;

  long count;

  EntryArray(MemoryBudget budget, HugePages hugePages, Arrangement arrangement, int padding) {
    this.budget = budget;
    this.hugePages = hugePages;
    this.arrangement = arrangement;
    this.shift = arrangement.shift;
    this.padding = padding;
    this.region = Region.small(bytes(0));
    this.memory = region.segment();
    moveTo(region);
    account(0);
    pad();
  }

  /** Tells whether each key lies beside its value. */
  boolean hasPairs() {
    return arrangement == Arrangement.PAIRS;
  }

  private long bytes(long entries) {
    return hasPairs() ? keyBytes(entries) : keyBytes(entries) + entries * Long.BYTES;
  }

  /** Returns the bytes of the keys and the padding, with what lies between them. */
  private long keyBytes(long entries) {
    return (((entries + padding) << shift) + CacheLine.BYTES - 1) & -CacheLine.BYTES;
  }

  /** Returns the entries that there is memory for. */
  long capacity() {
    return capacity;
  }

  /** Returns the bytes of the entries and the padding. */
  long usedBytes() {
    return bytes(count);
  }

  /** Tells whether the system granted huge pages. */
  boolean hasHugePages() {
    return region.hasHugePages();
  }

  boolean isClosed() {
    return region.isClosed();
  }

  long committedBytes() {
    return committed;
  }

  /**
   * Makes room for {@code entries} entries.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is none; nothing has changed then
   */
  void ensure(long entries) {
    if (entries > capacity) {
      grow(entries);
    } else if (region.isReserved() && bytes(entries) > committed) {
      budget.check(bytes(entries) - committed);
      budget.count(bytes(entries) - committed);
      committed = bytes(entries);
    }
  }

  private void grow(long entries) {
    long needed = bytes(entries);
    long limit = budget.left() + committed;
    budget.check(needed - committed);
    // Half as much again. Near the limit half of what is left: other parts of the index need room.
    long wanted = Math.min(bytes(entries + entries / 2), needed + (limit - needed) / 2);
    Region larger = Region.take(needed, wanted, limit, hugePages);
    long values = valuesOffset(capacity(larger));
    moveTo(
        region.outgrownBy(
            larger,
            (from, to) -> {
              MemorySegment.copy(from, 0, to, 0, count << shift);
              if (!hasPairs()) {
                MemorySegment.copy(from, valuesOffset, to, values, count << shift);
              }
            }));
    budget.count(-committed);
    account(entries);
    pad();
  }

  private void moveTo(Region next) {
    region = next;
    memory = next.segment();
    capacity = capacity(next);
    valuesOffset = valuesOffset(capacity);
  }

  private long valuesOffset(long entries) {
    return hasPairs() ? Long.BYTES : keyBytes(entries);
  }

  private long capacity(Region of) {
    long entries = of.segment().byteSize() / BYTES_PER_ENTRY;
    while (bytes(entries) > of.segment().byteSize()) {
      entries--;
    }
    return entries;
  }

  private void account(long entries) {
    committed = region.committedBytes(bytes(entries));
    budget.count(committed);
  }

  /** Writes the padding behind the last key. */
  void pad() {
    for (int i = 0; i < padding; i++) {
      putLong(memory, (count + i) << shift, Keys.PADDING);
    }
  }

  long key(long slot) {
    return getLong(memory, slot << shift);
  }

  long value(long slot) {
    return getLong(memory, valuesOffset + (slot << shift));
  }

  void value(long slot, long value) {
    putLong(memory, valuesOffset + (slot << shift), value);
  }

  /** Writes an entry; there is room for it. */
  void set(long slot, long key, long value) {
    putLong(memory, slot << shift, key);
    putLong(memory, valuesOffset + (slot << shift), value);
  }

  /** Moves {@code entries} entries with their values; the ranges may overlap. */
  void move(long from, long to, long entries) {
    long source = from << shift;
    long target = to << shift;
    Words.copy(memory, source, target, entries << shift);
    if (!hasPairs()) {
      Words.copy(memory, valuesOffset + source, valuesOffset + target, entries << shift);
    }
  }

  /** Counts the keys smaller than {@code key}, by binary search. O(log count). */
  long lowerBound(long key) {
    return lowerBound(key, count);
  }

  /** As {@link #lowerBound(long)} among the first {@code end} entries. */
  long lowerBound(long key, long end) {
    long low = 0;
    long high = end;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (key(middle) < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Searches for the keys of a group of probes by steps of one binary search, without branches on
   * keys, so that the loads of a step overlap. There is an entry.
   *
   * @param probes the probes, as a bit set
   * @param slots takes for each of them the slot of the largest key not above it, or 0
   */
  void searchGroup(long probes, long[] keys, int keysFrom, long[] slots, int slotsFrom) {
    for (long rest = probes; rest != 0; rest &= rest - 1) {
      slots[slotsFrom + Long.numberOfTrailingZeros(rest)] = 0;
    }
    long half;
    for (long length = count; length > 1; length -= half) {
      half = length >>> 1;
      for (long rest = probes; rest != 0; rest &= rest - 1) {
        int i = Long.numberOfTrailingZeros(rest);
        slots[slotsFrom + i] += key(slots[slotsFrom + i] + half) <= keys[keysFrom + i] ? half : 0;
      }
    }
  }

  /** Inserts an entry before {@code slot}; there is room for it. O(count - slot). */
  void insert(long slot, long key, long value) {
    move(slot, slot + 1, count - slot);
    set(slot, key, value);
    count++;
    pad();
  }

  /** Removes the entry in {@code slot}. O(count - slot). */
  void remove(long slot) {
    move(slot + 1, slot, count - slot - 1);
    count--;
    pad();
  }

  /** Lets growth take no memory from readers, from now on. */
  void expectReaders() {
    region.expectReaders();
  }

  /**
   * Gives way to another array, and returns that.
   *
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  EntryArray replacedBy(EntryArray other) {
    region.replacedBy(other.region);
    return other;
  }

  /** Gives the memory back; nothing may be called but {@link #isClosed}. */
  void close() {
    budget.count(-committed);
    committed = 0;
    region.close();
  }
}
