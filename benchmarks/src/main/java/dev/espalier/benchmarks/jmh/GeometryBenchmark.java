// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.IndexOptions;
import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.Sums;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What the default geometry of the pB+-tree was chosen by. The tree is built by random puts. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class GeometryBenchmark {
  private static final int GROUP = 256;

  /** A tree and keys that it holds. */
  @SuppressWarnings("NullAway.Init") // JMH sets the parameters, then calls load()
  @State(Scope.Benchmark)
  public static class Tree {
    private static final int PROBES = 1 << 20;
    private static final int BLOCK = 1 << 16;

    /** Lines per node, inner and leaf. */
    @Param({"4", "8", "16"})
    public int width;

    /** Leaves that a scan fetches ahead. */
    @Param("16")
    public int prefetchDistance;

    /** Amount of data, see {@link DataSize}. */
    @Param("10M")
    public String size;

    PbPlusTree tree;
    final long[] values = new long[GROUP];
    private long[] probes;
    private int next;

    /** Fills the tree. */
    @Setup(Level.Trial)
    public void load() {
      NativeRequirement.check();
      long entries = DataSize.entries(size);
      tree = PbPlusTree.create(IndexOptions.DEFAULT, new Geometry(width, width, prefetchDistance));
      for (long from = 0; from < entries; from += BLOCK) {
        long[] keys = WorkKeys.keys(from, (int) Math.min(BLOCK, entries - from));
        tree.putAll(keys, WorkKeys.values(keys));
      }
      probes = WorkKeys.probes(new SplittableRandom(1), entries, PROBES);
    }

    /** Frees the tree. */
    @TearDown(Level.Trial)
    public void close() {
      tree.close();
    }

    private int advance(int count) {
      next = next + count & PROBES - 1;
      return next;
    }
  }

  /** Looks up one key. */
  @Benchmark
  public long get(Tree state) {
    return state.tree.get(state.probes[state.advance(1)]);
  }

  /** Looks up 256 keys together; the time is that of one. */
  @Benchmark
  @OperationsPerInvocation(GROUP)
  public long[] getAll(Tree state) {
    state.tree.getAll(state.probes, state.advance(GROUP), state.values, 0, GROUP);
    return state.values;
  }

  /** Visits all entries. */
  @Benchmark
  public long scan(Tree state) {
    return Sums.ofRuns(state.tree.cursor());
  }
}
