// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.util.List;

/**
 * The times that a device takes for random pages of one size, by the number of pages requested at
 * once.
 *
 * @param pageBytes size of a page, a power of two
 * @param reads nanoseconds to read 1, 2, 4 and so on pages, up to {@link #MOST_AT_ONCE}
 * @param writes nanoseconds to write as many
 */
public record PageTimes(int pageBytes, List<Double> reads, List<Double> writes) {
  /** The most pages at once: as many as a PIO B-tree asks for. */
  public static final int MOST_AT_ONCE = 64;

  /** The number of times: one for each power of two up to {@link #MOST_AT_ONCE}. */
  public static final int GROUPS = Integer.numberOfTrailingZeros(MOST_AT_ONCE) + 1;

  /** Times for as many pages as a leaf may have: 1, 2, 4, 8 and 16. */
  private static final int LEAF_GROUPS = 5;

  /** More at once must be faster by a twentieth, or else it only takes memory. */
  private static final double WORTHWHILE = 1.05;

  /**
   * Checks the times.
   *
   * @throws IllegalArgumentException if one is not positive and finite, if there are too few or too
   *     many, or if {@code pageBytes} is not a power of two of at least 256
   */
  public PageTimes {
    if (pageBytes < 256 || Integer.bitCount(pageBytes) != 1) {
      throw new IllegalArgumentException(
          "pageBytes is " + pageBytes + "; it must be a power of two, at least 256");
    }
    reads = checked("reads", reads);
    writes = checked("writes", writes);
  }

  private static List<Double> checked(String name, List<Double> times) {
    if (times.size() != GROUPS) {
      throw new IllegalArgumentException(
          "%s has %d times; it must have %d".formatted(name, times.size(), GROUPS));
    }
    for (double time : times) {
      if (!(time > 0 && time < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            name + " has a time of " + time + "; it must be positive and finite");
      }
    }
    return List.copyOf(times);
  }

  /**
   * Returns how many pages are best read at once (PioMax): the smallest number with which a page
   * takes hardly longer than with the fastest number.
   */
  public int pioMax() {
    double best = Double.POSITIVE_INFINITY;
    for (int group = 0; group < GROUPS; group++) {
      best = Math.min(best, share(reads, group));
    }
    int group = 0;
    while (share(reads, group) > best * WORTHWHILE) {
      group++;
    }
    return 1 << group;
  }

  private static double share(List<Double> times, int group) {
    return times.get(group) / (1 << group);
  }

  /**
   * Returns the times that the cost models use.
   *
   * @param pioMax how many pages are read or written at once: a power of two up to {@link
   *     #MOST_AT_ONCE}
   */
  public DeviceTimes times(int pioMax) {
    int group = Integer.numberOfTrailingZeros(pioMax);
    if (group >= GROUPS || pioMax != 1 << group) {
      throw new IllegalArgumentException(
          "pioMax is %d; it must be a power of two up to %d".formatted(pioMax, MOST_AT_ONCE));
    }
    return new DeviceTimes(
        reads.getFirst(),
        writes.getFirst(),
        reads.subList(0, LEAF_GROUPS),
        share(reads, group),
        share(writes, group));
  }
}
