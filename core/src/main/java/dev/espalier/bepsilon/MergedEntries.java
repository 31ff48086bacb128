// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.memory.Region;
import dev.espalier.memory.Words;
import dev.espalier.node.Keys;
import dev.espalier.support.Message;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A leaf's entries after messages: those of the leaf, to which messages are applied buffer by
 * buffer, the lowest one first. It has memory of its own, which grows as needed and is kept.
 */
final class MergedEntries {
  private MemorySegment memory = MemorySegment.NULL;

  /** Entries that there is memory for; the values begin behind so many keys. */
  private int room;

  private int count;

  /** Returns the number of entries. */
  int count() {
    return count;
  }

  /** Returns the memory, in which the keys come first. */
  MemorySegment memory() {
    return memory;
  }

  /** Returns where in the memory the values begin. */
  long valuesOffset() {
    return (long) room << 3;
  }

  long key(int i) {
    return getLong(memory, (long) i << 3);
  }

  /**
   * Begins with the entries of a leaf.
   *
   * @param messages the most that will be applied
   */
  void load(LeafPage leaf, MemorySegment pages, long page, int messages) {
    load(leaf, pages, page, 0, leaf.checkedCount(pages, page), messages);
  }

  /**
   * Begins with some entries of a leaf.
   *
   * @param messages the most that will be applied
   */
  void load(LeafPage leaf, MemorySegment pages, long page, int first, int entries, int messages) {
    if (entries + messages > room) {
      // A cursor begins with few: to clear memory for a leaf would take longer than a short scan.
      room = Math.max(entries + messages, Math.min(2 * room, leaf.capacity));
      memory = Region.scratch(Arena.ofAuto(), 2L * Long.BYTES * room);
    }
    count = entries;
    long from = page + ((long) first << 3);
    long bytes = (long) entries << 3;
    Words.copy(pages, from + LeafPage.KEYS_OFFSET, memory, 0, bytes);
    Words.copy(pages, from + leaf.valuesOffset, memory, valuesOffset(), bytes);
  }

  /** Applies the messages {@code from} to {@code to - 1} of a buffer. O(entries + messages). */
  void apply(InnerPage inner, MemorySegment pages, long page, int from, int to) {
    // The entries move up by as many slots as there are messages, so that what is written from slot
    // 0 on never comes by what is not yet read.
    int read = to - from;
    int end = read + count;
    copy(0, read, count);
    int written = 0;
    for (int i = from; i < to; i++) {
      long key = inner.messageKey(pages, page, i);
      int below = Keys.lowerBoundBinary(memory, (long) read << 3, end - read, key);
      copy(read, written, below);
      read += below;
      written += below;
      boolean isThere = read < end && key(read) == key;
      int kind = inner.messageKind(pages, page, i);
      if (kind != Message.DELETE) {
        long older = isThere ? getLong(memory, valuesOffset() + ((long) read << 3)) : 0;
        long value = inner.messageValue(pages, page, i);
        putLong(memory, (long) written << 3, key);
        putLong(
            memory,
            valuesOffset() + ((long) written << 3),
            Message.combinedValue(kind, value, older));
        written++;
      }
      read += isThere ? 1 : 0;
    }
    copy(read, written, end - read);
    count = written + end - read;
  }

  private void copy(int from, int to, int entries) {
    long source = (long) from << 3;
    long target = (long) to << 3;
    long bytes = (long) entries << 3;
    Words.copy(memory, source, target, bytes);
    Words.copy(memory, valuesOffset() + source, valuesOffset() + target, bytes);
  }

  void copyKeys(int from, int entries, MemorySegment to, long offset) {
    Words.copy(memory, (long) from << 3, to, offset, (long) entries << 3);
  }

  void copyValues(int from, int entries, MemorySegment to, long offset) {
    long source = valuesOffset() + ((long) from << 3);
    Words.copy(memory, source, to, offset, (long) entries << 3);
  }
}
