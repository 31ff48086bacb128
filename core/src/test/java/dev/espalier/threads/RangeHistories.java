// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Threads that remove ranges of an index, count ranges, shrink it and take snapshots, while others
 * write inside of the ranges, outside of them and across their ends. The keys are
 *
 * <pre>
 *     0 .. LOW   written, never swept
 *      .. QUIET  written, and swept in parts that overlap
 *      .. TOP    written at first only, or never: their number is known
 *      .. KEYS   written, never swept
 *      .. CHAIN  written one after the other, again and again, by one thread
 * </pre>
 *
 * <p>Each key has one writer, which numbers its writes: odd ones put their number, even ones
 * remove. So a writer knows the answer of each of its calls but where entries are swept; and an
 * entry that a sweep leaves must have been put after the sweep began.
 */
public final class RangeHistories {
  private static final int LOW = 40;
  private static final int QUIET = 160;
  private static final int TOP = 180;
  private static final int KEYS = 220;
  private static final int CHAIN = 223;

  private static final int WRITERS = 2;
  private static final int SWEEPERS = 2;

  private final LongIndex index;
  private final long seed;

  /** Whether sweeps are counted; else they are calls of {@code clear}, which count nothing. */
  private final boolean isCounted;

  private final int quietEntries;
  private final AtomicIntegerArray begun = new AtomicIntegerArray(CHAIN);
  private final AtomicIntegerArray ended = new AtomicIntegerArray(CHAIN);
  private final AtomicInteger sweepsBegun = new AtomicInteger();
  private final AtomicInteger sweepsEnded = new AtomicInteger();
  private final AtomicBoolean stop = new AtomicBoolean();

  /** Entries of the swept keys: put by writers, less removed by writers and by sweeps. */
  private final LongAdder inSweptKeys = new LongAdder();

  private RangeHistories(LongIndex index, long seed) {
    this.index = index;
    this.seed = seed;
    this.isCounted = (seed & 1) == 0;
    this.quietEntries = (seed & 2) == 0 ? TOP - QUIET : 0;
  }

  /** What one thread does. */
  private interface Work {
    void run(SplittableRandom random);
  }

  /**
   * Runs so many rounds, each over a new index and with a seed of its own.
   *
   * @param writes of each writer, in a round
   */
  public static void check(Supplier<LongIndex> factory, int rounds, int writes) {
    Seeds.run(
        rounds,
        seed -> {
          try (LongIndex index = factory.get()) {
            new RangeHistories(index, seed).run(writes);
          }
        });
  }

