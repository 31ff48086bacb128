// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The SIMD kernel of {@link Ints}. In a class of its own, because it can only be loaded when the
 * program has added the module jdk.incubator.vector.
 */
final class VectorInts {
  private static final VectorSpecies<Integer> SPECIES = IntVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private VectorInts() {}

  /** As {@link Ints#places}; a vector's length divides {@code count}. */
  static long places(MemorySegment nodes, long offset, int count, int sought) {
    long places = 0;
    for (int i = 0; i < count; i += SPECIES.length()) {
      places |=
          IntVector.fromMemorySegment(SPECIES, nodes, offset + ((long) i << 2), ORDER)
                  .compare(VectorOperators.EQ, sought)
                  .toLong()
              << i;
    }
    return places;
  }
}
