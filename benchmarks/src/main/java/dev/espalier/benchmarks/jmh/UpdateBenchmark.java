// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.jmh;

import dev.espalier.benchmarks.WorkKeys;
import dev.espalier.benchmarks.peer.Peer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Putting new entries and removing entries. One invocation makes many changes, and they are undone
 * before the next, outside the measured time: the structure keeps its size.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 20)
@Fork(2)
public class UpdateBenchmark {
  /** Changes per invocation. */
  static final int CHANGES = 1 << 16;

  /** New keys in random order. */
  @SuppressWarnings("NullAway.Init") // JMH calls draw()
  @State(Scope.Benchmark)
  public static class NewKeys {
    private int round;
    long[] keys;

    /** Takes keys that were never used before. */
    @Setup(Level.Invocation)
    public void draw(LoadedPeer loaded) {
      keys = WorkKeys.keys(loaded.entries + (long) round++ * CHANGES, CHANGES);
    }

    /** Removes them again. */
    @TearDown(Level.Invocation)
    public void undo(LoadedPeer loaded) {
      removeAll(loaded.peer, keys);
    }
  }

  /** New keys that ascend and lie above all others. */
  @SuppressWarnings("NullAway.Init") // JMH calls draw()
  @State(Scope.Benchmark)
  public static class AscendingKeys {
    long[] keys;

    /** Makes the keys. */
    @Setup(Level.Trial)
    public void draw() {
      keys = new long[CHANGES];
      Arrays.setAll(keys, WorkKeys::ascendingKey);
    }

    /** Removes them again. */
    @TearDown(Level.Invocation)
    public void undo(LoadedPeer loaded) {
      removeAll(loaded.peer, keys);
    }
  }

  /** Keys of the structure, in random order. */
  @SuppressWarnings("NullAway.Init") // JMH calls draw()
  @State(Scope.Benchmark)
  public static class PresentKeys {
    private int round;
    long[] keys;

    /** Takes other keys than the time before. */
    @Setup(Level.Invocation)
    public void draw(LoadedPeer loaded) {
      long sets = loaded.entries / CHANGES;
      if (sets == 0) {
        throw new IllegalArgumentException(
            "size is " + loaded.entries + " entries; removing takes at least " + CHANGES);
      }
      keys = WorkKeys.keys(round++ % sets * CHANGES, CHANGES);
    }

    /** Puts them back. */
    @TearDown(Level.Invocation)
    public void undo(LoadedPeer loaded) {
      putAll(loaded.peer, keys);
    }
  }

  /** Puts new keys in random order. */
  @Benchmark
  @OperationsPerInvocation(CHANGES)
  public Peer putRandom(LoadedPeer loaded, NewKeys fresh) {
    return putAll(loaded.peer, fresh.keys);
  }

  /** Puts new keys in ascending order, above all others. */
  @Benchmark
  @OperationsPerInvocation(CHANGES)
  public Peer putAscending(LoadedPeer loaded, AscendingKeys ascending) {
    return putAll(loaded.peer, ascending.keys);
  }

  /** Removes keys in random order. */
  @Benchmark
  @OperationsPerInvocation(CHANGES)
  public Peer remove(LoadedPeer loaded, PresentKeys present) {
    return removeAll(loaded.peer, present.keys);
  }

  private static Peer putAll(Peer peer, long[] keys) {
    for (long key : keys) {
      peer.put(key, WorkKeys.value(key));
    }
    return peer;
  }

  private static Peer removeAll(Peer peer, long[] keys) {
    for (long key : keys) {
      peer.remove(key);
    }
    return peer;
  }
}
