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

  /**
   * As {@link Keys#lowerBoundRagged}. The last vector is read whole: it ends where its line does at
   * the latest. What does not belong to the array is not counted.
   */
  static int lowerBoundRagged(MemorySegment nodes, long offset, int slots, long key) {
    int whole = slots & -SPECIES.length();
    int smaller = vectorByVector(nodes, offset, whole, key);
    if (whole < slots) {
      long compared =
          LongVector.fromMemorySegment(SPECIES, nodes, offset + ((long) whole << 3), ORDER)
              .compare(VectorOperators.LT, key)
              .toLong();
      smaller += Long.bitCount(compared & ((1L << (slots - whole)) - 1));
    }
    return smaller;
  }

  private static int vectorByVector(MemorySegment nodes, long offset, int slots, long key) {
    int smaller = 0;
    for (int i = 0; i < slots; i += SPECIES.length()) {
      smaller += smallerInVector(nodes, offset + ((long) i << 3), key);
    }
    return smaller;
  }

  private static int smallerInVector(MemorySegment nodes, long offset, long key) {
    return LongVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
        .compare(VectorOperators.LT, key)
        .trueCount();
  }
}
