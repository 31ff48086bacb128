// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.util.Arrays;

/**
 * The order in which a Hilbert curve through all centres comes by them: what lies together in it
 * lies together in the plane.
 */
final class HilbertOrder {
  /** Cells along an axis are 2 to the power of this: two of them and a half fit into a long. */
  private static final int BITS = 31;

  private static final long FINE_MASK = (1L << BITS) - 1;

  private final double[] coordinates;
  private double lowX = Double.POSITIVE_INFINITY;
  private double lowY = Double.POSITIVE_INFINITY;
  private double highX = Double.NEGATIVE_INFINITY;
  private double highY = Double.NEGATIVE_INFINITY;

  private HilbertOrder(double[] coordinates) {
    this.coordinates = coordinates;
  }

  /**
   * Returns the numbers of rectangles by their order, in the lower half of each long.
   *
   * @param coordinates least x, least y, greatest x, greatest y of each rectangle in turn
   * @param count rectangles
   */
  static long[] of(double[] coordinates, int count) {
    HilbertOrder order = new HilbertOrder(coordinates);
    order.findExtent(count);
    return order.sorted(count);
  }

  /** Cells divide the place that finite centres take, so that an infinite one spoils nothing. */
  private void findExtent(int count) {
    for (int i = 0; i < count; i++) {
      double x = halfCentre(i, 0);
      double y = halfCentre(i, 1);
      if (Double.isFinite(x) && Double.isFinite(y)) {
        lowX = Math.min(lowX, x);
        lowY = Math.min(lowY, y);
        highX = Math.max(highX, x);
        highY = Math.max(highY, y);
      }
    }
  }

  /** Half the centre's coordinate, because neither it nor an extent of such can overflow. */
  private double halfCentre(int number, int axis) {
    return coordinates[4 * number + axis] / 4 + coordinates[4 * number + 2 + axis] / 4;
  }

  /** Sorts by the upper half of the place on the curve, then those alike by the lower half. */
  private long[] sorted(int count) {
    long[] sorted = new long[count];
    for (int i = 0; i < count; i++) {
      sorted[i] = place(i) >>> BITS << Integer.SIZE | i;
    }
    Arrays.sort(sorted);
    for (int from = 0, to; from < count; from = to) {
      to = from + 1;
      while (to < count && sorted[to] >>> Integer.SIZE == sorted[from] >>> Integer.SIZE) {
        to++;
      }
      if (to - from > 1) {
        for (int i = from; i < to; i++) {
          int number = (int) sorted[i];
          sorted[i] = (place(number) & FINE_MASK) << Integer.SIZE | number;
        }
        Arrays.sort(sorted, from, to);
      }
    }
    return sorted;
  }

  private long place(int number) {
    return place(
        cell(halfCentre(number, 0), lowX, highX), cell(halfCentre(number, 1), lowY, highY));
  }

  /** Returns the cell of a coordinate; a number of no cell has the nearest, no number the first. */
  private static int cell(double coordinate, double low, double high) {
    return high > low
        ? (int) Math.clamp((coordinate - low) / (high - low) * (1L << BITS), 0, FINE_MASK)
        : 0;
  }

  /** Returns how far along the curve a cell is. */
  static long place(int cellX, int cellY) {
    int x = cellX;
    int y = cellY;
    long place = 0;
    for (int bit = BITS - 1; bit >= 0; bit--) {
      int right = x >>> bit & 1;
      int upper = y >>> bit & 1;
      place = place << 2 | (3 * right ^ upper);
      if (upper == 0) {
        // The curve in a lower quarter is turned: mirrored on a diagonal.
        int turned = right == 0 ? y : ~y;
        y = right == 0 ? x : ~x;
        x = turned;
      }
    }
    return place;
  }
}
