// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

/**
 * A rectangle with sides parallel to the axes, including its border, so that rectangles that touch
 * overlap. It may be a line or a point. Coordinates may be infinite, so half planes and the whole
 * plane are rectangles. 0.0 and -0.0 are the same coordinate.
 *
 * @param minX least x
 * @param minY least y
 * @param maxX greatest x
 * @param maxY greatest y
 */
public record Rectangle(double minX, double minY, double maxX, double maxY) {

  /**
   * Checks the coordinates.
   *
   * @throws IllegalArgumentException if one is NaN, or a least coordinate is greater than the
   *     corresponding greatest
   */
  public Rectangle {
    check(minX, minY, maxX, maxY);
  }

  /** Checks what would be the coordinates of a rectangle. */
  static void check(double minX, double minY, double maxX, double maxY) {
    if (!(minX <= maxX && minY <= maxY)) {
      throw refused(minX, minY, maxX, maxY);
    }
  }

  private static IllegalArgumentException refused(
      double minX, double minY, double maxX, double maxY) {
    checkNumber("minX", minX);
    checkNumber("minY", minY);
    checkNumber("maxX", maxX);
    checkNumber("maxY", maxY);
    return new IllegalArgumentException(
        minX > maxX
            ? "the rectangle is inverted: minX is " + minX + ", above maxX, which is " + maxX
            : "the rectangle is inverted: minY is " + minY + ", above maxY, which is " + maxY);
  }

  /** Checks that one coordinate is a number, which may be infinite. */
  static void checkNumber(String name, double coordinate) {
    if (Double.isNaN(coordinate)) {
      throw new IllegalArgumentException(name + " is NaN");
    }
  }
}
