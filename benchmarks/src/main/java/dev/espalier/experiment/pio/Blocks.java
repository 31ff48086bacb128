// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Memory for blocks of a scratch file. Each block begins with its number in the file, so that one
 * that was not read, or from the wrong place, is noticed.
 */
final class Blocks {
  /** The size of most requests in the paper, and the least that every device takes directly. */
  static final int BYTES = 4 << 10;

  private static final int SEED = 2;

  private final MemorySegment memory;

  Blocks(int count) {
    memory = Arena.ofAuto().allocate((long) count * BYTES, BYTES);
  }

  /** Returns numbers of blocks, random multiples of {@code step} below {@code end}. */
  static long[] random(int count, long end, int step) {
    return new SplittableRandom(SEED)
        .longs(count, 0, end / step)
        .map(multiple -> multiple * step)
        .toArray();
  }

  MemorySegment memory() {
    return memory;
  }

  /** Returns where a place is in the memory, in bytes. */
  static long offset(int place) {
    return (long) place * BYTES;
  }

  /** Makes the blocks from a place on those from a number on, ready to be written. */
  void label(int place, long first, int count) {
    for (int i = 0; i < count; i++) {
      memory.set(JAVA_LONG, offset(place + i), first + i);
    }
  }

  /** Makes the blocks from a place on no blocks of a file, before they are read. */
  void clear(int place, int count) {
    label(place, -count, count);
  }

  /** Returns how many blocks from a place on are not those from a number on. */
  long mistaken(int place, long first, int count) {
    long mistaken = 0;
    for (int i = 0; i < count; i++) {
      mistaken += memory.get(JAVA_LONG, offset(place + i)) == first + i ? 0 : 1;
    }
    return mistaken;
  }
}
