// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.pma.PackedMemoryArray.Geometry;

/**
 * The implicit calibrator tree over the segments: which windows there are, and how many entries
 * each may have.
 *
 * <pre>
 *  level 3 |                   0 .. 4                   |   the whole
 *  level 2 |      0 .. 1      |         2 .. 4          |      2^(levels - level) even parts
 *          |        |         |        |                |
 *  level 1 |   0    |    1    |   2    |   3   |   4    |   single segments
 * </pre>
 *
 * The windows of a level are {@code 2^(levels - level)} parts of all segments, as even as can be:
 * part {@code p} begins with segment {@code p * segments / 2^(levels - level)}, rounded down. So
 * any number of segments will do; where it is no power of two, some windows have as many segments
 * as the one below them. Thresholds are integers per window; the densities behind them are kept in
 * units of 2^-16.
 */
final class Calibrator {
  private static final int SHIFT = 16;

  final int segments;

  /** Number of levels: 1 are segments, this one is the whole. */
  final int levels;

  private final int slots;

  /** Greatest and least density of each level, by its number; 0 is not used. */
  final int[] upper;

  final int[] lower;

  /** Most entries that inserts put into a segment, and fewest that deletes leave in it. */
  final int mostOfSegment;

  final int leastOfSegment;

  Calibrator(Geometry geometry, int segments) {
    this.segments = segments;
    this.levels = levels(segments);
    this.slots = geometry.segmentSlots();
    Densities densities = geometry.densities();
    upper = new int[levels + 1];
    lower = new int[levels + 1];
    for (int level = 1; level <= levels; level++) {
      // With one level alone a segment is the whole, and has the thresholds of a segment.
      double height = levels == 1 ? 0 : (double) (level - 1) / (levels - 1);
      double most = between(densities.upperSegment(), densities.upperRoot(), height);
      double least = between(densities.lowerSegment(), densities.lowerRoot(), height);
      upper[level] = (int) (most * (1 << SHIFT));
      lower[level] = (int) Math.ceil(least * (1 << SHIFT));
    }
    mostOfSegment = (int) (((long) upper[1] * slots) >> SHIFT);
    leastOfSegment = geometry.leastOfSegment();
  }

  private static double between(double segment, double root, double height) {
    return segment + (root - segment) * height;
  }

  /** Returns the number of levels over so many segments. */
  static int levels(int segments) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(segments - 1) + 1;
  }

  /** Returns the first segment of a part of {@code 2^depth}; that after the last for the end. */
  static int begin(int segments, long part, int depth) {
    return (int) ((part * segments) >> depth);
  }

  /** Returns the number of the window of a level that a segment is in. */
  long part(int level, int segment) {
    return (((segment + 1L) << (levels - level)) - 1) / segments;
  }

  /** Returns the first segment of a window. */
  int from(int level, long part) {
    return begin(segments, part, levels - level);
  }

  /** Returns the segment after the last of a window. */
  int to(int level, long part) {
    return begin(segments, part + 1, levels - level);
  }

  /**
   * Returns the most entries of a window: not more than inserts may put into its segments, so that
   * spreading them evenly never fills one further.
   */
  long most(int level, int width) {
    long most = ((long) upper[level] * slots * width) >> SHIFT;
    return Math.min(most, (long) mostOfSegment * width);
  }

  /** Returns the fewest entries of a window: enough for the least in each of its segments. */
  long least(int level, int width) {
    long least = ((long) lower[level] * slots * width + (1 << SHIFT) - 1) >> SHIFT;
    return Math.max(least, (long) leastOfSegment * width);
  }
}
