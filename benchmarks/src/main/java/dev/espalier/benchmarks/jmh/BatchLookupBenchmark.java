// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

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

/** Looking up random keys in groups; the time is that of one key. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class BatchLookupBenchmark {
  /** Keys of one invocation, whatever the group: the largest group. */
  static final int KEYS = 1024;

  /** Keys to look up, other ones in every iteration. */
  @SuppressWarnings("NullAway.Init") // JMH calls fill()
  @State(Scope.Benchmark)
  public static class Groups {
    private static final int COUNT = 1 << 20;

    /** Keys per call. */
    @Param({"16", "64", "256", "1024"})
    public int group;

    final long[] values = new long[KEYS];
    private final SplittableRandom random = new SplittableRandom(1);
    long[] keys;
    private int next;

    /** Draws the keys. */
    @Setup(Level.Iteration)
    public void fill(LoadedPeer loaded) {
      if (group <= 0 || KEYS % group != 0) {
        throw new IllegalArgumentException("group is " + group + "; it must divide " + KEYS);
      }
      keys = WorkKeys.probes(random, loaded.entries, COUNT);
    }

    /** Returns where the keys of the next invocation begin. */
    int advance() {
      next = next + KEYS & COUNT - 1;
      return next;
    }
  }

  /** Looks up keys that are there. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long[] getAll(LoadedPeer loaded, Groups groups) {
    int from = groups.advance();
    for (int done = 0; done < KEYS; done += groups.group) {
      loaded.peer.getAll(groups.keys, from + done, groups.values, done, groups.group);
    }
    return groups.values;
  }
}
