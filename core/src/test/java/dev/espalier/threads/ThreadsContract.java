// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
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

/**
 * What holds of every tree that several threads write and read at once.
 *
 * @param <T> the tree
 */
@Tag("fallback-thorough")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class ThreadsContract<T extends LongIndex> {
  protected final ExecutorService threads = Executors.newCachedThreadPool();

  /** How much each thread writes. */
  protected final int writes;

  protected ThreadsContract(int writes) {
    this.writes = writes;
  }

  /** Makes an empty tree of the smallest nodes. */
  protected abstract T tree();

  /** Checks what is to be checked of a tree that nobody uses. */
  protected void verifyAlone(T index) {
    index.verify();
  }

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void writersOfTheSameKeysLeaveASoundTree() throws Exception {
    try (T index = tree()) {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        SplittableRandom random = new SplittableRandom(i);
        writers.add(threads.submit(() -> fillAndEmpty(index, random)));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      verifyAlone(index);
      long counted = 0;
      for (LongCursor cursor = index.cursor(); cursor.next(); counted++) {
        assertEquals(cursor.key(), cursor.value());
      }
      assertEquals(counted, index.size());
    }
  }

  /** All threads go through the same keys, up and down again. */
  private void fillAndEmpty(LongIndex index, SplittableRandom random) {
    for (int done = 0; done < writes; done++) {
      long key = random.nextInt(2000);
      if (done / 2000 % 2 == 0) {
        index.put(key, key);
      } else {
        index.remove(key);
      }
    }
  }

  @Test
  void whatNeedsTheTreeAloneWaitsForOthersAndTheyForIt() throws Exception {
    try (T index = tree()) {
      CountDownLatch done = new CountDownLatch(1);
      List<Future<?>> users = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        SplittableRandom random = new SplittableRandom(i);
        users.add(threads.submit(() -> useUntil(done, index, random)));
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
      verifyAlone(index);
    }
  }

  private static void useUntil(CountDownLatch done, LongIndex index, SplittableRandom random) {
    long[] keys = new long[50];
    long[] values = new long[keys.length];
    while (done.getCount() > 0) {
      long key = random.nextInt(3000);
      index.put(key, key);
      for (int i = 0; i < keys.length; i++) {
        keys[i] = random.nextInt(3000);
      }
      index.getAll(keys, values);
      for (int i = 0; i < keys.length; i++) {
        assertTrue(values[i] == index.missingValue() || values[i] == keys[i]);
      }
      LongCursor cursor = index.cursor();
      boolean there = cursor.ceiling(key);
      for (int steps = 0; there && steps < 30 && cursor.next(); steps++) {
        assertTrue(cursor.key() > key);
        key = cursor.key();
        assertEquals(key, cursor.value());
      }
      index.remove(random.nextInt(3000));
    }
  }

  @Test
  void callsUnderWayEndWhenTheTreeIsClosed() throws Exception {
    for (int round = 0; round < TestSize.of(20, 200); round++) {
      T index = tree();
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
