// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.time.Duration;

/**
 * Counters and latencies of a stream so far.
 *
 * @param taken number of probes and updates accepted
 * @param answered number of probes answered and updates applied
 * @param perSecond probes answered and updates applied per second, from the first accepted to the
 *     last answered; 0 if there is none
 * @param latency how long probes and updates were in the stream
 * @param flushes how often everything in the stream was answered, and why
 */
public record ProbeStreamStatistics(
    long taken, long answered, double perSecond, Latency latency, Flushes flushes) {

  /**
   * Times from the acceptance of probes and updates to the end of the flush that answered them, and
   * thus upper bounds on the times to their answers. All are 0 before the first answer; otherwise
   * exact to three digits, or to a microsecond.
   *
   * @param mean the mean
   * @param p50 the median
   * @param p99 the 99th percentile
   * @param p999 the 99.9th percentile
   * @param max the maximum
   */
  public record Latency(Duration mean, Duration p50, Duration p99, Duration p999, Duration max) {}

  /**
   * Numbers of flushes, by reason.
   *
   * @param byTimer to keep the response time
   * @param whenFull because a thread or a publisher waited for room
   * @param asked because of a call to {@code flush} or {@code close}, or because a publisher ended
   * @param betweenKinds because updates may not wait together with probes for the nearest key or
   *     for ranges
   */
  public record Flushes(long byTimer, long whenFull, long asked, long betweenKinds) {}

  /** Returns the number of probes and updates in the stream. */
  public long waiting() {
    return taken - answered;
  }
}
