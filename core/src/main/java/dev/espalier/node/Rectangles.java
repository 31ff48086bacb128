// SPDX-License-Identifier: Apache-2.0
package dev.espalier.node;

import static dev.espalier.memory.Words.getLong;

import dev.espalier.memory.CacheLine;
import java.lang.foreign.MemorySegment;

/**
 * Searches unsorted rectangles, stored as four columns of doubles in native memory: least x, least
 * y, greatest x, greatest y.
 *
 * <p>Unused slots hold {@link #PADDING} in all columns. Every comparison with it is false, so
 * kernels need not know how many slots are in use, and coordinates may be infinite.
 */
public final class Rectangles {
  /** The value of all columns in unused slots. */
  public static final double PADDING = Double.NaN;

  /** The most slots that one call searches. */
  public static final int MOST = Long.SIZE;

  private Rectangles() {}

  /**
   * Returns which rectangles start early enough and end late enough: bit {@code i} of the result is
   * set if the one in slot {@code i} has {@code minX <= mostMinX}, {@code minY <= mostMinY}, {@code
   * maxX >= leastMaxX} and {@code maxY >= leastMaxY}.
   *
   * <p>Given the greatest and then the least coordinates of a rectangle, these are the ones that
   * overlap it; given the least and then the greatest, those that contain it. O(slots).
   *
   * @param nodes native memory
   * @param offset byte offset of the first slot's least x
   * @param columnBytes distance from one column to the next, in bytes
   * @param slots number of slots, at most {@link #MOST}
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
