// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A store that is loaded, worked on by crews of threads, and loaded again when that is needed. */
final class MeasuredStore implements AutoCloseable {
  private static final int LOAD_GROUP = 10_000;

  /** Entries that are read after each measurement, when nobody writes. */
  private static final int AUDITED = 10_000;

  /** A fill takes as long as it takes, but no longer than so many rounds of other work. */
  private static final int ROUNDS_OF_A_FILL = 10;

  /** Or than so many nanoseconds for each entry, so that most stores are full at the end. */
  private static final long NANOS_OF_A_FILL = 10_000;

  /** There is room for so many times the entries that are loaded. */
  private static final int ROOM = 2;

  private final StoreType type;
  private final Setting setting;
  private final EntryStates states;
  private final Draws draws;
  private final SplittableRandom random = new SplittableRandom(1);
  private final @Nullable MemoryGroup memory;
  private @Nullable BoardStore store;
  private int @Nullable [] ascending;

  /** Makes one without a store, until the first measurement. */
  MeasuredStore(StoreType type, Setting setting) {
    this(type, setting, null);
  }

  /**
   * Makes one without a store, until the first measurement.
   *
   * @param memory bounded when the store is loaded: beside what the process has then, the system
   *     may cache as much of its files as the pool holds; null if there is no limit
   */
  MeasuredStore(StoreType type, Setting setting, @Nullable MemoryGroup memory) {
    this.type = type;
    this.setting = setting;
    this.memory = memory;
    states = new EntryStates(Math.multiplyExact(ROOM, setting.entries()));
    draws = new Draws(setting.entries());
  }

  /**
   * Measures.
   *
   * @param time after which the threads stop, unless the work has an end of its own
   * @throws WrongAnswerException if an answer was wrong, or an update was lost
   */
  Figure measure(Work work, Distribution distribution, Crew crew, Duration time) {
    BoardStore ready = work.isFill() ? renew() : loaded();
    boolean isWriting = work == Work.READ_WHILE_WRITING;
    int threads = crew.threads() + (isWriting ? 1 : 0);
    Duration limit = work.isFill() ? limitOfAFill(time) : time;
    CountDownLatch start = new CountDownLatch(1);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Worker> workers = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    try {
      for (int i = 0; i < crew.threads(); i++) {
        int[] order = work.isFill() ? share(work, i, crew.threads()) : new int[0];
        workers.add(worker(ready, work, distribution, crew.isVirtual(), threads, order));
      }
      @Nullable Worker writer =
          isWriting
              ? worker(ready, Work.OVERWRITE, distribution, false, threads, new int[0])
              : null;
      Thread.Builder builder = crew.isVirtual() ? Thread.ofVirtual() : Thread.ofPlatform();
      for (Worker worker : workers) {
        running.add(builder.start(() -> worker.run(start, limit, failure)));
      }
      if (writer != null) {
        running.add(Thread.ofPlatform().start(() -> writer.run(start, limit, failure)));
      }
      long begin = System.nanoTime();
      start.countDown();
      join(running);
      if (failure.get() != null) {
        throw failure.get() instanceof WrongAnswerException wrong
            ? wrong
            : new IllegalStateException("a thread failed: " + failure.get(), failure.get());
      }
      states.acknowledge();
      long end = workers.stream().mapToLong(Worker::end).max().orElseThrow();
      Histogram all = Worker.histogram();
      workers.forEach(worker -> all.add(worker.latencies()));
      workers.forEach(Worker::close);
      if (writer != null) {
        writer.close();
      }
      audit(ready);
      return Figure.of(all, Math.max(1, end - begin));
    } finally {
      if (work == Work.DELETE_RANDOM || states.count() < setting.entries() || isCrowded()) {
        drop();
      }
    }
  }

  private Duration limitOfAFill(Duration round) {
    Duration rounds = round.multipliedBy(ROUNDS_OF_A_FILL);
    Duration entries = Duration.ofNanos(setting.entries() * NANOS_OF_A_FILL);
    return rounds.compareTo(entries) > 0 ? rounds : entries;
  }

  private boolean isCrowded() {
    return states.count() > setting.entries() + setting.entries() / 2;
  }

  private Worker worker(
      BoardStore ready,
      Work work,
      Distribution distribution,
      boolean isYielding,
      int threads,
      int[] order) {
    return new Worker(
        work,
        states,
        new CheckedSession(ready.session(threads), states, setting.isDurable()),
        draws.sequence(distribution, random.nextLong()),
        isYielding,
        order);
  }

  private static void join(List<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while threads were at work", e);
    }
  }

  /** Returns one thread's part of the order in which a store is filled. */
  private int[] share(Work work, int thread, int threads) {
    int[] order =
        work == Work.FILL_SEQ ? ascending() : IntStream.range(0, setting.entries()).toArray();
    int from = (int) ((long) order.length * thread / threads);
    int to = (int) ((long) order.length * (thread + 1) / threads);
    return IntArrays.copy(order, from, to - from);
  }

  private int[] ascending() {
    if (ascending == null) {
      int[] order = IntStream.range(0, setting.entries()).toArray();
      IntArrays.parallelQuickSort(order, (a, b) -> Long.compare(Setting.key(a), Setting.key(b)));
      ascending = order;
    }
    return ascending;
  }

  /** Returns an empty store. */
  private BoardStore renew() {
    drop();
    states.load(0);
    BoardStore empty = type.factory().apply(setting);
    store = empty;
    states.takeAll(setting.entries());
    return empty;
  }

  private BoardStore loaded() {
    if (store != null) {
      return store;
    }
    BoardStore fresh = type.factory().apply(setting);
    store = fresh;
    long[] entries = new long[LOAD_GROUP];
    long[] words = new long[LOAD_GROUP];
    try (BoardSession session = fresh.session(1)) {
      for (int from = 0; from < setting.entries(); from += LOAD_GROUP) {
        int count = Math.min(LOAD_GROUP, setting.entries() - from);
        for (int i = 0; i < count; i++) {
          entries[i] = (long) from + i;
          words[i] = Word.of(entries[i], 1);
        }
        session.writeTogether(entries, words, count);
      }
    }
    states.load(setting.entries());
    if (memory != null) {
      memory.bound(setting.poolBytes());
    }
    return fresh;
  }

  /** Reads entries when nobody writes, so that what they must have is known. */
  private void audit(BoardStore quiet) {
    BoardSession session = quiet.session(1);
    CheckedSession checked = new CheckedSession(session, states, false);
    for (int i = 0; i < Math.min(AUDITED, setting.entries()); i++) {
      checked.read(random.nextInt(setting.entries()));
    }
    checked.close();
  }

  private void drop() {
    if (store != null) {
      if (memory != null) {
        memory.unbound();
      }
      store.close();
      store = null;
    }
  }

  @Override
  public void close() {
    drop();
  }
}
