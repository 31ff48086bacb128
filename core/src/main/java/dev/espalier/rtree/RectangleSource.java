// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.util.Objects;

/**
 * A sequence of rectangles with values, read one after the other: the input of {@link
 * RTree#bulkload}.
 */
public interface RectangleSource {

  /**
   * Moves to the next rectangle; the first call moves to the first rectangle. Returns false at the
   * end.
   */
  boolean next();

  /** Returns the least x of the current rectangle. */
  double minX();

  /** Returns the least y of the current rectangle. */
  double minY();

  /** Returns the greatest x of the current rectangle. */
  double maxX();

  /** Returns the greatest y of the current rectangle. */
  double maxY();

  /** Returns the value of the current rectangle. */
  long value();

  /**
   * Returns a source of the rectangles of two arrays, which are not copied.
   *
   * @param coordinates least x, least y, greatest x, greatest y of each rectangle in turn
   * @param values a value for each rectangle
   * @throws IllegalArgumentException if there are not four coordinates for each value
   */
  static RectangleSource of(double[] coordinates, long[] values) {
    Objects.requireNonNull(coordinates, "coordinates");
    Objects.requireNonNull(values, "values");
    if (coordinates.length != 4L * values.length) {
      throw new IllegalArgumentException(
          "coordinates.length is "
              + coordinates.length
              + "; for values.length="
              + values.length
              + " it must be four times that");
    }
    return new ArrayRectangleSource(coordinates, values);
  }
}
