// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.join.AsOfJoin;
import dev.espalier.join.BandJoin;
import dev.espalier.join.BatchJoin;
import dev.espalier.join.IntervalSource;
import dev.espalier.join.JoinBatch;
import dev.espalier.join.JoinOptions;
import dev.espalier.join.LongSecondaryIndex;
import dev.espalier.join.LongSecondaryIndexJoin;
import dev.espalier.join.OuterSource;
import dev.espalier.join.ParallelJoin;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Joins of a million rows, or as many as there are entries, in random order: with the ids of their
 * keys, with the latest entry before their key, and with the entries of an interval. The last two
 * also with a {@link TreeMap} for the inner side. The time is that of a join, or of a load.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(value = 1, jvmArgsAppend = "-Xmx4g")
public class JoinBenchmark {
  private static final long MOST_ROWS = 1_000_000;

  /** Distance of the keys of a time series, on average. */
  private static final long STEP = 16;

  /** Entries in an interval, on average. */
  private static final int RUN = 20;

  /** Ids of a key, on average. */
  private static final int IDS = 4;

  private static final int THREADS = 2;

  /** Pairs of a key and an id, and keys to look up. */
  @SuppressWarnings("NullAway.Init") // JMH sets the parameter, then calls load()
  @State(Scope.Benchmark)
  public static class Pairs {
    /** Number of pairs, see {@link DataSize}. */
    @Param({"1M", "10M"})
    public String size;

    long[] keys;
    long[] ids;
    long[] rows;
    LongSecondaryIndex index;

    /** Fills the index. */
    @Setup(Level.Trial)
    public void load() {
      NativeRequirement.check();
      int pairs = Math.toIntExact(DataSize.entries(size));
      int distinct = Math.max(1, pairs / IDS);
      SplittableRandom random = new SplittableRandom(1);
      keys = random.longs(pairs, 0, distinct).map(WorkKeys::key).toArray();
      ids = random.longs(pairs).toArray();
      rows = random.longs(Math.min(pairs, MOST_ROWS), 0, distinct).map(WorkKeys::key).toArray();
      index = filled();
    }

    LongSecondaryIndex filled() {
      LongSecondaryIndex filled = LongSecondaryIndex.create();
      filled.bulkload(keys, ids);
      return filled;
    }

    /** Frees the index. */
    @TearDown(Level.Trial)
    public void close() {
      index.close();
    }
  }

  /** A time series, and times. */
  @SuppressWarnings("NullAway.Init") // JMH sets the parameter, then calls make()
  @State(Scope.Benchmark)
  public static class Series {
    /** Number of entries, see {@link DataSize}. */
    @Param({"1M", "10M"})
    public String size;

    long[] times;
    long[] rows;

    /** Makes the times. */
    @Setup(Level.Trial)
    public void make() {
      NativeRequirement.check();
      SplittableRandom random = new SplittableRandom(1);
      times = new long[Math.toIntExact(DataSize.entries(size))];
      Arrays.setAll(times, i -> STEP * i + random.nextLong(STEP));
      int count = (int) Math.min(times.length, MOST_ROWS);
      rows = random.longs(count, 0, STEP * times.length).toArray();
    }

    IntervalSource intervals() {
      return IntervalSource.around(OuterSource.of(rows), 0, RUN * STEP);
    }
  }

  /** The time series in a tree. */
  @SuppressWarnings("NullAway.Init") // JMH calls load()
  @State(Scope.Benchmark)
  public static class Tree {
    LongIndex index;

    /** Fills the tree. */
    @Setup(Level.Trial)
    public void load(Series series) {
      index = PbPlusTree.create(IndexOptions.DEFAULT);
      index.bulkload(series.times, WorkKeys.values(series.times));
    }

    /** Frees the tree. */
    @TearDown(Level.Trial)
    public void close() {
      index.close();
    }
  }

  /** The time series in a map. */
  @State(Scope.Benchmark)
  public static class Boxes {
    final TreeMap<Long, Long> map = new TreeMap<>();

    /** Fills the map. */
    @Setup(Level.Trial)
    public void load(Series series) {
      for (long time : series.times) {
        map.put(time, WorkKeys.value(time));
      }
    }
  }

  private static long sum(BatchJoin<JoinBatch> join) {
    long sum = 0;
    try (join) {
      join.open();
      while (join.next()) {
        sum += sum(join.batch());
      }
    }
    return sum;
  }

  private static long sum(JoinBatch rows) {
    long sum = 0;
    for (int row = 0; row < rows.count(); row++) {
      sum += rows.outerPayload(row) ^ rows.innerKey(row) ^ rows.innerValue(row);
    }
    return sum;
  }

  /** Fills an index with pairs in random order. */
  @Benchmark
  public long loadPairs(Pairs pairs) {
    try (LongSecondaryIndex filled = pairs.filled()) {
      return filled.size();
    }
  }

  /** Joins rows with the ids of their keys. */
  @Benchmark
  public long joinPairs(Pairs pairs) {
    return sum(
        new LongSecondaryIndexJoin(OuterSource.of(pairs.rows), pairs.index, JoinOptions.DEFAULT));
  }

  /** Does the same by two threads. */
  @Benchmark
  public long joinPairsByTwo(Pairs pairs) {
    LongAdder sum = new LongAdder();
    JoinOptions options = JoinOptions.DEFAULT.withBatchSize(1 << 14);
    ParallelJoin.run(
        OuterSource.of(pairs.rows),
        share -> new LongSecondaryIndexJoin(share, pairs.index, options),
        THREADS,
        (_, rows) -> sum.add(sum(rows)));
    return sum.sum();
  }

  /** Joins rows with the latest entry at or before their keys. */
  @Benchmark
  public long asOf(Series series, Tree tree) {
    return sum(new AsOfJoin(OuterSource.of(series.rows), tree.index, STEP, JoinOptions.DEFAULT));
  }

  /** Does the same with a map. */
  @Benchmark
  public long asOfTreeMap(Series series, Boxes boxes) {
    long sum = 0;
    for (int row = 0; row < series.rows.length; row++) {
      Map.Entry<Long, Long> entry = boxes.map.floorEntry(series.rows[row]);
      if (entry != null && series.rows[row] - entry.getKey() <= STEP) {
        sum += row ^ entry.getKey() ^ entry.getValue();
      }
    }
    return sum;
  }

  /** Joins rows with the entries of an interval, twenty on average. */
  @Benchmark
  public long band(Series series, Tree tree) {
    return sum(new BandJoin(series.intervals(), tree.index, JoinOptions.DEFAULT));
  }

  /** Does the same with a map. */
  @Benchmark
  public long bandTreeMap(Series series, Boxes boxes) {
    long sum = 0;
    for (int row = 0; row < series.rows.length; row++) {
      long low = series.rows[row];
      for (var entry : boxes.map.subMap(low, true, low + RUN * STEP, true).entrySet()) {
        sum += row ^ entry.getKey() ^ entry.getValue();
      }
    }
    return sum;
  }
}
