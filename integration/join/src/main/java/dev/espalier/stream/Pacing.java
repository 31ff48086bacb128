// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.time.Duration;

/**
 * Decides when to flush, and how many probes may be in the stream, so that every answer comes in
 * time. Learns from recent flushes.
 */
final class Pacing {
  /* Overview
   *
   * In the worst case, a probe is accepted when the worker has just started on others: it waits for
   * these, and then for those that it is among. So the work for all probes
   * inside is to take no longer than half of the response time. The limit of the probes is cut in
   * proportion when that took too long, and doubled when it took half of what it may and probes were
   * waiting for room.
   *
   *   taken                 flush begins, at the latest        answered      response time
   *     |-----------------------|------ expected ---------------|--- tick ---|
   */

  /** Ticks in the response time: a tick must cover how late a thread is woken, and the guess. */
  private static final int TICKS = 16;

  /** Times of probes nearer than this part of the response time need not be told apart. */
  private static final int RESOLUTION = 1024;

  /**
   * The time of a probe assumed before the first flush: that of a cold program, with a wide margin.
   */
  private static final long COLD_PROBE_NANOS = 2_000;

  /** Fewer probes at once gain nothing over single lookups (buffering paper, 6.6). */
  private static final long LEAST_LIMIT = 1024;

  private final long responseNanos;
  private final int mostInside;
  private long limit;

  /** The time of recent flushes: rises at once, falls slowly. */
  private long flushNanos;

  private long flushCount = 1;

  Pacing(Duration responseTime, int mostInside) {
    this.responseNanos = responseTime.toNanos();
    this.mostInside = mostInside;
    this.limit = bounded(longestWork() / COLD_PROBE_NANOS);
  }

  private long bounded(long probes) {
    return Math.min(mostInside, Math.max(LEAST_LIMIT, probes));
  }

  private long longestWork() {
    return responseNanos / 2;
  }

  long timeResolution() {
    return responseNanos / RESOLUTION;
  }

  /** Returns how many probes may currently be in the stream. */
  long limit() {
    return limit;
  }

  /** Returns how many of {@code places} may currently be in use: the same part of each share. */
  long allowed(int places) {
    return Math.max(1, places * limit / mostInside);
  }

  /**
   * Returns when to flush at the latest.
   *
   * @param oldest when the oldest probe was taken
   * @param count of the probes inside
   */
  long flushAt(long oldest, long count) {
    return oldest + responseNanos - responseNanos / TICKS - expected(count);
  }

  private long expected(long count) {
    double growth = Math.max(1, (double) count / flushCount);
    return (long) Math.min((double) longestWork(), flushNanos * growth);
  }

  /**
   * Learns from a flush.
   *
   * @param nanos how long it took
   * @param busyNanos how long the worker was at work for the probes, flush included
   * @param wasFull whether probes were waiting for room
   */
  void flushed(long count, long nanos, long busyNanos, boolean wasFull) {
    flushNanos = Math.max(nanos, flushNanos - flushNanos / 8);
    flushCount = Math.max(1, count);
    if (busyNanos > longestWork()) {
      limit = bounded((long) ((double) limit * longestWork() / busyNanos));
    } else if (wasFull && busyNanos < longestWork() / 2) {
      limit = bounded(2 * limit);
    }
  }
}
