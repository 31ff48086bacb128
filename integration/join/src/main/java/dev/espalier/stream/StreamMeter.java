// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Counts and times what a stream does. The worker writes, other threads read. */
final class StreamMeter {
  /** What is longer is counted as this long. */
  private static final long LONGEST_NANOS = Duration.ofDays(2).toNanos();

  /** Nobody needs to know more exactly. */
  private static final long RESOLUTION_NANOS = 1_000;

  private static final int DIGITS = 3;

  /** When the probes that wait were taken, with how many at a time; for the worker alone. */
  private long[] times = new long[16];

  private int[] counts = new int[16];
  private int waiting;

  private final Histogram latencies = new Histogram(RESOLUTION_NANOS, LONGEST_NANOS, DIGITS);
  private final Map<FlushCause, Long> flushes = new EnumMap<>(FlushCause.class);
  private long firstTime;
  private long lastTime;

  /** Notes that so many probes wait that were taken at a time. */
  void waits(long time, int count) {
    if (waiting == times.length) {
      times = Arrays.copyOf(times, 2 * waiting);
      counts = Arrays.copyOf(counts, 2 * waiting);
    }
    times[waiting] = time;
    counts[waiting++] = count;
  }

  /** Notes that some, but not all, were answered. */
  synchronized void flushedBetweenKinds() {
    flushes.merge(FlushCause.BETWEEN_KINDS, 1L, Long::sum);
  }

  /** Notes that all that waited were answered at a time. */
  synchronized void flushed(FlushCause cause, long now) {
    flushes.merge(cause, 1L, Long::sum);
    if (latencies.getTotalCount() == 0 && waiting > 0) {
      firstTime = times[0];
    }
    for (int i = 0; i < waiting; i++) {
      latencies.recordValueWithCount(Math.clamp(now - times[i], 0, LONGEST_NANOS), counts[i]);
    }
    waiting = 0;
    lastTime = now;
  }

  /**
   * Returns the statistics of a stream.
   *
   * @param taken how many were taken; asked for while no more are answered
   */
  synchronized ProbeStreamStatistics statistics(LongSupplier taken) {
    long answered = latencies.getTotalCount();
    double seconds = (double) (lastTime - firstTime) / TimeUnit.SECONDS.toNanos(1);
    return new ProbeStreamStatistics(
        taken.getAsLong(),
        answered,
        answered == 0 ? 0 : answered / Math.max(seconds, 1e-9),
        new ProbeStreamStatistics.Latency(
            Duration.ofNanos((long) latencies.getMean()),
            percentile(50),
            percentile(99),
            percentile(99.9),
            Duration.ofNanos(latencies.getMaxValue())),
        new ProbeStreamStatistics.Flushes(
            count(FlushCause.TIMER),
            count(FlushCause.FULL),
            count(FlushCause.ASKED),
            count(FlushCause.BETWEEN_KINDS)));
  }

  private Duration percentile(double percent) {
    return Duration.ofNanos(latencies.getValueAtPercentile(percent));
  }

  private long count(FlushCause cause) {
    return flushes.getOrDefault(cause, 0L);
  }
}
