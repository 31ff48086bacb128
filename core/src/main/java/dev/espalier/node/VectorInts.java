// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import dev.espalier.memory.CacheLine;
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

  /** Ints in a cache line: one vector or two, or {@link Keys#SIMD} is off. */
  private static final int LINE = CacheLine.BYTES / Integer.BYTES;

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

  /** As {@link Ints#smallerInLine}: the whole line is compared by one vector or two. */
  static int smallerInLine(MemorySegment nodes, long line, int header, int sought) {
    long smaller = smallerInVector(nodes, line, sought);
    if (SPECIES.length() < LINE) {
      smaller |= smallerInVector(nodes, line + SPECIES.vectorByteSize(), sought) << (LINE / 2);
    }
    return Long.bitCount(smaller >>> header);
  }

  private static long smallerInVector(MemorySegment nodes, long offset, int sought) {
    return IntVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
        .compare(VectorOperators.LT, sought)
        .toLong();
  }
}
