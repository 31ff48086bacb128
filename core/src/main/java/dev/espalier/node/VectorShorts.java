// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The SIMD kernel of {@link Shorts}. In a class of its own, because it can only be loaded when the
 * program has added the module jdk.incubator.vector.
 */
final class VectorShorts {
  private static final VectorSpecies<Short> SPECIES = ShortVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /** Shorts in a cache line: one vector or two, or {@link Keys#SIMD} is off. */
  private static final int LINE = CacheLine.BYTES / Short.BYTES;

  private VectorShorts() {}

  /** As {@link Shorts#smallerInLine}: the whole line is compared by one vector or two. */
  static int smallerInLine(MemorySegment nodes, long line, int header, short sought) {
    long smaller = smallerInVector(nodes, line, sought);
    if (SPECIES.length() < LINE) {
      smaller |= smallerInVector(nodes, line + SPECIES.vectorByteSize(), sought) << (LINE / 2);
    }
    return Long.bitCount(smaller >>> header);
  }

  private static long smallerInVector(MemorySegment nodes, long offset, short sought) {
    return ShortVector.fromMemorySegment(SPECIES, nodes, offset, ORDER)
        .compare(VectorOperators.LT, sought)
        .toLong();
  }
}
