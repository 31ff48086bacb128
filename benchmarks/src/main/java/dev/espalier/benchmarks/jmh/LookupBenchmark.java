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
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Looking up one random key. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class LookupBenchmark {

  /** Keys to look up, other ones in every iteration. */
  @SuppressWarnings("NullAway.Init") // JMH calls fill()
  @State(Scope.Benchmark)
  public static class Probes {
    private static final int COUNT = 1 << 20;

    private final SplittableRandom random = new SplittableRandom(1);
    private long[] hits;
    private long[] misses;
    private int next;

    /** Draws the keys. */
    @Setup(Level.Iteration)
    public void fill(LoadedPeer loaded) {
      hits = WorkKeys.probes(random, loaded.entries, COUNT);
      misses = WorkKeys.missingProbes(random, loaded.entries, COUNT);
    }

    long nextHit() {
      return hits[next++ & COUNT - 1];
    }

    long nextMiss() {
      return misses[next++ & COUNT - 1];
    }
  }

  /** Looks up a key that is there. */
  @Benchmark
  public long getHit(LoadedPeer loaded, Probes probes) {
    return loaded.peer.get(probes.nextHit());
  }

  /** Looks up a key that is not there. */
  @Benchmark
  public long getMiss(LoadedPeer loaded, Probes probes) {
    return loaded.peer.get(probes.nextMiss());
  }
}