  private void run(int writes) throws Exception {
    for (int i = QUIET; i < QUIET + quietEntries; i++) {
      index.put(i, i);
    }
    List<Work> writing = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      writing.add(random -> write(writer, writes, random));
    }
    List<Work> untilStopped = new ArrayList<>();
    for (int i = 0; i < SWEEPERS; i++) {
      untilStopped.add(this::sweep);
    }
    untilStopped.add(this::look);
    untilStopped.add(_ -> writeChain());
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<?>> others = start(threads, untilStopped, 100);
      try {
        for (Future<?> writer : start(threads, writing, 0)) {
          writer.get();
        }
      } finally {
        stop.set(true);
      }
      for (Future<?> other : others) {
        other.get();
      }
    } finally {
      threads.shutdownNow();
    }
    checkEnd();
  }

  private List<Future<?>> start(ExecutorService threads, List<Work> all, int firstNumber) {
    List<Future<?>> started = new ArrayList<>();
    for (Work work : all) {
      SplittableRandom random = new SplittableRandom(1000 * seed + firstNumber + started.size());
      started.add(
          threads.submit(
              () -> {
                try {
                  work.run(random);
                } catch (RuntimeException | Error failed) {
                  stop.set(true);
                  throw failed;
                }
              }));
    }
    return started;
  }

  private static boolean isSwept(int i) {
    return i >= LOW && i < QUIET;
  }

  // ---------------------------------------------------------------- write

  /** Writes keys in stretches, so that nodes are split and merged. */
  private void write(int writer, int writes, SplittableRandom random) {
    for (int done = 0; done < writes && !stop.get(); ) {
      int from = random.nextInt(KEYS);
      int length = 1 + random.nextInt(40);
      boolean puts = random.nextBoolean();
      for (int i = from; i < Math.min(KEYS, from + length); i++) {
        boolean isMine = i % WRITERS == writer && (i < QUIET || i >= TOP);
        boolean wasPut = (ended.get(i) & 1) != 0;
        if (isMine && wasPut != puts) {
          writeOnce(i);
          done++;
        }
      }
      done++;
    }
  }

  private void writeOnce(int i) {
    int sweeps = sweepsEnded.get();
    boolean isUnderSweep = sweepsBegun.get() != sweeps;
    int number = begun.incrementAndGet(i);
    boolean puts = (number & 1) != 0;
    long before = puts ? index.put(i, number) : index.remove(i);
    ended.set(i, number);
    long missing = index.missingValue();
    if (!isSwept(i)) {
      assertEquals(puts ? missing : number - 1, before, () -> "before write of key " + i);
      assertEquals(puts ? number : missing, index.get(i), () -> "after write of key " + i);
      return;
    }
    assertTrue(
        before == missing || (!puts && before == number - 1),
        () -> "before write " + number + " of key " + i + ": " + before);
    inSweptKeys.add(puts ? 1 : before == missing ? 0 : -1);
    long after = index.get(i);
    if (puts && !isUnderSweep && sweepsBegun.get() == sweeps) {
      assertEquals(number, after, () -> "key " + i + ", which no sweep has removed");
    }
  }

  private void writeChain() {
    for (int number = 1; !stop.get(); number++) {
      for (int i = KEYS; i < CHAIN; i++) {
        assertEquals(number == 1 ? index.missingValue() : number - 1, index.put(i, number));
        ended.set(i, number);
      }
    }
  }

  // ---------------------------------------------------------------- sweep

  private void sweep(SplittableRandom random) {
    while (!stop.get()) {
      int from = LOW + random.nextInt(QUIET - LOW);
      int to = random.nextInt(4) == 0 ? QUIET - 1 : from + random.nextInt(QUIET - from);
      int[] endedBefore = new int[CHAIN];
      Arrays.setAll(endedBefore, ended::get);
      sweepsBegun.incrementAndGet();
      if (isCounted) {
        inSweptKeys.add(-removeRange(from, to, random));
      } else {
        clear(from, to, random);
      }
      sweepsEnded.incrementAndGet();
      for (int i = from; i <= to; i++) {
        long value = index.get(i);
        int key = i;
        assertTrue(
            value == index.missingValue() || (value > endedBefore[i] && value <= begun.get(i)),
            () -> "a sweep has left write " + value + " of key " + key);
      }
    }
  }

  /** Removes the entries from one key to another, both included, and returns how many. */
  private long removeRange(long from, long to, SplittableRandom random) {
    return switch (random.nextInt(3)) {
      case 0 -> index.removeRange(from, true, to, true);
      case 1 -> index.removeRange(from - 1, false, to + 1, false);
      default -> index.descendingView().removeRange(to, true, from - 1, false);
    };
  }

  private void clear(long from, long to, SplittableRandom random) {
    switch (random.nextInt(3)) {
      case 0 -> index.subView(from, true, to, true).clear();
      case 1 -> index.asMap().subMap(from, to + 1).clear();
      default -> index.asMap().descendingMap().subMap(to, true, from, true).keySet().clear();
    }
  }

  // ---------------------------------------------------------------- read

  /** Counts the quiet keys, between others that come and go; shrinks the index. */
  private void look(SplittableRandom random) {
    while (!stop.get()) {
      assertEquals(quietEntries, index.countRange(QUIET, true, TOP, false), "quiet keys");
      assertEquals(quietEntries, index.countRange(QUIET - 1, false, TOP - 1, true), "quiet keys");
      assertEquals(quietEntries, index.subView(QUIET, true, TOP - 1, true).size(), "quiet keys");
      long all = index.countRange(Long.MIN_VALUE, true, Long.MAX_VALUE, true);
      assertTrue(all >= quietEntries && all <= CHAIN, () -> "all keys: " + all);
      if (random.nextInt(20) == 0) {
        index.shrink();
      }
      if (index instanceof ConcurrentPbPlusTree tree) {
        try (LongIndex snapshot = tree.snapshot()) {
          checkSnapshot(snapshot);
        }
      }
    }
  }

  /** Checks that a snapshot is of one moment. */
  private void checkSnapshot(LongIndex snapshot) {
    long entries = 0;
    for (LongCursor cursor = snapshot.cursor(); cursor.next(); ) {
      entries++;
    }
    assertEquals(snapshot.size(), entries, "entries of a snapshot");
    assertEquals(quietEntries, snapshot.countRange(QUIET, true, TOP, false), "of a snapshot");
    long first = snapshot.getOrDefault(KEYS, 0);
    for (int i = KEYS + 1; i < CHAIN; i++) {
      long before = snapshot.getOrDefault(i - 1, 0);
      long value = snapshot.getOrDefault(i, 0);
      assertTrue(
          value <= before && value >= first - 1,
          () -> "a snapshot has writes " + first + ", " + before + " and " + value + " of a chain");
    }
  }

  // ---------------------------------------------------------------- end

  private void checkEnd() {
    index.verify();
    int swept = 0;
    int others = 0;
    for (int i = 0; i < CHAIN; i++) {
      int number = ended.get(i);
      long value = index.get(i);
      boolean isThere = value != index.missingValue();
      if (isSwept(i)) {
        swept += isThere ? 1 : 0;
        assertTrue(!isThere || value == number, "key " + i + " in the end");
      } else {
        boolean isQuiet = i >= QUIET && i < TOP;
        boolean isExpected =
            isQuiet ? i < QUIET + quietEntries : i >= KEYS ? number > 0 : (number & 1) != 0;
        assertEquals(isExpected ? isQuiet ? i : number : index.missingValue(), value, "key " + i);
        others += isExpected ? 1 : 0;
      }
    }
    assertEquals(swept + others, index.size());
    if (isCounted) {
      assertEquals(inSweptKeys.sum(), swept, "entries put, less those that calls say they removed");
    }
  }
}
