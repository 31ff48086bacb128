// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.threads.KeyHistories;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several threads that write and read one tree at once, and flush its queue. */
@Tag("fallback-too")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PioThreadsTest {
  private static final int WRITES = TestSize.of(20_000, 400_000);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private static PioBTree tree(int pageBytes, int segments, int queuePages, int batchCount) {
    return PioBTree.open(
        IndexOptions.DEFAULT,
        IndexOptions.DEFAULT.pagesInMemory(pageBytes),
        new PioBTree.Geometry(segments, queuePages, 64, 5000, batchCount));
  }

  /** The memory of the pages begins small, and moves while it grows. */
  @ParameterizedTest
  @CsvSource({"256, 1, 1, 1000", "256, 2, 4, 30", "256, 3, 20, 5000", "4096, 2, 16, 1000"})
  void everyAnswerFollowsFromTheWritesOfTheKey(
      int pageBytes, int segments, int queuePages, int batchCount) throws Exception {
    try (PioBTree index = tree(pageBytes, segments, queuePages, batchCount)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
      assertTrue(index.tree.meta[PioStructure.IN_LEAVES] > 0, "the queue was flushed");
    }
  }

  /** Each key has its own writer, which does not look, and so knows what must be there. */
  @Test
  void writesThatDoNotLookAreAllThere() throws Exception {
    try (PioBTree index = tree(256, 2, 8, 40)) {
      int keys = 3000;
      List<Future<long[]>> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int writer = i;
        writers.add(threads.submit(() -> writeBlind(index, writer, keys)));
      }
      long[] last = new long[4 * keys];
      for (int i = 0; i < 4; i++) {
        long[] own = writers.get(i).get();
        for (int j = 0; j < keys; j++) {
          last[4 * j + i] = own[j];
        }
      }
      index.verify();
      long there = 0;
      for (int key = 0; key < last.length; key++) {
        assertEquals(last[key], index.getOrDefault(key, 0), "key " + key);
        there += last[key] != 0 ? 1 : 0;
      }
      assertEquals(there, index.size());
      index.verify();
    }
  }

  private static long[] writeBlind(LongIndex index, int writer, int keys) {
    SplittableRandom random = new SplittableRandom(writer);
    long[] last = new long[keys];
    for (int i = 1; i <= WRITES; i++) {
      int number = random.nextInt(keys);
      long key = 4L * number + writer;
      if (random.nextInt(3) == 0) {
        index.delete(key);
        last[number] = 0;
      } else {
        index.set(key, i);
        last[number] = i;
      }
      if (i % 64 == 0) {
        assertEquals(last[number], index.getOrDefault(key, 0), "what this thread has written");
        index.size();
      }
    }
    return last;
  }

  @Test
  void writersOfTheSameKeysLeaveASoundTree() throws Exception {
    try (PioBTree index = tree(256, 2, 4, 30)) {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        SplittableRandom random = new SplittableRandom(i);
        writers.add(
            threads.submit(
                () -> {
                  for (int done = 0; done < WRITES; done++) {
                    // All go through the same keys, up and down again.
                    boolean puts = done / 2000 % 2 == 0;
                    long key = random.nextInt(2000);
                    if (puts) {
                      index.put(key, key);
                    } else {
                      index.remove(key);
                    }
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      index.verify();
      long counted = 0;
      for (LongCursor cursor = index.cursor(); cursor.next(); counted++) {
        assertEquals(cursor.key(), cursor.value());
      }
      assertEquals(counted, index.size());
    }
  }

  @Test
  void whatNeedsTheTreeAloneWaitsForOthersAndTheyForIt() throws Exception {
    try (PioBTree index = tree(256, 2, 4, 30)) {
      CountDownLatch done = new CountDownLatch(1);
      List<Future<?>> users = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        SplittableRandom random = new SplittableRandom(i);
        users.add(
            threads.submit(
                () -> {
                  while (done.getCount() > 0) {
                    long key = random.nextInt(3000);
                    index.put(key, key);
                    long value = index.get(random.nextInt(3000));
                    assertTrue(value == index.missingValue() || value >= 0);
                    LongCursor cursor = index.cursor();
                    boolean there = cursor.ceiling(key);
                    for (int steps = 0; there && steps < 30 && cursor.next(); steps++) {
                      assertTrue(cursor.key() > key);
                      key = cursor.key();
                    }
                    index.remove(random.nextInt(3000));
                  }
                }));
      }
      for (int i = 0; i < TestSize.of(30, 500); i++) {
        index.verify();
        index.shrink();
        if (i % 10 == 0) {
          index.clear();
        }
      }
      done.countDown();
      for (Future<?> user : users) {
        user.get();
      }
      index.verify();
    }
  }

  @Test
  void callsUnderWayEndWhenTheTreeIsClosed() throws Exception {
    for (int round = 0; round < TestSize.of(20, 200); round++) {
      PioBTree index = tree(256, 2, 4, 30);
      CountDownLatch warm = new CountDownLatch(4);
      List<Future<?>> users = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        SplittableRandom random = new SplittableRandom(i);
        int kind = i;
        users.add(threads.submit(() -> useUntilClosed(index, random, kind, warm)));
      }
      warm.await();
      index.close();
      for (Future<?> user : users) {
        ExecutionException end = assertThrows(ExecutionException.class, user::get);
        assertInstanceOf(IllegalStateException.class, end.getCause());
      }
      assertTrue(index.isClosed());
    }
  }

  private static void useUntilClosed(
      LongIndex index, SplittableRandom random, int kind, CountDownLatch warm) {
    LongCursor cursor = index.cursor();
    for (int i = 0; ; i++) {
      long key = random.nextInt(3000);
      switch (kind) {
        case 0 -> index.put(key, key);
        case 1 -> {
          index.put(key, key);
          index.remove(random.nextInt(3000));
        }
        case 2 -> {
          index.set(key, key);
          index.delete(random.nextInt(3000));
        }
        default -> {
          index.get(key);
          cursor.next();
        }
      }
      if (i == 300) {
        warm.countDown();
      }
    }
  }
}
