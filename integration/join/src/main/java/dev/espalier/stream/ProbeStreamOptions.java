// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.batch.BufferOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * How a stream answers.
 *
 * @param responseTime the longest time from when a probe is taken to its answer; the longer, the
 *     more probes share the work
 * @param mostInside the most probes and updates that are taken and not answered
 * @param inOrder whether answers come in the order in which probes were taken
 */
public record ProbeStreamOptions(Duration responseTime, int mostInside, boolean inOrder) {

  /** The bound of {@code mostInside}. */
  public static final int MOST_INSIDE = BufferOptions.MOST_WAITING / 2;

  /** Below, threads are not woken in time. */
  private static final Duration SHORTEST = Duration.ofMillis(1);

  /** Above, nobody waits for an answer. */
  private static final Duration LONGEST = Duration.ofDays(1);

  /** Answers within 100 ms, in any order; a million probes inside. */
  public static final ProbeStreamOptions DEFAULT =
      new ProbeStreamOptions(Duration.ofMillis(100), 1 << 20, false);

  /** Checks the parts. */
  public ProbeStreamOptions {
    Objects.requireNonNull(responseTime, "responseTime is null");
    if (responseTime.compareTo(SHORTEST) < 0 || responseTime.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "responseTime is " + responseTime + "; it must be from a millisecond to a day");
    }
    if (mostInside < 1 || mostInside > MOST_INSIDE) {
      throw new IllegalArgumentException(
          "mostInside is " + mostInside + " probes; it must be from 1 to " + MOST_INSIDE);
    }
  }

  /** Returns these options with another response time. */
  public ProbeStreamOptions withResponseTime(Duration other) {
    return new ProbeStreamOptions(other, mostInside, inOrder);
  }

  /** Returns these options with another bound of the probes inside. */
  public ProbeStreamOptions withMostInside(int probes) {
    return new ProbeStreamOptions(responseTime, probes, inOrder);
  }

  /** Returns these options with answers in the order of the probes, or in any order. */
  public ProbeStreamOptions withInOrder(boolean isInOrder) {
    return new ProbeStreamOptions(responseTime, mostInside, isInOrder);
  }
}
