// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.threads.KeyHistories;
import dev.espalier.threads.ThreadsContract;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads that write and read one tree at once, and memory that moves while it grows. */
class ConcurrentThreadsTest extends ThreadsContract<ConcurrentPbPlusTree> {
  private static final int WRITES = TestSize.share(500, 40_000);

  ConcurrentThreadsTest() {
    super(WRITES);
  }

  @Override
  protected ConcurrentPbPlusTree tree() {
    return tree(1, 1);
  }

  private static ConcurrentPbPlusTree tree(int innerWidth, int leafWidth) {
    return ConcurrentPbPlusTree.create(
        IndexOptions.DEFAULT, new ConcurrentPbPlusTree.Geometry(innerWidth, leafWidth));
  }

  /** Counts of threads are added up one by one, and a removal may be counted before its insert. */
  @Test
  void whatIsNotCountedYetMakesNoTreeEmptyAndNoSizeNegative() {
    try (ConcurrentPbPlusTree index = tree()) {
      index.put(1, 1);
      index.tree.size.decrement();
      assertEquals(0, index.size());
      assertFalse(index.isEmpty());
      index.tree.size.decrement();
      assertEquals(0, index.size());
      assertThrows(InvariantViolationException.class, index::verify);
      index.tree.size.add(2);
      index.remove(1);
      assertTrue(index.isEmpty());
      index.verify();
      index.tree.size.decrement();
      assertThrows(InvariantViolationException.class, index::verify);
    }
  }

  @Test
  @Tag("thorough")
  void everyAnswerFollowsFromTheWritesOfTheKeyInTheSmallestNodes() throws Exception {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      index.tree.beforeStep = Thread::yield; // Gives others time between two steps.
      KeyHistories.run(index, 5000, 3, 4, WRITES);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyInNodesOfTheUsualSize() throws Exception {
    try (ConcurrentPbPlusTree index = tree(8, 8)) {
      KeyHistories.run(index, 20_000, 2, 4, WRITES);
    }
  }

  @Test
  void everyAnswerFollowsFromTheWritesOfTheKeyWhereGroupsGoLineByLine() throws Exception {
    try (ConcurrentPbPlusTree index = tree(8, 8)) {
      index.groups.alwaysByLines = true;
      KeyHistories.run(index, 20_000, 2, 4, WRITES);
    }
  }

  /** The leaf that was the last may be used again elsewhere. */
  @Test
  void keysAreAppendedToWhatIsTheLastLeafAfterARangeHasLeft() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      for (long key = 0; key < 1000; key++) {
        index.put(key, key);
      }
      for (long end = 990; end > 0; end -= 110) {
        index.removeRange(end, true, Long.MAX_VALUE, true);
        index.verify();
        for (long key = 2000; key < 2100; key++) {
          index.put(key, key);
          index.put(-key, key); // Takes leaves that have become free.
        }
        index.verify();
      }
    }
  }

  /** Nothing but what was stored is found in the empty memory that takes the place of the old. */
  @Test
  void lookupsWhileTheTreeIsClearedFindNothingElse() throws Exception {
    for (int width : new int[] {1, 64}) {
      try (ConcurrentPbPlusTree index = tree(width, width)) {
        CountDownLatch done = new CountDownLatch(1);
        Future<?> reader =
            threads.submit(
                () -> {
                  while (done.getCount() > 0) {
                    assertFalse(index.containsKey(0));
                    assertFalse(index.containsKey(Long.MIN_VALUE));
                    assertFalse(index.containsKey(Long.MAX_VALUE));
                  }
                });
        for (int i = 0; i < TestSize.share(300, 5000); i++) {
          index.clear();
          index.put(1, 5);
        }
        done.countDown();
        reader.get();
      }
    }
  }

  @Test
  void memoryLimitStopsWritersButNoReaderAndLosesNothing() throws Exception {
    IndexOptions options = IndexOptions.DEFAULT.withMemoryLimit(100_000);
    try (ConcurrentPbPlusTree index =
        ConcurrentPbPlusTree.create(options, new ConcurrentPbPlusTree.Geometry(1, 1))) {
      CountDownLatch done = new CountDownLatch(1);
      AtomicLongArray stored = new AtomicLongArray(3);
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        SplittableRandom random = new SplittableRandom(i);
        readers.add(threads.submit(() -> readStored(done, index, stored, random)));
      }
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < stored.length(); i++) {
        int writer = i;
        writers.add(threads.submit(() -> putUntilFull(index, writer, stored)));
      }
      for (Future<?> writer : writers) {
        ExecutionException end = assertThrows(ExecutionException.class, writer::get);
        assertInstanceOf(MemoryLimitException.class, end.getCause());
      }
      done.countDown();
      for (Future<?> reader : readers) {
        reader.get();
      }
      index.verify();
      assertTrue(index.statistics().committedBytes() <= 100_000);
      long entries = 0;
      for (int writer = 0; writer < stored.length(); writer++) {
        entries += stored.get(writer);
        for (long i = 0; i < stored.get(writer); i++) {
          assertEquals(i, index.remove(scattered(i, writer)));
        }
      }
      assertTrue(entries > 1000, "entries: " + entries);
      assertEquals(0, index.size());
    }
  }

  private static long scattered(long i, int writer) {
    return i * 0x9e37_79b9_7f4a_7c15L & ~3L | writer;
  }

  private static void putUntilFull(LongIndex index, int writer, AtomicLongArray stored) {
    for (long i = 0; ; i++) {
      index.put(scattered(i, writer), i);
      stored.set(writer, i + 1);
    }
  }

  private static void readStored(
      CountDownLatch done, LongIndex index, AtomicLongArray stored, SplittableRandom random) {
    while (done.getCount() > 0) {
      int writer = random.nextInt(stored.length());
      long count = stored.get(writer);
      if (count > 0) {
        long i = random.nextLong(count);
        assertEquals(i, index.get(scattered(i, writer)));
      }
    }
  }

  /** Nodes of three lines do not fill the memory, which begins small, to its end. */
  @Test
  void splitOfARootThatNeedsTwoNodesGetsBothWhereTheMemoryEnds() {
    for (int leafWidth = 1; leafWidth <= 8; leafWidth++) {
      try (ConcurrentPbPlusTree index = tree(3, leafWidth)) {
        for (long key = 0; key < 5000; key++) {
          index.put(key * 31 % 5000, key);
        }
        index.verify();
        assertEquals(5000, index.size());
      }
    }
  }
}
