// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import dev.espalier.batch.BufferOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * Options of a {@link ProbeStream}.
 *
 * @param responseTime the longest time that a probe should wait for its answer, from a millisecond
 *     to a day; the longer, the more probes share the work
 * @param mostInside the most probes and updates in the stream at a time, from 1 to {@link
 *     #MOST_INSIDE}
 * @param inOrder whether answers come in the order in which probes were accepted, which takes one
 *     worker
 * @param workers how many threads look up keys, from 1 to {@link #MOST_WORKERS}: each has buffers
 *     for {@code mostInside} probes, and calls the consumer at the same time as the others
 */
public record ProbeStreamOptions(
    Duration responseTime, int mostInside, boolean inOrder, int workers) {

  /** The upper limit of {@code mostInside}. */
  public static final int MOST_INSIDE = BufferOptions.MOST_WAITING / 2;

  /** The upper limit of {@code workers}. */
  public static final int MOST_WORKERS = 64;

  /** Threads are not woken up more exactly than this. */
  private static final Duration SHORTEST = Duration.ofMillis(1);

  /**
   * Longer than anyone waits for an answer, and within the range of the latencies that are counted.
   */
  private static final Duration LONGEST = Duration.ofDays(1);

  /** Answers within 100 ms, in any order, up to a million probes in the stream, and one worker. */
  public static final ProbeStreamOptions DEFAULT =
      new ProbeStreamOptions(Duration.ofMillis(100), 1 << 20, false, 1);

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if one is out of range, or several workers are to answer in
   *     order; the message names it
   */
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
    if (workers < 1 || workers > MOST_WORKERS) {
      throw new IllegalArgumentException(
          "workers is " + workers + "; it must be from 1 to " + MOST_WORKERS);
    }
    if (inOrder && workers > 1) {
      throw new IllegalArgumentException(
          "workers is " + workers + "; answers in the order of the probes take one worker");
    }
  }

  /** Returns these options with another number of workers. */
  public ProbeStreamOptions withWorkers(int threads) {
    return new ProbeStreamOptions(responseTime, mostInside, inOrder, threads);
  }

  /** Returns these options with another response time. */
  public ProbeStreamOptions withResponseTime(Duration other) {
    return new ProbeStreamOptions(other, mostInside, inOrder, workers);
  }

  /** Returns these options with another limit of probes and updates in the stream. */
  public ProbeStreamOptions withMostInside(int probes) {
    return new ProbeStreamOptions(responseTime, probes, inOrder, workers);
  }

  /**
   * Returns these options with answers in the order of the probes if true, or in any order if
   * false.
   */
  public ProbeStreamOptions withInOrder(boolean isInOrder) {
    return new ProbeStreamOptions(responseTime, mostInside, isInOrder, workers);
  }
}
