// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

/**
 * How full the windows of a packed memory array may be, in entries per slot, for single segments
 * and for the whole array. The thresholds of windows in between are interpolated linearly.
 *
 * @param lowerSegment least density of a segment, from 0 to 0.2
 * @param lowerRoot least density of the whole array, below which it shrinks; at most half of {@code
 *     upperRoot}
 * @param upperRoot greatest density of the whole array, above which it grows
 * @param upperSegment greatest density of a segment, at most 1
 */
public record Densities(
    double lowerSegment, double lowerRoot, double upperRoot, double upperSegment) {

  /** The update-oriented thresholds of the rewired memory array. */
  public static final Densities UPDATE_ORIENTED = new Densities(0.08, 0.30, 0.75, 1.0);

  /**
   * Checks that rebalancing leaves room, and that an array that has grown does not shrink at once.
   *
   * @throws IllegalArgumentException if either does not hold; the message names the density
   */
  public Densities {
    if (!(0 <= lowerSegment && lowerSegment <= 0.2 && lowerSegment < lowerRoot)) {
      throw new IllegalArgumentException(
          "lowerSegment is "
              + lowerSegment
              + "; it must be from 0 to 0.2 and below lowerRoot, which is "
              + lowerRoot);
    }
    if (!(2 * lowerRoot <= upperRoot)) {
      throw new IllegalArgumentException(
          "lowerRoot is " + lowerRoot + "; it must be at most half of upperRoot, " + upperRoot);
    }
    if (!(upperRoot < upperSegment && upperSegment <= 1)) {
      throw new IllegalArgumentException(
          "upperSegment is "
              + upperSegment
              + "; it must be at most 1 and above upperRoot, which is "
              + upperRoot);
    }
  }
}
