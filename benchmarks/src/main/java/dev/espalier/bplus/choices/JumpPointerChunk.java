// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import static dev.espalier.memory.Words.getInt;
import static dev.espalier.memory.Words.getLong;
import static dev.espalier.memory.Words.putInt;
import static dev.espalier.memory.Words.putLong;

import dev.espalier.bplus.nodes.InnerNode;
import dev.espalier.bplus.nodes.LeafPlace;
import dev.espalier.memory.CacheLine;
import dev.espalier.node.Ints;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a chunk of the chunked jump-pointer array, {@code width} cache lines in all.
 *
 * <pre>
 *  0          8      12         16
 *  | occupied | next | previous | pointer 0 .. capacity-1 |
 *     long      int     int             ints
 * </pre>
 *
 * Width 4: 60 pointers. A pointer is the line number of a leaf (offset / 64, unsigned). Bit {@code
 * i} of {@code occupied} tells whether slot {@code i} has one; what lies in other slots means
 * nothing. {@code next} and {@code previous} are line numbers of chunks, 0 for none.
 */
final class JumpPointerChunk {
  /** The widest chunk whose slots have a bit each in one word. */
  static final int MAX_WIDTH = 4;

  private static final int NEXT_OFFSET = 8;
  private static final int PREVIOUS_OFFSET = 12;
  private static final int POINTERS_OFFSET = 16;
  private static final int HEADER_WORDS = POINTERS_OFFSET / Integer.BYTES;

  final int width;
  final int capacity;

  /** {@code occupied} of a full chunk. */
  final long full;

  /** Fewest pointers of a chunk that is not the last. */
  final int minimum;

  /** Ints in a chunk, those of the header first. */
  private final int words;

  JumpPointerChunk(int width) {
    this.width = width;
    this.words = (width << CacheLine.SHIFT) / Integer.BYTES;
    this.capacity = words - HEADER_WORDS;
    this.full = (1L << capacity) - 1;
    this.minimum = capacity / 4;
  }

  /** Makes a chunk without pointers and neighbours. */
  void initialize(MemorySegment nodes, long chunk) {
    putLong(nodes, chunk, 0);
    putLong(nodes, chunk + NEXT_OFFSET, 0);
  }

  long occupied(MemorySegment nodes, long chunk) {
    return getLong(nodes, chunk);
  }

  void occupied(MemorySegment nodes, long chunk, long occupied) {
    putLong(nodes, chunk, occupied);
  }

  int count(MemorySegment nodes, long chunk) {
    return Long.bitCount(occupied(nodes, chunk));
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

  /** Returns the slot of a pointer, or at least 64 if the chunk does not have it. */
  int find(MemorySegment nodes, long chunk, int leafLine) {
    long places = Ints.places(nodes, chunk, words, leafLine) >>> HEADER_WORDS;
    return Long.numberOfTrailingZeros(places & occupied(nodes, chunk));
  }

  /** Returns the nearest of the slots that are empty, of which there is one. */
  int nearestEmpty(MemorySegment nodes, long chunk, int slot) {
    long empty = ~occupied(nodes, chunk) & full;
    long right = empty & -1L << slot;
    long left = empty ^ right;
    int onRight = Long.numberOfTrailingZeros(right);
    int onLeft = Long.SIZE - 1 - Long.numberOfLeadingZeros(left);
    return left == 0 || (right != 0 && onRight - slot <= slot - onLeft) ? onRight : onLeft;
  }

  /** Returns the first occupied slot from {@code from} on in a direction, or -1. */
  int nextPointer(MemorySegment nodes, long chunk, int from, int direction) {
    long occupied = occupied(nodes, chunk) & full;
    if (direction == LeafPlace.FORWARD) {
      long ahead = from < capacity ? occupied & -1L << from : 0;
      return ahead == 0 ? -1 : Long.numberOfTrailingZeros(ahead);
    }
    long ahead = from < 0 ? 0 : occupied & -1L >>> (Long.SIZE - 1 - from);
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(ahead);
  }
}
