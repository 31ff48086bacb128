// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntryRanges;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Words;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads load the tree that one would have loaded. */
@Tag("fallback-exhaustive")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParallelBulkloadTest {
  private static ConcurrentPbPlusTree tree(int innerWidth, int leafWidth, long limit) {
    return ConcurrentPbPlusTree.create(
        IndexOptions.DEFAULT.withMemoryLimit(limit), new Geometry(innerWidth, leafWidth));
  }

  private static ConcurrentPbPlusTree tree() {
    return tree(1, 1, Long.MAX_VALUE);
  }

  private static long[] keys(int count) {
    return LongStream.range(0, count).map(i -> 3 * i - count).toArray();
  }

  private static void load(ConcurrentPbPlusTree index, long[] keys, int threads) {
    index.bulkload(LongEntryRanges.of(keys, keys), 1, threads, ProgressListener.NONE);
  }

  // ---------------------------------------------------------------- the same tree

  @Test
  @Tag("thorough")
  void treeIsTheOneThatOneThreadLoads() {
    int[] counts = {0, 1, 2, 3, 4, 5, 9, 12, 13, 31, 32, 62, 63, 100, 257, 1000, 9999, 40_000};
    for (int width : new int[] {1, 3, 8}) {
      for (double fill : new double[] {0.5, 0.8, 1}) {
        for (int count : counts) {
          long[] keys = keys(count);
          try (ConcurrentPbPlusTree serial = tree(width, width, Long.MAX_VALUE)) {
            serial.bulkload(
                LongEntrySource.of(keys, keys, count), fill, count, ProgressListener.NONE);
            for (int threads : new int[] {1, 2, 3, 7}) {
              try (ConcurrentPbPlusTree index = tree(width, width, Long.MAX_VALUE)) {
                index.bulkload(
                    LongEntryRanges.of(keys, keys), fill, threads, ProgressListener.NONE);
                index.verify();
                assertEquals(count, index.size());
                long root = Words.getLong(index.tree.nodes, ConcurrentStructure.ROOT);
                long serialRoot = Words.getLong(serial.tree.nodes, ConcurrentStructure.ROOT);
                int level = ConcurrentStructure.levelOf(root);
                assertEquals(ConcurrentStructure.levelOf(serialRoot), level);
                assertSameNodes(
                    serial.tree,
                    ConcurrentStructure.nodeOf(serialRoot),
                    index.tree,
                    ConcurrentStructure.nodeOf(root),
                    level);
              }
            }
          }
        }
      }
    }
  }

  /** Checks that leaves have the same bytes, and inner nodes the same separators. */
  private static void assertSameNodes(
      ConcurrentStructure one, long a, ConcurrentStructure other, long b, int level) {
    if (level == 0) {
      MemorySegment leaf = one.nodes.asSlice(a, one.leaf.bytes);
      assertEquals(-1, leaf.mismatch(other.nodes.asSlice(b, one.leaf.bytes)));
      return;
    }
    VersionedInner inner = one.inner;
    int count = inner.count(one.nodes, a);
    assertEquals(count, inner.count(other.nodes, b));
    for (int i = 0; i <= count; i++) {
      if (i < count) {
        assertEquals(inner.key(one.nodes, a, i), inner.key(other.nodes, b, i));
      }
      long childA = inner.child(one.nodes, a, i);
      assertSameNodes(one, childA, other, inner.child(other.nodes, b, i), level - 1);
    }
  }

  @Test
  void entriesInSegmentsAreLoaded() {
    long[] keys = keys(1000);
    try (ConcurrentPbPlusTree index = tree()) {
      MemorySegment segment = MemorySegment.ofArray(keys);
      index.bulkload(LongEntryRanges.of(segment, segment), 1, 3, ProgressListener.NONE);
      index.verify();
      for (long key : keys) {
        assertEquals(key, index.get(key));
      }
    }
    MemorySegment seven = MemorySegment.ofArray(new byte[7]);
    assertThrows(IllegalArgumentException.class, () -> LongEntryRanges.of(seven, seven));
    assertThrows(
        IllegalArgumentException.class, () -> LongEntryRanges.of(new long[1], new long[2]));
  }

  @Test
  void treeThatWasUsedBeforeIsLoadedAnew() {
    long[] keys = keys(1000);
    try (ConcurrentPbPlusTree index = tree()) {
      load(index, keys, 2);
      LongIndex snapshot = index.snapshot();
      for (long key : keys) {
        index.remove(key);
      }
      long[] others = keys(2000);
      load(index, others, 3);
      index.verify();
      assertEquals(2000, index.size());
      snapshot.verify();
      assertEquals(1000, snapshot.size());
      assertThrows(IllegalStateException.class, () -> load(index, keys, 2));
      assertEquals(2000, index.size());
    }
  }

  // ---------------------------------------------------------------- errors

  @Test
  void firstKeyThatIsNotAboveTheOneBeforeIsNamedAsByOneThread() {
    int count = TestSize.of(24, 60);
    for (int first = 1; first < count; first++) {
      for (int second = first; second < count; second += 7) {
        long[] keys = keys(count);
        keys[first] = keys[first - 1];
        keys[second] = keys[second - 1] - 1;
        try (ConcurrentPbPlusTree serial = tree();
            ConcurrentPbPlusTree index = tree()) {
          String expected =
              assertThrows(IllegalArgumentException.class, () -> serial.bulkload(keys, keys))
                  .getMessage();
          for (int threads : new int[] {1, 2, 3, 20}) {
            String message =
                assertThrows(IllegalArgumentException.class, () -> load(index, keys, threads))
                    .getMessage();
            assertEquals(expected, message);
            assertTrue(index.isEmpty());
            index.verify();
          }
        }
      }
    }
  }

  @Test
  void memoryLimitLeavesAnEmptyTree() {
    try (ConcurrentPbPlusTree index = tree(1, 1, 64 << 10)) {
      long[] many = keys(10_000);
      assertThrows(MemoryLimitException.class, () -> load(index, many, 3));
      assertTrue(index.isEmpty());
      index.verify();
      load(index, keys(1000), 3);
      index.verify();
      assertEquals(1000, index.size());
    }
  }

  @Test
  void rangeOfAnotherLengthIsRefused() {
    long[] keys = keys(100);
    LongEntryRanges right = LongEntryRanges.of(keys, keys);
    for (int wrong : new int[] {-1, 1}) {
      LongEntryRanges ranges =
          new LongEntryRanges() {
            @Override
            public long count() {
              return 90;
            }

            @Override
            public LongEntrySource range(long from, long to) {
              return right.range(from, from > 0 ? to + wrong : to);
            }
          };
      try (ConcurrentPbPlusTree index = tree()) {
        IllegalArgumentException refused =
            assertThrows(
                IllegalArgumentException.class,
                () -> index.bulkload(ranges, 1, 3, ProgressListener.NONE));
        assertTrue(refused.getMessage().contains("entries.range("), refused.getMessage());
        assertTrue(index.isEmpty());
        index.verify();
      }
    }
  }

  @Test
  void whatASourceThrowsReachesTheCaller() {
    for (Throwable thrown : new Throwable[] {new IllegalStateException("x"), new Error("x")}) {
      LongEntryRanges ranges =
          new LongEntryRanges() {
            @Override
            public long count() {
              return 1000;
            }

            @Override
            public LongEntrySource range(long from, long to) {
              if (from > 0) {
                throwIt();
              }
              long[] keys = keys(1000);
              return LongEntrySource.of(keys, keys, (int) to);
            }

            private void throwIt() {
              if (thrown instanceof Error error) {
                throw error;
              }
              throw (RuntimeException) thrown;
            }
          };
      try (ConcurrentPbPlusTree index = tree()) {
        assertSame(
            thrown,
            assertThrows(
                Throwable.class, () -> index.bulkload(ranges, 1, 4, ProgressListener.NONE)));
        assertTrue(index.isEmpty());
        index.verify();
      }
    }
  }

  @Test
  void argumentsAreChecked() {
    try (ConcurrentPbPlusTree index = tree()) {
      long[] keys = keys(10);
      LongEntryRanges ranges = LongEntryRanges.of(keys, keys);
      assertThrows(IllegalArgumentException.class, () -> load(index, keys, 0));
      assertThrows(
          IllegalArgumentException.class,
          () -> index.bulkload(ranges, 0.4, 2, ProgressListener.NONE));
      assertThrows(IndexOutOfBoundsException.class, () -> ranges.range(5, 11));
    }
    ConcurrentPbPlusTree closed = tree();
    closed.close();
    assertThrows(IllegalStateException.class, () -> load(closed, keys(10), 2));
  }

  // ---------------------------------------------------------------- progress

  @Test
  void listenerSeesProgressOfAllThreadsAndTheEnd() {
    long[] keys = keys(50_000);
    try (ConcurrentPbPlusTree index = tree()) {
      List<Long> seen = new ArrayList<>();
      index.bulkload(
          LongEntryRanges.of(keys, keys),
          1,
          3,
          (done, total) -> {
            assertEquals(50_000, total);
            seen.add(done);
            return true;
          });
      assertEquals(seen.stream().sorted().toList(), seen);
      assertEquals(50_000, seen.getLast());
      assertTrue(seen.size() >= 10, "reports: " + seen.size());
    }
  }

  @Test
  void cancelledAtAnyReportTheTreeIsEmpty() {
    long[] keys = keys(50_000);
    for (int allowed = 0; ; allowed++) {
      try (ConcurrentPbPlusTree index = tree()) {
        int[] left = {allowed};
        ProgressListener listener = (_, _) -> left[0]-- > 0;
        LongEntryRanges ranges = LongEntryRanges.of(keys, keys);
        boolean isDone = false;
        try {
          index.bulkload(ranges, 1, 3, listener);
          isDone = true;
        } catch (CancellationException cancelled) {
          assertTrue(cancelled.getMessage().contains("cancelled after"), cancelled.getMessage());
          assertTrue(index.isEmpty());
        }
        index.verify();
        if (isDone) {
          assertTrue(allowed >= 10, "reports: " + allowed);
          return;
        }
      }
    }
  }
}
