// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.concurrent.ConcurrentPbPlusTree.Geometry;
import dev.espalier.memory.MemoryLimitException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Snapshots of a tree stay what they were, whatever becomes of the tree. */
@Tag("fallback-exhaustive")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SnapshotTest {
  private static final int WRITES = TestSize.share(12_000, 1_000_000);
  private static final int KEYS = 3000;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  static ConcurrentPbPlusTree tree(int innerWidth, int leafWidth) {
    return tree(innerWidth, leafWidth, Long.MAX_VALUE);
  }

  static ConcurrentPbPlusTree tree(int innerWidth, int leafWidth, long limit) {
    return ConcurrentPbPlusTree.create(
        IndexOptions.DEFAULT.withMemoryLimit(limit), new Geometry(innerWidth, leafWidth));
  }

  static TreeMap<Long, Long> fill(LongIndex index, int entries, int step) {
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key = 0; key < entries; key++) {
      index.put(key * step, key);
      model.put(key * step, key);
    }
    return model;
  }

  /** Checks all entries, by lookups, a batch, scans in both directions, runs, and the check. */
  static void assertHolds(TreeMap<Long, Long> model, LongIndex snapshot) {
    assertEquals(model.size(), snapshot.size());
    snapshot.verify();
    long[] keys = LongStream.range(-5, KEYS + 5).toArray();
    long[] values = new long[keys.length];
    long[] found = new long[keys.length / 64 + 1];
    snapshot.getAll(keys, values, found);
    for (int i = 0; i < keys.length; i++) {
      Long expected = model.get(keys[i]);
      long value = expected == null ? snapshot.missingValue() : expected;
      assertEquals(value, snapshot.get(keys[i]));
      assertEquals(value, values[i]);
      assertEquals(expected != null, snapshot.containsKey(keys[i]));
      assertEquals(expected != null, (found[i / 64] >>> i & 1) != 0);
    }
    assertEntries(model, snapshot.cursor(), true);
    assertEntries(new TreeMap<>(model).descendingMap(), snapshot.cursor(), false);
    assertEquals(model, new TreeMap<>(snapshot.asMap()));
  }

  private static void assertEntries(Map<Long, Long> model, LongCursor cursor, boolean forward) {
    Iterator<Map.Entry<Long, Long>> expected = model.entrySet().iterator();
    while (forward ? cursor.next() : cursor.previous()) {
      assertTrue(expected.hasNext());
      Map.Entry<Long, Long> entry = expected.next();
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
    assertFalse(expected.hasNext());
  }

  // ---------------------------------------------------------------- under load

  @Test
  @Tag("thorough")
  void snapshotStaysAsItWasWhileThreadsWrite() throws Exception {
    for (int width : new int[] {1, 8}) {
      try (ConcurrentPbPlusTree index = tree(width, width)) {
        TreeMap<Long, Long> model = fill(index, KEYS / 2, 2);
        index.tree.beforeStep = Thread::yield;
        try (LongIndex snapshot = index.snapshot()) {
          List<Future<?>> writers = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            SplittableRandom random = new SplittableRandom(3 * TestSize.seed() + i);
            writers.add(threads.submit(() -> fillAndEmpty(index, random, WRITES / 3)));
          }
          do {
            assertHolds(model, snapshot);
          } while (!writers.stream().allMatch(Future::isDone));
          for (Future<?> writer : writers) {
            writer.get();
          }
          assertHolds(model, snapshot);
          index.verify();
        }
      }
    }
  }

  /** Fills the tree, and empties it until its root becomes lower, again and again. */
  private static void fillAndEmpty(LongIndex index, SplittableRandom random, int writes) {
    for (int done = 0; done < writes; done++) {
      long key = random.nextInt(KEYS);
      if (done / (2 * KEYS) % 2 == 0) {
        index.remove(key);
      } else {
        index.put(key, -done);
      }
    }
  }

  /** One thread writes the same number to the first key and then to the last, and counts up. */
  @Test
  void snapshotsTakenUnderLoadAreOfOneMoment() throws Exception {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      fill(index, KEYS, 1);
      index.put(0, 0);
      index.put(KEYS - 1, 0);
      CountDownLatch done = new CountDownLatch(1);
      List<Future<?>> users = new ArrayList<>();
      users.add(
          threads.submit(
              () -> {
                for (long i = 1; done.getCount() > 0; i++) {
                  index.put(0, i);
                  index.put(KEYS - 1, i);
                }
              }));
      SplittableRandom random = new SplittableRandom(1);
      users.add(
          threads.submit(
              () -> {
                while (done.getCount() > 0) {
                  long key = 1 + random.nextInt(KEYS - 2);
                  index.remove(key);
                  index.put(key, key);
                }
              }));
      for (int i = 0; i < TestSize.share(200, 5000); i++) {
        try (LongIndex snapshot = index.snapshot()) {
          long ahead = snapshot.get(KEYS - 1);
          long first = snapshot.get(0);
          assertTrue(first == ahead || first == ahead + 1, first + " " + ahead);
          assertTrue(snapshot.size() >= KEYS - 1 && snapshot.size() <= KEYS);
          if (i % 20 == 0) {
            snapshot.verify();
          }
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
  void severalSnapshotsEachStayAsTheyWere() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> model = fill(index, KEYS / 2, 1);
      SplittableRandom random = new SplittableRandom(7);
      List<LongIndex> snapshots = new ArrayList<>();
      List<TreeMap<Long, Long>> models = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        snapshots.add(index.snapshot());
        models.add(new TreeMap<>(model));
        for (int writes = 0; writes < 800; writes++) {
          long key = random.nextInt(KEYS);
          if (random.nextBoolean()) {
            index.put(key, writes);
            model.put(key, (long) writes);
          } else {
            index.remove(key);
            model.remove(key);
          }
        }
        if (i % 3 == 2) {
          int closed = random.nextInt(snapshots.size());
          snapshots.remove(closed).close();
          models.remove(closed);
        }
        for (int j = 0; j < snapshots.size(); j++) {
          assertHolds(models.get(j), snapshots.get(j));
        }
      }
      snapshots.forEach(LongIndex::close);
      index.verify();
      assertEquals(model, new TreeMap<>(index.asMap()));
    }
  }

  // ---------------------------------------------------------------- schedules

  @Test
  void writerBetweenReadingANodeAndTheCheckMakesTheReaderTakeTheCopy() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> model = fill(index, 500, 1);
      SnapshotIndex snapshot = (SnapshotIndex) index.snapshot();
      for (long key = 0; key < 500; key += 7) {
        long written = key;
        int[] checks = new int[1];
        snapshot.nodes.beforeCheck =
            () -> {
              if (checks[0]++ < 40) {
                index.put(written, -1);
                index.remove(written + 1);
                index.put(1000 + written, 0);
              }
            };
        assertEquals(model.get(key), snapshot.get(key));
        assertTrue(snapshot.containsKey(key + 1) == model.containsKey(key + 1));
      }
      snapshot.nodes.beforeCheck = () -> {};
      assertHolds(model, snapshot);
    }
  }

  @Test
  void clearBetweenReadingANodeAndTheCheckLeadsTheReaderToTheMemoryThatWasLeft() {
    for (int atCheck = 0; atCheck < 5; atCheck++) {
      try (ConcurrentPbPlusTree index = tree(1, 1)) {
        TreeMap<Long, Long> model = fill(index, 500, 1);
        SnapshotIndex snapshot = (SnapshotIndex) index.snapshot();
        int[] checks = {atCheck};
        snapshot.nodes.beforeCheck =
            () -> {
              if (checks[0]-- == 0) {
                index.clear();
                fill(index, 500, 3);
              }
            };
        assertEquals(123, snapshot.get(123));
        assertHolds(model, snapshot);
      }
    }
  }

  @Test
  void memoryThatMovesBetweenReadingANodeAndTheCheckDisturbsNobody() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> model = fill(index, 500, 1);
      SnapshotIndex snapshot = (SnapshotIndex) index.snapshot();
      int[] checks = new int[1];
      snapshot.nodes.beforeCheck =
          () -> {
            if (checks[0]++ == 1) {
              fill(index, 20_000, 5);
            }
          };
      assertEquals(499, snapshot.get(499));
      assertHolds(model, snapshot);
    }
  }

  @Test
  void readerWhoseSnapshotIsClosedBeforeTheCheckIsToldSo() {
    for (boolean closesTree : new boolean[] {false, true}) {
      for (int atCheck = 0; atCheck < 4; atCheck++) {
        ConcurrentPbPlusTree index = tree(1, 1);
        fill(index, 500, 1);
        SnapshotIndex snapshot = (SnapshotIndex) index.snapshot();
        int[] checks = {atCheck};
        snapshot.nodes.beforeCheck =
            () -> {
              if (checks[0]-- == 0) {
                if (closesTree) {
                  index.close();
                } else {
                  snapshot.close();
                  index.put(123, -1);
                }
              }
            };
        assertThrows(IllegalStateException.class, () -> snapshot.get(123));
        index.close();
      }
    }
  }

  /** Reads the snapshot at every step of a writer that splits and merges: it stays as it was. */
  @Test
  void writerStoppedBetweenCopyAndChangeStopsNoReaderOfTheSnapshot() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> model = fill(index, 200, 1);
      LongIndex snapshot = index.snapshot();
      int[] steps = new int[1];
      index.tree.beforeStep =
          () -> {
            steps[0]++;
            assertHolds(model, snapshot);
          };
      for (long key = 50; key < 80; key++) {
        index.remove(key);
      }
      for (long key = 50; key < 80; key++) {
        index.put(1000 + key, key);
      }
      assertTrue(steps[0] > 20, "steps: " + steps[0]);
      assertHolds(model, snapshot);
    }
  }

  // ---------------------------------------------------------------- memory

  @Test
  void memoryIsAsBeforeOnceTheSnapshotIsClosed() {
    try (ConcurrentPbPlusTree index = tree(2, 2)) {
      fill(index, KEYS, 1);
      long before = index.statistics().committedBytes();
      LongIndex snapshot = index.snapshot();
      LongIndex second = index.snapshot();
      assertEquals(0, snapshot.statistics().committedBytes());
      for (long key = 0; key < KEYS; key++) {
        index.put(key, -key);
      }
      long copies = snapshot.statistics().committedBytes();
      assertTrue(copies >= snapshot.statistics().usedBytes());
      assertTrue(snapshot.statistics().usedBytes() > KEYS * 16);
      assertEquals(before + 2 * copies, index.statistics().committedBytes());
      snapshot.close();
      assertEquals(before + copies, index.statistics().committedBytes());
      second.close();
      second.close();
      assertEquals(before, index.statistics().committedBytes());
    }
  }

  @Test
  void writeForWhoseCopyThereIsNoMemoryChangesNothing() {
    long limit = 128 << 10;
    try (ConcurrentPbPlusTree index = tree(1, 1, limit)) {
      TreeMap<Long, Long> frozen = fill(index, 2000, 1);
      LongIndex snapshot = index.snapshot();
      TreeMap<Long, Long> model = new TreeMap<>(frozen);
      SplittableRandom random = new SplittableRandom(3);
      int refused = 0;
      for (int i = 0; i < 20_000; i++) {
        long key = random.nextInt(2200);
        try {
          switch (random.nextInt(3)) {
            case 0 -> {
              index.put(key, i);
              model.put(key, (long) i);
            }
            case 1 -> {
              long before = model.getOrDefault(key, -1L);
              if (index.replace(key, before, i)) {
                model.put(key, (long) i);
              }
            }
            default -> {
              if (index.insert(key, i)) {
                model.put(key, (long) i);
              }
            }
          }
        } catch (MemoryLimitException full) {
          assertTrue(full.getMessage().contains("" + limit), full.getMessage());
          refused++;
        }
      }
      assertTrue(refused > 500, "refused: " + refused);
      assertHolds(frozen, snapshot);
      index.verify();
      assertEquals(model, new TreeMap<>(index.asMap()));
      assertTrue(index.statistics().committedBytes() <= limit);
      snapshot.close();
      for (long key = 0; key < 2200; key++) {
        index.remove(key);
      }
      index.verify();
      assertTrue(index.isEmpty());
      long[] keys = LongStream.range(0, 1000).toArray();
      index.bulkload(keys, keys);
      index.verify();
      assertEquals(1000, index.size());
    }
  }

  // ---------------------------------------------------------------- the whole

  @Test
  void clearLeavesItsMemoryToTheSnapshots() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> first = fill(index, 1000, 1);
      LongIndex one = index.snapshot();
      for (long key = 0; key < 500; key++) {
        index.put(key, -1);
      }
      TreeMap<Long, Long> second = new TreeMap<>(index.asMap());
      LongIndex two = index.snapshot();
      long before = index.statistics().committedBytes();
      index.clear();
      assertTrue(index.isEmpty());
      assertTrue(index.statistics().committedBytes() > before);
      index.verify();
      TreeMap<Long, Long> third = fill(index, 700, 2);
      LongIndex three = index.snapshot();
      index.clear();
      fill(index, 300, 1);
      assertHolds(first, one);
      assertHolds(second, two);
      assertHolds(third, three);
      one.close();
      assertHolds(second, two);
      two.close();
      assertHolds(third, three);
      three.close();
      long after = index.statistics().committedBytes();
      assertTrue(after <= 64 << 10, "bytes: " + after);
      index.verify();
    }
  }

  @Test
  void bulkloadBesideASnapshotLeavesItAsItWas() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> model = fill(index, 400, 1);
      LongIndex empty;
      LongIndex snapshot = index.snapshot();
      for (long key = 0; key < 400; key++) {
        index.remove(key);
      }
      empty = index.snapshot();
      long[] keys = LongStream.range(0, 2000).toArray();
      index.bulkload(keys, keys);
      index.verify();
      assertHolds(model, snapshot);
      assertHolds(new TreeMap<>(), empty);
      index.clear();
      long[] wrong = {1, 2, 2};
      LongIndex again = index.snapshot();
      assertThrows(IllegalArgumentException.class, () -> index.bulkload(wrong, wrong));
      index.verify();
      assertHolds(model, snapshot);
      assertHolds(new TreeMap<>(), again);
    }
  }

  @Test
  void shrinkDoesNothingWhileASnapshotSharesTheMemory() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> model = fill(index, 2000, 1);
      LongIndex snapshot = index.snapshot();
      for (long key = 100; key < 2000; key++) {
        index.remove(key);
      }
      assertEquals(0, index.shrink());
      assertHolds(model, snapshot);
      snapshot.close();
      assertTrue(index.shrink() > 0);
      index.verify();
    }
  }

  @Test
  void closedSnapshotAndSnapshotOfAClosedTreeThrow() {
    ConcurrentPbPlusTree index = tree(1, 1);
    fill(index, 100, 1);
    LongIndex closed = index.snapshot();
    LongIndex open = index.snapshot();
    LongCursor cursor = closed.cursor();
    assertTrue(cursor.first());
    closed.close();
    assertTrue(closed.isClosed());
    assertFalse(open.isClosed());
    String message = assertThrows(IllegalStateException.class, () -> closed.get(1)).getMessage();
    assertTrue(message.contains("snapshot"), message);
    assertThrows(IllegalStateException.class, cursor::key);
    assertThrows(IllegalStateException.class, closed::size);
    assertThrows(IllegalStateException.class, closed::cursor);
    assertThrows(IllegalStateException.class, closed::verify);
    assertThrows(IllegalStateException.class, () -> closed.put(1, 1));
    LongCursor other = open.cursor();
    assertTrue(other.last());
    index.close();
    assertTrue(open.isClosed());
    assertThrows(IllegalStateException.class, () -> open.get(1));
    assertThrows(IllegalStateException.class, other::value);
    assertThrows(IllegalStateException.class, index::snapshot);
    open.close();
  }

  @Test
  void snapshotTakesNoChanges() {
    try (ConcurrentPbPlusTree index = tree(1, 1)) {
      TreeMap<Long, Long> model = fill(index, 100, 1);
      LongIndex snapshot = index.snapshot();
      List<Runnable> writes =
          List.of(
              () -> snapshot.put(1, 2),
              () -> snapshot.putIfAbsent(1, 2),
              () -> snapshot.set(1, 2),
              () -> snapshot.insert(1000, 2),
              () -> snapshot.replace(1, 1, 2),
              () -> snapshot.remove(1),
              () -> snapshot.remove(1, 1),
              () -> snapshot.delete(1),
              () -> snapshot.putAll(new long[1], new long[1]),
              () -> snapshot.removeRange(0, true, 50, true),
              () -> snapshot.headView(50, true).clear(),
              snapshot::clear,
              () -> snapshot.asMap().remove(5L),
              () ->
                  snapshot.bulkload(
                      LongEntrySource.of(new long[0], new long[0], 0), 1, 0, ProgressListener.NONE),
              () -> {
                LongCursor cursor = snapshot.cursor();
                cursor.first();
                cursor.setValue(3);
              },
              () -> {
                LongCursor cursor = snapshot.cursor();
                cursor.first();
                cursor.remove();
              });
      for (Runnable write : writes) {
        assertThrows(UnsupportedOperationException.class, write::run);
      }
      assertEquals(0, snapshot.shrink());
      assertHolds(model, snapshot);
      assertEquals(50, snapshot.headView(50, false).size());
    }
  }
}
