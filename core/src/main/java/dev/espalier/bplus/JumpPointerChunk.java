// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.putInt;

import dev.espalier.memory.CacheLine;
import dev.espalier.node.Ints;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a chunk of the chunked jump-pointer array, {@code width} cache lines in all.
 *
 * <pre>
 *  0       4      8          12
 *  | count | next | previous | pointer 0 .. capacity-1 |
 *     int    int      int             ints
 * </pre>
 *
 * Width 4: 61 pointers. A pointer is the line number of a leaf (offset / 64, unsigned); a slot
 * without one holds 0. {@code next} and {@code previous} are line numbers of chunks, 0 for none.
 */
final class JumpPointerChunk {
  private static final int NEXT_OFFSET = 4;
  private static final int PREVIOUS_OFFSET = 8;
  private static final int POINTERS_OFFSET = 12;

  final int width;
  final int bytes;
  final int capacity;

  /** Fewest pointers of a chunk that is not the last. */
  final int minimum;

  JumpPointerChunk(int width) {
    this.width = width;
    this.bytes = width << CacheLine.SHIFT;
    this.capacity = (bytes - POINTERS_OFFSET) / Integer.BYTES;
    this.minimum = capacity / 4;
  }

  void initialize(MemorySegment nodes, long chunk) {
    for (int at = 0; at < bytes; at += Integer.BYTES) {
      putInt(nodes, chunk + at, 0);
    }
  }

  int count(MemorySegment nodes, long chunk) {
    return getInt(nodes, chunk);
  }

  void count(MemorySegment nodes, long chunk, int count) {
    putInt(nodes, chunk, count);
  }

  long next(MemorySegment nodes, long chunk) {
    return InnerNode.toOffset(getInt(nodes, chunk + NEXT_OFFSET));
  }

  void next(MemorySegment nodes, long chunk, long next) {
    putInt(nodes, chunk + NEXT_OFFSET, InnerNode.toLine(next));
  }

  long previous(MemorySegment nodes, long chunk) {
    return InnerNode.toOffset(getInt(nodes, chunk + PREVIOUS_OFFSET));
  }

  void previous(MemorySegment nodes, long chunk, long previous) {
    putInt(nodes, chunk + PREVIOUS_OFFSET, InnerNode.toLine(previous));
  }

  int pointer(MemorySegment nodes, long chunk, int slot) {
    return getInt(nodes, chunk + POINTERS_OFFSET + ((long) slot << 2));
  }

  void pointer(MemorySegment nodes, long chunk, int slot, int leafLine) {
    putInt(nodes, chunk + POINTERS_OFFSET + ((long) slot << 2), leafLine);
  }

  /** Returns the slot of a pointer, or -1 if the chunk does not have it. */
  int find(MemorySegment nodes, long chunk, int leafLine) {
    int word =
        Ints.find(nodes, chunk, POINTERS_OFFSET / Integer.BYTES, bytes / Integer.BYTES, leafLine);
    return word < 0 ? -1 : word - POINTERS_OFFSET / Integer.BYTES;
  }

  /** Returns the empty slot that is nearest to a slot, or -1 if all are in use. */
  int nearestEmpty(MemorySegment nodes, long chunk, int slot) {
    for (int distance = 1; distance < capacity; distance++) {
      if (slot + distance < capacity && pointer(nodes, chunk, slot + distance) == 0) {
        return slot + distance;
      }
      if (slot >= distance && pointer(nodes, chunk, slot - distance) == 0) {
        return slot - distance;
      }
    }
    return -1;
  }
}
