// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

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
   * As {@link Rectangles#reaching}; {@code slots} is a multiple of 8.
   *
   * <p>A loop, with four loads in all, because a tree's search is recursive: with straight-line
   * code for two vectors HotSpot came to the end of what it inlines into one method, and then made
   * vectors on the heap.
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
    long places = 0;
    for (int i = 0; i < slots; i += SPECIES.length()) {
      long at = offset + ((long) i << 3);
      places |=
          load(nodes, at)
                  .compare(VectorOperators.LE, mostMinX)
                  .and(load(nodes, at + columnBytes).compare(VectorOperators.LE, mostMinY))
                  .and(load(nodes, at + 2L * columnBytes).compare(VectorOperators.GE, leastMaxX))
                  .and(load(nodes, at + 3L * columnBytes).compare(VectorOperators.GE, leastMaxY))
                  .toLong()
              << i;
    }
    return places;
  }

  private static DoubleVector load(MemorySegment nodes, long offset) {
    return DoubleVector.fromMemorySegment(SPECIES, nodes, offset, ORDER);
  }
}
