// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;

/**
 * Searching rectangles that are in no order: four columns of doubles in native memory, one after
 * the other, for the least x, the least y, the greatest x and the greatest y.
 *
 * <p>Unused slots hold {@link #PADDING} in every column. No comparison with it holds, so that no
 * kernel has to know how many slots are in use, and coordinates may be infinite.
 */
public final class Rectangles {
  /** What the columns hold in unused slots. */
  public static final double PADDING = Double.NaN;

  /** The most slots that are searched at once. */
  public static final int MOST = Long.SIZE;

  private Rectangles() {}

  /**
   * Tells which rectangles begin early enough and end late enough: bit {@code i} of the answer is
   * set if that of slot {@code i} has {@code minX <= mostMinX}, {@code minY <= mostMinY}, {@code
   * maxX >= leastMaxX} and {@code maxY >= leastMaxY}.
   *
   * <p>With the greatest and then the least coordinates of a rectangle those that overlap it; with
   * the least and then the greatest those that contain it. O(slots).
   *
   * @param nodes native memory
   * @param offset byte offset of the first slot's least x
   * @param columnBytes bytes from one column to the next
   * @param slots how many slots, at most {@link #MOST}
   */
  public static long reaching(
      MemorySegment nodes,
      long offset,
      int columnBytes,
      int slots,
      double mostMinX,
      double mostMinY,
      double leastMaxX,
      double leastMaxY) {
    return Keys.SIMD && slots % CacheLine.LONGS == 0
        ? VectorRectangles.reaching(
            nodes, offset, columnBytes, slots, mostMinX, mostMinY, leastMaxX, leastMaxY)
        : reachingOneByOne(
            nodes, offset, columnBytes, slots, mostMinX, mostMinY, leastMaxX, leastMaxY);
  }

  static long reachingOneByOne(
      MemorySegment nodes,
      long offset,
      int columnBytes,
      int slots,
      double mostMinX,
      double mostMinY,
      double leastMaxX,
      double leastMaxY) {
    long places = 0;
    for (int i = 0; i < slots; i++) {
      long at = offset + ((long) i << 3);
      if (getDouble(nodes, at) <= mostMinX
          && getDouble(nodes, at + 2L * columnBytes) >= leastMaxX
          && getDouble(nodes, at + columnBytes) <= mostMinY
          && getDouble(nodes, at + 3L * columnBytes) >= leastMaxY) {
        places |= 1L << i;
      }
    }
    return places;
  }

  private static double getDouble(MemorySegment nodes, long offset) {
    return Double.longBitsToDouble(getLong(nodes, offset));
  }
}
