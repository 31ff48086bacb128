// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The SIMD kernel of {@link Keys}. In a class of its own, because it can only be loaded when the
 * program has added the module jdk.incubator.vector.
 */
final class VectorKeys {
  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /** Below this the scalar kernels are as good. */
  private static final int LEAST_LANES = 4;

  /** The lanes of a line's keys, if each is followed by its value. */
  private static final long KEYS_OF_PAIRS = 0x55;

  private VectorKeys() {}

  /** Tells whether vectors are long enough to beat the scalar kernels, and divide a cache line. */
  static boolean isWorthwhile() {
    return SPECIES.length() >= LEAST_LANES && SPECIES.length() <= 8;
  }

  /**
   * As {@link Keys#lowerBound}; {@code slots} is a multiple of 8.
   *
   * <p>Straight-line code for 1, 2, 4 and 5 lines, which are the key arrays of B+-tree nodes 4 and
   * 8 lines wide, and whole inner nodes of a CSB+-tree: with a loop, a batched lookup was measured
   * to take a quarter longer. No more cases than these, because the method must stay below the 325
   * bytecodes that HotSpot inlines.
   */
  static int lowerBound(MemorySegment nodes, long offset, int slots, long key) {
    if (SPECIES.length() != CacheLine.LONGS) {
      return vectorByVector(nodes, offset, slots, key);
    }
    return switch (slots) {
      case CacheLine.LONGS -> smallerInVector(nodes, offset, key);
      case 2 * CacheLine.LONGS -> lowerBoundOf2Lines(nodes, offset, key);
      case 4 * CacheLine.LONGS -> lowerBoundOf4Lines(nodes, offset, key);
      case 5 * CacheLine.LONGS ->
          lowerBoundOf4Lines(nodes, offset, key)
              + smallerInVector(nodes, offset + 4 * CacheLine.BYTES, key);
      default -> vectorByVector(nodes, offset, slots, key);
    };
  }

  /** As {@link Keys#lowerBoundInLine}. */
  static int lowerBoundInLine(MemorySegment nodes, long offset, long key) {
    return SPECIES.length() == CacheLine.LONGS
        ? smallerInVector(nodes, offset, key)
        : vectorByVector(nodes, offset, CacheLine.LONGS, key);
  }

  /** As {@link Keys#lowerBoundInLine(MemorySegment, long, int, long)}. */
  static int lowerBoundInLine(MemorySegment nodes, long offset, int header, long key) {
    long smaller =
        LongVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
            .compare(VectorOperators.LT, key)
            .toLong();
    int afterFirst = SPECIES.length();
    int inFirst = Long.bitCount(smaller | ((1L << header) - 1));
    return afterFirst == CacheLine.LONGS
        ? inFirst
        : inFirst
            + vectorByVector(
                nodes, offset + ((long) afterFirst << 3), CacheLine.LONGS - afterFirst, key);
  }

  /** As {@link Keys#lowerBoundInPairs}. */
  static int lowerBoundInPairs(MemorySegment nodes, long offset, long key) {
    int smaller = smallerInPairs(nodes, offset, key);
    return SPECIES.length() == CacheLine.LONGS
        ? smaller
        : smaller + smallerInPairs(nodes, offset + CacheLine.BYTES / 2, key);
  }

  /** As {@link Keys#lowerBoundOf2Lines}. */
  static int lowerBoundOf2Lines(MemorySegment nodes, long offset, long key) {
    if (SPECIES.length() != CacheLine.LONGS) {
      return vectorByVector(nodes, offset, 2 * CacheLine.LONGS, key);
    }
    return smallerInVector(nodes, offset, key)
        + smallerInVector(nodes, offset + CacheLine.BYTES, key);
  }

  /** As {@link Keys#lowerBoundOf4Lines}. */
  static int lowerBoundOf4Lines(MemorySegment nodes, long offset, long key) {
    if (SPECIES.length() != CacheLine.LONGS) {
      return vectorByVector(nodes, offset, 4 * CacheLine.LONGS, key);
    }
    return smallerInVector(nodes, offset, key)
        + smallerInVector(nodes, offset + CacheLine.BYTES, key)
        + smallerInVector(nodes, offset + 2 * CacheLine.BYTES, key)
        + smallerInVector(nodes, offset + 3 * CacheLine.BYTES, key);
  }

