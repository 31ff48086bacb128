// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

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

/** Several threads that write and read one tree at once. */
@Tag("fallback-too")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BLinkThreadsTest {
  private static final int WRITES = TestSize.of(20_000, 400_000);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private static BLinkTree tree(int pageBytes) {
    return BLinkTree.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(pageBytes));
  }

  /** The memory of the pages begins small, and moves while it grows. */
  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInTheSmallestPages() throws Exception {
    try (BLinkTree index = tree(256)) {
      KeyHistories.run(index, 5000, 3, 4, WRITES);
      assertTrue(index.tree.height() >= 3);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInPagesOfTheUsualSize() throws Exception {
    try (BLinkTree index = tree(4096)) {
      KeyHistories.run(index, 20_000, 2, 4, WRITES);
    }
  }

  @Test
  void writersOfTheSameKeysLeaveASoundTree() throws Exception {
    try (BLinkTree index = tree(256)) {
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
      assertEquals(0, index.tree.space.outside());
    }
  }

  @Test
  void whatNeedsTheTreeAloneWaitsForOthersAndTheyForIt() throws Exception {
    try (BLinkTree index = tree(256)) {
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
      BLinkTree index = tree(256);
      CountDownLatch warm = new CountDownLatch(3);
      List<Future<?>> users = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
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
