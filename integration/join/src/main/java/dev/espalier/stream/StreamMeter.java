// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Counts and times the work of a stream. The worker writes, other threads read. */
final class StreamMeter {
  /** Longer times are counted as this long. */
  private static final long LONGEST_NANOS = Duration.ofDays(2).toNanos();

  /** Times are not counted more exactly. */
  private static final long RESOLUTION_NANOS = 1_000;

  private static final int DIGITS = 3;

  /** When waiting probes were accepted, and how many at that time; used by the worker only. */
  private long[] times = new long[16];

  private int[] counts = new int[16];
  private int waiting;

  private final Histogram latencies = new Histogram(RESOLUTION_NANOS, LONGEST_NANOS, DIGITS);
  private final Map<FlushCause, Long> flushes = new EnumMap<>(FlushCause.class);
  private long firstTime;
  private long lastTime;

  /** Notes that {@code count} probes, accepted at the same time, wait. */
  void waits(long time, int count) {
    if (waiting == times.length) {
      times = Arrays.copyOf(times, 2 * waiting);
      counts = Arrays.copyOf(counts, 2 * waiting);
    }
    times[waiting] = time;
    counts[waiting++] = count;
  }

  /**
   * Notes a flush between kinds. Its probes count as answered at the end of the next full flush.
   */
  synchronized void flushedBetweenKinds() {
    flushes.merge(FlushCause.BETWEEN_KINDS, 1L, Long::sum);
  }

  /** Notes that everything waiting was answered. */
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
   * @param taken returns how many were accepted; called while no more are answered
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
