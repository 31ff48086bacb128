// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

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

  /** As {@link Keys#lowerBound}; {@code slots} is a multiple of 8. */
  static int lowerBound(MemorySegment nodes, long offset, int slots, long key) {
    int smaller = 0;
    for (int i = 0; i < slots; i += SPECIES.length()) {
      smaller +=
          LongVector.fromMemorySegment(SPECIES, nodes, offset + ((long) i << 3), ORDER)
              .compare(VectorOperators.LT, key)
              .trueCount();
    }
    return smaller;
  }
}
