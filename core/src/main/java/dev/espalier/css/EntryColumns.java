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
 * Entries in key order, in two columns of one memory.
 *
 * <pre>
 *  0                       8 * count               valuesOffset
 *  | key 0 .. key count-1  | padding | free | ... | value 0 .. value count-1 | free |
 * </pre>
 *
 * {@code padding} keys of {@link Keys#PADDING} always follow the last key, so that a search may
 * read whole nodes. Keys and values begin on line boundaries. The columns move when they outgrow
 * their memory; once that is reserved address space, they never do again.
 */
final class EntryColumns {
  private static final int BYTES_PER_ENTRY = 2 * Long.BYTES;

  private final MemoryBudget budget;
  private final HugePages hugePages;
  private final int padding;

  private Region region;
  private long committed;

  /** Entries that there is memory for. */
  private long capacity;

  /** The memory of both columns; another one after they have grown. */
  MemorySegment memory;

  long valuesOffset;
  long count;

  EntryColumns(MemoryBudget budget, HugePages hugePages, int padding) {
    this.budget = budget;
    this.hugePages = hugePages;
    this.padding = padding;
    this.region = Region.small(bytes(0));
    this.memory = region.segment();
    moveTo(region);
    account(0);
    pad();
  }

  private long bytes(long entries) {
    return keyBytes(entries) + entries * Long.BYTES;
  }

  private long keyBytes(long entries) {
    return ((entries + padding) * Long.BYTES + CacheLine.BYTES - 1) & -CacheLine.BYTES;
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
    long values = keyBytes(capacity(larger));
    moveTo(
        region.replacedBy(
            larger,
            (from, to) -> {
              MemorySegment.copy(from, 0, to, 0, count * Long.BYTES);
              MemorySegment.copy(from, valuesOffset, to, values, count * Long.BYTES);
            }));
    budget.count(-committed);
    account(entries);
    pad();
  }

  private void moveTo(Region next) {
    region = next;
    memory = next.segment();
    capacity = capacity(next);
    valuesOffset = keyBytes(capacity);
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
      putLong(memory, (count + i) << 3, Keys.PADDING);
    }
  }

  long key(long slot) {
    return getLong(memory, slot << 3);
  }

  long value(long slot) {
    return getLong(memory, valuesOffset + (slot << 3));
  }

  void value(long slot, long value) {
    putLong(memory, valuesOffset + (slot << 3), value);
  }

  /** Writes an entry; there is room for it. */
  void set(long slot, long key, long value) {
    putLong(memory, slot << 3, key);
    putLong(memory, valuesOffset + (slot << 3), value);
  }

  /** Moves {@code entries} entries, in both columns; the ranges may overlap. */
  void move(long from, long to, long entries) {
    Words.copy(memory, from << 3, to << 3, entries << 3);
    Words.copy(memory, valuesOffset + (from << 3), valuesOffset + (to << 3), entries << 3);
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

  /**
   * Gives way to another array, and returns that.
   *
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  EntryColumns replacedBy(EntryColumns other) {
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
