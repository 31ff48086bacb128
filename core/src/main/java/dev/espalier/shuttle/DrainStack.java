// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryBudget;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;

/**
 * The messages that were taken out of buffers and are being delivered: batches, that of the lowest
 * buffer on top. Three words a message: key, value, kind.
 */
final class DrainStack {
  private static final int MESSAGE_BYTES = 3 * Long.BYTES;

  private final MemoryBudget budget;
  private Region region = Region.small(Long.BYTES);
  private MemorySegment memory = region.segment();
  private long capacity;

  /** Messages of all batches. */
  long top;

  DrainStack(MemoryBudget budget) {
    this.budget = budget;
  }

  /**
   * Makes room for so many messages in all.
   *
   * @throws dev.espalier.memory.MemoryLimitException if there is none; nothing has changed then
   */
  void reserve(long total) {
    if (total <= capacity) {
      return;
    }
    long bytes = bytes(total);
    budget.check(bytes - bytes());
    Region larger = Region.take(bytes, bytes, bytes, HugePages.OFF);
    region = region.outgrownBy(larger, (from, to) -> MemorySegment.copy(from, 0, to, 0, bytes()));
    budget.count(bytes - bytes());
    capacity = total;
    memory = larger.segment();
  }

  /**
   * Keeps no more room than for so many messages, which is enough for those there are; keeps more
   * where the system has no memory to move into.
   */
  void trim(long total) {
    if (total >= capacity) {
      return;
    }
    try {
      Region smaller = Region.small(Math.max(bytes(total), Long.BYTES));
      long used = bytes(top);
      region = region.replacedBy(smaller, (from, to) -> MemorySegment.copy(from, 0, to, 0, used));
      memory = region.segment();
      budget.count(bytes(total) - bytes());
      capacity = total;
    } catch (MemoryLimitException _) {
      // What is there does as well.
    }
  }

  /** Puts all messages of a chunk on the stack, for which there is room. */
  void push(MemorySegment nodes, long chunk, int messages, int chunkCapacity) {
    for (int slot = 0; slot < messages; slot++) {
      long to = (top + slot) * MESSAGE_BYTES;
      putLong(memory, to, ShuttleLayout.key(nodes, chunk, slot));
      putLong(memory, to + 8, ShuttleLayout.chunkValue(nodes, chunk, chunkCapacity, slot));
      Words.putLong(memory, to + 16, ShuttleLayout.kind(nodes, chunk, chunkCapacity, slot));
    }
    top += messages;
  }

  long key(long message) {
    return getLong(memory, message * MESSAGE_BYTES);
  }

  long value(long message) {
    return getLong(memory, message * MESSAGE_BYTES + 8);
  }

  int kind(long message) {
    return (int) getLong(memory, message * MESSAGE_BYTES + 16);
  }

  /** Copies one message over another. */
  void copy(long from, long to) {
    Words.copy(memory, from * MESSAGE_BYTES, to * MESSAGE_BYTES, MESSAGE_BYTES);
  }

  long bytes() {
    return bytes(capacity);
  }

  static long bytes(long messages) {
    return messages * MESSAGE_BYTES;
  }

  /** As those who read the array: they do not read this, but all threads wait for a free. */
  void expectReaders() {
    region.expectReaders();
  }

  /** Gives the memory back, and all batches with it. */
  void clear() {
    region = region.replacedBy(Region.small(Long.BYTES));
    budget.count(-bytes());
    capacity = 0;
    top = 0;
    memory = region.segment();
  }

  void close() {
    region.close();
  }
}