  /** As {@link Keys#lowerBoundOf4LinesBehindWord}. */
  static int lowerBoundOf4LinesBehindWord(MemorySegment nodes, long node, long key) {
    int afterFirst = SPECIES.length();
    int smaller = smallerBehindWord(nodes, node, key);
    if (afterFirst != CacheLine.LONGS) {
      int rest = 4 * CacheLine.LONGS - afterFirst;
      return smaller + vectorByVector(nodes, node + ((long) afterFirst << 3), rest, key);
    }
    return smaller
        + smallerInVector(nodes, node + CacheLine.BYTES, key)
        + smallerInVector(nodes, node + 2 * CacheLine.BYTES, key)
        + smallerInVector(nodes, node + 3 * CacheLine.BYTES, key);
  }

  /** As {@link Keys#lowerBoundOf5LinesBehindWord}. */
  static int lowerBoundOf5LinesBehindWord(MemorySegment nodes, long node, long key) {
    return lowerBoundOf4LinesBehindWord(nodes, node, key)
        + lowerBoundInLine(nodes, node + 4 * CacheLine.BYTES, key);
  }

  /**
   * As {@link Keys#lowerBoundRagged}. By the digits of the number of lines rather than in a loop,
   * for the reason given at {@link #lowerBound}.
   */
  static int lowerBoundRagged(MemorySegment nodes, long offset, int slots, long key) {
    int whole = slots & -SPECIES.length();
    int rest = slots - whole;
    if (SPECIES.length() != CacheLine.LONGS || whole >= 16 * CacheLine.LONGS) {
      return vectorByVector(nodes, offset, whole, key)
          + lowerBoundOfRest(nodes, offset + ((long) whole << 3), rest, key);
    }
    int smaller = 0;
    long at = offset;
    if ((whole & 8 * CacheLine.LONGS) != 0) {
      smaller = lowerBoundOf4Lines(nodes, at, key);
      smaller += lowerBoundOf4Lines(nodes, at + 4 * CacheLine.BYTES, key);
      at += 8 * CacheLine.BYTES;
    }
    if ((whole & 4 * CacheLine.LONGS) != 0) {
      smaller += lowerBoundOf4Lines(nodes, at, key);
      at += 4 * CacheLine.BYTES;
    }
    if ((whole & 2 * CacheLine.LONGS) != 0) {
      smaller += lowerBoundOf2Lines(nodes, at, key);
      at += 2 * CacheLine.BYTES;
    }
    if ((whole & CacheLine.LONGS) != 0) {
      smaller += smallerInVector(nodes, at, key);
      at += CacheLine.BYTES;
    }
    return smaller + lowerBoundOfRest(nodes, at, rest, key);
  }

  /**
   * Counts the smaller keys of less than a vector. The vector is read whole: it ends where its line
   * does at the latest. What does not belong to the array is not counted.
   */
  private static int lowerBoundOfRest(MemorySegment nodes, long offset, int slots, long key) {
    if (slots == 0) {
      return 0;
    }
    long smaller =
        LongVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
            .compare(VectorOperators.LT, key)
            .toLong();
    return Long.bitCount(smaller & ((1L << slots) - 1));
  }

  private static int vectorByVector(MemorySegment nodes, long offset, int slots, long key) {
    int smaller = 0;
    for (int i = 0; i < slots; i += SPECIES.length()) {
      smaller += smallerInVector(nodes, offset + ((long) i << 3), key);
    }
    return smaller;
  }

  /** Counts the smaller keys of a vector whose first word is not a key. */
  private static int smallerBehindWord(MemorySegment nodes, long offset, long key) {
    long smaller =
        LongVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
            .compare(VectorOperators.LT, key)
            .toLong();
    return Long.bitCount(smaller & ~1L);
  }

  /** Counts the smaller keys of a vector in which every other word is a value. */
  private static int smallerInPairs(MemorySegment nodes, long offset, long key) {
    long smaller =
        LongVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
            .compare(VectorOperators.LT, key)
            .toLong();
    return Long.bitCount(smaller & KEYS_OF_PAIRS);
  }

  private static int smallerInVector(MemorySegment nodes, long offset, long key) {
    return LongVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
        .compare(VectorOperators.LT, key)
        .trueCount();
  }
}
