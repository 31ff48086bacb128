// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.benchmarks.Pollution;
import dev.espalier.benchmarks.WorkKeys;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * One structure measured alone in its JVM, and after the JVM has run all variants: the JIT compiler
 * keeps one profile per bytecode, and code that several variants share may be compiled worse.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class PollutedBenchmark {
  /** Keys per batched lookup. */
  static final int GROUP = 256;

  private static final int PROBES = 1 << 20;

  /** What the JVM has run before. */
  public enum Jvm {
    /** Nothing. */
    ALONE,
    /** All variants, their cursors, views and maps. */
    POLLUTED
  }

  /** A structure, in a JVM as {@link #jvm} says. */
  @State(Scope.Benchmark)
  public static class PollutedPeer extends LoadedPeer {
    /** What the JVM has run before. */
    @Param public Jvm jvm = Jvm.ALONE;

    /** Entries that each of the other variants gets; fewer in tests. */
    int pollution = Pollution.ENTRIES;

    final long[] values = new long[GROUP];
    private final SplittableRandom random = new SplittableRandom(1);
    long[] keys = new long[0];
    private int next;

    /** Runs the other variants, if so asked. */
    @Setup(Level.Trial)
    public void pollute() {
      if (jvm == Jvm.POLLUTED) {
        Pollution.warmAllVariants(pollution);
      }
    }

    /** Draws the keys to look up, other ones in every iteration. */
    @Setup(Level.Iteration)
    public void fill() {
      keys = WorkKeys.probes(random, entries, PROBES);
    }

    /** Returns where the next {@code count} keys are. */
    int advance(int count) {
      next = next + count & PROBES - 1;
      return next;
    }
  }

  /** Looks up a key. */
  @Benchmark
  public long getHit(PollutedPeer loaded) {
    return loaded.peer.get(loaded.keys[loaded.advance(1)]);
  }

  /** Looks up a group of keys; the time is that of one. */
  @Benchmark
  @OperationsPerInvocation(GROUP)
  public long[] getAll(PollutedPeer loaded) {
    loaded.peer.getAll(loaded.keys, loaded.advance(GROUP), loaded.values, 0, GROUP);
    return loaded.values;
  }

  /** Visits all entries. */
  @Benchmark
  public long scanRuns(PollutedPeer loaded) {
    return loaded.peer.scanRuns();
  }
}
