// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.List;

/**
 * Measured times of a probe by each method, in nanoseconds. Those of sorted and buffered probes
 * depend on how many there are: they were measured for several counts, and between two of these
 * they are interpolated linearly over the logarithm of the count.
 *
 * @param leastGroup the number of keys from which a group is faster than single lookups
 * @param single for {@link ProbeMethod#SINGLE}
 * @param group for {@link ProbeMethod#GROUP}
 * @param sorted for {@link ProbeMethod#SORTED}, one for each of {@link #LOGS}
 * @param buffered for {@link ProbeMethod#BUFFERED}, one for each of {@link #LOGS}
 */
public record MeasuredCosts(
    int leastGroup, double single, double group, List<Double> sorted, List<Double> buffered) {
  /**
   * The binary logarithms of the measured counts: from the fewest probes that are sorted or
   * buffered to the most that are sorted or buffered together. One factor for all counts is not
   * enough, as the gains of the two methods grow at different rates
   * (docs/decisions/0048-costs-measured-at-several-sizes.md).
   */
  static final List<Integer> LOGS = List.of(12, 14, 16, 18, 20, 22);

  /**
   * Checks that there is a time for each count.
   *
   * @throws IllegalArgumentException if not
   */
  public MeasuredCosts {
    sorted = List.copyOf(sorted);
    buffered = List.copyOf(buffered);
    checkTimes("sorted", sorted);
    checkTimes("buffered", buffered);
  }

  private static void checkTimes(String name, List<Double> times) {
    if (times.size() != LOGS.size()) {
      throw new IllegalArgumentException(
          name + " has " + times.size() + " times; there must be " + LOGS.size());
    }
  }

  /** Returns the time of one of {@code count} probes. */
  double nanos(ProbeMethod method, long count) {
    return switch (method) {
      case SINGLE -> single;
      case GROUP -> group;
      case SORTED -> between(sorted, count);
      case BUFFERED -> between(buffered, count);
      case AUTO -> throw new IllegalArgumentException("method is AUTO; it has no time of its own");
    };
  }

  private static double between(List<Double> times, long count) {
    double log = Math.log((double) count) / Math.log(2);
    int after = 1;
    while (after < LOGS.size() - 1 && LOGS.get(after) < log) {
      after++;
    }
    int from = LOGS.get(after - 1);
    double share = Math.clamp((log - from) / (LOGS.get(after) - from), 0, 1);
    return times.get(after - 1) * (1 - share) + times.get(after) * share;
  }
}
