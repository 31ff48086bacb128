// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The SIMD kernels of {@link Rectangles}. In a class of its own, because it can only be loaded when
 * the program has added the module jdk.incubator.vector.
 */
final class VectorRectangles {
  private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private VectorRectangles() {}

  /**
   * As {@link Rectangles#reaching}; {@code slots} is a multiple of 8. Straight-line code for 8 and
   * 16 slots, which nodes 5 and 10 lines wide have.
   */
  static long reaching(
      MemorySegment nodes,
      long offset,
      int columnBytes,
      int slots,
      double mostMinX,
      double mostMinY,
      double leastMaxX,
      double leastMaxY) {
    if (SPECIES.length() == CacheLine.LONGS && slots <= 2 * CacheLine.LONGS) {
      long places =
          reachingInVector(nodes, offset, columnBytes, mostMinX, mostMinY, leastMaxX, leastMaxY);
      return slots == CacheLine.LONGS
          ? places
          : places
              | reachingInVector(
                      nodes,
                      offset + CacheLine.BYTES,
                      columnBytes,
                      mostMinX,
                      mostMinY,
                      leastMaxX,
                      leastMaxY)
                  << CacheLine.LONGS;
    }
    long places = 0;
    for (int i = 0; i < slots; i += SPECIES.length()) {
      places |=
          reachingInVector(
                  nodes,
                  offset + ((long) i << 3),
                  columnBytes,
                  mostMinX,
                  mostMinY,
                  leastMaxX,
                  leastMaxY)
              << i;
    }
    return places;
  }

  /** As {@link Rectangles#within}; {@code slots} is a multiple of 8. */
  static long within(
      MemorySegment nodes,
      long offset,
      int columnBytes,
      int slots,
      double leastMinX,
      double leastMinY,
      double mostMaxX,
      double mostMaxY) {
    long places = 0;
    for (int i = 0; i < slots; i += SPECIES.length()) {
      long at = offset + ((long) i << 3);
      places |=
          load(nodes, at)
                  .compare(VectorOperators.GE, leastMinX)
                  .and(load(nodes, at + columnBytes).compare(VectorOperators.GE, leastMinY))
                  .and(load(nodes, at + 2L * columnBytes).compare(VectorOperators.LE, mostMaxX))
                  .and(load(nodes, at + 3L * columnBytes).compare(VectorOperators.LE, mostMaxY))
                  .toLong()
              << i;
    }
    return places;
  }

  private static long reachingInVector(
      MemorySegment nodes,
      long at,
      int columnBytes,
      double mostMinX,
      double mostMinY,
      double leastMaxX,
      double leastMaxY) {
    return load(nodes, at)
        .compare(VectorOperators.LE, mostMinX)
        .and(load(nodes, at + columnBytes).compare(VectorOperators.LE, mostMinY))
        .and(load(nodes, at + 2L * columnBytes).compare(VectorOperators.GE, leastMaxX))
        .and(load(nodes, at + 3L * columnBytes).compare(VectorOperators.GE, leastMaxY))
        .toLong();
  }

  private static DoubleVector load(MemorySegment nodes, long offset) {
    return DoubleVector.fromMemorySegment(SPECIES, nodes, offset, ORDER);
  }
}
