// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

/** Rectangles of two arrays. */
final class ArrayRectangleSource implements RectangleSource {
  private final double[] coordinates;
  private final long[] values;
  private int current = -1;

  ArrayRectangleSource(double[] coordinates, long[] values) {
    this.coordinates = coordinates;
    this.values = values;
  }

  @Override
  public boolean next() {
    if (current + 1 < values.length) {
      current++;
      return true;
    }
    return false;
  }

  @Override
  public double minX() {
    return coordinates[4 * current];
  }

  @Override
  public double minY() {
    return coordinates[4 * current + 1];
  }

  @Override
  public double maxX() {
    return coordinates[4 * current + 2];
  }

  @Override
  public double maxY() {
    return coordinates[4 * current + 3];
  }

  @Override
  public long value() {
    return values[current];
  }
}
