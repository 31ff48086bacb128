// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.util.Objects;

/** Rectangles with their values one after the other: what {@link RTree#bulkload} reads. */
public interface RectangleSource {

  /** Moves to the next rectangle; the first call moves to the first. Returns false at the end. */
  boolean next();

  /** Returns the current rectangle's least x. */
  double minX();

  /** Returns the current rectangle's least y. */
  double minY();

  /** Returns the current rectangle's greatest x. */
  double maxX();

  /** Returns the current rectangle's greatest y. */
  double maxY();

  /** Returns the current rectangle's value. */
  long value();

  /**
   * Returns the rectangles of two arrays, which are not copied.
   *
   * @param coordinates least x, least y, greatest x, greatest y of each rectangle in turn
   * @param values one for each rectangle
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
