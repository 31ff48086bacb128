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
   * As {@link Keys#lowerBound}; {@code slots} is a multiple of 8. Unrolled by hand: with a plain loop
   * over the lines, a lookup was measured to take a third longer.
   */
  static int lowerBound(MemorySegment nodes, long offset, int slots, long key) {
    int lines = slots >> 3;
    long at = offset;
    int smaller = 0;
    while (lines >= 4) {
      smaller +=
          inLine(nodes, at, key)
              + inLine(nodes, at + CacheLine.BYTES, key)
              + inLine(nodes, at + 2 * CacheLine.BYTES, key)
              + inLine(nodes, at + 3 * CacheLine.BYTES, key);
      at += 4 * CacheLine.BYTES;
      lines -= 4;
    }
    if (lines >= 2) {
      smaller += inLine(nodes, at, key) + inLine(nodes, at + CacheLine.BYTES, key);
      at += 2 * CacheLine.BYTES;
      lines -= 2;
    }
    return lines == 0 ? smaller : smaller + inLine(nodes, at, key);
  }

  /** Counts the keys smaller than {@code key} in one cache line. */
  private static int inLine(MemorySegment nodes, long line, long key) {
    int smaller = 0;
    for (int i = 0; i < CacheLine.LONGS; i += SPECIES.length()) {
      smaller +=
          LongVector.fromMemorySegment(SPECIES, nodes, line + ((long) i << 3), ORDER)
              .compare(VectorOperators.LT, key)
              .trueCount();
    }
    return smaller;
  }
}
