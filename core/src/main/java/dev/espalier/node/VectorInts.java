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

  /**
   * As {@link Ints#places}; a vector's length divides {@code count}. Straight-line code where four
   * vectors do: it takes less than half the time of the loop.
   */
  static long places(MemorySegment nodes, long offset, int count, int sought) {
    int lanes = SPECIES.length();
    if (count == 4 * lanes) {
      long bytes = SPECIES.vectorByteSize();
      return placesInVector(nodes, offset, sought)
          | placesInVector(nodes, offset + bytes, sought) << lanes
          | placesInVector(nodes, offset + 2 * bytes, sought) << (2 * lanes)
          | placesInVector(nodes, offset + 3 * bytes, sought) << (3 * lanes);
    }
    long places = 0;
    for (int i = 0; i < count; i += lanes) {
      places |= placesInVector(nodes, offset + ((long) i << 2), sought) << i;
    }
    return places;
  }

  private static long placesInVector(MemorySegment nodes, long offset, int sought) {
    return IntVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
        .compare(VectorOperators.EQ, sought)
        .toLong();
  }
}
