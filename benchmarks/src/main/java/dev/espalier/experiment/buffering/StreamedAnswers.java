// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.experiment.Chart;
import dev.espalier.experiment.Check;
import dev.espalier.experiment.Column;
import dev.espalier.experiment.Description;
import dev.espalier.experiment.Entries;
import dev.espalier.experiment.Experiment;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Run;
import dev.espalier.experiment.Target;
import dev.espalier.family.Family;
import dev.espalier.stream.ProbeStream;
import dev.espalier.stream.ProbeStreamOptions;
import dev.espalier.stream.ProbeStreamStatistics;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** What a {@link ProbeStream} makes of the paper's guarantee (4.5), on trees as users get them. */
final class StreamedAnswers implements Experiment {
  private static final List<String> TREES = List.of("PbPlusTree", "CsbPlusTree", "BPlusTree");

  private static final double FILL_FACTOR = 0.9;

  /** Times as many keys as other experiments have: a tree far beyond the caches. */
  private static final int KEYS_FACTOR = 5;

  private static final int PROBES = 4_000_000;

  /** Entries of a full run, which streams for a minute. */
  private static final int FULL_ENTRIES = 10_000_000;

  private static final long FULL_MILLIS = 60_000;

  private static final long LEAST_MILLIS = 50;

  private static final int WARM_UP_SHARE = 10;

  /** Probes handed over at once. */
  private static final int STEP = 256;

  /** What this library aims at: so much of the throughput without a guarantee. */
  private static final double KEPT = 0.6;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  /** A response time has so many ticks, and an answer may be late by one. */
  private static final int TICKS = 16;

  @Override
  public Description description() {
    return new Description(
        "buf-fig15-stream",
        "A stream that answers within 100 ms",
        "Buffering, figure 15",
        "Throughput by the time within which a probe is to be answered: from 0.1 seconds on,"
            + " buffers are noticeably better than none.",
        "Indexes five times as large as in other experiments, uniformly random probes as fast as"
            + " a stream takes them, for a minute in a full run; beside it single lookups, and"
            + " buffered lookups of four million probes at once.",
        new Chart(Chart.Kind.BARS, "method", "tree", "nanos"));
  }

  @Override
  public Outcome run(Run run) {
    int keys = run.effort().entries() * KEYS_FACTOR;
    long millis = Math.max(LEAST_MILLIS, run.effort().entries() * FULL_MILLIS / FULL_ENTRIES);
    Outcome outcome =
        new Outcome(
            Column.text("tree", "tree"),
            Column.text("method", "method"),
            Column.real("nanos", "time", "ns/probe"),
            Column.real("p50", "median latency", "ms"),
            Column.real("p99", "99th percentile latency", "ms"),
            Column.real("max", "longest latency", "ms"));
    outcome.parameter("keys", keys).parameter("milliseconds", millis);
    for (int i = 0; i < TREES.size(); i++) {
      String tree = TREES.get(i);
      run.progress().show(tree, (double) i / TREES.size());
      try (LongIndex index = Family.named(tree).create(IndexOptions.DEFAULT)) {
        index.bulkload(Entries.ascending(keys), FILL_FACTOR, keys, ProgressListener.NONE);
        measure(outcome, tree, index, keys, millis);
      }
    }
    return outcome;
  }

  private static void measure(
      Outcome outcome, String tree, LongIndex index, int keys, long streamMillis) {
    long[] probes = new long[Math.min(PROBES, keys)];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < probes.length; i++) {
      probes[i] = Entries.key(random.nextInt(keys));
    }
    long[] values = new long[probes.length];
    double single = lookUp(index, ProbeMethod.SINGLE, probes, values);
    double buffered = lookUp(index, ProbeMethod.BUFFERED, probes, values);
    outcome.row(tree, "single", single, 0.0, 0.0, 0.0);
    outcome.row(tree, "buffered at once", buffered, 0.0, 0.0, 0.0);
    stream(index, probes, streamMillis / WARM_UP_SHARE); // Compiles, and lets the pace settle.
    ProbeStreamStatistics streamed = stream(index, probes, streamMillis);
    double nanos = NANOS_PER_SECOND / streamed.perSecond();
    ProbeStreamStatistics.Latency latency = streamed.latency();
    double longest = latency.max().toNanos() / NANOS_PER_MILLI;
    outcome.row(
        tree,
        "streamed",
        nanos,
        latency.p50().toNanos() / NANOS_PER_MILLI,
        latency.p99().toNanos() / NANOS_PER_MILLI,
        longest);
    double millis = ProbeStreamOptions.DEFAULT.responseTime().toMillis();
    outcome.check(
        Check.timing(
            tree + ": longest latency in ms", longest, Target.atMost(millis + millis / TICKS)));
    outcome.check(
        Check.timing(
            tree + ": throughput within 100 ms, of that of buffers without a guarantee",
            buffered / nanos,
            Target.atLeast(KEPT)));
  }

  /** Returns nanoseconds per probe, the second time it is done. */
  private static double lookUp(LongIndex index, ProbeMethod method, long[] probes, long[] values) {
    long time = 0;
    for (int round = 0; round < 2; round++) {
      long begin = System.nanoTime();
      BatchLookup.of(index).getAll(method, probes, 0, values, 0, probes.length);
      time = System.nanoTime() - begin;
    }
    return (double) time / probes.length;
  }

  private static ProbeStreamStatistics stream(LongIndex index, long[] probes, long millis) {
    SumOfValues answers = new SumOfValues();
    long[] tags = new long[probes.length];
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try (ProbeStream stream = ProbeStream.over(index, ProbeStreamOptions.DEFAULT, answers)) {
      int next = 0;
      do { // At least once, however late this thread comes to it.
        stream.get(probes, tags, next, STEP);
        next = (next + STEP) % (probes.length - STEP);
      } while (System.nanoTime() < end);
      stream.flush();
      return stream.statistics();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while probes were made", interrupted);
    }
  }
}
