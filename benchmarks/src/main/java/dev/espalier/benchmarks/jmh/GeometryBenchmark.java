// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.IndexOptions;
import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.Sums;
import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.bplus.choices.ConfigurablePbPlusTree;
import dev.espalier.bplus.choices.PbPlusChoices;
import dev.espalier.bplus.choices.PbPlusChoices.JumpPointers;
import dev.espalier.bplus.choices.PbPlusChoices.NodePrefetch;
import dev.espalier.bplus.choices.PbPlusChoices.NodeSearch;
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

/**
 * What the default geometry and choices of the pB+-tree were chosen by. The tree is built by random
 * puts.
 */
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

    /** Lines per inner node, and per leaf unless {@code leafWidth} says otherwise. */
    @Param({"4", "8", "16"})
    public int width;

    /** Lines per leaf; 0 for those of inner nodes. */
    @Param("0")
    public int leafWidth;

    /** Leaves that a scan fetches ahead. */
    @Param("16")
    public int prefetchDistance;

    /** INTERNAL, FLAT, or the lines of a chunk. */
    @Param("INTERNAL")
    public String jumpPointers;

    /** How nodes are fetched before they are searched. */
    @Param("BY_SEARCH")
    public NodePrefetch searchPrefetch;

    /** How the leaves ahead of a scan are fetched. */
    @Param("LINEAR")
    public NodePrefetch scanPrefetch;

    /** How nodes are searched. */
    @Param("SIMD")
    public NodeSearch search;

    /** Amount of data, see {@link DataSize}. */
    @Param("10M")
    public String size;

    ConfigurablePbPlusTree tree;
    final long[] values = new long[GROUP];
    private long[] probes;
    private int next;

    /** Fills the tree. */
    @Setup(Level.Trial)
    public void load() {
      NativeRequirement.check();
      long entries = DataSize.entries(size);
      Geometry geometry = new Geometry(width, leafWidth == 0 ? width : leafWidth, prefetchDistance);
      tree = ConfigurablePbPlusTree.create(IndexOptions.DEFAULT, geometry, choices());
      for (long from = 0; from < entries; from += BLOCK) {
        long[] keys = WorkKeys.keys(from, (int) Math.min(BLOCK, entries - from));
        tree.putAll(keys, WorkKeys.values(keys));
      }
      probes = WorkKeys.probes(new SplittableRandom(1), entries, PROBES);
    }

    private PbPlusChoices choices() {
      JumpPointers array =
          switch (jumpPointers) {
            case "INTERNAL" -> JumpPointers.INTERNAL;
            case "FLAT" -> JumpPointers.FLAT;
            default -> JumpPointers.chunked(Integer.parseInt(jumpPointers));
          };
      return PbPlusChoices.DEFAULT
          .withJumpPointers(array)
          .withSearchPrefetch(searchPrefetch)
          .withScanPrefetch(scanPrefetch)
          .withSearch(search);
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

  /** Puts a key that is there, which is a lookup and a write. */
  @Benchmark
  public long putExisting(Tree state) {
    long key = state.probes[state.advance(1)];
    return state.tree.put(key, WorkKeys.value(key));
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
