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

  /** As {@link Ints#find}; a vector's length divides {@code to}. */
  static int find(MemorySegment nodes, long offset, int from, int to, int sought) {
    int first = from & -SPECIES.length();
    long places = placesInVector(nodes, offset, first, sought) & -1L << (from - first);
    while (places == 0) {
      first += SPECIES.length();
      if (first >= to) {
        return -1;
      }
      places = placesInVector(nodes, offset, first, sought);
    }
    return first + Long.numberOfTrailingZeros(places);
  }

  private static long placesInVector(MemorySegment nodes, long offset, int first, int sought) {
    return IntVector.fromMemorySegment(SPECIES, nodes, offset + ((long) first << 2), ORDER)
        .compare(VectorOperators.EQ, sought)
        .toLong();
  }
}
