// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.benchmarks.jmh.LookupBenchmark.Probes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Visiting all entries, or a range of them, in order of keys. The counter {@code entry} of the full
 * scans is the time per entry.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class ScanBenchmark {
  /** Entries of a short range. */
  static final int RANGE = 100;

  /** How many entries the scans of an iteration have visited. */
  @AuxCounters
  @State(Scope.Thread)
  public static class Visited {
    /** The count; JMH resets it. */
    public long entry;
  }

  /**
   * Visits all entries by the fastest way the structure has: runs of a leaf in Espalier's trees.
   */
  @Benchmark
  public long scanRuns(LoadedPeer loaded, Visited visited) {
    visited.entry += loaded.entries;
    return loaded.peer.scanRuns();
  }

  /** Visits all entries one by one. */
  @Benchmark
  public long scanEntries(LoadedPeer loaded, Visited visited) {
    visited.entry += loaded.entries;
    return loaded.peer.scanEntries();
  }

  /** Visits 100 entries from a random key on. */
  @Benchmark
  public long scanRange100(LoadedPeer loaded, Probes probes) {
    return loaded.peer.scanRange(probes.nextHit(), RANGE);
  }
}
