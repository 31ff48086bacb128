// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that write and read one index at once, and check every answer. Each key has one writer,
 * which numbers its writes: odd ones put their number, even ones remove. So whoever reads a key
 * knows which answers are possible: those of the writes from the last that had ended when the read
 * began to the last that had begun when it ended. Each {@value #EVERY}th key is written once, at
 * first, and then is always there.
 */
public final class KeyHistories {
  /** Distance of the keys that stay, and of keys in the index. */
  private static final int EVERY = 16;

  private static final long DISTANCE = 3;

  private final LongIndex index;
  private final int keys;
  private final AtomicIntegerArray begun;
  private final AtomicIntegerArray ended;
  private final AtomicBoolean stop = new AtomicBoolean();

  private KeyHistories(LongIndex index, int keys) {
    this.index = index;
    this.keys = keys;
    this.begun = new AtomicIntegerArray(keys);
    this.ended = new AtomicIntegerArray(keys);
  }

  /** A thread's work, until it is told to stop. */
  private interface Work {
    void once(SplittableRandom random);
  }

  /**
   * Has an empty index written and read, and checks what it has in the end.
   *
   * @param writes of each writer
   */
  public static void run(LongIndex index, int keys, int writers, int readers, int writes)
      throws Exception {
    run(Executors.newCachedThreadPool(), index, keys, writers, readers, writes);
  }

  /** Does the same with threads of some kind, which it ends. */
  public static void run(
      ExecutorService threads, LongIndex index, int keys, int writers, int readers, int writes)
      throws Exception {
    new KeyHistories(index, keys).run(threads, writers, readers, writes);
  }

  private void run(ExecutorService threads, int writers, int readers, int writes) throws Exception {
    for (int i = 0; i < keys; i += EVERY) {
      begun.set(i, 1);
      index.put(key(i), 1);
      ended.set(i, 1);
    }
    try {
      List<Future<?>> reading = new ArrayList<>();
      for (int i = 0; i < readers; i++) {
        Work work =
            switch (i % 4) {
              case 0 -> this::look;
              case 1 -> this::lookUpMany;
              case 2 -> this::scanForth;
              default -> this::scanBack;
            };
        SplittableRandom random = new SplittableRandom(i);
        reading.add(
            threads.submit(
                () -> {
                  while (!stop.get()) {
                    work.once(random);
                    if (Thread.currentThread().isVirtual()) {
                      // Nobody takes its carrier from it; those that yield only yield to one
                      // another.
                      LockSupport.parkNanos(1);
                    }
                  }
                }));
      }
      List<Future<?>> writing = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        int writer = i;
        writing.add(threads.submit(() -> write(writer, writers, writes)));
      }
      try {
        for (Future<?> thread : writing) {
          thread.get();
        }
      } finally {
        stop.set(true);
      }
      for (Future<?> thread : reading) {
        thread.get();
      }
    } finally {
      threads.shutdownNow();
    }
    checkEnd();
  }

  private static long key(int i) {
    return i * DISTANCE;
  }

  // ---------------------------------------------------------------- write

  /** Writes keys in stretches that grow and shrink, so that pages are split and removed. */
  private void write(int writer, int writers, int writes) {
    SplittableRandom random = new SplittableRandom(~writer);
    for (int done = 0; done < writes; ) {
      int from = random.nextInt(keys);
      int length = 1 + random.nextInt(200);
      boolean puts = random.nextBoolean();
      for (int i = from; i < Math.min(keys, from + length) && done < writes; i++) {
        boolean isMine = i % writers == writer && i % EVERY != 0;
        boolean isThere = (ended.get(i) & 1) != 0;
        if (isMine && isThere != puts) {
          writeOnce(i, random);
          done++;
        }
      }
      done++;
    }
  }

  private void writeOnce(int i, SplittableRandom random) {
    int number = begun.incrementAndGet(i);
    boolean puts = (number & 1) != 0;
    long missing = index.missingValue();
    long before;
    if (!puts) {
      before = index.remove(key(i));
      assertEquals(number - 1, before, "remove");
    } else {
      before = random.nextBoolean() ? index.put(key(i), number) : putIfAbsent(i, number);
      assertEquals(missing, before, "put");
    }
    ended.set(i, number);
  }

  private long putIfAbsent(int i, int number) {
    long before = index.putIfAbsent(key(i), number);
    assertEquals(number, index.putIfAbsent(key(i), -1), "what this thread has put is there");
    return before;
  }

  // ---------------------------------------------------------------- read

  private void check(int i, int endedBefore, long answer) {
    int begunAfter = begun.get(i);
    if (answer == index.missingValue()) {
      assertTrue(
          (endedBefore & 1) == 0 || begunAfter > endedBefore,
          () -> "key " + key(i) + " is missing; writes " + endedBefore + " to " + begunAfter);
      return;
    }
    assertTrue(
        (answer & 1) != 0 && answer >= endedBefore && answer <= begunAfter,
        () -> "key " + key(i) + " is " + answer + "; writes " + endedBefore + " to " + begunAfter);
  }

  private void look(SplittableRandom random) {
    int i = random.nextInt(keys);
    int before = ended.get(i);
    check(i, before, index.get(key(i)));
    before = ended.get(i);
    boolean there = index.containsKey(key(i));
    boolean mayBeEither = begun.get(i) > before;
    assertTrue(mayBeEither || there == ((before & 1) != 0), "containsKey");
  }

  private void lookUpMany(SplittableRandom random) {
    int count = 1 + random.nextInt(150);
    int[] numbers = random.ints(count, 0, keys).toArray();
    long[] probes = new long[count];
    int[] before = new int[count];
    for (int i = 0; i < count; i++) {
      probes[i] = key(numbers[i]);
      before[i] = ended.get(numbers[i]);
    }
    long[] values = new long[count];
    index.getAll(probes, values);
    for (int i = 0; i < count; i++) {
      check(numbers[i], before[i], values[i]);
    }
  }

  private void scanForth(SplittableRandom random) {
    int from = random.nextInt(keys);
    int to = Math.min(keys, from + 1 + random.nextInt(1000));
    int[] before = endedOf(from, to);
    LongCursor cursor = index.cursor();
    LongRun run = new LongRun();
    boolean inRuns = random.nextBoolean();
    int next = from;
    boolean there = cursor.ceiling(key(from));
    while (there && cursor.key() < key(to)) {
      int i = (int) (cursor.key() / DISTANCE);
      next = passed(next, i, before, from);
      checkScanned(i, before[i - from], cursor);
      there = inRuns ? cursor.nextRun(run) && cursor.higher(key(i)) : cursor.next();
    }
    passed(next, to, before, from);
  }

  private void scanBack(SplittableRandom random) {
    int to = 1 + random.nextInt(keys);
    int from = Math.max(0, to - 1 - random.nextInt(1000));
    int[] before = endedOf(from, to);
    LongCursor cursor = index.cursor();
    int last = to;
    boolean there = cursor.lower(key(to));
    while (there && cursor.key() >= key(from)) {
      int i = (int) (cursor.key() / DISTANCE);
      assertTrue(i < last, "keys descend");
      for (int skipped = i + 1; skipped < last; skipped++) {
        check(skipped, before[skipped - from], index.missingValue());
      }
      last = i;
      checkScanned(i, before[i - from], cursor);
      there = cursor.previous();
    }
    for (int skipped = from; skipped < last; skipped++) {
      check(skipped, before[skipped - from], index.missingValue());
    }
  }

  private int[] endedOf(int from, int to) {
    int[] before = new int[to - from];
    for (int i = from; i < to; i++) {
      before[i - from] = ended.get(i);
    }
    return before;
  }

  /** Checks the keys that a scan has gone past without reporting them; returns the next. */
  private int passed(int next, int i, int[] before, int from) {
    assertTrue(i >= next, "keys ascend");
    for (int skipped = next; skipped < i; skipped++) {
      check(skipped, before[skipped - from], index.missingValue());
    }
    return i + 1;
  }

  private void checkScanned(int i, int before, LongCursor cursor) {
    check(i, before, cursor.value());
  }

  // ---------------------------------------------------------------- end

  private void checkEnd() {
    index.verify();
    int there = 0;
    for (int i = 0; i < keys; i++) {
      int number = ended.get(i);
      boolean isThere = (number & 1) != 0;
      assertEquals(isThere ? number : index.missingValue(), index.get(key(i)));
      there += isThere ? 1 : 0;
    }
    assertEquals(there, index.size());
  }
}
