// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.CacheLine;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.Region;
import java.lang.foreign.MemorySegment;

/** One bit for each slot of the array, set when its entry was removed. */
final class RemovedSlots {
  private final MemoryBudget budget;
  private Region region = Region.small(CacheLine.BYTES);
  private MemorySegment words = region.segment();
  private long committed = words.byteSize();

  /** Slots that there are bits for. */
  private long slots;

  /** How many bits are set. */
  long count;

  RemovedSlots(MemoryBudget budget) {
    this.budget = budget;
    budget.count(committed);
  }

  private static long bytes(long slots) {
    return (slots / Long.SIZE + 1) * Long.BYTES;
  }

  /** Returns the number of slots that have a bit: a whole number of words. */
  long bits() {
    return bytes(slots) * Byte.SIZE;
  }

  long usedBytes() {
    return bytes(slots);
  }

  long committedBytes() {
    return committed;
  }

  /**
   * Makes room for the bits of {@code slots} slots.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is none; nothing has changed then
   */
  void ensure(long slots) {
    long needed = bytes(slots);
    if (needed <= words.byteSize()) {
      return;
    }
    budget.check(needed - committed);
    long wanted = Math.min(needed + needed / 2, budget.left() + committed);
    Region larger = Region.take(needed, wanted, wanted, HugePages.OFF);
    region =
        region.outgrownBy(
            larger, (from, to) -> MemorySegment.copy(from, 0, to, 0, from.byteSize()));
    words = larger.segment();
    budget.count(words.byteSize() - committed);
    committed = words.byteSize();
  }

  /** Clears all, for {@code slots} slots from now on; there is room for them. */
  void reset(long slots) {
    this.slots = slots;
    count = 0;
    words.asSlice(0, bytes(slots)).fill((byte) 0);
  }

  boolean contains(long slot) {
    return (getLong(words, word(slot)) & bit(slot)) != 0;
  }

  void add(long slot) {
    putLong(words, word(slot), getLong(words, word(slot)) | bit(slot));
    count++;
  }

  void remove(long slot) {
    putLong(words, word(slot), getLong(words, word(slot)) & ~bit(slot));
    count--;
  }

  /** Returns the first slot from {@code from} on whose bit is {@code set}, or {@code end}. */
  long next(long from, long end, boolean set) {
    if (count == 0) {
      return set ? end : from;
    }
    long slot = from;
    while (slot < end) {
      long bits = getLong(words, word(slot));
      long wanted = (set ? bits : ~bits) >>> slot;
      if (wanted != 0) {
        return Math.min(slot + Long.numberOfTrailingZeros(wanted), end);
      }
      slot = (slot | (Long.SIZE - 1)) + 1;
    }
    return end;
  }

  /** Returns the last slot before {@code before} whose bit is {@code set}, or {@code start - 1}. */
  long previous(long before, long start, boolean set) {
    if (count == 0) {
      return set ? start - 1 : before - 1;
    }
    long slot = before - 1;
    while (slot >= start) {
      long bits = getLong(words, word(slot));
      long wanted = (set ? bits : ~bits) << (Long.SIZE - 1 - (slot & (Long.SIZE - 1)));
      if (wanted != 0) {
        return Math.max(slot - Long.numberOfLeadingZeros(wanted), start - 1);
      }
      slot = (slot & -Long.SIZE) - 1;
    }
    return start - 1;
  }

  private static long word(long slot) {
    return (slot >>> 6) << 3;
  }

  private static long bit(long slot) {
    return 1L << slot;
  }

  /** Lets growth take no memory from readers, from now on. */
  void expectReaders() {
    region.expectReaders();
  }

  /**
   * Gives way to other bits, and returns those.
   *
   * @throws IllegalStateException if this was closed; the other one is then closed, too
   */
  RemovedSlots replacedBy(RemovedSlots other) {
    region.replacedBy(other.region);
    return other;
  }

  void close() {
    budget.count(-committed);
    committed = 0;
    region.close();
  }
}
