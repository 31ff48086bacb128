// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.time.Duration;

/**
 * What a stream has done so far.
 *
 * @param taken probes and updates taken
 * @param answered probes answered and updates applied
 * @param perSecond of these per second, from the first that was taken to the last answer; 0 before
 *     there is one
 * @param latency how long they were inside
 * @param flushes how often, and why, all were answered
 */
public record ProbeStreamStatistics(
    long taken, long answered, double perSecond, Latency latency, Flushes flushes) {

  /**
   * Times from when probes and updates were taken to the end of the flush that answered them, and
   * so upper bounds of the times to their answers. All are 0 before the first answer; otherwise
   * right to three digits, or to a microsecond.
   *
   * @param mean of all
   * @param p50 that of the half that was fastest
   * @param p99 that of 99 in 100
   * @param p999 that of 999 in 1000
   * @param max the longest
   */
  public record Latency(Duration mean, Duration p50, Duration p99, Duration p999, Duration max) {}

  /**
   * Counts of flushes.
   *
   * @param byTimer so that the response time was kept
   * @param whenFull because a thread or a publisher waited for room
   * @param asked by {@code flush} or {@code close}, or by a publisher's end
   * @param betweenKinds because updates must not wait together with probes for the nearest key or
   *     for ranges
   */
  public record Flushes(long byTimer, long whenFull, long asked, long betweenKinds) {}

  /** Returns how many probes and updates are inside. */
  public long waiting() {
    return taken - answered;
  }
}
