// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.batch.ProbeChoice;
import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The threads of a {@link ParallelJoin}, each with a join of its own over a share of the rows. */
final class JoinCrew<B> {
  private final ParallelJoin.Output<B> output;
  private final List<JoinStatistics> done = new ArrayList<>();

  private @Nullable Throwable failure;
  private volatile boolean isStopped;

  JoinCrew(ParallelJoin.Output<B> output) {
    this.output = output;
  }

  /**
   * Joins all rows.
   *
   * @param open opens the outer side
   * @param close closes the outer side
   * @param joins makes a join over a share of the outer side
   * @param threads the number of threads, the calling one included
   */
  JoinStatistics run(
      Runnable open, Runnable close, Supplier<? extends BatchJoin<B>> joins, int threads) {
    open.run();
    try {
      List<Thread> others = new ArrayList<>();
      try {
        for (int i = 1; i < threads; i++) {
          int number = i;
          others.add(
              Thread.ofPlatform().name("espalier-join-" + i).start(() -> work(number, joins)));
        }
        work(0, joins);
      } catch (Throwable failed) { // A thread could not be started.
        fail(failed);
      } finally {
        others.forEach(JoinCrew::awaitEnd);
      }
    } finally {
      close.run();
    }
    rethrow();
    return together();
  }

  /** Joins batches until there are no more, or another thread has failed. */
  private void work(int thread, Supplier<? extends BatchJoin<B>> joins) {
    try (BatchJoin<B> join = joins.get()) {
      join.open();
      while (join.next()) {
        output.accept(thread, join.batch());
      }
      synchronized (done) {
        done.add(join.statistics());
      }
    } catch (Throwable failed) {
      fail(failed);
    }
  }

  @SuppressWarnings("ReferenceEquality") // Two threads may throw one object.
  private void fail(Throwable failed) {
    isStopped = true;
    synchronized (done) {
      if (failure == null) {
        failure = failed;
      } else if (failure != failed) {
        failure.addSuppressed(failed);
      }
    }
  }

  /** Waits for a thread; an interrupt does not shorten this, and is kept. */
  private static void awaitEnd(Thread thread) {
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void rethrow() {
    synchronized (done) {
      switch (failure) {
        case null -> {}
        case RuntimeException thrown -> throw thrown;
        case Error thrown -> throw thrown;
        default -> throw new IllegalStateException(failure);
      }
    }
  }

  private JoinStatistics together() {
    long rowsIn = 0;
    long rowsOut = 0;
    long batches = 0;
    int largestBatch = 0;
    Optional<ProbeChoice> choice = Optional.empty();
    synchronized (done) {
      for (JoinStatistics one : done) {
        rowsIn += one.rowsIn();
        rowsOut += one.rowsOut();
        batches += one.batches();
        largestBatch = Math.max(largestBatch, one.largestBatch());
        choice = choice.or(one::choice);
      }
    }
    return new JoinStatistics(rowsIn, rowsOut, batches, largestBatch, choice);
  }

  // ---------------------------------------------------------------- the outer side, shared

  /** Returns the outer side for one of the threads. */
  OuterSource share(OuterSource outer) {
    return new OuterSource() {
      @Override
      public void open() {}

      @Override
      public int nextBatch(long[] keys, long[] payloads) {
        synchronized (outer) {
          return isStopped ? 0 : outer.nextBatch(keys, payloads);
        }
      }

      @Override
      public void close() {}
    };
  }

  /** Returns the outer side for one of the threads. */
  IntervalSource share(IntervalSource outer) {
    return new IntervalSource() {
      @Override
      public void open() {}

      @Override
      public int nextBatch(long[] lows, long[] highs, long[] payloads) {
        synchronized (outer) {
          return isStopped ? 0 : outer.nextBatch(lows, highs, payloads);
        }
      }

      @Override
      public void close() {}
    };
  }

  /** Returns the outer side for one of the threads, which has copies of its keys. */
  BytesOuterSource share(BytesOuterSource outer) {
    return new BytesOuterSource() {
      @Override
      public void open() {}

      @Override
      public PackedBytes nextBatch(long[] payloads) {
        synchronized (outer) {
          return isStopped ? PackedBytes.of(List.of()) : copy(outer.nextBatch(payloads));
        }
      }

      @Override
      public void close() {}
    };
  }

  private static PackedBytes copy(PackedBytes keys) {
    int[] offsets = new int[keys.count() + 1];
    for (int i = 0; i < keys.count(); i++) {
      offsets[i + 1] = Math.addExact(offsets[i], (int) keys.get(i).byteSize());
    }
    byte[] bytes = new byte[offsets[keys.count()]];
    MemorySegment.copy(keys.bytes(), ValueLayout.JAVA_BYTE, keys.start(0), bytes, 0, bytes.length);
    return new PackedBytes(
        MemorySegment.ofArray(bytes), MemorySegment.ofArray(offsets), keys.count());
  }
}
