// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.LongEntrySource;
import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.benchmarks.peer.Peer;
import dev.espalier.benchmarks.peer.Peers;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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

/** Filling an empty structure from sorted entries; the counter {@code entry} is the time of one. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class BulkloadBenchmark {

  /** An empty structure, and entries for it. */
  @SuppressWarnings("NullAway.Init") // JMH sets the parameters, then calls sort() and create()
  @State(Scope.Benchmark)
  public static class EmptyPeer {
    /** Name of the structure; the main class fills in all there are. */
    @Param("PbPlusTree")
    public String index;

    /** Amount of data, see {@link DataSize}. */
    @Param({"1/16xLLC", "1xLLC", "4xLLC"})
    public String size;

    long[] keys;
    long[] values;
    Peer peer;

    /** Makes the entries. */
    @Setup(Level.Trial)
    public void sort() {
      NativeRequirement.check();
      keys = WorkKeys.keys(0, Math.toIntExact(DataSize.entries(size)));
      Arrays.parallelSort(keys);
      values = WorkKeys.values(keys);
    }

    /** Makes the structure. */
    @Setup(Level.Invocation)
    public void create() {
      peer = Peers.named(index).create();
    }

    /** Frees the structure. */
    @TearDown(Level.Invocation)
    public void close() {
      peer.close();
    }
  }

  /** How many entries the loads of an iteration have taken. */
  @AuxCounters
  @State(Scope.Thread)
  public static class Loaded {
    /** The count; JMH resets it. */
    public long entry;
  }

  /** Loads all entries, nodes full. */
  @Benchmark
  public Peer bulkload(EmptyPeer empty, Loaded loaded) {
    int count = empty.keys.length;
    loaded.entry += count;
    empty.peer.bulkload(LongEntrySource.of(empty.keys, empty.values, count), count);
    return empty.peer;
  }
}
